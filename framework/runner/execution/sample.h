// A few runs of a sweep, done again without the rest of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <refran/value.h>
#include "spec.h"

namespace refran::runner {

// How many runs the grid of these axes has.
std::size_t grid_size(const std::vector<Axis>& axes);

// `count` of `runs` runs, always the same: one of each of as many equal stretches of the grid, the
// first run among them. All where there are no more.
std::vector<std::size_t> even_sample(std::size_t runs, std::size_t count);

// The `sweep:` of an experiment file whose runs are those, in this order: all swept keys on one
// axis.
Value sweep_of_runs(const std::vector<Axis>& axes, std::span<const std::size_t> runs);

}  // namespace refran::runner
