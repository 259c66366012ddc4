// Attention against numbers worked by hand, NumPy's, and what must hold for any numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <arithmetic/attention.h>
#include <arithmetic/attention_field.h>
#include <arithmetic/matrix.h>
#include <gtest/gtest.h>

#include <refran/random.h>
#include "rounding.h"

namespace refran::arithmetic {
namespace {

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

void expect_near(std::span<const double> actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], kRounding);
}

// Numbers for tests that hold for any, [row, column].
Array<double, 2> any_numbers(std::size_t rows, std::size_t columns, Stream& stream) {
  Array<double, 2> numbers({rows, columns});
  for (double& number : numbers.values()) number = stream.uniform(-3, 3);
  return numbers;
}

// The page's example: the keys of tía and miña, the queries of aunt and my.
const Array<double, 2> kKeys = matrix({{1, 0}, {0, 1}}, 2);
const Array<double, 2> kQueries = matrix({{3, 0}, {0, 3}}, 2);
const Array<double, 2> kValues = matrix({{4, 1}, {1, 3}}, 2);

TEST(AttentionTest, DotIsTheSumOfProducts) {
  const std::vector<double> a = {1, 2, 3};
  const std::vector<double> b = {4, -5, 6};
  EXPECT_EQ(dot(a, b), 12);
}

TEST(AttentionTest, ScaledScoresAreDividedByTheRootOfTheDimension) {
  const Array<double, 2> keys = matrix({{1, 2, 3, 4}, {0, 0, 0, 2}}, 4);
  const std::vector<double> query = {1, 1, 1, 1};
  EXPECT_EQ(scores(query, keys, Scoring::dot), (std::vector<double>{10, 2}));
  EXPECT_EQ(scores(query, keys, Scoring::scaled_dot), (std::vector<double>{5, 1}));
}

TEST(AttentionTest, GivesThePagesWeights) {
  // softmax(3, 0) is 1 / (1 + exp(-3)) and the rest; scaled, softmax(3/sqrt 2, 0).
  const Attention plain = attend(kQueries, kKeys, kValues, Scoring::dot);
  expect_near(plain.weight.row(0), {0.9525741268224334, 0.04742587317756679});
  expect_near(plain.weight.row(1), {0.04742587317756679, 0.9525741268224334});
  const Attention scaled = attend(kQueries, kKeys, kValues, Scoring::scaled_dot);
  expect_near(scaled.weight.row(0), {0.8929581985348296, 0.10704180146517044});
}

TEST(AttentionTest, GivesThePagesOutputsAndEntropies) {
  // NumPy: w @ v and -(w * log w).sum() with the weights above.
  const Attention result = attend(kQueries, kKeys, kValues, Scoring::dot);
  expect_near(result.output.row(0), {3.8577223804673, 1.0948517463551337});
  expect_near(result.output.row(1), {1.1422776195327005, 2.905148253644867});
  expect_near(result.entropy, {0.1908649711064423, 0.1908649711064423});
}

TEST(AttentionTest, AgreesWithNumPyOnUnevenShapes) {
  // NumPy, float64: s = Q @ K.T / sqrt(3); w = softmax(s); w @ V; -(w * log w).sum(axis=-1).
  const Array<double, 2> queries = matrix({{1, 0.5, -1}, {0, 2, 1}}, 3);
  const Array<double, 2> keys = matrix({{1, 1, 0}, {0.5, -1, 2}, {-1, 0, 1}, {2, 0.25, 0.5}}, 3);
  const Array<double, 2> values = matrix({{1, 0}, {0, 1}, {2, 2}, {-1, 3}}, 2);
  const Attention result = attend(queries, keys, values, Scoring::scaled_dot);
  expect_near(result.score.row(0),
              {0.8660254037844387, -1.1547005383792517, -1.1547005383792517, 0.9381941874331419});
  expect_near(result.weight.row(0), {0.4273586196173563, 0.056650316657146114, 0.056650316657146114,
                                     0.45934074706835154});
  expect_near(result.weight.row(1),
              {0.4101857781552016, 0.12927082679394655, 0.23027169752542595, 0.23027169752542595});
  expect_near(result.output.row(0), {0.08131850586329697, 1.547973191176493});
  expect_near(result.output.row(1), {0.6404574756806275, 1.2806293144210763});
  expect_near(result.entropy, {1.045931225654293, 1.3063090508605995});
}

TEST(SoftmaxTest, TemperatureDividesTheScores) {
  // NumPy: softmax([1, 2, 4] / 2) and softmax([1, 2, 4]).
  const std::vector<double> score = {1, 2, 4};
  expect_near(softmax(score, 2), {0.14024438316608848, 0.23122389762214907, 0.6285317192117624});
  expect_near(softmax(score), {0.04201006613406605, 0.11419519938459449, 0.8437947344813395});
}

TEST(SoftmaxTest, ShiftingAllScoresChangesNothing) {
  Stream stream(1, "shift");
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> score(5);
    std::vector<double> shifted(5);
    const double shift = stream.uniform(-50, 50);
    for (std::size_t i = 0; i < score.size(); ++i) {
      score[i] = stream.uniform(-3, 3);
      shifted[i] = score[i] + shift;
    }
    const std::vector<double> weight = softmax(score);
    const std::vector<double> same = softmax(shifted);
    // The sum of score and shift is rounded at the size of 50.
    for (std::size_t i = 0; i < score.size(); ++i) EXPECT_NEAR(weight[i], same[i], 1e-13);
  }
}

