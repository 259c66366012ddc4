#include "attention_field.h"

#include <algorithm>
#include <array>

namespace refran::arithmetic {

std::vector<double> evenly_spaced(double low, double high, std::size_t count) {
  std::vector<double> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    // One division, last, so that both ends and round steps come out exact.
    points[i] = (low * static_cast<double>(count - 1 - i) + high * static_cast<double>(i)) /
                static_cast<double>(count - 1);
  }
  return points;
}

AttentionField attention_field(std::span<const double> x, std::span<const double> y,
                               const Array<double, 2>& keys, const Array<double, 2>& values,
                               Scoring scoring) {
  AttentionField field{Array<double, 3>({y.size(), x.size(), keys.extent(0)}),
                       Array<double, 3>({y.size(), x.size(), values.extent(1)})};
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (std::size_t column = 0; column < x.size(); ++column) {
      const std::array<double, 2> query = {x[column], y[row]};
      const std::vector<double> weight = softmax(scores(query, keys, scoring));
      std::ranges::copy(weight, field.weight.row(row, column).begin());
      std::ranges::copy(weighted_average(weight, values), field.output.row(row, column).begin());
    }
  }
  return field;
}

}  // namespace refran::arithmetic
