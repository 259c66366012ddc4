// A model folder in Hugging Face's layout: which files are there, and what they say.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../checkpoint.h"
#include "folder_files.h"
#include "folders.h"
#include "hugging_face_config.h"

namespace refran::marian {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{1} << 22U;

constexpr std::array kWeights{"model.safetensors", "pytorch_model.bin"};
// What else weights are kept in, and why it is of no use here.
constexpr std::array kOtherWeights{"model.safetensors.index.json", "pytorch_model.bin.index.json",
                                   "tf_model.h5", "flax_model.msgpack", "rust_model.ot"};

bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

std::optional<std::string> read_if_there(const std::filesystem::path& file,
                                         std::vector<std::filesystem::path>& files) {
  if (!is_there(file)) return std::nullopt;
  files.push_back(file);
  return read_text_file(file, kMostConfigBytes);
}

void find_weights(ModelFolder& folder, std::vector<std::string>& missing) {
  for (const char* name : kWeights) {
    folder.weights = folder.path / name;
    if (is_there(folder.weights)) return;
  }
  for (const char* name : kOtherWeights) {
    if (!is_there(folder.path / name)) continue;
    missing.push_back(fmt::format("model.safetensors or pytorch_model.bin ({} is not read)", name));
    return;
  }
  missing.push_back("model.safetensors or pytorch_model.bin");
}

// Weights are left to their reader, which says more about them.
void find_files(ModelFolder& folder) {
  std::vector<std::string> missing;
  const auto find = [&](const char* name) {
    std::filesystem::path file = folder.path / name;
    if (is_there(file)) {
      folder.files.push_back(file);
    } else {
      missing.push_back(name);
    }
    return file;
  };
  folder.source_vocabulary = folder.target_vocabulary = find("vocab.json");
  if (folder.separate_vocabularies) folder.target_vocabulary = find("target_vocab.json");
  folder.source_spm = find("source.spm");
  folder.target_spm = find("target.spm");
  find_weights(folder, missing);
  if (!missing.empty()) {
    throw ModelError(
        fmt::format("{}: found no {}", folder.path.string(), fmt::join(missing, ", no ")));
  }
}

}  // namespace

ModelFolder read_hugging_face_folder(const std::filesystem::path& path) {
  ModelFolder folder;
  folder.path = path;
  HuggingFaceTexts texts;
  texts.config = read_if_there(path / "config.json", folder.files).value_or("");
  texts.generation = read_if_there(path / "generation_config.json", folder.files);
  texts.tokenizer = read_if_there(path / "tokenizer_config.json", folder.files);
  read_hugging_face_config(texts, folder);
  const std::size_t configs = folder.files.size();
  find_files(folder);
  for (std::size_t i = configs; i < folder.files.size(); ++i) check_beginning(folder.files[i]);
  folder.files.push_back(folder.weights);
  return folder;
}

}  // namespace refran::marian
