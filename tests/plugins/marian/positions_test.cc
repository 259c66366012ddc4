// Position tables of both kinds: the values published for them, and each entry against its formula.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <marian/weights.h>

namespace refran::marian {
namespace {

TEST(PositionTableTest, HasTheFirstValuesOfHuggingFace) {
  const std::vector<float> table = position_table(PositionTable::hugging_face, 2, 512);
  ASSERT_EQ(table.size(), 1024U);
  EXPECT_TRUE(std::all_of(table.begin(), table.begin() + 256, [](float x) { return x == 0; }));
  EXPECT_TRUE(
      std::all_of(table.begin() + 256, table.begin() + 512, [](float x) { return x == 1; }));
  const float* const row = table.data() + 512;
  EXPECT_FLOAT_EQ(row[0], 0.84147098F);
  EXPECT_FLOAT_EQ(row[1], 0.82185619F);
  EXPECT_NEAR(row[255], 0.00010366F, 5e-9);  // as many digits as are published
  EXPECT_FLOAT_EQ(row[256], 0.54030231F);
  EXPECT_FLOAT_EQ(row[257], 0.56969501F);
}

TEST(PositionTableTest, HasTheFirstValuesOfNativeMarian) {
  const std::vector<float> table = position_table(PositionTable::native, 2, 512);
  const float* const row = table.data() + 512;
  EXPECT_FLOAT_EQ(row[0], 0.84147098F);
  EXPECT_FLOAT_EQ(row[1], 0.82177865F);
  EXPECT_FLOAT_EQ(row[255], 0.0001F);
  EXPECT_FLOAT_EQ(row[257], 0.56980685F);
}

TEST(PositionTableTest, IsTheRoundedValueOfTheFormulaAtEveryPosition) {
  constexpr std::size_t kPositions = 512;
  for (const std::size_t dim : {std::size_t{24}, std::size_t{512}}) {
    const std::vector<float> table = position_table(PositionTable::hugging_face, kPositions, dim);
    for (std::size_t p = 0; p < kPositions; ++p) {
      for (std::size_t i = 0; i < dim / 2; ++i) {
        const long double angle =
            static_cast<long double>(p) /
            std::pow(10000.0L, 2.0L * static_cast<long double>(i) / static_cast<long double>(dim));
        // Half a unit of float32 below 1; what float64 makes of the angle is far below it.
        EXPECT_NEAR(table[p * dim + i], static_cast<double>(std::sin(angle)), 3.1e-8);
        EXPECT_NEAR(table[p * dim + dim / 2 + i], static_cast<double>(std::cos(angle)), 3.1e-8);
      }
    }
  }
}

TEST(PositionTableTest, NativeFrequenciesEndAtOneTenThousandth) {
  const std::vector<float> table = position_table(PositionTable::native, 101, 24);
  for (std::size_t i = 0; i < 12; ++i) {
    const double angle = 100 * std::pow(10000.0, -static_cast<double>(i) / 11);
    // Frequencies and angles in float32: some units of 2^-24, times the angle.
    EXPECT_NEAR(table[100 * 24 + i], std::sin(angle), 1e-4);
    EXPECT_NEAR(table[100 * 24 + 12 + i], std::cos(angle), 1e-4);
  }
}

TEST(PositionTableTest, GivesAnOddWidthOneSineMoreThanCosines) {
  const std::vector<float> table = position_table(PositionTable::hugging_face, 2, 5);
  ASSERT_EQ(table.size(), 10U);
  EXPECT_EQ((std::vector<float>(table.begin(), table.begin() + 5)),
            (std::vector<float>{0, 0, 0, 1, 1}));
  EXPECT_FLOAT_EQ(table[7], static_cast<float>(std::sin(std::pow(10000.0, -0.8))));
  EXPECT_FLOAT_EQ(table[8], static_cast<float>(std::cos(1.0)));
  EXPECT_FLOAT_EQ(table[9], static_cast<float>(std::cos(std::pow(10000.0, -0.4))));
}

}  // namespace
}  // namespace refran::marian
