// Tells the kinds of plain scalars apart, by hand: no locale, no surprises.
#include "yaml_scalar.h"

#include <algorithm>
#include <array>

namespace refran::runner {

namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_one_of(std::string_view text, const std::array<std::string_view, 3>& spellings) {
  return std::find(spellings.begin(), spellings.end(), text) != spellings.end();
}

// Takes the digits off the front and says how many there were.
std::size_t take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

bool take(std::string_view& text, std::string_view letters) {
  if (text.empty() || letters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// `1.5`, `.5`, `5.`, `1e-3`: at least one digit, and a point or an exponent.
bool is_real(std::string_view text) {
  take(text, "-");
  if (text.size() > 1 && text[0] == '0' && is_digit(text[1])) return false;
  std::size_t digits = take_digits(text);
  const bool has_point = take(text, ".");
  if (has_point) digits += take_digits(text);
  if (digits == 0) return false;
  if (!take(text, "eE")) return has_point && text.empty();
  take(text, "+-");
  return take_digits(text) > 0 && text.empty();
}

Value scalar(Value::Kind kind, std::string_view text) {
  Value value;
  value.kind = kind;
  value.text = text;
  return value;
}

}  // namespace

bool is_integer(std::string_view text) {
  take(text, "-");
  if (text.size() > 1 && text[0] == '0') return false;
  return take_digits(text) > 0 && text.empty();
}

Value plain_scalar(std::string_view text) {
  if (text.empty() || text == "~" || is_one_of(text, {"null", "Null", "NULL"})) return {};
  if (is_one_of(text, {"true", "True", "TRUE"})) return Value::boolean(true);
  if (is_one_of(text, {"false", "False", "FALSE"})) return Value::boolean(false);
  if (is_integer(text)) return scalar(Value::Kind::integer, text);
  if (is_real(text)) return scalar(Value::Kind::real, text);
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return scalar(Value::Kind::real, ".nan");
  const bool negative = text.front() == '-';
  if (is_one_of(text.substr(negative ? 1 : 0), {".inf", ".Inf", ".INF"})) {
    return scalar(Value::Kind::real, negative ? "-.inf" : ".inf");
  }
  return Value::string(std::string(text));
}

}  // namespace refran::runner
