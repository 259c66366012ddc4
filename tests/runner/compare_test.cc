#include "compare.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result_fixture.h"

namespace refran::runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

// Two results, A and B, made by hand.
class CompareTest : public ResultTest {
 protected:
  CompareTest() {
    declare("loss", Element::float64, {"step"});
    declare("count", Element::int64, {});
    declare("word", Element::text, {"token"});
    declare("map", Element::float32, {"head", "key"}, "sentence");
  }

  // The result of the runs made since the last, kept under a name.
  std::filesystem::path keep(const std::string& name, const std::string& yaml = "") {
    const std::filesystem::path file = folder() / name;
    std::filesystem::rename(write_runs(yaml), file);
    writer_.reset();
    std::filesystem::remove_all(folder() / "segments");
    std::filesystem::create_directory(folder() / "segments");
    writer_ = std::make_unique<SegmentWriter>(folder() / "segments" / "0.seg");
    return file;
  }

  std::vector<std::string> differences(double tolerance = 0) const {
    return in_words(dataset_differences(ResultFile(folder() / "a.h5"),
                                        ResultFile(folder() / "b.h5"), tolerance));
  }

  static std::vector<std::string> in_words(const std::vector<Difference>& differences) {
    std::vector<std::string> texts;
    for (const Difference& difference : differences) texts.push_back(as_change(difference));
    return texts;
  }

