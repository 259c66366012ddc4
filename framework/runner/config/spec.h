// An experiment file as written: its top-level keys, overrides applied, the plugin's own fields not
// yet looked at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <refran/value.h>
#include "diagnostics.h"

namespace refran::runner {

// One axis of a sweep: the key that moves along it, or for a `zip` the keys that move together.
struct Axis {
  std::string name;                        // "seed", "config.heads", or the zip's name
  std::vector<std::string> keys;           // the same as the name, but for a zip
  std::vector<std::vector<Value>> values;  // values[point][key]
  Origin origin;                           // of the name
  std::vector<Origin> key_origins;         // one per key
  bool is_zip() const { return keys.size() > 1 || keys.front() != name; }
};

struct Spec {
  std::filesystem::path file;
  std::filesystem::path
      base;  // the folder that paths in it are relative to: the file's, or its `base:`
  std::string experiment;
  Origin experiment_origin;
  std::uint64_t seed = 1;
  bool demo = false;
  bool compress = false;   // floats too: gains little on attention and costs much
  Value config;            // the map below `config:`, as written
  std::vector<Axis> axes;  // outermost first
  // What is wrong so far, and does not keep the plugin's fields from being looked at: a Plan throws
  // it together with what it finds itself.
  Diagnostics diagnostics;
};

// Reads the file and applies `key=value` overrides, then `--sweep key=[…]` ones, left to right. An
// override on a swept key takes the place of its axis: a list sweeps, a single value does away with
// the axis. Throws ConfigError where there is no map with an `experiment` to go on with; all else
// that is wrong is in `Spec::diagnostics`.
Spec read_spec(const std::filesystem::path& file, std::span<const std::string> overrides,
               std::span<const std::string> sweeps);

}  // namespace refran::runner
