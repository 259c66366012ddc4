#include "grid_view.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result_fixture.h"

namespace refran::runner {
namespace {

using testing::ElementsAre;

TEST(PointOfGroupTest, FindsTheTextOrElseTheNumber) {
  const std::vector<std::string> numbers = {"0.001", "2", "1000000"};
  EXPECT_EQ(point_of_group(numbers, "1e-3"), 0U);
  EXPECT_EQ(point_of_group(numbers, "2.0"), 1U);
  EXPECT_EQ(point_of_group(numbers, "1e6"), 2U);
  EXPECT_EQ(point_of_group(numbers, "3"), 3U);
  EXPECT_EQ(point_of_group(numbers, "two"), 3U);
  EXPECT_EQ(point_of_group({"1", "1.0", "a/b"}, "1.0"), 1U);
  EXPECT_EQ(point_of_group({"1", "1.0", "a/b"}, "a%2Fb"), 2U);
}

class OutputViewTest : public ResultTest {};

TEST_F(OutputViewTest, GroupsFindTheirPointHoweverItsNumberIsWritten) {
  declare("loss", Element::float64, {"step"});
  run(0).put("loss", {1}, std::vector<double>{1}).complete();
  run(1).put("loss", {2}, std::vector<double>{1, 2}).complete();
  const ResultFile result(write_runs("sweep: {config.rate: [5e-1, 1e-3]}\n"));
  const std::vector<OutputView> views = outputs_of(result);
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].dataset().path, "config.rate=5e-1/loss");
  EXPECT_EQ(views[0].first_run(), 0U);
  EXPECT_THAT(views[0].points(0), ElementsAre("0.5"));
  EXPECT_EQ(views[1].first_run(), 1U);
  EXPECT_THAT(views[1].points(0), ElementsAre("0.001"));
}

}  // namespace
}  // namespace refran::runner
