// Guesses what was meant by a scalar of the wrong kind.
#include "number_hints.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "yaml_scalar.h"

namespace refran::runner {

namespace {

bool is_number(std::string_view text) {
  const Value value = plain_scalar(text);
  return value.kind == Value::Kind::integer || value.kind == Value::Kind::real;
}

std::optional<std::uint64_t> read_digits(std::string_view digits, int base) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  if (digits.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// `010`: a reader of YAML 1.1 takes it for 8.
std::string leading_zero_hint(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return "";
  const std::optional<std::uint64_t> decimal = read_digits(text, 10);
  if (!decimal) return "";
  const std::optional<std::uint64_t> octal = read_digits(text, 8);
  if (!octal || *octal == *decimal)
    return fmt::format("; write {} without leading zeros", *decimal);
  return fmt::format("; it looks octal: write {}, or {} if octal was meant", *decimal, *octal);
}

std::string prefix_hint(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, int>, 6> kPrefixes{
      {{"0x", 16}, {"0X", 16}, {"0o", 8}, {"0O", 8}, {"0b", 2}, {"0B", 2}}};
  for (const auto& [prefix, base] : kPrefixes) {
    if (!text.starts_with(prefix)) continue;
    const std::optional<std::uint64_t> number = read_digits(text.substr(prefix.size()), base);
    if (number) return fmt::format("; write {}", *number);
  }
  return "";
}

// The text with one habit of other notations taken back.
std::string plainer(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  if (plain.starts_with('+')) plain.erase(0, 1);
  if (std::count(plain.begin(), plain.end(), ',') == 1) {
    std::replace(plain.begin(), plain.end(), ',', '.');
  }
  return plain;
}

}  // namespace

std::string number_hint(const Value& value, FieldType wanted) {
  if (value.kind == Value::Kind::real && wanted == FieldType::integer) {
    double number = 0;
    std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
    constexpr double kExactIntegers = 9007199254740992;  // 2^53
    const bool is_whole = std::trunc(number) == number && std::abs(number) <= kExactIntegers;
    if (value.text.find_first_of("nN") != std::string::npos || !is_whole) return "";
    return fmt::format("; write {:.0f}", number);
  }
  if (value.kind != Value::Kind::text) return "";
  if (is_number(value.text)) return fmt::format("; write {} without quotes", value.text);
  std::string hint = leading_zero_hint(value.text);
  if (hint.empty()) hint = prefix_hint(value.text);
  if (!hint.empty()) return hint;
  const std::string plain = plainer(value.text);
  return is_number(plain) ? fmt::format("; write {}", plain) : "";
}

std::string text_hint(const Value& value) {
  const bool is_scalar = value.kind == Value::Kind::boolean || value.kind == Value::Kind::integer ||
                         value.kind == Value::Kind::real;
  return is_scalar ? fmt::format("; write '{}' in quotes", value.text) : "";
}

std::string boolean_hint(const Value& value) {
  constexpr std::array<std::string_view, 6> kTrue{"yes", "y", "on", "1", "true", "t"};
  constexpr std::array<std::string_view, 6> kFalse{"no", "n", "off", "0", "false", "f"};
  std::string word = value.text;
  std::transform(word.begin(), word.end(), word.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  if (std::find(kTrue.begin(), kTrue.end(), word) != kTrue.end()) return "; write true";
  if (std::find(kFalse.begin(), kFalse.end(), word) != kFalse.end()) return "; write false";
  return "";
}

}  // namespace refran::runner
