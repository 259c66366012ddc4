// Validates every config of a grid once, and does the index arithmetic of its runs.
#include "plan.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "bind.h"
#include "key_path.h"
#include "sweep_axes.h"
#include "yaml.h"

namespace refran::runner {

namespace {

constexpr std::size_t kMostRuns = 10'000'000;

// The steps of a swept key below `config`.
std::vector<Step> steps_below_config(const std::string& key) {
  std::vector<Step> steps = parse_key_path(key).value();
  steps.erase(steps.begin());
  return steps;
}

std::uint64_t read_seed(const Value& value) {
  std::uint64_t seed = 0;
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), seed);
  return seed;
}

bool moves_config(const Axis& axis) {
  return std::any_of(axis.keys.begin(), axis.keys.end(),
                     [](const std::string& key) { return key != kSeed; });
}

// Puts the values of a point of the grid into a config as written, in the place of those of another
// point.
void place_point(const Spec& spec, const std::vector<std::size_t>& coordinates, Value& given,
                 Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    const Axis& axis = spec.axes[i];
    for (std::size_t key = 0; key < axis.keys.size(); ++key) {
      if (axis.keys[key] == kSeed) continue;
      const Value& value = axis.values[coordinates[i]][key];
      const std::vector<Step> steps = steps_below_config(axis.keys[key]);
      const std::string problem = set_value(given, steps, value, axis.key_origins[key]);
      if (!problem.empty()) diagnostics.add(value.origin, axis.keys[key], problem);
    }
  }
}

// Moves on to the next point of the grid over the axes that move the config; false behind the last
// one.
bool next_config(const Spec& spec, std::vector<std::size_t>& coordinates) {
  for (std::size_t i = coordinates.size(); i-- > 0;) {
    if (!moves_config(spec.axes[i])) continue;
    if (++coordinates[i] < spec.axes[i].values.size()) return true;
    coordinates[i] = 0;
  }
  return false;
}

// Takes a swept key out of a resolved config, where it is a declared one: the entries of a map are
// kept, since their order counts.
void erase_declared(const std::vector<Field>& fields, Value& config, std::span<const Step> steps) {
  const std::string& name = std::get<std::string>(steps.front());
  const auto field = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& candidate) { return candidate.name == name; });
  Value* const value = config.find(name);
  if (field == fields.end() || value == nullptr) return;
  if (steps.size() == 1) {
    std::erase_if(config.entries, [&](const Entry& entry) { return entry.key == name; });
  } else if (field->type == FieldType::group) {
    erase_declared(field->fields, *value, steps.subspan(1));
  }
}

std::size_t grid_size(const Spec& spec, Diagnostics& diagnostics) {
  std::size_t size = 1;
  for (const Axis& axis : spec.axes) {
    size *= axis.values.size();  // both are at most kMostRuns
    if (size <= kMostRuns) continue;
    diagnostics.add(
        spec.axes.front().origin, "sweep",
        fmt::format("found a grid of more than {0} runs, allowed: at most {0}", kMostRuns));
    diagnostics.throw_if_any();
  }
  return size;
}

}  // namespace

Plan::Kinds Plan::kinds_of(const Axis& axis) {
  Kinds kinds;
  std::unordered_map<std::string, std::size_t> numbers;
  const bool has_seed = std::find(axis.keys.begin(), axis.keys.end(), kSeed) != axis.keys.end();
  for (std::size_t point = 0; point < axis.values.size(); ++point) {
    std::string name = has_seed ? "" : std::to_string(point);
    for (std::size_t key = 0; has_seed && key < axis.keys.size(); ++key) {
      if (axis.keys[key] != kSeed) name += to_yaml_line(axis.values[point][key]) + '\n';
    }
    kinds.of_point.push_back(numbers.emplace(std::move(name), numbers.size()).first->second);
  }
  kinds.count = numbers.size();
  return kinds;
}

Plan::Plan(Spec spec, Description description, const CheckConfig& check)
    : spec_(std::move(spec)), description_(std::move(description)) {
  size_ = grid_size(spec_, spec_.diagnostics);
  for (const Axis& axis : spec_.axes) kinds_.push_back(kinds_of(axis));
  validate(check);
  spec_.diagnostics.throw_if_any();
}

// Seeds do not change a config, so each config is looked at once.
void Plan::validate(const CheckConfig& check) {
  std::vector<std::size_t> coordinates(spec_.axes.size(), 0);
  Value given = spec_.config;
  do {
    Diagnostics diagnostics;
    place_point(spec_, coordinates, given, diagnostics);
    const Value config = resolve(description_.fields, given, kConfig, spec_.base, diagnostics);
    if (diagnostics.empty()) check_config(given, config, check, diagnostics);
    spec_.diagnostics.add(diagnostics);
  } while (next_config(spec_, coordinates));
}

void Plan::check_config(const Value& given, const Value& config, const CheckConfig& check,
                        Diagnostics& diagnostics) {
  for (const auto& file : input_files(description_.fields, config, spec_.base)) add_input(file);
  const Value* const weakening = config.find(description_.weaker_field);
  if (weakening != nullptr && weakening->text == description_.weaker_value) has_weaker_ = true;
  if (!check) return;
  Problems problems;
  check(with_absolute_paths(description_.fields, config, spec_.base), problems);
  for (const std::filesystem::path& file : problems.inputs()) add_input(file);
  for (const Problems::Problem& problem : problems.problems()) {
    const std::vector<Step> steps = parse_key_path(problem.field).value_or(std::vector<Step>{});
    const Origin& origin = deepest(given, steps).origin;
    const bool has_dot = !problem.field.empty() && problem.field.front() != '[';
    diagnostics.add(origin.source ? origin : spec_.config.origin,
                    fmt::format("{}{}{}", kConfig, has_dot ? "." : "", problem.field),
                    problem.text);
  }
}

