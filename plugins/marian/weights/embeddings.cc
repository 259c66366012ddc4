#include "embeddings.h"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace refran::marian {
namespace {

const std::string kShared = "model.shared.weight";
const std::string kEncoderTokens = "model.encoder.embed_tokens.weight";
const std::string kDecoderTokens = "model.decoder.embed_tokens.weight";
const std::string kHead = "lm_head.weight";

// The table that all of `names` stand for: the first that the file has. Those that hold something
// else are left out with a warning: some files on the Hub have an output matrix that was never
// trained, which transformers 4.30 and later take at its word.
std::span<const float> tied_table(const std::vector<std::string>& names, std::size_t rows,
                                  std::size_t columns, TensorReader& reader, Weights& weights) {
  const std::string* used = nullptr;
  for (const std::string& name : names) {
    reader.mark_used(name);
    if (!reader.has(name)) continue;
    if (used == nullptr) {
      used = &name;
    } else if (!reader.are_equal(*used, name)) {
      weights.warnings.push_back(
          fmt::format("{0} and {1} differ, though the config says that they are one table: {0} is "
                      "used for both, {1} is not (transformers 5 uses each as it is stored)",
                      *used, name));
    }
  }
  return reader.matrix(used == nullptr ? names.front() : *used, rows, columns);
}

std::span<const float> zeros(std::size_t size, TensorReader& reader) {
  return reader.own(std::vector<float>(size));
}

// The output matrix is the target's embedding, or its own.
void read_output(const ModelConfig& config, TensorReader& reader, Weights& weights) {
  weights.output.weight = config.tied_output
                              ? weights.target_embedding
                              : reader.matrix(kHead, config.target_vocabulary, config.model_dim);
  const std::string bias = "final_logits_bias";
  weights.output.bias = reader.has(bias) ? reader.vector(bias, config.target_vocabulary)
                                         : zeros(config.target_vocabulary, reader);
}

// A native matrix [out, in] that is not a layer's; Marian has stored it both ways.
std::span<const float> native_output(const ModelConfig& config, TensorReader& reader) {
  const std::size_t tokens = config.target_vocabulary - 1;
  if (reader.has("decoder_ff_logit_out_W")) {
    return reader.matrix("decoder_ff_logit_out_W", tokens, config.model_dim, Layout::transposed, 1);
  }
  return reader.matrix("decoder_ff_logit_out_Wt", tokens, config.model_dim, Layout::as_wanted, 1);
}

}  // namespace

void read_hugging_face_tables(const ModelConfig& config, TensorReader& reader, Weights& weights) {
  std::vector<std::string> names{kDecoderTokens};
  if (config.shared_embeddings) names = {kShared, kDecoderTokens, kEncoderTokens};
  if (config.tied_output) names.push_back(kHead);
  weights.target_embedding =
      tied_table(names, config.target_vocabulary, config.model_dim, reader, weights);
  weights.source_embedding =
      config.shared_embeddings
          ? weights.target_embedding
          : reader.matrix(kEncoderTokens, config.source_vocabulary, config.model_dim);
  read_output(config, reader, weights);
}

void read_native_tables(const ModelConfig& config, TensorReader& reader, Weights& weights) {
  const auto table = [&](const std::string& name, std::size_t vocabulary) {
    return reader.matrix(name, vocabulary - 1, config.model_dim, Layout::as_wanted, 1);
  };
  if (config.shared_embeddings) {
    weights.source_embedding = table("Wemb", config.source_vocabulary);
    weights.target_embedding = weights.source_embedding;
  } else {
    weights.source_embedding = table("encoder_Wemb", config.source_vocabulary);
    weights.target_embedding = table("decoder_Wemb", config.target_vocabulary);
  }
  weights.output.weight =
      config.tied_output ? weights.target_embedding : native_output(config, reader);
  const std::string bias = "decoder_ff_logit_out_b";
  weights.output.bias = reader.has(bias) ? reader.vector(bias, config.target_vocabulary - 1, 1)
                                         : zeros(config.target_vocabulary, reader);
  reader.mark_used("special:model.yml");
}

void read_positions(const ModelConfig& config, TensorReader& reader, Weights& weights) {
  std::span<const float> computed;
  const auto table = [&](const std::string& name) {
    if (reader.has(name)) return reader.matrix(name, config.max_positions, config.model_dim);
    if (computed.empty()) {
      computed =
          reader.own(position_table(config.position_table, config.max_positions, config.model_dim));
    }
    return computed;
  };
  weights.encoder_positions = table("model.encoder.embed_positions.weight");
  weights.decoder_positions = table("model.decoder.embed_positions.weight");
}

}  // namespace refran::marian
