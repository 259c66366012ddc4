// The product of two matrices whose elements are lanes: where the kernel spends its time.
//
// An element fills a register, so strides cost little and any operand may be transposed. A tile of
// the result stays in registers over the whole sum; 12 of the 16 leave room for a row of b and an
// element of a, and hide the latency of a fused multiply-add.
#pragma once

#include <cstddef>
#include <type_traits>

namespace refran::referent::kernel {

// A view of a matrix: element (i, j) is at data[i * row + j * column].
template <class Lanes>
struct Matrix {
  Lanes* data;
  std::size_t row;
  std::size_t column = 1;

  operator Matrix<const Lanes>() const requires(!std::is_const_v<Lanes>) {
    return {data, row, column};
  }
};

template <class Lanes>
Matrix<Lanes> transposed(Matrix<Lanes> matrix) {
  return {matrix.data, matrix.column, matrix.row};
}

enum class Store { replace, add };

// result(i, j) for i < kRows, j < kColumns, summed over `inner` in order.
template <std::size_t kRows, std::size_t kColumns, class Lanes>
[[gnu::always_inline]] inline void multiply_tile(std::size_t inner, Matrix<const Lanes> a,
                                                 Matrix<const Lanes> b, Matrix<Lanes> result,
                                                 Store store) {
  Lanes sum[kRows][kColumns];
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      sum[i][j] = store == Store::add ? result.data[i * result.row + j * result.column]
                                      : Lanes::of(typename Lanes::Element{0});
    }
  }
  for (std::size_t k = 0; k < inner; ++k) {
    Lanes row[kColumns];
    for (std::size_t j = 0; j < kColumns; ++j) row[j] = b.data[j * b.column];
    for (std::size_t i = 0; i < kRows; ++i) {
      const Lanes left = a.data[i * a.row];
      for (std::size_t j = 0; j < kColumns; ++j) sum[i][j] = fma(left, row[j], sum[i][j]);
    }
    a.data += a.column;
    b.data += b.row;
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j)
      result.data[i * result.row + j * result.column] = sum[i][j];
  }
}

// All rows of so many columns: tiles of kRows, then one of what is left.
template <std::size_t kRows, std::size_t kColumns, class Lanes>
[[gnu::always_inline]] inline void multiply_columns(std::size_t rows, std::size_t inner,
                                                    Matrix<const Lanes> a, Matrix<const Lanes> b,
                                                    Matrix<Lanes> result, Store store) {
  for (; rows >= kRows; rows -= kRows) {
    multiply_tile<kRows, kColumns>(inner, a, b, result, store);
    a.data += kRows * a.row;
    result.data += kRows * result.row;
  }
  if constexpr (kRows > 1) {
    if (rows > 0) multiply_columns<kRows - 1, kColumns>(rows, inner, a, b, result, store);
  }
}

template <class Lanes>
[[gnu::always_inline]] inline void multiply_here(std::size_t rows, std::size_t inner,
                                                 std::size_t columns, Matrix<const Lanes> a,
                                                 Matrix<const Lanes> b, Matrix<Lanes> result,
                                                 Store store) {
  for (; columns >= 4; columns -= 4) {
    multiply_columns<3, 4>(rows, inner, a, b, result, store);
    b.data += 4 * b.column;
    result.data += 4 * result.column;
  }
  if (columns == 3) multiply_columns<4, 3>(rows, inner, a, b, result, store);
  if (columns == 2) multiply_columns<6, 2>(rows, inner, a, b, result, store);
  if (columns == 1) multiply_columns<10, 1>(rows, inner, a, b, result, store);
}

template <class Lanes>
[[gnu::noinline]] void multiply_called(std::size_t rows, std::size_t inner, std::size_t columns,
                                       Matrix<const Lanes> a, Matrix<const Lanes> b,
                                       Matrix<Lanes> result, Store store) {
  multiply_here(rows, inner, columns, a, b, result, store);
}

// result [rows, columns] = (or, with Store::add, += ) a [rows, inner] · b [inner, columns]. Where
// the extents `n` are known when this is compiled, the product is compiled for them in its place:
// strides and counts are then in the instructions, which makes training 1.3 times as fast.
template <class Lanes, class N>
[[gnu::always_inline]] inline void multiply(const N&, std::size_t rows, std::size_t inner,
                                            std::size_t columns, Matrix<const Lanes> a,
                                            Matrix<const Lanes> b, Matrix<Lanes> result,
                                            Store store = Store::replace) {
  if constexpr (N::kIsKnown) {
    multiply_here(rows, inner, columns, a, b, result, store);
  } else {
    multiply_called(rows, inner, columns, a, b, result, store);
  }
}

// The sum of a[i] b[i]: of every fourth in order, then of the four sums, so that one multiply-add
// does not wait for the last.
template <class Lanes>
inline Lanes dot(const Lanes* a, const Lanes* b, std::size_t count) {
  Lanes sum[4];
  for (std::size_t i = 0; i < 4; ++i)
    sum[i] = i < count ? a[i] * b[i] : Lanes::of(typename Lanes::Element{0});
  std::size_t i = 4;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sum[k] = fma(a[i + k], b[i + k], sum[k]);
  }
  for (std::size_t k = 0; i + k < count; ++k) sum[k] = fma(a[i + k], b[i + k], sum[k]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// to[i] += factor * from[i].
template <class Lanes>
inline void add_scaled(Lanes factor, const Lanes* from, Lanes* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = fma(factor, from[i], to[i]);
}

}  // namespace refran::referent::kernel