TEST(SoftmaxTest, ScoresOfAnySizeAreSafe) {
  EXPECT_EQ(softmax(std::vector<double>{1e300, -1e300}), (std::vector<double>{1, 0}));
  EXPECT_EQ(softmax(std::vector<double>{-1e300, -1e300}), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(softmax(std::vector<double>{7}), (std::vector<double>{1}));
}

TEST(SoftmaxTest, WeightsSumToOne) {
  Stream stream(2, "sum");
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> score(7);
    for (double& s : score) s = stream.uniform(-20, 20);
    EXPECT_NEAR(sum_of(softmax(score, stream.uniform(0.1, 5))), 1, kRounding);
  }
}

TEST(SoftmaxTest, LogarithmAgreesAndStaysFinite) {
  const std::vector<double> score = {1, 2, 4};
  const std::vector<double> weight = softmax(score, 2);
  const std::vector<double> logarithm = log_softmax(score, 2);
  for (std::size_t i = 0; i < score.size(); ++i) {
    EXPECT_NEAR(logarithm[i], std::log(weight[i]), kRounding);
  }
  EXPECT_EQ(log_softmax(std::vector<double>{0, -2000}), (std::vector<double>{0, -2000}));
}

TEST(EntropyTest, IsZeroForOneAndLogOfTheCountForEqualShares) {
  EXPECT_EQ(entropy(std::vector<double>{0, 1, 0}), 0);
  EXPECT_NEAR(entropy(std::vector<double>(4, 0.25)), std::log(4.0), kRounding);
  EXPECT_NEAR(entropy(std::vector<double>{0.5, 0.25, 0.25}), 1.5 * std::log(2.0), kRounding);
}

// Every edge of the convex hull of points in the plane joins two of them and has all on one side.
// So a point is in the hull if it is on that side of every line through two that has the others so.
void expect_in_hull(std::span<const double> point, const Array<double, 2>& corners) {
  for (std::size_t i = 0; i < corners.extent(0); ++i) {
    for (std::size_t j = 0; j < corners.extent(0); ++j) {
      const double normal_x = corners(j, 1) - corners(i, 1);
      const double normal_y = corners(i, 0) - corners(j, 0);
      double farthest = -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < corners.extent(0); ++k) {
        farthest = std::max(farthest, normal_x * corners(k, 0) + normal_y * corners(k, 1));
      }
      EXPECT_LE(normal_x * point[0] + normal_y * point[1], farthest + 1e-12);
    }
  }
}

TEST(AttentionTest, OutputsLieInTheConvexHullOfTheValues) {
  Stream stream(3, "hull");
  for (int trial = 0; trial < 50; ++trial) {
    const Array<double, 2> values = any_numbers(6, 2, stream);
    const Attention result =
        attend(any_numbers(4, 3, stream), any_numbers(6, 3, stream), values, Scoring::dot);
    for (std::size_t query = 0; query < 4; ++query) {
      expect_in_hull(result.output.row(query), values);
    }
  }
}

TEST(AttentionTest, ThePagesOutputsLieOnTheLineBetweenTheTwoValues) {
  const Attention result = attend(kQueries, kKeys, kValues, Scoring::dot);
  for (std::size_t query = 0; query < 2; ++query) {
    const double along = (4 - result.output(query, 0)) / 3;  // from tía (4, 1) to miña (1, 3)
    EXPECT_NEAR(result.output(query, 1), 1 + 2 * along, kRounding);
    EXPECT_NEAR(along, result.weight(query, 1), kRounding);
  }
}

TEST(AttentionFieldTest, AgreesWithAttentionAtEveryQuery) {
  Stream stream(4, "field");
  const Array<double, 2> keys = any_numbers(3, 2, stream);
  const Array<double, 2> values = any_numbers(3, 4, stream);
  const std::vector<double> x = {-1, 0, 2.5};
  const std::vector<double> y = {0.5, 3};
  const AttentionField field = attention_field(x, y, keys, values, Scoring::scaled_dot);
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (std::size_t column = 0; column < x.size(); ++column) {
      const Attention one =
          attend(matrix({{x[column], y[row]}}, 2), keys, values, Scoring::scaled_dot);
      EXPECT_TRUE(std::ranges::equal(field.weight.row(row, column), one.weight.row(0)));
      EXPECT_TRUE(std::ranges::equal(field.output.row(row, column), one.output.row(0)));
    }
  }
}

TEST(AttentionFieldTest, GridPointsAreExactWhereTheNumbersAreRound) {
  EXPECT_EQ(evenly_spaced(-1, 4, 6), (std::vector<double>{-1, 0, 1, 2, 3, 4}));
  const std::vector<double> tenths = evenly_spaced(-1, 4, 51);
  EXPECT_EQ(tenths[2], -0.8);
  EXPECT_EQ(tenths[13], 0.3);
  EXPECT_EQ(tenths.back(), 4);
}

}  // namespace
}  // namespace refran::arithmetic
