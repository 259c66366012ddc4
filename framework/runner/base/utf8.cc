// UTF-8 by way of utf8proc.
#include "utf8.h"

#include <array>

#include <utf8proc.h>

namespace refran::runner {

CodePoint first_code_point(std::string_view text) {
  utf8proc_int32_t value = 0;
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (length <= 0) return {};
  return {static_cast<char32_t>(value), static_cast<std::size_t>(length)};
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    CodePoint point = first_code_point(text);
    if (point.bytes == 0) point = {static_cast<unsigned char>(text.front()), 1};
    points.push_back(point.value);
    text.remove_prefix(point.bytes);
  }
  return points;
}

std::string utf8(char32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  return {bytes.begin(), bytes.begin() + length};
}

bool is_printable(char32_t code_point) {
  constexpr char32_t kLineSeparator = 0x2028;
  constexpr char32_t kParagraphSeparator = 0x2029;
  constexpr char32_t kByteOrderMark = 0xFEFF;
  if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) return false;
  if (code_point == kLineSeparator || code_point == kParagraphSeparator) return false;
  return code_point != kByteOrderMark && (code_point & 0xFFFE) != 0xFFFE;
}

}  // namespace refran::runner
