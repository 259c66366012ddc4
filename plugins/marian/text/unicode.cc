#include "unicode.h"

#include <array>

#include <fmt/format.h>
#include <utf8proc.h>

namespace refran::marian {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool is_continuation(unsigned byte) { return byte >= 0x80 && byte <= 0xBF; }

// Bytes of a character by its first one; 0 where none begins so.
std::size_t bytes_after_lead(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// Whether `second` may follow `lead`: not where the character would be overlong, a surrogate, or
// beyond U+10FFFF.
bool may_follow(unsigned lead, unsigned second) {
  if (lead == 0xE0 && second < 0xA0) return false;
  if (lead == 0xED && second > 0x9F) return false;
  if (lead == 0xF0 && second < 0x90) return false;
  if (lead == 0xF4 && second > 0x8F) return false;
  return is_continuation(second);
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  const std::size_t bytes = bytes_after_lead(lead);
  if (bytes == 0) return {kReplacement, 1, true};
  if (bytes == 1) return {lead, 1, false};
  char32_t value = lead & (0x7FU >> bytes);
  for (std::size_t at = 1; at < bytes; ++at) {
    const bool fits = at < text.size() && (at == 1 ? may_follow(lead, byte_at(text, 1))
                                                   : is_continuation(byte_at(text, at)));
    if (!fits) return {kReplacement, at, true};
    value = value << 6U | (byte_at(text, at) & 0x3FU);
  }
  return {value, bytes, false};
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    valid += point.malformed ? std::string_view("\uFFFD") : text.substr(0, point.bytes);
    text.remove_prefix(point.bytes);
  }
  return valid;
}

std::string utf8(char32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  return {bytes.begin(), bytes.begin() + length};
}

bool is_space(char32_t code_point) {
  // Beyond Unicode's White_Space, Python counts the four separators of ASCII.
  if (code_point >= 0x1C && code_point <= 0x1F) return true;
  if ((code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x85) return true;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP;
}

bool is_control(char32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

std::string_view strip(std::string_view text) {
  while (!text.empty()) {
    const CodePoint first = first_code_point(text);
    if (!is_space(first.value)) break;
    text.remove_prefix(first.bytes);
  }
  std::size_t end = 0;  // of the last character that is no white space
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = first_code_point(text.substr(at));
    at += point.bytes;
    if (!is_space(point.value)) end = at;
  }
  return text.substr(0, end);
}

std::string quoted_text(std::string_view text) {
  constexpr std::size_t kMostCharacters = 40;
  std::string quoted = "'";
  for (std::size_t shown = 0; !text.empty(); ++shown) {
    if (shown == kMostCharacters) return quoted + "…'";
    const CodePoint point = first_code_point(text);
    const std::string_view bytes = text.substr(0, point.bytes);
    if (point.malformed || is_control(point.value)) {
      for (const char byte : bytes) {
        quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    } else {
      quoted += bytes;
    }
    text.remove_prefix(point.bytes);
  }
  return quoted + "'";
}

}  // namespace refran::marian
