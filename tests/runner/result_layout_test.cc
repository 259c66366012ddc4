#include "result_layout.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace refran::runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Axis axis(std::string name, std::size_t points) {
  Axis axis;
  axis.name = axis.keys.emplace_back(std::move(name));
  for (std::size_t point = 0; point < points; ++point) {
    axis.values.push_back({Value::integer(static_cast<std::uint64_t>(point))});
  }
  return axis;
}

OutputInfo output(std::string name, std::vector<std::string> dims, std::string per_item = "") {
  OutputInfo output;
  output.name = std::move(name);
  output.dims = std::move(dims);
  output.per_item = std::move(per_item);
  return output;
}

DatasetRecord dataset(std::uint32_t output, std::vector<std::uint64_t> extents,
                      std::uint32_t item = kNoItem) {
  DatasetRecord record;
  record.output = output;
  record.item = item;
  record.extents = std::move(extents);
  return record;
}

SharedTexts shared(std::vector<std::string> texts) {
  return std::make_shared<const std::vector<std::string>>(std::move(texts));
}

class LayoutTest : public testing::Test {
 protected:
  RunRecord& add_run(std::vector<DatasetRecord> datasets) {
    const std::uint64_t run = runs_.size();
    runs_[run].run = run;
    runs_[run].datasets = std::move(datasets);
    return runs_[run];
  }
  void add_failed_run() { add_run({}).status = RunStatus::failed; }

  // "config.heads=2/attention[seed; 4 3]" for every dataset.
  std::vector<std::string> decide() {
    const Layout layout(axes_, outputs_, runs_);
    std::vector<std::string> lines;
    for (const LayoutGroup& group : layout.groups()) {
      for (const LayoutDataset& entry : group.datasets) {
        std::string line = group.path() + (group.path().empty() ? "" : "/") + entry.name + "[";
        for (const std::size_t index : group.cells.axes()) line += axes_[index].name + " ";
        line += ";";
        for (const std::uint64_t extent : entry.extents) line += " " + std::to_string(extent);
        lines.push_back(line + "]");
      }
    }
    return lines;
  }

  std::vector<Axis> axes_;
  std::vector<OutputInfo> outputs_ = {output("loss", {"step"}), output("attention", {"head"})};
  std::map<std::uint64_t, RunRecord> runs_;
};

TEST_F(LayoutTest, PutsASingleRunAtTheRoot) {
  add_run({dataset(0, {5}), dataset(1, {2})});
  EXPECT_THAT(decide(), ElementsAre("loss[; 5]", "attention[; 2]"));
}

TEST_F(LayoutTest, StacksEqualExtentsOverAllAxes) {
  axes_ = {axis("seed", 2), axis("config.rate", 2)};
  for (int run = 0; run < 4; ++run) add_run({dataset(0, {5})});
  EXPECT_THAT(decide(), ElementsAre("loss[seed config.rate ; 5]"));
}

TEST_F(LayoutTest, MakesTheAxisAGroupAlongWhichExtentsDiffer) {
  axes_ = {axis("config.heads", 3), axis("seed", 2)};
  for (std::uint64_t run = 0; run < 6; ++run) {
    add_run({dataset(0, {5}), dataset(1, {std::uint64_t{1} << (run / 2)})});
  }
  EXPECT_THAT(
      decide(),
      ElementsAre("loss[config.heads seed ; 5]", "config.heads=0/attention[seed ; 1]",
                  "config.heads=1/attention[seed ; 2]", "config.heads=2/attention[seed ; 4]"));
}

TEST_F(LayoutTest, MakesSeveralAxesGroupsWhereExtentsNeedThemAll) {
  axes_ = {axis("a", 2), axis("seed", 2), axis("b", 2)};
  for (std::uint64_t run = 0; run < 8; ++run) add_run({dataset(0, {10 * (run / 4) + run % 2})});
  EXPECT_THAT(decide(), ElementsAre("a=0/b=0/loss[seed ; 0]", "a=0/b=1/loss[seed ; 1]",
                                    "a=1/b=0/loss[seed ; 10]", "a=1/b=1/loss[seed ; 11]"));
}

