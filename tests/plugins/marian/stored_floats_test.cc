// Stored number types against their definitions, number by number.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <marian/weights/stored_floats.h>

namespace refran::marian {
namespace {

// sign · 2^(e - 15) · 1.f, or sign · 2^-14 · 0.f of subnormal numbers.
double half_by_definition(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 10U & 31U;
  const auto fraction = static_cast<double>(bits & 1023U);
  const double sign = (bits & 0x8000U) == 0 ? 1 : -1;
  if (exponent == 31)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
}

TEST(StoredFloatsTest, ConvertsEveryFloat16) {
  std::vector<std::uint16_t> halves(65536);
  std::iota(halves.begin(), halves.end(), std::uint16_t{0});
  std::vector<float> values(halves.size());
  convert({StoredType::float16, std::as_bytes(std::span(halves)).data(), 256, 256, 256, 1}, values);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double expected = half_by_definition(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(values[bits])) << bits;
    } else {
      EXPECT_EQ(values[bits], expected) << bits;
      EXPECT_EQ(std::signbit(values[bits]), std::signbit(expected)) << bits;
    }
  }
}

TEST(StoredFloatsTest, ConvertsAMatrixLargerThanItsBlocks) {
  // [70, 45] out of its transpose, whose rows are 80 numbers apart.
  std::vector<double> stored(45 * 80);
  std::iota(stored.begin(), stored.end(), 0.0);
  std::vector<float> values(70 * 45);
  convert({StoredType::float64, std::as_bytes(std::span(stored)).data(), 70, 45, 1, 80}, values);
  for (std::size_t row = 0; row < 70; ++row) {
    for (std::size_t column = 0; column < 45; ++column)
      EXPECT_EQ(values[row * 45 + column], static_cast<float>(column * 80 + row));
  }
}

TEST(StoredFloatsTest, FindsTheFirstNumberThatIsNotFinite) {
  const float largest = std::numeric_limits<float>::max();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32},
                                 std::size_t{33}, std::size_t{100}}) {
    std::vector<float> values(size, -largest);
    EXPECT_EQ(first_not_finite(values), size);
    for (std::size_t place = 0; place < size; ++place) {
      for (const float bad : {std::nanf(""), -std::nanf(""), INFINITY, -INFINITY}) {
        values[place] = bad;
        EXPECT_EQ(first_not_finite(values), place);
      }
      values[place] = std::bit_cast<float>(1U);  // the smallest subnormal number
    }
  }
}

}  // namespace
}  // namespace refran::marian
