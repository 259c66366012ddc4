// The product of two matrices whose elements are lanes: where the kernel spends its time.
//
// An element fills a register, so strides cost little and any operand may be transposed. A tile of
// the result stays in registers over the whole sum; 12 of the 16 leave room for three elements of
// one operand and one of the other, and hide the latency of a fused multiply-add.
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

// What a product starts from: nothing, or what it is added to.
enum class Start { zero, given };

// result(i, j) for i < kRows, j < kColumns: `start`, and the products summed over `inner` in order.
// A sum from zero begins with a plain multiplication: on AMD's Zen 3 a store and a fused
// multiply-add wait for each other, a store and a multiplication do not, so the stores of the tile
// before cost nothing (products are 1.1 times as fast). The loop is not unrolled: it would need
// more registers than there are.
template <std::size_t kRows, std::size_t kColumns, class Lanes>
[[gnu::always_inline]] inline void multiply_tile(std::size_t inner, Matrix<const Lanes> a,
                                                 Matrix<const Lanes> b, Start start,
                                                 Matrix<const Lanes> given, Matrix<Lanes> result) {
  Lanes sum[kRows][kColumns];
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      sum[i][j] = start == Start::given ? given.data[i * given.row + j * given.column]
                                        : Lanes::of(typename Lanes::Element{0});
    }
  }
  const auto add_term = [&](auto add) __attribute__((always_inline)) {
    if constexpr (kRows < kColumns) {
      Lanes left[kRows];
      for (std::size_t i = 0; i < kRows; ++i) left[i] = a.data[i * a.row];
      for (std::size_t j = 0; j < kColumns; ++j) {
        const Lanes right = b.data[j * b.column];
        for (std::size_t i = 0; i < kRows; ++i) sum[i][j] = add(left[i], right, sum[i][j]);
      }
    } else {
      Lanes right[kColumns];
      for (std::size_t j = 0; j < kColumns; ++j) right[j] = b.data[j * b.column];
      for (std::size_t i = 0; i < kRows; ++i) {
        const Lanes left = a.data[i * a.row];
        for (std::size_t j = 0; j < kColumns; ++j) sum[i][j] = add(left, right[j], sum[i][j]);
      }
    }
    a.data += a.column;
    b.data += b.row;
  };
  const bool is_first_plain = start == Start::zero && inner > 0;
  if (is_first_plain) add_term([](Lanes left, Lanes right, Lanes) { return left * right; });
#pragma GCC unroll 1
  for (std::size_t k = is_first_plain ? 1 : 0; k < inner; ++k)
    add_term([](Lanes left, Lanes right, Lanes to) { return fma(left, right, to); });
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j)
      result.data[i * result.row + j * result.column] = sum[i][j];
  }
}

// Whether the next of the tiles into which `count` is split takes kMost: tiles are as equal as can
// be, so that none is left whose few sums wait for each other.
template <std::size_t kMost>
constexpr bool takes_most(std::size_t count) {
  return count > (kMost - 1) * ((count + kMost - 1) / kMost);
}

// All rows of so many columns, in tiles of at most kRows.
template <std::size_t kRows, std::size_t kColumns, class Lanes>
[[gnu::always_inline]] inline void multiply_columns(std::size_t rows, std::size_t inner,
                                                    Matrix<const Lanes> a, Matrix<const Lanes> b,
                                                    Start start, Matrix<const Lanes> given,
                                                    Matrix<Lanes> result) {
  for (; takes_most<kRows>(rows); rows -= kRows) {
    multiply_tile<kRows, kColumns>(inner, a, b, start, given, result);
    a.data += kRows * a.row;
    given.data += kRows * given.row;
    result.data += kRows * result.row;
  }
  if constexpr (kRows > 1) {
    if (rows > 0) multiply_columns<kRows - 1, kColumns>(rows, inner, a, b, start, given, result);
  }
}

// All columns, in tiles of at most kColumns; and 12 / kColumns rows.
template <std::size_t kColumns, class Lanes>
[[gnu::always_inline]] inline void multiply_here(std::size_t rows, std::size_t inner,
                                                 std::size_t columns, Matrix<const Lanes> a,
                                                 Matrix<const Lanes> b, Start start,
                                                 Matrix<const Lanes> given, Matrix<Lanes> result) {
  for (; takes_most<kColumns>(columns); columns -= kColumns) {
    multiply_columns<12 / kColumns, kColumns>(rows, inner, a, b, start, given, result);
    b.data += kColumns * b.column;
    given.data += kColumns * given.column;
    result.data += kColumns * result.column;
  }
  if constexpr (kColumns > 1) {
    if (columns > 0) multiply_here<kColumns - 1>(rows, inner, columns, a, b, start, given, result);
  }
}

