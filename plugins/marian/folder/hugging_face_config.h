// The architecture and the decoding that the JSON files of a Hugging Face folder describe.
#pragma once

#include <optional>
#include <string>

#include "../model_config.h"

namespace refran::marian {

// The texts of config.json, generation_config.json and tokenizer_config.json.
struct HuggingFaceTexts {
  std::string config;
  std::optional<std::string> generation;
  std::optional<std::string> tokenizer;
};

// Fills in `config`, `decoding`, the languages, `separate_vocabularies` and `warnings`; of `folder`
// only the path is read, for messages. Throws ModelError.
void read_hugging_face_config(const HuggingFaceTexts& texts, ModelFolder& folder);

}  // namespace refran::marian
