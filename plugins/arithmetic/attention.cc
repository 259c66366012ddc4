#include "attention.h"

#include <algorithm>
#include <cmath>

#include <refran/math.h>

namespace refran::arithmetic {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> scores(std::span<const double> query, const Array<double, 2>& keys,
                           Scoring scoring) {
  std::vector<double> score(keys.extent(0));
  const double divisor =
      scoring == Scoring::scaled_dot ? std::sqrt(static_cast<double>(query.size())) : 1;
  for (std::size_t key = 0; key < score.size(); ++key)
    score[key] = dot(query, keys.row(key)) / divisor;
  return score;
}

std::vector<double> softmax(std::span<const double> score, double temperature) {
  std::vector<double> weight(score.size());
  const double largest = *std::ranges::max_element(score);
  double sum = 0;
  for (std::size_t i = 0; i < score.size(); ++i) {
    weight[i] = math::exp((score[i] - largest) / temperature);
    sum += weight[i];
  }
  for (double& w : weight) w /= sum;
  return weight;
}

std::vector<double> log_softmax(std::span<const double> score, double temperature) {
  std::vector<double> result(score.size());
  const double largest = *std::ranges::max_element(score);
  double sum = 0;
  for (std::size_t i = 0; i < score.size(); ++i) {
    result[i] = (score[i] - largest) / temperature;
    sum += math::exp(result[i]);
  }
  const double log_sum = math::log(sum);
  for (double& value : result) value -= log_sum;
  return result;
}

std::vector<double> weighted_average(std::span<const double> weight,
                                     const Array<double, 2>& values) {
  std::vector<double> average(values.extent(1));
  for (std::size_t key = 0; key < weight.size(); ++key) {
    for (std::size_t dim = 0; dim < average.size(); ++dim)
      average[dim] += weight[key] * values(key, dim);
  }
  return average;
}

double entropy(std::span<const double> weight) {
  double sum = 0;
  for (const double w : weight) {
    if (w > 0) sum -= w * math::log(w);
  }
  return sum;
}

Attention attend(const Array<double, 2>& queries, const Array<double, 2>& keys,
                 const Array<double, 2>& values, Scoring scoring) {
  const std::size_t count = queries.extent(0);
  Attention result{Array<double, 2>({count, keys.extent(0)}),
                   Array<double, 2>({count, keys.extent(0)}),
                   Array<double, 2>({count, values.extent(1)}), std::vector<double>(count)};
  for (std::size_t query = 0; query < count; ++query) {
    const std::vector<double> score = scores(queries.row(query), keys, scoring);
    const std::vector<double> weight = softmax(score);
    std::ranges::copy(score, result.score.row(query).begin());
    std::ranges::copy(weight, result.weight.row(query).begin());
    std::ranges::copy(weighted_average(weight, values), result.output.row(query).begin());
    result.entropy[query] = entropy(weight);
  }
  return result;
}

}  // namespace refran::arithmetic
