// What the fuzz target of model configs runs. The first byte chooses the file that the rest is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <marian/checkpoint.h>
#include <marian/folder/hugging_face_config.h>
#include <marian/folder/native_config.h>

namespace refran::marian::fuzz {

// What the code behind the readers relies on; a failure is a defect, which libFuzzer then reports.
inline void check_sizes(const ModelConfig& config) {
  const auto is_below = [](std::int32_t id, std::size_t vocabulary) {
    return id >= 0 && static_cast<std::size_t>(id) < vocabulary;
  };
  const bool is_sound = config.model_dim >= 1 && config.encoder_layers >= 1 &&
                        config.decoder_layers >= 1 && config.encoder_heads >= 1 &&
                        config.decoder_heads >= 1 && config.encoder_ffn_dim >= 1 &&
                        config.decoder_ffn_dim >= 1 && config.max_positions >= 1 &&
                        config.model_dim % config.encoder_heads == 0 &&
                        config.model_dim % config.decoder_heads == 0 &&
                        is_below(config.pad_id, config.target_vocabulary) &&
                        is_below(config.eos_id, config.target_vocabulary) &&
                        is_below(config.decoder_start_id, config.target_vocabulary);
  if (!is_sound) std::abort();
}

inline void check_decoding(const ModelFolder& folder) {
  const Decoding& decoding = folder.decoding;
  const auto is_id = [&](std::int32_t id) {
    return id >= 0 && static_cast<std::size_t>(id) < folder.config.target_vocabulary;
  };
  if (decoding.beam_size < 1 || decoding.max_length < 2) std::abort();
  if (!std::all_of(decoding.banned_ids.begin(), decoding.banned_ids.end(), is_id)) std::abort();
  if (decoding.forced_eos_id && !is_id(*decoding.forced_eos_id)) std::abort();
}

// Reads `text` as the file that `choice` names.
inline void read_config_file(unsigned char choice, std::string_view text) {
  ModelFolder folder;
  folder.path = "folder";
  const std::string plain = R"({"model_type": "marian"})";
  switch (choice % 5) {
    case 0:
      read_hugging_face_config({std::string(text), {}, {}}, folder);
      break;
    case 1:
      read_hugging_face_config({plain, std::string(text), {}}, folder);
      break;
    case 2:
      read_hugging_face_config({plain, {}, std::string(text)}, folder);
      break;
    case 3:
      read_decoder_options(text, folder);
      return;
    default:
      read_model_options(text, "model.npz", folder);
      check_sizes(folder.config);
      return;
  }
  check_sizes(folder.config);
  check_decoding(folder);
}

// Whether the bytes are a good file. Anything but a ModelError is a defect, and is not caught.
inline bool accepts_config(std::string_view bytes) {
  if (bytes.empty()) return false;
  try {
    read_config_file(static_cast<unsigned char>(bytes.front()), bytes.substr(1));
  } catch (const ModelError&) {
    return false;
  }
  return true;
}

}  // namespace refran::marian::fuzz