template <class Lanes>
[[gnu::noinline]] void multiply_called(std::size_t rows, std::size_t inner, std::size_t columns,
                                       Matrix<const Lanes> a, Matrix<const Lanes> b, Start start,
                                       Matrix<const Lanes> given, Matrix<Lanes> result) {
  multiply_here<4>(rows, inner, columns, a, b, start, given, result);
}

// Where the extents `n` are known when this is compiled, the product is compiled for them in its
// place: strides and counts are then in the instructions, which makes training 1.3 times as fast.
template <class Lanes, class N>
[[gnu::always_inline]] inline void multiply_from(const N&, std::size_t rows, std::size_t inner,
                                                 std::size_t columns, Matrix<const Lanes> a,
                                                 Matrix<const Lanes> b, Start start,
                                                 Matrix<const Lanes> given, Matrix<Lanes> result) {
  if constexpr (N::kIsKnown) {
    multiply_here<4>(rows, inner, columns, a, b, start, given, result);
  } else {
    multiply_called(rows, inner, columns, a, b, start, given, result);
  }
}

// result [rows, columns] = a [rows, inner] · b [inner, columns].
template <class Lanes, class N>
[[gnu::always_inline]] inline void multiply(const N& n, std::size_t rows, std::size_t inner,
                                            std::size_t columns, Matrix<const Lanes> a,
                                            Matrix<const Lanes> b, Matrix<Lanes> result) {
  multiply_from<Lanes>(n, rows, inner, columns, a, b, Start::zero, result, result);
}

// result = given + a · b.
template <class Lanes, class N>
[[gnu::always_inline]] inline void multiply_onto(const N& n, std::size_t rows, std::size_t inner,
                                                 std::size_t columns, Matrix<const Lanes> given,
                                                 Matrix<const Lanes> a, Matrix<const Lanes> b,
                                                 Matrix<Lanes> result) {
  multiply_from<Lanes>(n, rows, inner, columns, a, b, Start::given, given, result);
}

// result += a · b.
template <class Lanes, class N>
[[gnu::always_inline]] inline void add_product(const N& n, std::size_t rows, std::size_t inner,
                                               std::size_t columns, Matrix<const Lanes> a,
                                               Matrix<const Lanes> b, Matrix<Lanes> result) {
  multiply_from<Lanes>(n, rows, inner, columns, a, b, Start::given, result, result);
}

// The sum of a[i] b[i]: of every fourth in order, then of the four sums, so that one multiply-add
// does not wait for the last; where there are fewer than 4, in order.
template <class Lanes>
inline Lanes dot(const Lanes* a, const Lanes* b, std::size_t count) {
  if (count == 0) return Lanes::of(typename Lanes::Element{0});
  if (count < 4) {
    Lanes sum = a[0] * b[0];
    for (std::size_t i = 1; i < count; ++i) sum = fma(a[i], b[i], sum);
    return sum;
  }
  Lanes sum[4];
  for (std::size_t i = 0; i < 4; ++i) sum[i] = a[i] * b[i];
  std::size_t i = 4;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sum[k] = fma(a[i + k], b[i + k], sum[k]);
  }
  for (std::size_t k = 0; i + k < count; ++k) sum[k] = fma(a[i + k], b[i + k], sum[k]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The sum of so many: of every fourth in order, then of the four sums.
template <class Lanes>
inline Lanes sum_of(const Lanes* values, std::size_t count) {
  Lanes sum[4];
  for (std::size_t i = 0; i < 4; ++i)
    sum[i] = i < count ? values[i] : Lanes::of(typename Lanes::Element{0});
  for (std::size_t i = 4; i < count; ++i) sum[i % 4] = sum[i % 4] + values[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// to[i] += factor * from[i]. A turn of so short a loop takes more than what is done in it, so four
// make one.
template <class Lanes>
inline void add_scaled(Lanes factor, const Lanes* from, Lanes* to, std::size_t count) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) to[i] = fma(factor, from[i], to[i]);
}

// to[i] += from[i].
template <class Lanes>
inline void add(const Lanes* from, Lanes* to, std::size_t count) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) to[i] = to[i] + from[i];
}

template <class Lanes>
inline void copy(const Lanes* from, Lanes* to, std::size_t count) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

}  // namespace refran::referent::kernel
