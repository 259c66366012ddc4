// Lanes: AVX2's against plain ones, byte by byte, and exp and log against long double.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <referent_model/lane_programs.h>

#include <refran/random.h>
#include "lane_operations.h"

namespace refran::referent {
namespace {

// As many lanes as AVX2 has.
template <class T>
using Plain = lanes::PlainLanes<T, 32 / sizeof(T)>;

constexpr std::size_t kCount = 4096;

template <class T>
class LanesTest : public testing::Test {
 protected:
  using Values = std::vector<T>;

  Values uniform(double low, double high) {
    Values values(kCount);
    for (T& value : values) value = static_cast<T>(stream_.uniform(low, high));
    return values;
  }

  // Numbers of all sizes and both signs, with the special ones among them.
  Values any() {
    Values values(kCount);
    for (T& value : values) {
      const double size = std::ldexp(1.0, static_cast<int>(stream_.below(60)) - 30);
      value = static_cast<T>(stream_.uniform(-size, size));
    }
    using Limits = std::numeric_limits<T>;
    for (const T special : {T{0}, -T{0}, T{1}, Limits::infinity(), -Limits::infinity(),
                            Limits::quiet_NaN(), Limits::min(), Limits::max()}) {
      for (int i = 0; i < 20; ++i) values[stream_.below(kCount)] = special;
    }
    return values;
  }

  static Values plain(LaneOperation operation, const Values& a, const Values& b, const Values& c) {
    Values result(kCount);
    operate<Plain<T>>(operation, a.data(), b.data(), c.data(), kCount, result.data());
    return result;
  }

  // Exponents, ties among them; the first is NaN.
  Values powers() {
    Values result = uniform(-100, 100);
    for (std::size_t i = 0; i < 100; ++i) result[i] = static_cast<T>(i) / 2 - 25;
    result[0] = std::numeric_limits<T>::quiet_NaN();
    return result;
  }
  // As times_power_of_two takes them.
  static Values shifted(Values powers) {
    for (T& power : powers) power += lanes::kIntegerShift<T>;
    return powers;
  }

  // Equal bytes, but for the sign and the payload of NaN, which no result shows.
  static void expect_same(LaneOperation operation, const Values& a, const Values& b,
                          const Values& c) {
    const Values expected = plain(operation, a, b, c);
    Values actual(kCount);
    operate_avx2(operation, a.data(), b.data(), c.data(), kCount, actual.data());
    for (std::size_t i = 0; i < kCount; ++i) {
      if (std::isnan(expected[i]) && std::isnan(actual[i])) continue;
      ASSERT_EQ(std::memcmp(&expected[i], &actual[i], sizeof(T)), 0)
          << "operation " << static_cast<int>(operation) << " of " << a[i] << ", " << b[i] << ", "
          << c[i] << ": " << expected[i] << " and " << actual[i];
    }
  }

