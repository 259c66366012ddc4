// Punctuation as the normaliser of Moses writes it.
#pragma once

#include <string>
#include <string_view>

namespace refran::marian {

// The substitutions of Moses' normalize-punctuation script, in its order and in the form that
// sacremoses 0.2 gives them (Penn quotes on), then white space off both ends. `language` is a code
// of two letters; quotes beside commas and spaces within numbers depend on it.
std::string normalize_punctuation(std::string_view text, std::string_view language);

}  // namespace refran::marian
