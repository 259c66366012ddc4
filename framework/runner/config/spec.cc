// Reads an experiment file and applies the command line to it.
#include "spec.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bind.h"
#include "key_path.h"
#include "sweep_axes.h"
#include "yaml.h"

namespace refran::runner {

namespace {

const std::vector<std::string>& top_level_keys() {
  static const std::vector<std::string> keys{"experiment", "seed", "demo",    "config",
                                             "sweep",      "base", "compress"};
  return keys;
}

Field field_of(const std::string& name, FieldType type, Value default_value) {
  Field field;
  field.name = name;
  field.type = type;
  field.default_value = std::move(default_value);
  return field;
}

// The declarations of the top-level keys that hold one value.
std::vector<Field> scalar_fields() {
  Field experiment = field_of("experiment", FieldType::text, {});
  experiment.required = true;
  Field base = field_of("base", FieldType::path, Value::string(""));
  base.path_kind = PathKind::existing_folder;
  return {experiment, seed_field(), field_of("demo", FieldType::boolean, Value::boolean(false)),
          base, field_of("compress", FieldType::boolean, Value::boolean(false))};
}

bool is_scalar_key(const std::string& key) {
  const std::vector<Field> fields = scalar_fields();
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& field) { return field.name == key; });
}

// One `key=value` of the command line.
struct Argument {
  std::string key;
  Value value;
  Origin origin;
};

std::optional<Argument> read_argument(const std::string& text, const std::string& source,
                                      Diagnostics& diagnostics) {
  Argument argument;
  argument.origin.source = std::make_shared<const std::string>(source);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    diagnostics.add(argument.origin, "", "found no '=', allowed: KEY=VALUE, as in seed=7");
    return std::nullopt;
  }
  argument.key = text.substr(0, equals);
  try {
    argument.value = parse_yaml_value(std::string_view(text).substr(equals + 1), source);
  } catch (const ConfigError& error) {
    diagnostics.add({}, "", error.what());
    return std::nullopt;
  }
  return argument;
}

// The steps to a key that an override may set; nothing, and a problem, where it may not.
std::optional<std::vector<Step>> steps_of(const Argument& argument, Diagnostics& diagnostics) {
  constexpr std::string_view kAllowed = "allowed: seed, config.FIELD";
  std::optional<std::vector<Step>> steps = parse_key_path(argument.key);
  if (!steps) {
    diagnostics.add(argument.origin, argument.key,
                    fmt::format("found no such kind of key, {}", kAllowed));
    return std::nullopt;
  }
  const auto* const top = std::get_if<std::string>(&steps->front());
  const bool is_seed = top != nullptr && *top == "seed" && steps->size() == 1;
  if (is_seed || (top != nullptr && *top == "config")) return steps;
  const auto& known = top_level_keys();
  if (top != nullptr && std::find(known.begin(), known.end(), *top) != known.end()) {
    const std::string hint = *top == "sweep" ? "; a sweep is given by --sweep KEY=[…]" : "";
    diagnostics.add(argument.origin, argument.key,
                    fmt::format("found a key that only the file sets, {}{}", kAllowed, hint));
  } else {
    const std::string near = suggestion(argument.key, {"seed", "config"});
    diagnostics.add(
        argument.origin, argument.key,
        fmt::format(
            "found an unknown key, {}{}", kAllowed,
            near.empty() ? fmt::format("; did you mean 'config.{}'?", argument.key) : near));
  }
  return std::nullopt;
}

// An override of a swept key does away with its axis, or is the new one.
void apply_override(const Argument& argument, Value& root, std::vector<Axis>& axes,
                    Diagnostics& diagnostics) {
  const std::optional<std::vector<Step>> steps = steps_of(argument, diagnostics);
  if (!steps) return;
  if (const Axis* const axis = axis_of(axes, argument.key)) {
    if (argument.value.kind == Value::Kind::list) {
      sweep_key(axes, argument.key, argument.value, diagnostics);
      return;
    }
    if (axis->is_zip()) {
      diagnostics.add(
          argument.origin, argument.key,
          fmt::format("found one value for a key of the zip '{}', allowed: a list of {}",
                      axis->name, axis->values.size()));
      return;
    }
    axes.erase(axes.begin() + (axis - axes.data()));
  }
  const std::string problem = set_value(root, *steps, argument.value, argument.origin);
  if (!problem.empty()) diagnostics.add(argument.origin, argument.key, problem);
}

void apply_command_line(std::span<const std::string> overrides, std::span<const std::string> sweeps,
                        Value& root, std::vector<Axis>& axes, Diagnostics& diagnostics) {
  for (const std::string& text : overrides) {
    const auto argument = read_argument(text, "command line: " + text, diagnostics);
    if (argument) apply_override(*argument, root, axes, diagnostics);
  }
  for (const std::string& text : sweeps) {
    const auto argument = read_argument(text, "command line: --sweep " + text, diagnostics);
    if (argument) sweep_key(axes, argument->key, argument->value, diagnostics);
  }
}

void read_top_level(const Value& root, Spec& spec) {
  const std::filesystem::path folder = std::filesystem::absolute(spec.file).parent_path();
  Value scalars = Value::map();
  scalars.origin = root.origin;
  for (const Entry& entry : root.entries) {
    const auto& known = top_level_keys();
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      add_unknown_key(entry, known, "", spec.diagnostics);
    } else if (is_scalar_key(entry.key)) {
      scalars.entries.push_back(entry);
    }
  }
  const Value resolved = resolve(scalar_fields(), scalars, "", folder, spec.diagnostics);
  spec.experiment = resolved.find("experiment")->text;
  if (spec.experiment.empty()) spec.diagnostics.throw_if_any();
  const std::string& seed = resolved.find("seed")->text;
  std::from_chars(seed.data(), seed.data() + seed.size(), spec.seed);
  if (const Value* const experiment = root.find("experiment")) {
    spec.experiment_origin = experiment->origin;
  }
  spec.demo = resolved.find("demo")->text == "true";
  spec.compress = resolved.find("compress")->text == "true";
  spec.base = (folder / resolved.find("base")->text).lexically_normal();
  if (!spec.base.has_filename()) spec.base = spec.base.parent_path();  // `data/` is `data`
  spec.config.origin = root.origin;
  if (const Value* const config = root.find("config")) spec.config = *config;
}

}  // namespace

Spec read_spec(const std::filesystem::path& file, std::span<const std::string> overrides,
               std::span<const std::string> sweeps) {
  Spec spec;
  spec.file = file;
  Value root = read_yaml_file(file, spec.diagnostics);
  if (root.kind != Value::Kind::map) {
    spec.diagnostics.add(
        root.origin, "",
        fmt::format("found {}, allowed: a map that begins with 'experiment: NAME'", found(root)));
    spec.diagnostics.throw_if_any();
  }
  const Value* const sweep = root.find("sweep");
  if (sweep != nullptr) spec.axes = read_axes(*sweep, spec.diagnostics);
  apply_command_line(overrides, sweeps, root, spec.axes, spec.diagnostics);
  check_axes(spec.axes, spec.diagnostics);
  read_top_level(root, spec);
  return spec;
}

}  // namespace refran::runner