TEST_F(LayoutTest, TreatsPresenceLikeAnExtent) {
  axes_ = {axis("config.keeps", 2), axis("seed", 2)};
  add_run({dataset(0, {5})});
  add_run({dataset(0, {5})});
  add_run({dataset(0, {5}), dataset(1, {2})});
  add_run({dataset(0, {5}), dataset(1, {2})});
  EXPECT_THAT(decide(),
              ElementsAre("loss[config.keeps seed ; 5]", "config.keeps=1/attention[seed ; 2]"));
}

TEST_F(LayoutTest, LearnsNothingFromFailedRuns) {
  axes_ = {axis("config.heads", 2), axis("seed", 2)};
  add_failed_run();
  add_run({dataset(0, {5}), dataset(1, {1})});
  add_run({dataset(0, {5}), dataset(1, {2})});
  add_failed_run();
  // Either axis would explain the difference between the two runs that are left; seeds stay
  // stacked.
  EXPECT_THAT(decide(),
              ElementsAre("loss[config.heads seed ; 5]", "config.heads=0/attention[seed ; 1]",
                          "config.heads=1/attention[seed ; 2]"));
}

TEST_F(LayoutTest, KeepsTheRootWhereAllRunsFailed) {
  axes_ = {axis("seed", 2)};
  add_failed_run();
  add_failed_run();
  const Layout layout(axes_, outputs_, runs_);
  ASSERT_EQ(layout.groups().size(), 1U);
  EXPECT_EQ(layout.groups()[0].path(), "");
  EXPECT_EQ(layout.groups()[0].cells.size(), 2U);
  EXPECT_THAT(layout.groups()[0].datasets, IsEmpty());
}

TEST_F(LayoutTest, DecidesForEveryItemByItself) {
  outputs_ = {output("map", {"word"}, "sentence")};
  axes_ = {axis("seed", 2)};
  add_run({dataset(0, {3}, 0), dataset(0, {7}, 1)});
  add_run({dataset(0, {3}, 0), dataset(0, {8}, 1), dataset(0, {2}, 2)});
  EXPECT_THAT(decide(), ElementsAre("sentence/0/map[seed ; 3]", "seed=0/sentence/1/map[; 7]",
                                    "seed=1/sentence/1/map[; 8]", "seed=1/sentence/2/map[; 2]"));
}

TEST_F(LayoutTest, GivesItemsTheLabelsOfTheRunWhereTheyHaveNone) {
  outputs_ = {output("map", {"head", "word"}, "sentence")};
  add_run({dataset(0, {2, 3}, 0)}).labels = {
      {kNoItem, "head", shared({"L1H1", "L1H2"})},
      {kNoItem, "word", shared({"of", "another", "length", "!"})}};
  const Layout layout(axes_, outputs_, runs_);
  const LayoutGroup& group = layout.groups().at(1);
  ASSERT_EQ(group.dims.size(), 2U);
  ASSERT_NE(group.dims[0].labels, nullptr);
  EXPECT_THAT(*group.dims[0].labels, ElementsAre("L1H1", "L1H2"));
  EXPECT_EQ(group.dims[1].labels, nullptr);
  EXPECT_EQ(group.dims[1].differing, nullptr);
}

TEST_F(LayoutTest, FindsLabelsThatDifferBetweenRuns) {
  axes_ = {axis("seed", 3)};
  add_run({dataset(0, {2})}).labels = {{kNoItem, "step", shared({"a", "b"})}};
  add_failed_run();
  add_run({dataset(0, {2})}).labels = {{kNoItem, "step", shared({"a", "c"})}};
  const Layout layout(axes_, outputs_, runs_);
  const LayoutDim& dim = layout.groups().at(0).dims.at(0);
  EXPECT_EQ(dim.labels, nullptr);
  ASSERT_NE(dim.differing, nullptr);
  EXPECT_THAT(*dim.differing->at(0), ElementsAre("a", "b"));
  EXPECT_EQ(dim.differing->at(1), nullptr);
  EXPECT_THAT(*dim.differing->at(2), ElementsAre("a", "c"));
}

