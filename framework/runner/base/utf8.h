// UTF-8 text as code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace refran::runner {

// The code point at the start of a text and the bytes it takes; `bytes` is 0 where the text is
// empty or no UTF-8.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;
};

CodePoint first_code_point(std::string_view text);

// Every code point; a byte that is no UTF-8 stands for itself.
std::u32string code_points(std::string_view text);

std::string utf8(char32_t code_point);

// Whether a terminal and a YAML reader take the code point as it is: no control character, no line
// break, no noncharacter.
bool is_printable(char32_t code_point);

}  // namespace refran::runner
