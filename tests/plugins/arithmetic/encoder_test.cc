// The halving encoder against numbers worked by hand, and its recursion against its closed form.
#include <algorithm>
#include <numeric>
#include <vector>

#include <arithmetic/attention.h>
#include <arithmetic/encoder.h>
#include <arithmetic/matrix.h>
#include <gtest/gtest.h>

#include <refran/random.h>
#include "rounding.h"

namespace refran::arithmetic {
namespace {

constexpr Start kStarts[] = {Start::origin, Start::first_word};

std::vector<double> row_of(const Array<double, 2>& array, std::size_t row) {
  return {array.row(row).begin(), array.row(row).end()};
}

std::vector<double> any_rates(std::size_t words, Stream& stream) {
  std::vector<double> rate(words);
  for (double& r : rate) r = stream.uniform();
  return rate;
}

// Unha, tía, miña, as in experiments/toy-encoder-short.yaml.
const Array<double, 2> kEmbedding = matrix({{-3, 0.5}, {0, 3}, {4, 1}}, 2);
const std::vector<double> kHalf = {0.5, 0.5, 0.5};

TEST(EncoderTest, MovesHalfwayTowardEveryWord) {
  // By hand: halves of sums, exact in binary.
  const Array<double, 2> summary = summaries(kEmbedding, kHalf, Start::origin);
  EXPECT_EQ(row_of(summary, 0), (std::vector<double>{0, 0}));
  EXPECT_EQ(row_of(summary, 1), (std::vector<double>{-1.5, 0.25}));
  EXPECT_EQ(row_of(summary, 2), (std::vector<double>{-0.75, 1.625}));
  EXPECT_EQ(row_of(summary, 3), (std::vector<double>{1.625, 1.3125}));
}

TEST(EncoderTest, HalvesTheShareOfAllThatCameBefore) {
  const Array<double, 2> share = shares(kHalf, Start::origin);
  EXPECT_EQ(row_of(share, 0), (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(row_of(share, 1), (std::vector<double>{0.5, 0.5, 0, 0}));
  EXPECT_EQ(row_of(share, 2), (std::vector<double>{0.25, 0.25, 0.5, 0}));
  EXPECT_EQ(row_of(share, 3), (std::vector<double>{0.125, 0.125, 0.25, 0.5}));
}

TEST(EncoderTest, StartingAtTheFirstWordGivesItTheShareOfTheStart) {
  const Array<double, 2> summary = summaries(kEmbedding, kHalf, Start::first_word);
  EXPECT_EQ(row_of(summary, 0), (std::vector<double>{-3, 0.5}));
  EXPECT_EQ(row_of(summary, 1), (std::vector<double>{-3, 0.5}));
  EXPECT_EQ(row_of(summary, 2), (std::vector<double>{-1.5, 1.75}));
  const Array<double, 2> share = shares(kHalf, Start::first_word);
  EXPECT_EQ(row_of(share, 0), (std::vector<double>{0, 1, 0, 0}));
  EXPECT_EQ(row_of(share, 1), (std::vector<double>{0, 1, 0, 0}));
  EXPECT_EQ(row_of(share, 3), (std::vector<double>{0, 0.25, 0.25, 0.5}));
}

TEST(EncoderTest, EveryWordMayHaveARateOfItsOwn) {
  // By hand: 1/4 of the first word, then 1/2 of the second, then all of the third.
  const std::vector<double> rate = {0.25, 0.5, 1};
  const Array<double, 2> share = shares(rate, Start::origin);
  EXPECT_EQ(row_of(share, 1), (std::vector<double>{0.75, 0.25, 0, 0}));
  EXPECT_EQ(row_of(share, 2), (std::vector<double>{0.375, 0.125, 0.5, 0}));
  EXPECT_EQ(row_of(share, 3), (std::vector<double>{0, 0, 0, 1}));
  const Array<double, 2> summary = summaries(kEmbedding, rate, Start::origin);
  EXPECT_EQ(row_of(summary, 2), (std::vector<double>{-0.375, 1.5625}));
  EXPECT_EQ(row_of(summary, 3), (std::vector<double>{4, 1}));
}

TEST(EncoderTest, ARateOfZeroNeverMoves) {
  const std::vector<double> rate(3, 0.0);
  EXPECT_EQ(row_of(summaries(kEmbedding, rate, Start::origin), 3), (std::vector<double>{0, 0}));
  EXPECT_EQ(row_of(shares(rate, Start::origin), 3), (std::vector<double>{1, 0, 0, 0}));
}

TEST(EncoderTest, ClosedFormAgreesWithTheRecursion) {
  Stream stream(1, "closed form");
  for (const Start start : kStarts) {
    for (std::size_t words = 1; words <= 40; ++words) {
      const std::vector<double> rate = any_rates(words, stream);
      const Array<double, 2> walked = shares(rate, start);
      const Array<double, 2> closed = shares_in_closed_form(rate, start);
      ASSERT_EQ(walked.extents(), closed.extents());
      for (std::size_t i = 0; i < walked.values().size(); ++i) {
        EXPECT_NEAR(walked.values()[i], closed.values()[i], kRounding);
      }
    }
  }
}

TEST(EncoderTest, SharesSumToOneAtEveryStep) {
  Stream stream(2, "sum");
  for (const Start start : kStarts) {
    const Array<double, 2> share = shares(any_rates(60, stream), start);
    for (std::size_t step = 0; step < share.extent(0); ++step) {
      const std::span<const double> row = share.row(step);
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, kRounding);
      EXPECT_GE(*std::ranges::min_element(row), 0);
    }
  }
}

TEST(EncoderTest, TheSummaryIsTheAverageOfThePartsByTheirShares) {
  Stream stream(3, "average");
  const std::size_t words = 12;
  Array<double, 2> parts({words + 1, 3});  // the origin, then the words
  Array<double, 2> embedding({words, 3});
  for (std::size_t i = 0; i < embedding.values().size(); ++i) {
    embedding.values()[i] = stream.uniform(-4, 4);
    parts.values()[i + 3] = embedding.values()[i];
  }
  for (const Start start : kStarts) {
    const std::vector<double> rate = any_rates(words, stream);
    const Array<double, 2> summary = summaries(embedding, rate, start);
    const Array<double, 2> share = shares(rate, start);
    for (std::size_t step = 0; step <= words; ++step) {
      const std::vector<double> average = weighted_average(share.row(step), parts);
      for (std::size_t dim = 0; dim < 3; ++dim) {
        EXPECT_NEAR(summary(step, dim), average[dim], 1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace refran::arithmetic
