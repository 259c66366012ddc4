#include "stored_floats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace refran::marian {
namespace {

constexpr std::size_t kBlock = 32;

struct Float32 {
  using Stored = float;
  static float value(float stored) { return stored; }
};

struct Float64 {
  using Stored = double;
  static float value(double stored) { return static_cast<float>(stored); }
};

struct Bfloat16 {
  using Stored = std::uint16_t;
  static float value(std::uint16_t stored) {
    return std::bit_cast<float>(std::uint32_t{stored} << 16U);
  }
};

// The exponent of float16 is moved by a product, which is exact and gets subnormal numbers right.
struct Float16 {
  using Stored = std::uint16_t;
  static float value(std::uint16_t stored) {
    const std::uint32_t magnitude = std::uint32_t{stored & 0x7FFFU} << 13U;
    const std::uint32_t sign = std::uint32_t{stored & 0x8000U} << 16U;
    const auto bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
    const std::uint32_t special = magnitude >= 0x0F800000U ? 0x7F800000U : 0U;  // infinite, NaN
    return std::bit_cast<float>(bits | special | sign);
  }
};

template <class Type>
float load(const std::byte* first, std::size_t element) {
  typename Type::Stored stored;  // may be misaligned in the file
  std::memcpy(&stored, first + element * sizeof(stored), sizeof(stored));
  return Type::value(stored);
}

// Blocks of a fixed length become vector instructions.
template <class Type>
void convert_row(const std::byte* first, std::size_t size, float* to) {
  std::array<typename Type::Stored, kBlock> stored;
  std::size_t i = 0;
  for (; i + kBlock <= size; i += kBlock) {
    std::memcpy(stored.data(), first + i * sizeof(stored[0]), sizeof(stored));
    for (std::size_t j = 0; j < kBlock; ++j) to[i + j] = Type::value(stored[j]);
  }
  for (; i < size; ++i) to[i] = load<Type>(first, i);
}

// In blocks of rows and columns, so that a transposed matrix is read by whole cache lines too.
template <class Type>
void convert_blocks(const StoredMatrix& matrix, float* to) {
  for (std::size_t row = 0; row < matrix.rows; row += kBlock) {
    for (std::size_t column = 0; column < matrix.columns; column += kBlock) {
      const std::size_t row_end = std::min(row + kBlock, matrix.rows);
      const std::size_t column_end = std::min(column + kBlock, matrix.columns);
      for (std::size_t r = row; r < row_end; ++r) {
        for (std::size_t c = column; c < column_end; ++c) {
          to[r * matrix.columns + c] =
              load<Type>(matrix.first, r * matrix.row_stride + c * matrix.column_stride);
        }
      }
    }
  }
}

template <class Type>
void convert_as(const StoredMatrix& matrix, float* to) {
  if (matrix.column_stride == 1 && matrix.row_stride == matrix.columns) {
    convert_row<Type>(matrix.first, matrix.rows * matrix.columns, to);
  } else {
    convert_blocks<Type>(matrix, to);
  }
}

}  // namespace

void convert(const StoredMatrix& matrix, std::span<float> to) {
  switch (matrix.type) {
    case StoredType::float32:
      return convert_as<Float32>(matrix, to.data());
    case StoredType::float16:
      return convert_as<Float16>(matrix, to.data());
    case StoredType::bfloat16:
      return convert_as<Bfloat16>(matrix, to.data());
    case StoredType::float64:
      return convert_as<Float64>(matrix, to.data());
    default:
      return;  // holds_weights is false
  }
}

std::size_t first_not_finite(std::span<const float> values) {
  // Blocks of a fixed length become vector instructions. An exponent of all ones plus one unit of
  // the exponent reaches the sign bit, any other does not.
  std::size_t begin = 0;
  for (; begin + kBlock <= values.size(); begin += kBlock) {
    std::array<std::uint32_t, kBlock> bits;
    std::memcpy(bits.data(), values.data() + begin, sizeof(bits));
    std::uint32_t seen = 0;
    for (const std::uint32_t number : bits) seen |= (number & 0x7FFFFFFFU) + 0x00800000U;
    if ((seen & 0x80000000U) != 0) break;
  }
  const auto rest = values.subspan(begin);
  const auto place =
      std::find_if(rest.begin(), rest.end(), [](float x) { return !std::isfinite(x); });
  return begin + static_cast<std::size_t>(place - rest.begin());
}

}  // namespace refran::marian
