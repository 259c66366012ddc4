// Stored numbers of every weight type as float32.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../checkpoint.h"

namespace refran::marian {

// Where element (row, column) of a stored matrix lies: row · row_stride + column · column_stride
// elements behind the first.
struct StoredMatrix {
  StoredType type = StoredType::float32;
  const std::byte* first = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;
};

// Types that `convert` knows.
inline bool holds_weights(StoredType type) {
  return type == StoredType::float32 || type == StoredType::float16 ||
         type == StoredType::bfloat16 || type == StoredType::float64;
}

// Writes `matrix` to `to` [rows, columns], row-major. Exact but for float64, which is rounded.
void convert(const StoredMatrix& matrix, std::span<float> to);

// The index of the first number that is NaN or infinite; values.size() where there is none.
std::size_t first_not_finite(std::span<const float> values);

}  // namespace refran::marian
