// UTF-8 text: what is malformed in it, its code points, white space as Python sees it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace refran::marian {

// The code point that `text`, not empty, begins with, and the bytes it takes. A malformed part is
// U+FFFD and takes what Python's decoder takes for one: the longest beginning of a character, or
// one byte.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;
  bool malformed = false;
};

CodePoint first_code_point(std::string_view text);

// `text` with U+FFFD for every malformed part, as Python decodes with errors="replace".
std::string valid_utf8(std::string_view text);

std::string utf8(char32_t code_point);

// White space of str.strip and of \s in Python's regular expressions.
bool is_space(char32_t code_point);

bool is_control(char32_t code_point);

// `text` without white space at its ends.
std::string_view strip(std::string_view text);

// For messages: in quotes, shortened, with control characters and malformed bytes as "\\x1b".
std::string quoted_text(std::string_view text);

}  // namespace refran::marian