void Plan::add_input(const std::filesystem::path& file) {
  std::filesystem::path absolute = (spec_.base / file).lexically_normal();
  if (known_inputs_.insert(absolute.string()).second) inputs_.push_back(std::move(absolute));
}

std::vector<std::size_t> Plan::shape() const {
  std::vector<std::size_t> shape;
  for (const Axis& axis : spec_.axes) shape.push_back(axis.values.size());
  return shape;
}

std::vector<std::size_t> Plan::coordinates_of(std::size_t index) const {
  std::vector<std::size_t> coordinates(spec_.axes.size());
  for (std::size_t i = coordinates.size(); i-- > 0;) {
    coordinates[i] = index % spec_.axes[i].values.size();
    index /= spec_.axes[i].values.size();
  }
  return coordinates;
}

Value Plan::config_at(const std::vector<std::size_t>& coordinates) const {
  Diagnostics diagnostics;
  Value given = spec_.config;
  place_point(spec_, coordinates, given, diagnostics);
  Value config = resolve(description_.fields, given, kConfig, spec_.base, diagnostics);
  diagnostics.throw_if_any();
  return config;
}

PlannedRun Plan::run(std::size_t index) const {
  PlannedRun run{index, coordinates_of(index), spec_.seed, {}};
  for (std::size_t i = 0; i < spec_.axes.size(); ++i) {
    const Axis& axis = spec_.axes[i];
    const auto key = std::find(axis.keys.begin(), axis.keys.end(), kSeed) - axis.keys.begin();
    const std::vector<Value>& point = axis.values[run.coordinates[i]];
    if (key < std::ssize(point)) run.seed = read_seed(point[static_cast<std::size_t>(key)]);
  }
  run.config = config_at(run.coordinates);
  return run;
}

std::string Plan::label(std::size_t index) const {
  std::string label;
  const std::vector<std::size_t> coordinates = coordinates_of(index);
  for (std::size_t i = 0; i < spec_.axes.size(); ++i) {
    const Axis& axis = spec_.axes[i];
    for (std::size_t key = 0; key < axis.keys.size(); ++key) {
      label += fmt::format("{}{}={}", label.empty() ? "" : " ", axis.keys[key],
                           to_yaml_line(axis.values[coordinates[i]][key]));
    }
  }
  return label;
}

std::size_t Plan::seed_group(std::size_t index) const {
  std::size_t group = 0;
  const std::vector<std::size_t> coordinates = coordinates_of(index);
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    group = group * kinds_[i].count + kinds_[i].of_point[coordinates[i]];
  }
  return group;
}

Value Plan::resolved(bool with_base) const {
  Value config = config_at(std::vector<std::size_t>(spec_.axes.size(), 0));
  bool sweeps_seed = false;
  for (const Axis& axis : spec_.axes) {
    for (const std::string& key : axis.keys) {
      sweeps_seed = sweeps_seed || key == kSeed;
      if (key != kSeed) erase_declared(description_.fields, config, steps_below_config(key));
    }
  }
  Value file = Value::map();
  file["experiment"] = Value::string(spec_.experiment);
  if (!sweeps_seed) file[kSeed] = Value::integer(spec_.seed);
  if (with_base) file["base"] = Value::string(spec_.base.string());
  if (spec_.compress) file["compress"] = Value::boolean(true);
  file[kConfig] = std::move(config);
  if (!spec_.axes.empty()) file["sweep"] = resolved_sweep();
  return file;
}

Value Plan::resolved_sweep() const {
  Value sweep = Value::map();
  for (std::size_t i = 0; i < spec_.axes.size(); ++i) {
    const Axis& axis = spec_.axes[i];
    Value& place = axis.is_zip() ? sweep["zip"][axis.name] : sweep;
    for (std::size_t key = 0; key < axis.keys.size(); ++key) {
      place[axis.keys[key]] = resolved_points(i, key);
    }
  }
  return sweep;
}

// A key's values along its axis, as they are in the resolved configs.
Value Plan::resolved_points(std::size_t axis, std::size_t key) const {
  const Axis& moved = spec_.axes[axis];
  Value points = Value::list();
  std::vector<std::size_t> coordinates(spec_.axes.size(), 0);
  for (std::size_t point = 0; point < moved.values.size(); ++point) {
    if (moved.keys[key] == kSeed) {
      points.items.push_back(moved.values[point][key]);
      continue;
    }
    coordinates[axis] = point;
    points.items.push_back(deepest(config_at(coordinates), steps_below_config(moved.keys[key])));
  }
  return points;
}

Value Plan::resolved_run(std::size_t index, bool with_base) const {
  PlannedRun planned = run(index);
  Value file = Value::map();
  file["experiment"] = Value::string(spec_.experiment);
  file[kSeed] = Value::integer(planned.seed);
  if (with_base) file["base"] = Value::string(spec_.base.string());
  if (spec_.compress) file["compress"] = Value::boolean(true);
  file[kConfig] = std::move(planned.config);
  return file;
}

}  // namespace refran::runner
