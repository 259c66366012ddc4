#include "summary.h"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <refran/random.h>
#include "config_error.h"
#include "result_fixture.h"

namespace refran::runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(QuantileTest, InterpolatesAsNumPyDoes) {
  const std::vector<double> sorted = {1, 2, 4, 8};
  // numpy.quantile([1, 2, 4, 8], [0, 0.025, 0.5, 0.9, 1])
  EXPECT_DOUBLE_EQ(quantile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.025), 1.075);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.9), 6.8);
  EXPECT_DOUBLE_EQ(quantile(sorted, 1), 8);
}

TEST(StatisticsTest, GivesMeanAndMedian) {
  const Statistics odd = statistics_of({3, 1, 8}, "x");
  EXPECT_EQ(odd.count, 3U);
  EXPECT_DOUBLE_EQ(odd.mean, 4);
  EXPECT_DOUBLE_EQ(odd.median, 3);
  const Statistics even = statistics_of({3, 1, 8, 4}, "x");
  EXPECT_DOUBLE_EQ(even.mean, 4);
  EXPECT_DOUBLE_EQ(even.median, 3.5);
}

TEST(StatisticsTest, GivesTheSameIntervalForTheSameNameOnly) {
  const std::vector<double> values = {0.25, 1.5, 3, 7, 2};
  const Statistics first = statistics_of(values, "loss");
  const Statistics again = statistics_of(values, "loss");
  const Statistics other = statistics_of(values, "gain");
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_TRUE(first.low != other.low || first.high != other.high);
}

TEST(StatisticsTest, HasTheIntervalOfTheExactBootstrapOfTwoValues) {
  // Of 0 and 1 the mean of a resample is 0, ½ or 1 with probability ¼, ½, ¼: both tails are
  // beyond 2.5 %.
  const Statistics found = statistics_of({0, 1}, "coin");
  EXPECT_EQ(found.low, 0);
  EXPECT_EQ(found.high, 1);
}

TEST(StatisticsTest, ComesNearTheNormalIntervalOfManyValues) {
  Stream stream(5, "values");
  std::vector<double> values(400);
  double mean = 0;
  for (double& value : values) mean += (value = stream.normal());
  mean /= 400;
  double variance = 0;
  for (const double value : values) variance += (value - mean) * (value - mean) / 400;
  const Statistics found = statistics_of(values, "normal");
  const double half = 1.959964 * std::sqrt(variance / 400);
  // The standard error of a 2.5 % quantile of 10,000 resamples is 2.7 % of that half width; four of
  // them.
  EXPECT_NEAR(found.low, mean - half, 0.11 * half);
  EXPECT_NEAR(found.high, mean + half, 0.11 * half);
}

TEST(StatisticsTest, SaysNothingWhereThereIsNothingToSay) {
  EXPECT_TRUE(std::isnan(statistics_of({}, "x").mean));
  EXPECT_EQ(statistics_of({}, "x").count, 0U);
  const Statistics one = statistics_of({5}, "x");
  EXPECT_EQ(one.mean, 5);
  EXPECT_EQ(one.median, 5);
  EXPECT_TRUE(std::isnan(one.low));
  EXPECT_TRUE(std::isnan(statistics_of({1, std::nan(""), 2}, "x").mean));
}

class SummaryTest : public ResultTest {
 protected:
  // Losses 1, 2, 3 at rate 0.5 and 5, (failed), 7 at rate 1.
  std::filesystem::path made() {
    declare("loss", Element::float64, {}).unit = "nat";
    declare("curve", Element::float64, {"step"});
    declare("gain", Element::int32, {"head"});
    for (std::uint64_t index = 0; index < 6; ++index) {
      if (index == 4) {
        run(index).fail("why");
        continue;
      }
      const auto value = static_cast<double>(index < 3 ? index + 1 : index + 2);
      const auto gain = static_cast<std::int32_t>(index);
      run(index)
          .put<double>("loss", {}, {value})
          .put<double>("curve", {2}, {1, 2})
          .put<std::int32_t>("gain", {2}, {gain, 10 * gain})
          .labels("head", {"L1H1", "L1H2"})
          .complete();
    }
    return write_runs("sweep: {config.rate: [0.5, 1], seed: {from: 1, count: 3}}\n");
  }
};

