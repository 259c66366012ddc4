#include "sample.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment_file.h"
#include "yaml.h"

namespace refran::runner {
namespace {

using testing::ElementsAre;

TEST(EvenSampleTest, HoldsOneRunOfEveryStretchOfTheGrid) {
  EXPECT_THAT(even_sample(10, 1), ElementsAre(0));
  EXPECT_THAT(even_sample(10, 2), ElementsAre(0, 8));
  EXPECT_THAT(even_sample(10, 4), ElementsAre(0, 3, 5, 9));
  EXPECT_THAT(even_sample(1000, 5), ElementsAre(0, 323, 447, 770, 894));
}

TEST(EvenSampleTest, IsAllRunsWhereThereAreNoMore) {
  EXPECT_THAT(even_sample(3, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(even_sample(3, 100), ElementsAre(0, 1, 2));
  EXPECT_THAT(even_sample(1, 7), ElementsAre(0));
}

TEST(EvenSampleTest, MeetsThePointsOfAnInnerAxisEquallyOften) {
  std::vector<int> met(4);
  for (const std::size_t run : even_sample(4000, 41)) ++met[run % 4];
  EXPECT_THAT(met, ElementsAre(11, 10, 9, 11));
}

class SweepOfRunsTest : public ExperimentFileTest {
 protected:
  std::string sweep(const std::string& yaml, const std::vector<std::size_t>& runs) const {
    const Spec spec = read_spec(write("experiment: toy\nsweep: " + yaml + "\n"), {}, {});
    spec.diagnostics.throw_if_any();
    return to_yaml_line(sweep_of_runs(spec.axes, runs));
  }
};

TEST_F(SweepOfRunsTest, OneKeyStaysAnAxis) {
  EXPECT_EQ(sweep("{seed: {from: 5, count: 4}}", {0, 3}), "{seed: [5, 8]}");
  EXPECT_EQ(sweep("{config.names: [[a], [b, c]]}", {1}), "{config.names: [[b, c]]}");
}

TEST_F(SweepOfRunsTest, MoreKeysMoveTogetherOnOneAxis) {
  EXPECT_EQ(sweep("{config.heads: [1, 2], seed: [5, 6, 7]}", {0, 2, 5}),
            "{zip: {sample: {config.heads: [1, 1, 2], seed: [5, 7, 7]}}}");
  EXPECT_EQ(sweep("{zip: {size: {config.a: [1, 2], config.b: [x, z]}}, seed: [5, 6]}", {1, 2}),
            "{zip: {sample: {config.a: [1, 2], config.b: [x, z], seed: [6, 5]}}}");
}

}  // namespace
}  // namespace refran::runner
