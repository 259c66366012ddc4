// The grid of runs that an experiment file stands for, each run's config resolved and validated
// before any folder exists.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include <refran/error.h>
#include <refran/schema.h>
#include "spec.h"

namespace refran::runner {

struct PlannedRun {
  std::size_t index = 0;                 // in grid order, the last axis fastest
  std::vector<std::size_t> coordinates;  // one per axis
  std::uint64_t seed = 0;
  Value config;  // resolved, paths as written
};

// Calls the plugin's own `check` on a resolved config with absolute paths.
using CheckConfig = std::function<void(const Value& config, Problems& problems)>;

class Plan {
 public:
  // Validates every run of the grid; throws ConfigError with all problems (each once, however many
  // runs share it).
  Plan(Spec spec, Description description, const CheckConfig& check);

  const Spec& spec() const { return spec_; }
  const Description& description() const { return description_; }
  std::size_t size() const { return size_; }  // number of runs; 1 without axes
  std::vector<std::size_t> shape() const;     // points per axis
  PlannedRun run(std::size_t index) const;

  // What is promised of all runs together: less where one has the value that weakens it.
  Reproducibility reproducibility() const {
    return has_weaker_ ? description_.weaker : description_.reproducibility;
  }

  // Whether a run opens the plugin's second library: where one weakens the promise, that is why.
  bool needs_part() const { return description_.weaker_field.empty() || has_weaker_; }

  // Every input file, absolute, each once, in the order met.
  const std::vector<std::filesystem::path>& inputs() const { return inputs_; }

  // The whole file with defaults spelled out: itself a runnable config. `base:` is written where
  // `with_base`.
  Value resolved(bool with_base) const;
  // The same for one run alone, without the sweep.
  Value resolved_run(std::size_t index, bool with_base) const;

  // "config.heads=2 seed=7": the coordinates of a run in words; "" without axes.
  std::string label(std::size_t index) const;

  // Runs that differ in their seed alone share a group number: 0, 1, … in grid order.
  std::size_t seed_group(std::size_t index) const;

 private:
  // Points of an axis that differ in their seed alone are of one kind; kinds are numbered as they
  // come.
  struct Kinds {
    std::vector<std::size_t> of_point;
    std::size_t count = 0;
  };
  static Kinds kinds_of(const Axis& axis);

  void validate(const CheckConfig& check);
  void check_config(const Value& given, const Value& config, const CheckConfig& check,
                    Diagnostics& diagnostics);
  void add_input(const std::filesystem::path& file);
  std::vector<std::size_t> coordinates_of(std::size_t index) const;
  Value config_at(const std::vector<std::size_t>& coordinates) const;
  Value resolved_sweep() const;
  Value resolved_points(std::size_t axis, std::size_t key) const;

  Spec spec_;
  Description description_;
  std::size_t size_ = 1;
  std::vector<Kinds> kinds_;  // one per axis
  bool has_weaker_ = false;
  std::vector<std::filesystem::path> inputs_;
  std::unordered_set<std::string> known_inputs_;
};

}  // namespace refran::runner
