// Small models for tests: tensors in memory, and folders with files that a test writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <marian/checkpoint.h>
#include <marian/model_config.h>
#include <marian/weights.h>

#include "thrown.h"

namespace refran::marian::files {

// A folder that is gone when the test ends.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "refran-model-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void remove(const std::string& name) const { std::filesystem::remove(path_ / name); }

 private:
  std::filesystem::path path_;
};

// Tensors in memory, which live as long as this object.
class Tensors {
 public:
  template <class T>
  void add(const std::string& name, std::vector<std::size_t> shape, const std::vector<T>& values,
           StoredType type) {
    std::vector<std::byte>& buffer = buffers_.emplace_back(values.size() * sizeof(T));
    std::memcpy(buffer.data(), values.data(), buffer.size());
    StoredTensor tensor{name, type, std::move(shape), {}, buffer};
    tensor.strides.assign(tensor.shape.size(), 1);
    for (std::size_t axis = tensor.shape.size(); axis-- > 1;)
      tensor.strides[axis - 1] = tensor.strides[axis] * tensor.shape[axis];
    tensors_[name] = std::move(tensor);
  }
  void add(const std::string& name, std::vector<std::size_t> shape,
           const std::vector<float>& values) {
    add(name, std::move(shape), values, StoredType::float32);
  }
  // All numbers of a tensor are the same, and of no other: 1, 2, 3 … by the order of the calls.
  void add(const std::string& name, std::vector<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    const auto number = static_cast<float>(buffers_.size() + 1);
    add(name, std::move(shape), std::vector<float>(size, number));
  }
  void remove(const std::string& name) { tensors_.erase(name); }
  StoredTensor& operator[](const std::string& name) { return tensors_.at(name); }
  const std::byte* bytes(const std::string& name) const { return tensors_.at(name).bytes.data(); }
  float first(const std::string& name) const {
    float number = 0;
    std::memcpy(&number, bytes(name), sizeof(number));
    return number;
  }

  Checkpoint checkpoint() const {
    std::vector<StoredTensor> tensors;
    for (const auto& [name, tensor] : tensors_) tensors.push_back(tensor);
    return Checkpoint("model.bin", "memory", std::move(tensors), nullptr);
  }

 private:
  std::map<std::string, StoredTensor> tensors_;
  std::deque<std::vector<std::byte>> buffers_;
};

inline ModelFolder small_folder() {
  ModelFolder folder;
  folder.config = {.source_vocabulary = 5,
                   .target_vocabulary = 5,
                   .model_dim = 4,
                   .encoder_layers = 1,
                   .decoder_layers = 1,
                   .encoder_heads = 2,
                   .decoder_heads = 2,
                   .encoder_ffn_dim = 3,
                   .decoder_ffn_dim = 6,
                   .max_positions = 3,
                   .pad_id = 4,
                   .decoder_start_id = 4};
  return folder;
}

// Tensors of `small_folder()`, with Hugging Face's names.
inline Tensors small_tensors() {
  Tensors tensors;
  const auto linear = [&](const std::string& name, std::size_t out, std::size_t in) {
    tensors.add(name + ".weight", {out, in});
    tensors.add(name + ".bias", {out});
  };
  const auto norm = [&](const std::string& name) {
    tensors.add(name + ".weight", {4});
    tensors.add(name + ".bias", {4});
  };
  const auto attention = [&](const std::string& name) {
    for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"})
      linear(name + "." + part, 4, 4);
    norm(name + "_layer_norm");
  };
  const auto ffn = [&](const std::string& layer, std::size_t width) {
    linear(layer + "fc1", width, 4);
    linear(layer + "fc2", 4, width);
    norm(layer + "final_layer_norm");
  };
  attention("model.encoder.layers.0.self_attn");
  ffn("model.encoder.layers.0.", 3);
  attention("model.decoder.layers.0.self_attn");
  attention("model.decoder.layers.0.encoder_attn");
  ffn("model.decoder.layers.0.", 6);
  tensors.add("model.shared.weight", {5, 4});
  tensors.add("final_logits_bias", {1, 5});
  return tensors;
}

// The whole text of the error; "" where there is none.
template <class Action>
std::string model_error(const Action& action) {
  return tests::thrown<ModelError>(action);
}

// The same without the path of a `Folder` at its front.
template <class Action>
std::string error_behind_folder(const Action& action) {
  const std::string error = model_error(action);
  const std::size_t place = error.find("refran-model-");
  return place == std::string::npos ? error : error.substr(place + 19);
}
inline std::string folder_error(const Folder& folder) {
  return error_behind_folder([&] { read_model_folder(folder.path()); });
}
inline std::string weights_error(const ModelFolder& folder, const Tensors& tensors) {
  return model_error([&] { load_weights(folder, tensors.checkpoint()); });
}

inline std::vector<float> numbers(std::span<const float> values) {
  return {values.begin(), values.end()};
}

}  // namespace refran::marian::files
