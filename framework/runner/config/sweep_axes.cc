// Reads and checks the axes of a sweep.
#include "sweep_axes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "bind.h"
#include "key_path.h"
#include "yaml.h"

namespace refran::runner {

namespace {

constexpr std::string_view kZip = "zip";
constexpr std::string_view kPointsAllowed = "a list of values, or {from: 1, count: 3}";
constexpr double kMostPoints = 10'000'000;

bool can_sweep(std::string_view key) {
  if (key == kSeed) return true;
  const std::optional<std::vector<Step>> steps = parse_key_path(key);
  return steps && steps->size() > 1 && steps->front() == Step(std::string(kConfig)) &&
         std::all_of(steps->begin(), steps->end(),
                     [](const Step& step) { return std::holds_alternative<std::string>(step); });
}

// The key that was probably meant: `confg.heads` and `heads` are near `config.heads`.
std::string nearest_key(const std::string& key) {
  const std::size_t end = std::min(key.find('.'), key.size());
  const std::string first = key.substr(0, end);
  const bool is_seed = end == key.size() && !suggestion(first, {std::string(kSeed)}).empty();
  if (is_seed) return std::string(kSeed);
  const bool is_config = end < key.size() && !suggestion(first, {std::string(kConfig)}).empty();
  return fmt::format("{}.{}", kConfig, is_config ? key.substr(end + 1) : key);
}

void add_cannot_sweep(const Origin& origin, std::string_view path, const std::string& key,
                      Diagnostics& diagnostics) {
  const std::string nearest = nearest_key(key);
  const bool has_nearest = key != kConfig && key != nearest;
  diagnostics.add(origin, path,
                  "found a key that cannot sweep, allowed: seed, config.FIELD" +
                      (has_nearest ? fmt::format("; did you mean '{}'?", nearest) : ""));
}

Field count_field() {
  Field field;
  field.name = "count";
  field.type = FieldType::integer;
  field.required = true;
  field.minimum = 1;
  field.maximum = kMostPoints;
  return field;
}

Field from_field(bool is_signed) {
  Field field;
  field.name = "from";
  field.type = FieldType::integer;
  field.required = true;
  field.integer_signed = is_signed;
  return field;
}

template <class Integer>
Integer read_integer(const Value& value) {
  Integer number = 0;
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
  return number;
}

// `{from: 1, count: 3}` as 1, 2, 3.
std::vector<Value> points_of_range(const Value& range, std::string_view key,
                                   Diagnostics& diagnostics) {
  const Value* const from = range.find("from");
  const bool is_negative = from != nullptr && from->text.starts_with('-');
  Diagnostics problems;
  const Value bounds = resolve({from_field(is_negative), count_field()}, range, key, {}, problems);
  diagnostics.add(problems);
  if (!problems.empty()) return {};
  const auto count = read_integer<std::uint64_t>(*bounds.find("count"));
  const auto first = read_integer<std::uint64_t>(*bounds.find("from"));
  if (!is_negative && count - 1 > std::numeric_limits<std::uint64_t>::max() - first) {
    diagnostics.add(range.origin, key,
                    fmt::format("found {} integers from {}, allowed: up to {}", count, first,
                                std::numeric_limits<std::uint64_t>::max()));
    return {};
  }
  const auto lowest = read_integer<std::int64_t>(*bounds.find("from"));
  std::vector<Value> points;
  for (std::uint64_t i = 0; i < count; ++i) {
    points.push_back(is_negative ? Value::integer(lowest + static_cast<std::int64_t>(i))
                                 : Value::integer(first + i));
    points.back().origin = range.origin;
  }
  return points;
}

// The values a key moves along; none where they are not written well, which is then reported.
std::vector<Value> read_points(const Value& points, std::string_view key,
                               Diagnostics& diagnostics) {
  if (points.kind == Value::Kind::map) return points_of_range(points, key, diagnostics);
  if (points.kind == Value::Kind::list && !points.items.empty()) return points.items;
  const std::string what = points.kind == Value::Kind::list ? "an empty list" : found(points);
  diagnostics.add(points.origin, key, fmt::format("found {}, allowed: {}", what, kPointsAllowed));
  return {};
}

std::optional<Axis> read_axis(const Entry& entry, Diagnostics& diagnostics) {
  if (!can_sweep(entry.key)) {
    add_cannot_sweep(entry.origin, below("sweep", entry.key), entry.key, diagnostics);
    return std::nullopt;
  }
  Axis axis{entry.key, {entry.key}, {}, entry.origin, {entry.origin}};
  for (Value& point : read_points(entry.value, entry.key, diagnostics)) {
    axis.values.push_back({std::move(point)});
  }
  if (axis.values.empty()) return std::nullopt;
  return axis;
}

bool is_zip_name(std::string_view name) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string_view::npos &&
         name != kSeed && name != kConfig;
}

std::optional<Axis> read_zip(const Entry& entry, Diagnostics& diagnostics) {
  const std::string path = below("sweep.zip", entry.key);
  if (!is_zip_name(entry.key)) {
    diagnostics.add(entry.origin, path,
                    "found a name that no axis can have, allowed: letters, digits, '-' and '_', "
                    "but not seed or config");
    return std::nullopt;
  }
  if (entry.value.kind != Value::Kind::map || entry.value.entries.size() < 2) {
    const bool is_map = entry.value.kind == Value::Kind::map;
    diagnostics.add(
        entry.origin, path,
        fmt::format(
            "found {}, allowed: a map of two or more keys to lists of one length",
            is_map ? fmt::format("a map of {}", entry.value.entries.size()) : found(entry.value)));
    return std::nullopt;
  }
  Axis axis{entry.key, {}, {}, entry.origin, {}};
  for (const Entry& column : entry.value.entries) {
    if (!can_sweep(column.key)) {
      add_cannot_sweep(column.origin, below(path, column.key), column.key, diagnostics);
      return std::nullopt;
    }
    std::vector<Value> points = read_points(column.value, column.key, diagnostics);
    if (points.empty()) return std::nullopt;
    if (axis.keys.empty()) axis.values.resize(points.size());
    if (points.size() != axis.values.size()) {
      diagnostics.add(column.value.origin, column.key,
                      fmt::format("found {} values, allowed: {}, as many as '{}' has",
                                  points.size(), axis.values.size(), axis.keys.front()));
      return std::nullopt;
    }
    for (std::size_t i = 0; i < points.size(); ++i) axis.values[i].push_back(std::move(points[i]));
    axis.keys.push_back(column.key);
    axis.key_origins.push_back(column.origin);
  }
  return axis;
}

// A text that is the same for equal values, however a number is written.
std::string canonical(const Value& value) {
  if (value.kind == Value::Kind::integer || value.kind == Value::Kind::real) {
    constexpr double kExactIntegers = 9007199254740992;  // 2^53
    double number = 0;
    std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
    const bool is_exact = value.kind == Value::Kind::real || std::abs(number) <= kExactIntegers;
    return is_exact ? Value::real(number + 0.0).text : value.text;
  }
  return to_yaml_line(value);
}

// "2", or of a zip "config.a=1 config.b=2".
std::string point_in_words(const Axis& axis, const std::vector<Value>& point) {
  if (!axis.is_zip()) return to_yaml_line(point.front());
  std::string words;
  for (std::size_t i = 0; i < point.size(); ++i) {
    words += fmt::format("{}{}={}", i == 0 ? "" : " ", axis.keys[i], to_yaml_line(point[i]));
  }
  return words;
}

void check_points(const Axis& axis, Diagnostics& diagnostics) {
  std::unordered_map<std::string, std::size_t> first_points;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    std::string name;
    for (const Value& value : axis.values[i]) name += canonical(value) + '\n';
    const auto [first, is_new] = first_points.emplace(std::move(name), i);
    if (is_new) continue;
    diagnostics.add(
        axis.values[i].front().origin, axis.name,
        fmt::format("found {} as point {} and again as point {}, allowed: each value once",
                    point_in_words(axis, axis.values[i]), first->second + 1, i + 1));
  }
}

