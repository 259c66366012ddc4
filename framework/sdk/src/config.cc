// The rules a config field is declared with, and the reading of validated scalars into C++ numbers.
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>

#include <refran/config.h>

namespace refran {

// Where a config is bound rather than described there is no field, and a rule has nothing to do.

FieldRules& FieldRules::required() {
  if (field_ == nullptr) return *this;
  field_->required = true;
  field_->default_value = Value{};
  return *this;
}

FieldRules& FieldRules::unit(std::string text) {
  if (field_ != nullptr) field_->unit = std::move(text);
  return *this;
}

FieldRules& FieldRules::range(double minimum, double maximum) {
  if (field_ == nullptr) return *this;
  field_->minimum = minimum;
  field_->minimum_excluded = false;
  field_->maximum = maximum;
  field_->maximum_excluded = false;
  return *this;
}

FieldRules& FieldRules::at_least(double minimum) {
  if (field_ == nullptr) return *this;
  field_->minimum = minimum;
  field_->minimum_excluded = false;
  return *this;
}

FieldRules& FieldRules::above(double minimum) {
  if (field_ == nullptr) return *this;
  field_->minimum = minimum;
  field_->minimum_excluded = true;
  return *this;
}

FieldRules& FieldRules::one_of(std::vector<std::string> words) {
  if (field_ != nullptr) field_->choices = std::move(words);
  return *this;
}

FieldRules& FieldRules::items(std::size_t minimum, std::optional<std::size_t> maximum) {
  if (field_ == nullptr) return *this;
  field_->min_items = minimum;
  field_->max_items = maximum;
  return *this;
}

FieldRules& FieldRules::existing_file() {
  if (field_ != nullptr) field_->path_kind = PathKind::existing_file;
  return *this;
}

FieldRules& FieldRules::existing_folder() {
  if (field_ != nullptr) field_->path_kind = PathKind::existing_folder;
  return *this;
}

const Value& Fields::value_of(const char* name) const {
  if (const Value* const value = values_->find(name)) return *value;
  throw std::logic_error(std::string("config field '") + name +
                         "' was left out of the resolved config");
}

namespace detail {

namespace {

[[noreturn]] void refuse(const Value& value, const char* wanted) {
  throw std::logic_error("config value '" + value.text + "' was validated as something else than " +
                         wanted);
}

// The locale plays no part, and nothing may follow the number.
template <class Number>
Number read_number(const Value& value, const char* wanted) {
  Number number{};
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (!value.is_scalar() || error != std::errc{} || stop != end) refuse(value, wanted);
  return number;
}

}  // namespace

bool read_boolean(const Value& value) {
  if (value.kind != Value::Kind::boolean) refuse(value, "a boolean");
  return value.text == "true";
}

std::int64_t read_integer(const Value& value) {
  return read_number<std::int64_t>(value, "an integer");
}

std::uint64_t read_unsigned(const Value& value) {
  return read_number<std::uint64_t>(value, "an integer of 0 or more");
}

double read_real(const Value& value) {
  if (value.text == ".nan") return std::numeric_limits<double>::quiet_NaN();
  if (value.text == ".inf") return std::numeric_limits<double>::infinity();
  if (value.text == "-.inf") return -std::numeric_limits<double>::infinity();
  return read_number<double>(value, "a number");
}

}  // namespace detail
}  // namespace refran
