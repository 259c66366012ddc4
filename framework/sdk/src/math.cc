#include <bit>
#include <cstdint>
#include <limits>

#include <refran/math.h>

namespace refran::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// log 2 in two parts: the product of the first with any exponent of a double is exact.
constexpr double kLog2High = 0x1.62e42feep-1;
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

double power_of_two(int exponent) {  // -1022 … 1023
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// exp(r) - 1 - r for |r| ≤ log(2)/2: the Taylor series, whose first term left out is below 2^-60.
double exp_tail(double r) {
  double sum = 1.0 / 6227020800.0;  // 1/13!
  constexpr double kInverseFactorials[] = {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                                           1.0 / 362880.0,    1.0 / 40320.0,    1.0 / 5040.0,
                                           1.0 / 720.0,       1.0 / 120.0,      1.0 / 24.0,
                                           1.0 / 6.0,         1.0 / 2.0};
  for (const double coefficient : kInverseFactorials) sum = sum * r + coefficient;
  return r * r * sum;
}

}  // namespace

double exp(double x) {
  if (x != x) return x;
  if (x > 709.79) return kInfinity;
  if (x < -745.14) return 0;
  // x = n log 2 + r, so that exp(x) = 2^n exp(r).
  const double n =
      static_cast<double>(static_cast<int>(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5)));
  const double high = x - n * kLog2High;
  const double low = n * kLog2Low;
  const double r = high - low;
  const double r_rest = (high - r) - low;
  const double result = 1.0 + (r + (r_rest + exp_tail(r)));
  // 2^n in two factors, since it alone may be out of range where the product is not.
  const int exponent = static_cast<int>(n);
  const int half = exponent / 2;
  return result * power_of_two(half) * power_of_two(exponent - half);
}

double log(double x) {
  if (x != x || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -kInfinity;
  if (x == kInfinity) return x;
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal
    x *= 0x1p54;
    exponent = -54;
  }
  // x = 2^exponent m with m in [sqrt(1/2), sqrt(2)).
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 atanh(s), s = (m-1)/(m+1); written as f - (f²/2 - s (f²/2 + R)), which keeps the
  // leading term exact.
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double series = 2.0 / 25.0;
  for (int odd = 23; odd >= 3; odd -= 2) series = series * z + 2.0 / static_cast<double>(odd);
  const double rest = z * series;
  const double half_square = 0.5 * f * f;
  const double n = static_cast<double>(exponent);
  return n * kLog2High - ((half_square - (s * (half_square + rest) + n * kLog2Low)) - f);
}

}  // namespace refran::math
