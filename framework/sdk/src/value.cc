// Values and their origins: making, finding, comparing.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include <refran/value.h>

namespace refran {

namespace {

Value scalar(Value::Kind kind, std::string text) {
  Value value;
  value.kind = kind;
  value.text = std::move(text);
  return value;
}

template <class Number>
std::string shortest(Number number) {
  std::array<char, 32> buffer{};  // 24 characters hold any double, 20 any 64-bit integer
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), end};
}

// YAML 1.1 readers, PyYAML among them, take a number for a real one only where it has a '.'.
std::string with_point(std::string digits) {
  if (digits.find('.') != std::string::npos) return digits;
  const std::size_t exponent = digits.find('e');
  return digits.insert(exponent == std::string::npos ? digits.size() : exponent, ".0");
}

}  // namespace

std::string Origin::to_string() const {
  if (!source) return "";
  if (line <= 0) return *source;
  return *source + ":" + std::to_string(line) + ":" + std::to_string(column);
}

Value Value::boolean(bool value) { return scalar(Kind::boolean, value ? "true" : "false"); }

Value Value::integer(std::int64_t value) { return scalar(Kind::integer, shortest(value)); }

Value Value::integer(std::uint64_t value) { return scalar(Kind::integer, shortest(value)); }

Value Value::real(double value) {
  if (std::isnan(value)) return scalar(Kind::real, ".nan");
  if (std::isinf(value)) return scalar(Kind::real, value > 0 ? ".inf" : "-.inf");
  return scalar(Kind::real, with_point(shortest(value)));
}

Value Value::string(std::string value) { return scalar(Kind::text, std::move(value)); }

Value Value::list() { return scalar(Kind::list, ""); }

Value Value::map() { return scalar(Kind::map, ""); }

const Value* Value::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::operator[](std::string_view key) {
  if (Value* const found = find(key)) return *found;
  if (kind == Kind::null) kind = Kind::map;
  entries.push_back({std::string(key), {}, {}});
  return entries.back().value;
}

bool operator==(const Value& a, const Value& b) {
  const auto equal_entries = [](const Entry& left, const Entry& right) {
    return left.key == right.key && left.value == right.value;
  };
  return a.kind == b.kind && a.text == b.text && a.items == b.items &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    equal_entries);
}

std::string_view name_of(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::null:
      return "nothing";
    case Value::Kind::boolean:
      return "a boolean";
    case Value::Kind::integer:
      return "an integer";
    case Value::Kind::real:
      return "a number";
    case Value::Kind::text:
      return "a text";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::map:
      return "a map";
  }
  return "";
}

}  // namespace refran
