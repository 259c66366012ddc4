// The axes that the `sweep:` of an experiment file and the command line ask for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <refran/schema.h>
#include "spec.h"

namespace refran::runner {

// The keys of an experiment file that axes move; below the second, those of the plugin.
inline constexpr std::string_view kSeed = "seed";
inline constexpr std::string_view kConfig = "config";

// Reads the map below `sweep:`; its axes in the order of the file.
std::vector<Axis> read_axes(const Value& sweep, Diagnostics& diagnostics);

// Lets `key` move along `points`, a list or `{from: 1, count: 3}`: in the place of the axis it has,
// else on a new one behind the others. On a zip, there have to be as many points as before.
void sweep_key(std::vector<Axis>& axes, const std::string& key, const Value& points,
               Diagnostics& diagnostics);

// The axis that moves the key, or null.
Axis* axis_of(std::vector<Axis>& axes, std::string_view key);

// Reports keys on two axes, points that are there twice, and seeds that are none.
void check_axes(std::vector<Axis>& axes, Diagnostics& diagnostics);

// The declaration of the `seed:` key.
Field seed_field();

}  // namespace refran::runner