void check_seeds(Axis& axis, Diagnostics& diagnostics) {
  for (std::size_t key = 0; key < axis.keys.size(); ++key) {
    if (axis.keys[key] != kSeed) continue;
    for (std::vector<Value>& point : axis.values) {
      Value given = Value::map();
      given[kSeed] = point[key];
      point[key] = *resolve({seed_field()}, given, "", {}, diagnostics).find(kSeed);
    }
  }
}

struct AxisKey {
  std::string key;
  Origin origin;
};

void check_keys(const std::vector<Axis>& axes, Diagnostics& diagnostics) {
  std::vector<AxisKey> seen;
  for (const Axis& axis : axes) {
    for (std::size_t i = 0; i < axis.keys.size(); ++i) {
      const std::string& key = axis.keys[i];
      for (const AxisKey& other : seen) {
        const bool is_same = key == other.key;
        const bool overlaps = key.starts_with(other.key + '.') || other.key.starts_with(key + '.');
        if (!is_same && !overlaps) continue;
        diagnostics.add(axis.key_origins[i], key,
                        is_same
                            ? fmt::format("found on two axes, allowed: one; the other is at {}",
                                          other.origin.to_string())
                            : fmt::format("found beside '{}' of another axis ({}), allowed: keys "
                                          "that do not hold each other",
                                          other.key, other.origin.to_string()));
      }
      seen.push_back({key, axis.key_origins[i]});
    }
  }
}

}  // namespace

