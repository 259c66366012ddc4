#include "axis_values.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "result_layout.h"

namespace refran::runner {
namespace {

template <class T>
std::optional<T> parsed(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// YAML's own spellings of the numbers that are none.
std::optional<double> parsed_real(std::string_view text) {
  if (text == ".nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == ".inf" || text == "+.inf") return std::numeric_limits<double>::infinity();
  if (text == "-.inf") return -std::numeric_limits<double>::infinity();
  return parsed<double>(text);
}

template <class T, class Parse>
std::optional<std::vector<T>> all_parsed(const Axis& axis, std::size_t key, Parse parse) {
  std::vector<T> values;
  for (const std::vector<Value>& point : axis.values) {
    const auto kind = point[key].kind;
    if (kind != Value::Kind::integer && kind != Value::Kind::real) return std::nullopt;
    const std::optional<T> value = parse(point[key].text);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

// The field of `config.words.point`; null where the key leads into a list or map.
const Field* find_field(std::string_view key, const std::vector<Field>& fields) {
  const std::size_t dot = key.find('.');
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
    return field.name == key.substr(0, dot);
  });
  if (found == fields.end()) return nullptr;
  if (dot == std::string_view::npos) return &*found;
  return find_field(key.substr(dot + 1), found->fields);
}

}  // namespace

ScaleValues key_values(const Axis& axis, std::size_t key) {
  if (axis.keys[key] == "seed") {
    if (auto seeds = all_parsed<std::uint64_t>(axis, key, parsed<std::uint64_t>))
      return *std::move(seeds);
  }
  if (auto integers = all_parsed<std::int64_t>(axis, key, parsed<std::int64_t>))
    return *std::move(integers);
  if (auto reals = all_parsed<double>(axis, key, parsed_real)) return *std::move(reals);
  std::vector<std::string> texts;
  for (const std::vector<Value>& point : axis.values) texts.push_back(value_label(point[key]));
  return texts;
}

ScaleValues axis_values(const Axis& axis) {
  if (!axis.is_zip()) return key_values(axis, 0);
  std::vector<std::string> labels;
  for (std::size_t point = 0; point < axis.values.size(); ++point)
    labels.push_back(axis_label(axis, point));
  return labels;
}

About about_key(const std::string& key, const std::vector<Field>& fields) {
  if (key == "seed") return {"1", "Seed of the run"};
  About about{"1", fmt::format("Value of {}", key)};
  constexpr std::string_view kConfig = "config.";
  if (!key.starts_with(kConfig)) return about;
  if (const Field* field = find_field(std::string_view(key).substr(kConfig.size()), fields)) {
    if (!field->unit.empty()) about.units = field->unit;
    if (!field->doc.empty()) about.long_name = field->doc;
  }
  return about;
}

About about_axis(const Axis& axis, const std::vector<Field>& fields) {
  if (!axis.is_zip()) return about_key(axis.keys.front(), fields);
  return {"1", fmt::format("Values of {}", fmt::join(axis.keys, ", "))};
}

}  // namespace refran::runner