TEST_F(LayoutTest, CountsMissingLabelsAsADifference) {
  axes_ = {axis("seed", 2)};
  add_run({dataset(0, {2})});
  add_run({dataset(0, {2})}).labels = {{kNoItem, "step", shared({"a", "c"})}};
  const Layout layout(axes_, outputs_, runs_);
  EXPECT_NE(layout.groups().at(0).dims.at(0).differing, nullptr);
}

TEST_F(LayoutTest, RefusesAGridWithAHole) {
  axes_ = {axis("seed", 2)};
  add_run({dataset(0, {2})});
  try {
    const Layout layout(axes_, outputs_, runs_);
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& error) {
    EXPECT_EQ(std::string(error.what()), "run 1 of 2 was not committed");
  }
}

TEST(CellGridTest, FindsTheRunsBetweenFixedPoints) {
  const CellGrid grid({2, 3, 2}, {CellGrid::kStacked, 1, CellGrid::kStacked});
  EXPECT_THAT(grid.axes(), ElementsAre(0U, 2U));
  EXPECT_THAT(grid.extents(), ElementsAre(2U, 2U));
  std::vector<std::uint64_t> runs;
  for (std::uint64_t cell = 0; cell < grid.size(); ++cell) runs.push_back(grid.run(cell));
  EXPECT_THAT(runs, ElementsAre(2U, 3U, 8U, 9U));
}

TEST(CellGridTest, OfASingleRunIsOneCell) {
  const CellGrid grid({}, {});
  EXPECT_EQ(grid.size(), 1U);
  EXPECT_EQ(grid.run(0), 0U);
}

TEST(LinkNameTest, EscapesWhatALinkCannotHold) {
  EXPECT_EQ(link_name("config.file=data/a%b\n"), "config.file=data%2Fa%25b%0A");
  EXPECT_EQ(link_name("refráns"), "refráns");
}

TEST(AxisLabelTest, SpellsListsAndJoinsAZip) {
  Axis zip;
  zip.name = "size";
  zip.keys = {"config.words", "config.heads"};
  Value words = Value::list();
  words.items = {Value::string("tía"), Value::string("miña")};
  zip.values = {{words, Value::integer(std::uint64_t{2})}};
  EXPECT_EQ(axis_label(zip, 0), "[tía, miña], 2");
}

TEST(NameClashesTest, AllowsWhatFits) {
  EXPECT_THAT(name_clashes({axis("seed", 2)}, {output("loss", {"step"}), output("map", {"step"}),
                                               output("score", {"step"}, "sentence")}),
              IsEmpty());
}

TEST(NameClashesTest, NamesEveryClash) {
  Axis twice = axis("seed", 2);
  twice.values[1] = twice.values[0];
  EXPECT_THAT(
      name_clashes({twice, axis("run_log", 1)},
                   {output("seed", {"step"}), output("score", {"word", "word"}), output("word", {}),
                    output("map", {"seed"}, "step")}),
      ElementsAre(
          "a result cannot hold what every result holds and an axis of the sweep, each called "
          "'run_log': rename one",
          "the axis 'seed' has the value 0 twice",
          "a result cannot hold an axis of the sweep and an output, each called 'seed': rename one",
          "the output 'score' has two dimensions 'word': rename one",
          "a result cannot hold a dimension and an output, each called 'word': rename one",
          "a result cannot hold a dimension and a list of items, each called 'step': rename one",
          "a result cannot hold an axis of the sweep and a dimension, each called 'seed': rename "
          "one"));
}

}  // namespace
}  // namespace refran::runner
