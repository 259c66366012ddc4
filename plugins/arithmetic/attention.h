// Attention for one query at a time, as the page's sections 3 and 4 write it: scores of the keys,
// softmax, the weighted average of the values. Plain loops in a fixed order, so that every machine
// gives the same bytes.
#pragma once

#include <span>
#include <vector>

#include <refran/array.h>

namespace refran::arithmetic {

// How well a key answers a query: their dot product, or that divided by the square root of their
// dimension.
enum class Scoring { dot, scaled_dot };

// The dot product of two vectors [dim] of one length.
double dot(std::span<const double> a, std::span<const double> b);

// The score of every key [key] for `query` [dim]; `keys` is [key, dim].
std::vector<double> scores(std::span<const double> query, const Array<double, 2>& keys,
                           Scoring scoring);

// Weights that are ≥ 0 and sum to 1: exp(score / temperature) over the sum of all of them. `score`
// is not empty, temperature > 0. Scores of any size are safe, since the largest is taken off first.
std::vector<double> softmax(std::span<const double> score, double temperature = 1);

// The natural logarithm of `softmax`, finite where a weight is too small for a double.
std::vector<double> log_softmax(std::span<const double> score, double temperature = 1);

// Sum over keys of weight [key] times value [key, value_dim].
std::vector<double> weighted_average(std::span<const double> weight,
                                     const Array<double, 2>& values);

// How spread out the weights are, in nat: 0 where one has it all, log(n) where n share equally. 0
// log 0 counts as 0.
double entropy(std::span<const double> weight);

// All queries at once.
struct Attention {
  Array<double, 2> score;       // [query, key]
  Array<double, 2> weight;      // [query, key]; rows sum to 1
  Array<double, 2> output;      // [query, value_dim]
  std::vector<double> entropy;  // [query], nat
};

// `queries` [query, dim], `keys` [key, dim], `values` [key, value_dim].
Attention attend(const Array<double, 2>& queries, const Array<double, 2>& keys,
                 const Array<double, 2>& values, Scoring scoring);

}  // namespace refran::arithmetic
