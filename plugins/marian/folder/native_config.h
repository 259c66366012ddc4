// The architecture and the decoding that the options files of a native Marian package describe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "../model_config.h"

namespace refran::marian {

// Files that decoder.yml names, as it names them.
struct NativeFiles {
  std::string weights;
  std::string source_vocabulary;
  std::string target_vocabulary;
  bool allows_unknown = false;  // <unk> may be written
};

// Reads decoder.yml and fills in `folder.decoding`, but for its ids. Throws ModelError.
NativeFiles read_decoder_options(std::string_view text, ModelFolder& folder);

// Reads the model's own options, which the npz holds as special:model.yml, and fills in
// `folder.config` but for the end of the sentence. `name` begins its messages. Throws ModelError.
void read_model_options(std::string_view text, const std::filesystem::path& name,
                        ModelFolder& folder);

}  // namespace refran::marian
