// What the plugin and its second library agree on.
#pragma once

#include <cstdint>
#include <span>

namespace torch_part {

struct Interface {
  // The sum of the numbers, computed by torch on so many threads.
  double (*sum)(std::span<const double> numbers, int threads);
};

}  // namespace torch_part
