// Model folders with a tokenizer alone, as the tests and fuzz targets of the tokenizer read them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <marian/model_config.h>
#include <nlohmann/json.hpp>

namespace refran::marian {

inline std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Of Hugging Face's layout: config.json says how many rows there are, a target_vocab.json whether
// the vocabularies are separate.
inline ModelFolder tokenizer_folder(const std::filesystem::path& path) {
  const auto config = nlohmann::json::parse(text_of_file(path / "config.json"));
  ModelFolder folder;
  folder.path = path;
  folder.source_spm = path / "source.spm";
  folder.target_spm = path / "target.spm";
  folder.source_vocabulary = folder.target_vocabulary = path / "vocab.json";
  folder.config.source_vocabulary = folder.config.target_vocabulary = config.at("vocab_size");
  folder.separate_vocabularies = std::filesystem::exists(path / "target_vocab.json");
  if (folder.separate_vocabularies) {
    folder.target_vocabulary = path / "target_vocab.json";
    folder.config.target_vocabulary = config.at("decoder_vocab_size");
  }
  return folder;
}

}  // namespace refran::marian