TEST_F(SummaryTest, SummarisesScalarsAndLabelledCellsForEachPointOfTheOtherAxes) {
  const Summary summary = summarise(ResultFile(made()));
  EXPECT_THAT(summary.axes, ElementsAre("config.rate"));
  std::vector<std::string> rows;
  for (const SummaryRow& row : summary.rows) {
    rows.push_back(row.output + " " + row.label + " " + row.points.at(0) + ": " +
                   std::to_string(row.statistics.count) + " " +
                   std::to_string(row.statistics.mean) + " " +
                   std::to_string(row.statistics.median) + " " + std::to_string(row.failed));
  }
  EXPECT_THAT(
      rows,
      ElementsAre("gain L1H1 0.5: 3 1.000000 1.000000 0", "gain L1H2 0.5: 3 10.000000 10.000000 0",
                  "gain L1H1 1: 2 4.000000 4.000000 1", "gain L1H2 1: 2 40.000000 40.000000 1",
                  "loss  0.5: 3 2.000000 2.000000 0", "loss  1: 2 6.000000 6.000000 1"));
}

TEST_F(SummaryTest, PrintsATable) {
  // With three seeds a resample has equal values with probability 1/27 at either end, with two 1/4.
  EXPECT_EQ(summary_text(ResultFile(made())),
            "output  of    config.rate  n  mean  median  95 % interval      failed  unit\n"
            "gain    L1H1  0.5          3     1       1              0   2       0  1\n"
            "gain    L1H2  0.5          3    10      10              0  20       0  1\n"
            "gain    L1H1  1            2     4       4              3   5       1  1\n"
            "gain    L1H2  1            2    40      40             30  50       1  1\n"
            "loss          0.5          3     2       2              1   3       0  nat\n"
            "loss          1            2     6       6              5   7       1  nat\n");
}

TEST_F(SummaryTest, PrintsCsv) {
  EXPECT_EQ(summary_csv(ResultFile(made())),
            "output,label,config.rate,n,mean,median,low,high,failed,unit\n"
            "gain,L1H1,0.5,3,1,1,0,2,0,1\n"
            "gain,L1H2,0.5,3,10,10,0,20,0,1\n"
            "gain,L1H1,1,2,4,4,3,5,1,1\n"
            "gain,L1H2,1,2,40,40,30,50,1,1\n"
            "loss,,0.5,3,2,2,1,3,0,nat\n"
            "loss,,1,2,6,6,5,7,1,nat\n");
}

TEST_F(SummaryTest, SummarisesScalarsOfItems) {
  declare("score", Element::float32, {}, "sentence");
  for (std::uint64_t index = 0; index < 2; ++index) {
    run(index)
        .items("sentence", {"un", "dous"})
        .put<float>("score", {}, {static_cast<float>(index)}, 0)
        .put<float>("score", {}, {0.5F}, 1)
        .complete();
  }
  const Summary summary = summarise(ResultFile(write_runs("sweep: {seed: [1, 2]}\n")));
  ASSERT_EQ(summary.rows.size(), 2U);
  EXPECT_EQ(summary.rows[0].output, "sentence/0/score");
  EXPECT_EQ(summary.rows[0].label, "un");
  EXPECT_DOUBLE_EQ(summary.rows[0].statistics.mean, 0.5);
  EXPECT_EQ(summary.rows[1].label, "dous");
}

TEST_F(SummaryTest, NeedsSeedsAndScalars) {
  declare("curve", Element::float64, {"step"});
  run(0).put<double>("curve", {1}, {1}).complete();
  EXPECT_EQ(without_folder(config_error([&] { summarise(ResultFile(write_runs())); })),
            "run.h5: has no axis of seeds to summarise over; run it with --sweep 'seed={from: 1, "
            "count: 10}'");
  run(1).put<double>("curve", {1}, {1}).complete();
  EXPECT_EQ(without_folder(config_error(
                [&] { summarise(ResultFile(write_runs("sweep: {seed: [1, 2]}\n"))); })),
            "run.h5: has no scalar output to summarise over its seeds");
}

}  // namespace
}  // namespace refran::runner