  Stream stream_{1, "lanes"};
};

using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(LanesTest, Elements);

TYPED_TEST(LanesTest, PlainOperationsAreThoseOfTheLanguage) {
  using T = TypeParam;
  const std::vector<T> a = this->uniform(-9, 9);
  const std::vector<T> b = this->uniform(-9, 9);
  const std::vector<T> c = this->uniform(-9, 9);
  const auto expect = [&](LaneOperation operation, auto function) {
    const std::vector<T> result = this->plain(operation, a, b, c);
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(result[i], function(a[i], b[i], c[i]));
  };
  expect(LaneOperation::add, [](T x, T y, T) { return x + y; });
  expect(LaneOperation::subtract, [](T x, T y, T) { return x - y; });
  expect(LaneOperation::multiply, [](T x, T y, T) { return x * y; });
  expect(LaneOperation::divide, [](T x, T y, T) { return x / y; });
  expect(LaneOperation::fused, [](T x, T y, T z) { return std::fma(x, y, z); });
  expect(LaneOperation::larger, [](T x, T y, T) { return x > y ? x : y; });
  expect(LaneOperation::choose, [](T x, T y, T z) { return x < y ? z : x; });
}

TYPED_TEST(LanesTest, Avx2GivesTheBytesOfPlainLanes) {
  if (!has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  const auto a = this->any();
  const auto b = this->any();
  const auto c = this->any();
  for (const LaneOperation operation :
       {LaneOperation::of_first, LaneOperation::add, LaneOperation::subtract,
        LaneOperation::multiply, LaneOperation::divide, LaneOperation::fused, LaneOperation::root,
        LaneOperation::larger, LaneOperation::choose}) {
    this->expect_same(operation, a, b, c);
  }
  this->expect_same(LaneOperation::scale, this->uniform(0.7, 1.5), this->shifted(this->powers()),
                    c);
}

TYPED_TEST(LanesTest, AShiftedNumberIsThePowerOfTwoNearestToIt) {
  using T = TypeParam;
  const std::vector<T> factor = this->uniform(0.7, 1.5);
  const std::vector<T> powers = this->powers();
  const std::vector<T> shifted = this->shifted(powers);
  const std::vector<T> result = this->plain(LaneOperation::scale, factor, shifted, shifted);
  for (std::size_t i = 1; i < kCount; ++i)
    ASSERT_EQ(result[i], std::ldexp(factor[i], static_cast<int>(std::nearbyint(powers[i]))));
  EXPECT_EQ(result[0], factor[0]);
}

TYPED_TEST(LanesTest, Avx2GivesTheBytesOfPlainExpAndLog) {
  if (!has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  const double highest = sizeof(TypeParam) == sizeof(float) ? 87 : 708;
  auto x = this->uniform(-1.2 * highest, highest);
  x[3] = std::numeric_limits<TypeParam>::quiet_NaN();
  x[5] = -std::numeric_limits<TypeParam>::infinity();
  this->expect_same(LaneOperation::exponential, x, x, x);
  this->expect_same(LaneOperation::exponential, this->uniform(-1, 1), x, x);
  auto sums = this->uniform(1, 40);
  sums[3] = std::numeric_limits<TypeParam>::quiet_NaN();
  this->expect_same(LaneOperation::logarithm, sums, x, x);
  this->expect_same(LaneOperation::logarithm, this->uniform(1, 1 << 20), x, x);
}

// Relative, beside the rounding of x · log2(e), which is relative to x.
TYPED_TEST(LanesTest, ExpIsWithinItsStatedError) {
  using T = TypeParam;
  constexpr bool kIsFloat = sizeof(T) == sizeof(float);
  const double highest = kIsFloat ? 87 : 708;
  const long double allowed = kIsFloat ? 2e-7L : 1e-14L;
  for (const double range : {0.1, 1.0, 10.0, highest}) {
    const std::vector<T> x = this->uniform(-range, range);
    const std::vector<T> result = this->plain(LaneOperation::exponential, x, x, x);
    for (std::size_t i = 0; i < kCount; ++i) {
      const long double exact = std::exp(static_cast<long double>(x[i]));
      const long double rounding =
          2 * static_cast<long double>(std::numeric_limits<T>::epsilon()) * std::fabs(x[i]);
      ASSERT_LE(std::fabs(result[i] / exact - 1), allowed + rounding) << x[i];
    }
  }
}

TYPED_TEST(LanesTest, ExpIsExactAtZeroAndZeroFarBelow) {
  using T = TypeParam;
  std::vector<T> x(kCount, T{0});
  x[1] = sizeof(T) == sizeof(float) ? T{-88} : T{-709};
  x[2] = -std::numeric_limits<T>::infinity();
  x[3] = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> result = this->plain(LaneOperation::exponential, x, x, x);
  EXPECT_EQ(result[0], T{1});
  EXPECT_EQ(result[1], T{0});
  EXPECT_EQ(result[2], T{0});
  EXPECT_TRUE(std::isnan(result[3]));
}

TYPED_TEST(LanesTest, LogOfSumIsWithinItsStatedError) {
  using T = TypeParam;
  const long double allowed = sizeof(T) == sizeof(float) ? 3e-7L : 1e-15L;
  for (const double highest : {1.001, 2.0, 20.0, 1048576.0}) {
    std::vector<T> x = this->uniform(1, highest);
    x[0] = T{1};
    x[1] = T{2};
    const std::vector<T> result = this->plain(LaneOperation::logarithm, x, x, x);
    for (std::size_t i = 0; i < kCount; ++i) {
      const long double exact = std::log(static_cast<long double>(x[i]));
      const long double rounding =
          static_cast<long double>(std::numeric_limits<T>::epsilon()) * std::fabs(exact);
      ASSERT_LE(std::fabs(result[i] - exact), allowed + rounding) << x[i];
    }
  }
}

TYPED_TEST(LanesTest, MaxTakesTheSecondWhereEitherIsNotANumber) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> a(kCount, nan);
  const std::vector<T> b(kCount, T{2});
  EXPECT_EQ(this->plain(LaneOperation::larger, a, b, b)[0], T{2});
  EXPECT_TRUE(std::isnan(this->plain(LaneOperation::larger, b, a, b)[0]));
  // choose gives x where x < y is false.
  EXPECT_EQ(this->plain(LaneOperation::choose, b, a, a)[0], T{2});
}

TYPED_TEST(LanesTest, NoLaneSeesAnother) {
  using T = TypeParam;
  std::vector<T> x = this->uniform(-5, 5);
  const std::vector<T> before = this->plain(LaneOperation::exponential, x, x, x);
  x[1] = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> after = this->plain(LaneOperation::exponential, x, x, x);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (i != 1) {
      ASSERT_EQ(before[i], after[i]);
    }
  }
}

TEST(LaneProgramsTest, PlainIsAlwaysThereAndBestIsAvx2WhereItCanRun) {
  EXPECT_EQ(&programs_for(Processor::plain), &kPlainPrograms);
  if (has_avx2()) {
    EXPECT_EQ(&programs_for(Processor::best), &kAvx2Programs);
    EXPECT_EQ(&programs_for(Processor::avx2), &kAvx2Programs);
  } else {
    EXPECT_EQ(&programs_for(Processor::best), &kPlainPrograms);
    EXPECT_THROW(programs_for(Processor::avx2), std::runtime_error);
  }
}

TEST(LaneProgramsTest, BothKindsHaveAsManyLanes) {
  EXPECT_EQ(kPlainPrograms.float32.width, 8u);
  EXPECT_EQ(kPlainPrograms.float64.width, 4u);
  EXPECT_EQ(kAvx2Programs.float32.width, 8u);
  EXPECT_EQ(kAvx2Programs.float64.width, 4u);
}

}  // namespace
}  // namespace refran::referent