  void losses(const std::string& name, const std::vector<Numbers>& by_run,
              const std::string& yaml = "") {
    for (std::size_t i = 0; i < by_run.size(); ++i) {
      run(i).put("loss", {by_run[i].size()}, by_run[i]).complete();
    }
    keep(name, yaml);
  }
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kThreeSeeds = "sweep: {seed: [7, 8, 9]}\n";

TEST_F(CompareTest, ResultsOfTheSameNumbersDoNotDiffer) {
  losses("a.h5", {{1, kNan, -kInfinity}});
  losses("b.h5", {{1, -kNan, -kInfinity}});
  EXPECT_THAT(differences(), IsEmpty());
}

TEST_F(CompareTest, TheFirstValueThatDiffersIsNamedByItsAxes) {
  losses("a.h5", {{1, 2, 3}, {1, kNan, 0.1}, {1, 2, 3}}, kThreeSeeds);
  losses("b.h5", {{1, 2, 3}, {1, kNan, 0.125}, {1, 2.5, 3}}, kThreeSeeds);
  EXPECT_THAT(differences(), ElementsAre("loss[seed=8, step=2]: was 0.1, is 0.125; 2 of 9 values "
                                         "differ, by up to 0.5"));
}

TEST_F(CompareTest, OneValueAndASingleValueAreSaidSo) {
  run().put("loss", {2}, Numbers{1, 2}).put("count", {}, std::vector<std::int64_t>{3}).complete();
  keep("a.h5");
  run().put("loss", {2}, Numbers{1, 4}).put("count", {}, std::vector<std::int64_t>{4}).complete();
  keep("b.h5");
  EXPECT_THAT(differences(), ElementsAre("count: was 3, is 4",
                                         "loss[step=1]: was 2, is 4; 1 of 2 values differs, by 2"));
}

TEST_F(CompareTest, NumbersWithinTheToleranceAreEqual) {
  losses("a.h5", {{1, 2, 0.0}});
  losses("b.h5", {{1.25, 2.5, -0.0}});
  EXPECT_THAT(differences(0.5), IsEmpty());
  EXPECT_THAT(differences(0.25), ElementsAre("loss[step=1]: was 2, is 2.5; 1 of 3 values differs, "
                                             "by 0.5"));
  EXPECT_THAT(differences(),
              ElementsAre("loss[step=0]: was 1, is 1.25; 3 of 3 values differ, by up "
                          "to 0.5"));
}

TEST_F(CompareTest, IntegersOfAnySizeAreHeldToTheTolerance) {
  declare("far", Element::int64, {"end"});
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  run().put("far", {3}, std::vector{lowest, highest, highest}).complete();
  keep("a.h5");
  run().put("far", {3}, std::vector{lowest, highest - 1, lowest}).complete();
  keep("b.h5");
  EXPECT_THAT(differences(0.5),
              ElementsAre("far[end=1]: was 9223372036854775807, is 9223372036854775806; 2 of 3 "
                          "values differ, by up to 1.84e+19"));
  EXPECT_THAT(differences(1),
              ElementsAre("far[end=2]: was 9223372036854775807, is -9223372036854775808; 1 of 3 "
                          "values differs, by 1.84e+19"));
}

TEST_F(CompareTest, NothingIsNearToNanOrInfinity) {
  losses("a.h5", {{1, kNan, kInfinity}});
  losses("b.h5", {{1, 2, -kInfinity}});
  EXPECT_THAT(differences(100), ElementsAre("loss[step=1]: was nan, is 2; 2 of 3 values differ"));
}

TEST_F(CompareTest, TextsAreQuoted) {
  run().put("word", {3}, Texts{"tía", "miña", "que"}).complete();
  keep("a.h5");
  run().put("word", {3}, Texts{"tía", "mi\nña", ""}).complete();
  keep("b.h5");
  EXPECT_THAT(differences(), ElementsAre("word[token=1]: was 'miña', is 'mi\\nña'; 2 of 3 values "
                                         "differ"));
}

TEST_F(CompareTest, ValuesAreNamedByTheirLabels) {
  const Texts words = {"o", "que", "o", ""};
  for (const auto& [name, last] : {std::pair{"a.h5", 0.5F}, std::pair{"b.h5", 0.75F}}) {
    std::vector<float> map(8, 0.25F);
    map.back() = last;
    map[6] = last;
    run()
        .items("sentence", {"first", "second"})
        .put("map", {2, 4}, std::vector<float>(8, 1.0F), 0)
        .put("map", {2, 4}, map, 1)
        .labels("head", {"L1H1", "L1H2"}, 1)
        .labels("key", words, 1)
        .complete();
    keep(name);
  }
  EXPECT_THAT(differences(),
              ElementsAre("sentence/1/map[head=L1H2, key=o (2)]: was 0.5, is 0.75; 2 of 8 values "
                          "differ, by up to 0.25"));
}

TEST_F(CompareTest, LabelsThatDifferAreTold) {
  const auto labelled = [this](std::size_t index, const std::string& item, Texts labels) {
    run(index)
        .items("sentence", {item})
        .put("map", {1, 2}, std::vector<float>(2), 0)
        .labels("key", std::move(labels), 0)
        .complete();
  };
  labelled(0, "first", {"tía", "miña"});
  keep("a.h5");
  labelled(0, "last", {"tía", "mia"});
  keep("b.h5");
  EXPECT_THAT(differences(), ElementsAre("label of sentence/0/key[key=1]: was 'miña', is 'mia'",
                                         "name of sentence/0: was 'first', is 'last'"));
  const std::string yaml = "sweep: {seed: [7, 8]}\n";
  labelled(0, "first", {"tía", "miña"});
  labelled(1, "first", {"un", "é"});
  keep("a.h5", yaml);
  labelled(0, "first", {"tía", "miña"});
  labelled(1, "last", {"un", "e"});
  keep("b.h5", yaml);
  EXPECT_THAT(differences(),
              ElementsAre("label of sentence/0/key[seed=8, key=1]: was 'é', is 'e'; 1 of 2 runs",
                          "name of sentence/0[seed=8]: was 'first', is 'last'; 1 of 2 runs"));
}

TEST_F(CompareTest, DatasetsOfOneResultAloneAndOtherTypesAreTold) {
  run().put("loss", {2}, Numbers{1, 2}).put("count", {}, std::vector<std::int64_t>{3}).complete();
  keep("a.h5");
  run().put("loss", {3}, Numbers{1, 2, 3}).put("word", {1}, Texts{"que"}).complete();
  keep("b.h5");
  EXPECT_THAT(differences(), ElementsAre("count: was int64, is missing",
                                         "loss: was float64 [step 2], is float64 [step 3]",
                                         "word: was missing, is text [token 1]"));
}

TEST_F(CompareTest, AxisGroupsAreFollowedToTheirRuns) {
  const std::string yaml = "sweep: {config.rate: [1e-1, 2], seed: [7, 8]}\n";
  losses("a.h5", {{1}, {2}, {3, 4}, {5, 6}}, yaml);
  losses("b.h5", {{1}, {2}, {3, 4}, {5, 7}}, yaml);
  EXPECT_THAT(differences(), ElementsAre("config.rate=2/loss[seed=8, step=1]: was 6, is 7; 1 of 4 "
                                         "values differs, by 1"));
  // Where another axis has the groups, the same runs are held against each other.
  losses("b.h5", {{1}, {2, 2}, {3}, {5, 6}}, yaml);
  EXPECT_THAT(differences(),
              ElementsAre("config.rate=1e-1/loss[seed=8]: was float64 [step 1], is float64 [step "
                          "2]; 1 of 2 runs",
                          "config.rate=2/loss[seed=7]: was float64 [step 2], is float64 [step 1]; "
                          "1 of 2 runs"));
}

TEST_F(CompareTest, ARunThatFailedInOneResultIsToldOnce) {
  const auto made = [this](const std::string& name, const std::string& reason) {
    run(0).put("loss", {1}, Numbers{1}).complete();
    reason.empty() ? run(1).put("loss", {1}, Numbers{2}).complete() : run(1).fail(reason);
    run(2).fail("out of " + name);
    keep(name, kThreeSeeds);
  };
  made("a.h5", "");
  made("b.h5", "the oven\nis cold");
  EXPECT_THAT(differences(), ElementsAre("run_status[seed=8]: was complete, is failed: the oven\\n"
                                         "is cold; 1 of 3 runs"));
}

TEST_F(CompareTest, RunsAreMatchedByTheirValues) {
  losses("a.h5", {{1}, {2}, {3}}, "sweep: {seed: [7, 8, 9]}\n");
  losses("b.h5", {{3}, {1.5}, {4}}, "sweep: {seed: [9, 7, 6]}\n");
  EXPECT_THAT(differences(),
              ElementsAre("run seed=8: was there, is missing; 1 of 3 runs",
                          "run seed=6: was missing, is there; 1 of 3 runs",
                          "loss[seed=7, step=0]: was 1, is 1.5; 1 of 2 values differs, by 0.5"));
  losses("b.h5", {{1}});
  EXPECT_THAT(differences(), ElementsAre("run seed=7: was there, is missing; 3 of 3 runs",
                                         "the run without a sweep: was missing, is there"));
}

TEST_F(CompareTest, TheOrderOfAxesAndTheSpellingOfNumbersDoNotCount) {
  losses("a.h5", {{1}, {2}, {3}, {4}}, "sweep: {config.rate: [1e-1, 2], seed: [7, 8]}\n");
  losses("b.h5", {{1}, {3}, {2}, {4}}, "sweep: {seed: [7, 8], config.rate: [0.1, 2.0]}\n");
  EXPECT_THAT(differences(), IsEmpty());
  losses("b.h5", {{1}, {2}, {3}, {4}}, "sweep: {seed: [7, 8], config.rate: [0.1, 2.0]}\n");
  EXPECT_THAT(differences(), ElementsAre("loss[config.rate=0.1, seed=8, step=0]: was 2, is 3; 2 of "
                                         "4 values differ, by up to 1"));
}

TEST_F(CompareTest, TheKeysOfAZipNameItsRuns) {
  const std::string zip =
      "sweep: {zip: {size: {config.heads: [1, 2], config.name: [a, 'b, c']}}}\n";
  losses("a.h5", {{1}, {2}}, zip);
  losses("b.h5", {{1}, {3}}, zip);
  EXPECT_THAT(differences(), ElementsAre("loss[config.heads=2, config.name=b, c, step=0]: was 2, "
                                         "is 3; 1 of 2 values differs, by 1"));
}

TEST_F(CompareTest, ASampleIsHeldAgainstTheRunsItIsOf) {
  losses("a.h5", {{1}, {2, 2}, {3}, {4, 4}}, "sweep: {config.heads: [1, 2], seed: [7, 8]}\n");
  losses("b.h5", {{2, 2}, {4, 5}},
         "sweep: {zip: {sample: {config.heads: [1, 2], seed: [8, 8]}}}\n");
  const std::vector<std::size_t> runs = {1, 3};
  const ResultFile was(folder() / "a.h5");
  EXPECT_THAT(
      in_words(dataset_differences(was, ResultFile(folder() / "b.h5"), runs, 0)),
      ElementsAre("seed=8/loss[config.heads=2, step=1]: was 4, is 5; 1 of 4 values differs, by 1"));
}

TEST_F(CompareTest, ConfigsAreComparedFieldByField) {
  const auto with_config = [this](const std::string& name, const std::string& config) {
    info_.config = config;
    run().complete();
    keep(name);
  };
  with_config("a.h5",
              "experiment: toy\nseed: 1\nbase: /a\nconfig: {steps: 500, name: tía, points: [{x: 1, "
              "y: 2}, {x: 3, y: 4}]}\n");
  with_config("b.h5",
              "experiment: toy\nbase: /b\nconfig: {steps: 100, name: 'ti\\a', points: [{x: 1, y: "
              "2}, {x: 3, y: 5}], rate: 0.5}\nsweep: {seed: [1, 2]}\n");
  std::vector<std::string> fields;
  for (const Difference& field :
       config_differences(ResultFile(folder() / "a.h5"), ResultFile(folder() / "b.h5"))) {
    fields.push_back(side_by_side(field));
  }
  EXPECT_THAT(fields,
              ElementsAre("seed: 1 / not given", "config.steps: 500 / 100",
                          "config.name: 'tía' / 'ti\\a'", "config.points[1].y: 4 / 5",
                          "config.rate: not given / 0.5", "sweep: not given / {seed: [1, 2]}"));
}

TEST_F(CompareTest, TheOrderOfAMapIsADifferenceToo) {
  info_.config = "config: {words: {tía: 1, miña: 2}}\n";
  run().complete();
  keep("a.h5");
  info_.config = "config: {words: {miña: 2, tía: 1}}\n";
  run().complete();
  keep("b.h5");
  EXPECT_THAT(
      in_words(config_differences(ResultFile(folder() / "a.h5"), ResultFile(folder() / "b.h5"))),
      ElementsAre("config.words: was {tía: 1, miña: 2}, is {miña: 2, tía: 1}"));
}

TEST_F(CompareTest, WhatMayChangeNumbersIsComparedOfTheEnvironment) {
  info_.environment =
      R"({"refran": {"version": "0.1.0", "flags": "-O2"}, "cpu": "old", "host": "a"})";
  info_.inputs = R"([{"path": "w.txt", "sha256": "00112233445566"}, {"path": "x", "sha256": "1"}])";
  run().complete();
  keep("a.h5");
  info_.environment =
      R"({"refran": {"version": "0.1.0", "flags": "-O3"}, "threads_per_run": 2, "host": "b"})";
  info_.inputs = R"([{"path": "w.txt", "sha256": "99112233445566"}])";
  run().complete();
  keep("b.h5");
  EXPECT_THAT(in_words(provenance_differences(ResultFile(folder() / "a.h5"),
                                              ResultFile(folder() / "b.h5"))),
              ElementsAre("refran/flags: was -O2, is -O3", "cpu: was old, is unknown",
                          "threads_per_run: was unknown, is 2",
                          "input w.txt: was sha256 001122334455, is sha256 991122334455",
                          "input x: was sha256 1, is none"));
}

}  // namespace
}  // namespace refran::runner
