// Native Marian's vocab.yml: a YAML map of one `token: id` a line.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "vocabulary.h"

namespace refran::marian {

// Every key is the text of a token, whatever YAML would take it for (null, yes, 10). Throws
// ModelError with the number of the line where it is none of the forms that such files have.
std::vector<VocabularyEntry> parse_yaml_vocabulary(std::string_view text,
                                                   const std::filesystem::path& file);

}  // namespace refran::marian
