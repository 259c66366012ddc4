// Rows of numbers as one array, for lists that come from a config or grow step by step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <refran/array.h>

namespace refran::arithmetic {

// [row, column] from rows of `columns` numbers each. `columns` is asked for since there may be no
// row.
inline Array<double, 2> matrix(const std::vector<std::vector<double>>& rows, std::size_t columns) {
  Array<double, 2> result({rows.size(), columns});
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], result.row(i).begin());
  return result;
}

}  // namespace refran::arithmetic
