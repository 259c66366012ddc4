// A package of native Marian: decoder.yml, the npz with the model's own options, vocabularies and
// SentencePiece models.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../checkpoint.h"
#include "../text/vocabulary.h"
#include "folder_files.h"
#include "folders.h"
#include "native_config.h"

namespace refran::marian {
namespace {

constexpr std::size_t kMostOptionBytes = std::size_t{1} << 20U;
constexpr std::string_view kOptionsTensor = "special:model.yml";

// The options are a text, ended by a NUL, which newer versions of Marian repeat.
std::string model_options(const std::filesystem::path& weights) {
  const Checkpoint checkpoint = Checkpoint::open(weights);
  const StoredTensor* const tensor = checkpoint.find(kOptionsTensor);
  if (tensor == nullptr) {
    throw ModelError(
        fmt::format("{}: found no '{}', allowed: a model of Marian, which keeps its "
                    "options there",
                    weights.string(), kOptionsTensor));
  }
  if (size_of(tensor->type) != 1 || !tensor->is_row_major() ||
      tensor->bytes.size() > kMostOptionBytes) {
    throw ModelError(
        fmt::format("{}: {}: found {} bytes of {}, allowed: a text of int8 of at most "
                    "{} bytes",
                    weights.string(), kOptionsTensor, tensor->bytes.size(), name_of(tensor->type),
                    kMostOptionBytes));
  }
  std::string text(tensor->bytes.size(), '\0');
  std::transform(tensor->bytes.begin(), tensor->bytes.end(), text.begin(),
                 [](std::byte byte) { return static_cast<char>(byte); });
  return text.substr(0, text.find('\0'));
}

void check_there(const ModelFolder& folder) {
  std::vector<std::string> missing;
  std::error_code error;
  for (const std::filesystem::path& file : folder.files) {
    if (!std::filesystem::exists(file, error)) missing.push_back(file.filename().string());
  }
  if (missing.empty()) return;
  const bool has_bpe = std::filesystem::exists(folder.path / "source.bpe", error);
  throw ModelError(fmt::format("{}: found no {}{}", folder.path.string(),
                               fmt::join(missing, ", no "),
                               has_bpe ? " (source.bpe is there: models of Moses tokens and BPE "
                                         "are not supported)"
                                       : ""));
}

void read_special_ids(bool allows_unknown, ModelFolder& folder) {
  ModelConfig& config = folder.config;
  const Vocabulary source = read_vocabulary(folder.source_vocabulary,
                                            {.count = config.source_vocabulary, .is_native = true});
  const Vocabulary target = read_vocabulary(folder.target_vocabulary,
                                            {.count = config.target_vocabulary, .is_native = true});
  if (source.end_id() != target.end_id()) {
    throw ModelError(fmt::format("{}: found '</s>' with id {}, but {} in {}; allowed: one id",
                                 folder.target_vocabulary.string(), target.end_id(),
                                 source.end_id(), folder.source_vocabulary.filename().string()));
  }
  config.eos_id = target.end_id();
  // The row of zeros is no token of the model.
  folder.decoding.banned_ids = {config.pad_id};
  if (!allows_unknown) folder.decoding.banned_ids.push_back(target.unknown_id());
}

}  // namespace

ModelFolder read_native_folder(const std::filesystem::path& path) {
  ModelFolder folder;
  folder.path = path;
  folder.is_native = true;
  const std::filesystem::path options = path / "decoder.yml";
  const NativeFiles files = read_decoder_options(read_text_file(options, kMostOptionBytes), folder);
  folder.weights = path / files.weights;
  folder.source_vocabulary = path / files.source_vocabulary;
  folder.target_vocabulary = path / files.target_vocabulary;
  folder.separate_vocabularies = folder.source_vocabulary != folder.target_vocabulary;
  folder.source_spm = path / "source.spm";
  folder.target_spm = path / "target.spm";
  folder.files = {options, folder.source_vocabulary, folder.source_spm, folder.target_spm,
                  folder.weights};
  if (folder.separate_vocabularies)
    folder.files.insert(folder.files.begin() + 2, folder.target_vocabulary);
  check_there(folder);
  check_beginning(folder.source_spm);
  check_beginning(folder.target_spm);
  read_model_options(model_options(folder.weights),
                     fmt::format("{}: {}", folder.weights.string(), kOptionsTensor), folder);
  read_special_ids(files.allows_unknown, folder);
  return folder;
}

}  // namespace refran::marian
