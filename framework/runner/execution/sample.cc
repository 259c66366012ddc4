#include "sample.h"

#include <algorithm>
#include <cstdint>

namespace refran::runner {

std::size_t grid_size(const std::vector<Axis>& axes) {
  std::size_t size = 1;
  for (const Axis& axis : axes) size *= axis.values.size();
  return size;
}

std::vector<std::size_t> even_sample(std::size_t runs, std::size_t count) {
  // Steps of the golden ratio, in 2^-64: at one place in every stretch, a sample would meet only
  // some points of an inner axis.
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  count = std::min(runs, count);
  std::vector<std::size_t> sample;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * runs / count;
    const std::size_t length = (i + 1) * runs / count - begin;
    sample.push_back(begin + (length * (i * kGoldenRatio >> 32) >> 32));
  }
  return sample;
}

Value sweep_of_runs(const std::vector<Axis>& axes, std::span<const std::size_t> runs) {
  Value columns = Value::map();
  std::size_t stride = grid_size(axes);
  for (const Axis& axis : axes) {
    stride /= axis.values.size();
    for (std::size_t key = 0; key < axis.keys.size(); ++key) {
      Value& column = columns[axis.keys[key]] = Value::list();
      for (const std::size_t run : runs)
        column.items.push_back(axis.values[run / stride % axis.values.size()][key]);
    }
  }
  if (columns.entries.size() == 1) return columns;
  Value sweep = Value::map();
  sweep["zip"]["sample"] = std::move(columns);
  return sweep;
}

}  // namespace refran::runner