Field seed_field() {
  Field field;
  field.name = kSeed;
  field.type = FieldType::integer;
  field.integer_signed = false;
  field.minimum = 0;
  field.default_value = Value::integer(std::uint64_t{1});
  return field;
}

std::vector<Axis> read_axes(const Value& sweep, Diagnostics& diagnostics) {
  std::vector<Axis> axes;
  if (sweep.kind != Value::Kind::map && sweep.kind != Value::Kind::null) {
    diagnostics.add(
        sweep.origin, "sweep",
        fmt::format("found {}, allowed: a map of keys to lists of values", found(sweep)));
  }
  const auto keep = [&](std::optional<Axis> axis) {
    if (axis) axes.push_back(std::move(*axis));
  };
  for (const Entry& entry : sweep.entries) {
    if (entry.key != kZip) {
      keep(read_axis(entry, diagnostics));
      continue;
    }
    if (entry.value.kind != Value::Kind::map) {
      diagnostics.add(entry.value.origin, "sweep.zip",
                      fmt::format("found {}, allowed: a map of names to maps of keys to lists",
                                  found(entry.value)));
    }
    for (const Entry& zip : entry.value.entries) keep(read_zip(zip, diagnostics));
  }
  return axes;
}

Axis* axis_of(std::vector<Axis>& axes, std::string_view key) {
  const auto moves = [&](const Axis& axis) {
    return std::find(axis.keys.begin(), axis.keys.end(), key) != axis.keys.end();
  };
  const auto axis = std::find_if(axes.begin(), axes.end(), moves);
  return axis == axes.end() ? nullptr : &*axis;
}

void sweep_key(std::vector<Axis>& axes, const std::string& key, const Value& points,
               Diagnostics& diagnostics) {
  const Origin& origin = points.origin;
  if (!can_sweep(key)) {
    add_cannot_sweep(origin, key, key, diagnostics);
    return;
  }
  Axis* const present = axis_of(axes, key);
  if (present == nullptr || !present->is_zip()) {
    std::optional<Axis> axis = read_axis({key, points, origin}, diagnostics);
    if (!axis) return;
    if (present != nullptr) {
      *present = std::move(*axis);
    } else {
      axes.push_back(std::move(*axis));
    }
    return;
  }
  std::vector<Value> column = read_points(points, key, diagnostics);
  if (column.empty()) return;
  if (column.size() != present->values.size()) {
    diagnostics.add(origin, key,
                    fmt::format("found {} values, allowed: {}, as many as the zip '{}' has",
                                column.size(), present->values.size(), present->name));
    return;
  }
  const auto place =
      std::find(present->keys.begin(), present->keys.end(), key) - present->keys.begin();
  for (std::size_t i = 0; i < column.size(); ++i) {
    present->values[i][static_cast<std::size_t>(place)] = std::move(column[i]);
  }
}

void check_axes(std::vector<Axis>& axes, Diagnostics& diagnostics) {
  check_keys(axes, diagnostics);
  for (Axis& axis : axes) {
    check_points(axis, diagnostics);
    check_seeds(axis, diagnostics);
  }
}

}  // namespace refran::runner
