// Attention for every query on a grid of the plane: what one would see by dragging the query of the
// page's section 4.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <refran/array.h>
#include "attention.h"

namespace refran::arithmetic {

// `count` numbers from `low` to `high`, both among them, at equal distances; count ≥ 2.
std::vector<double> evenly_spaced(double low, double high, std::size_t count);

struct AttentionField {
  Array<double, 3> weight;  // [query_y, query_x, key]; rows sum to 1
  Array<double, 3> output;  // [query_y, query_x, value_dim]
};

// The query at (x[i], y[j]) for all i and j; `keys` is [key, 2], `values` [key, value_dim].
AttentionField attention_field(std::span<const double> x, std::span<const double> y,
                               const Array<double, 2>& keys, const Array<double, 2>& values,
                               Scoring scoring);

}  // namespace refran::arithmetic
