#include "shapley.h"

#include <bit>
#include <limits>
#include <stdexcept>

namespace refran::referent {
namespace {

std::size_t heads_of(std::span<const double> value) {
  if (value.size() < 2 || !std::has_single_bit(value.size()))
    throw std::invalid_argument("found values of subsets that are not 2^n, n >= 1");
  return static_cast<std::size_t>(std::countr_zero(value.size()));
}

// count! (others-count)! / (others+1)!: the share of a context with `count` of `others` heads off,
// among all orders of the heads that are looked at. = 1 / ((others+1) · binomial(others, count)).
double share(std::size_t others, std::size_t count) {
  double binomial = 1;
  for (std::size_t k = 1; k <= count; ++k)
    binomial = binomial * static_cast<double>(others - count + k) / static_cast<double>(k);
  return 1 / (static_cast<double>(others + 1) * binomial);
}

std::size_t size_of(std::size_t subset) { return static_cast<std::size_t>(std::popcount(subset)); }

double interaction(std::span<const double> value, std::size_t heads, std::size_t i, std::size_t j) {
  const std::size_t first = std::size_t{1} << i;
  const std::size_t second = std::size_t{1} << j;
  double sum = 0;
  for (std::size_t off = 0; off < value.size(); ++off) {
    if ((off & (first | second)) != 0) continue;
    const double both =
        value[off] - value[off | first] - value[off | second] + value[off | first | second];
    sum += share(heads - 2, size_of(off)) * both;
  }
  return sum;
}

}  // namespace

std::vector<double> shapley_values(std::span<const double> value) {
  const std::size_t heads = heads_of(value);
  std::vector<double> result(heads);
  for (std::size_t i = 0; i < heads; ++i) {
    const std::size_t head = std::size_t{1} << i;
    for (std::size_t off = 0; off < value.size(); ++off) {
      if ((off & head) != 0) continue;
      result[i] += share(heads - 1, size_of(off)) * (value[off] - value[off | head]);
    }
  }
  return result;
}

Array<double, 2> shapley_interactions(std::span<const double> value) {
  const std::size_t heads = heads_of(value);
  Array<double, 2> result({heads, heads}, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < heads; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      result(i, j) = result(j, i) = interaction(value, heads, i, j);
  }
  return result;
}

}  // namespace refran::referent
