// What grids are planned, and that a resolved plan plans the same again.
#include "plan.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <refran/config.h>
#include "config_error.h"
#include "experiment_file.h"
#include "word.h"
#include "yaml.h"

namespace refran::runner {
namespace {

struct PlannedModel {
  std::int32_t heads = 4;
  double dropout = 0;
  void describe(Fields& field) {
    field("heads", heads, "Heads").range(1, 16);
    field("dropout", dropout, "Dropout").range(0, 1);
  }
};

struct PlannedConfig {
  std::vector<Word> words;
  double rate = 0.5;
  std::string start = "origin";
  PlannedModel model;
  Map<double> weights;
  std::vector<std::filesystem::path> files;
  void describe(Fields& field) {
    field("words", words, "The sentence");
    field("rate", rate, "Share").range(0, 1);
    field("start", start, "Start").one_of({"origin", "first-word"});
    field("model", model, "The model");
    field("weights", weights, "Weights");
    field("files", files, "Files").existing_file();
  }
};

Description description() {
  Description toy;
  toy.name = "toy";
  Fields fields(&toy.fields);
  PlannedConfig config;
  config.describe(fields);
  return toy;
}

class PlanTest : public ExperimentFileTest {
 protected:
  Plan plan(const std::string& yaml, const CheckConfig& check = nullptr) const {
    return Plan(read_spec(write("experiment: toy\n" + yaml), {}, {}), description(), check);
  }
  std::string error_of(const std::string& yaml, const CheckConfig& check = nullptr) const {
    return without_folder(config_error([&] { plan(yaml, check); }));
  }
};

TEST_F(PlanTest, HasOneRunWithoutAxes) {
  const Plan one = plan("seed: 7\nconfig: {rate: 1}\n");
  EXPECT_EQ(one.size(), 1U);
  EXPECT_TRUE(one.shape().empty());
  const PlannedRun run = one.run(0);
  EXPECT_EQ(run.seed, 7U);
  EXPECT_EQ(run.config.find("rate")->text, "1.0");
  EXPECT_EQ(run.config.find("start")->text, "origin");
  EXPECT_EQ(one.label(0), "");
  EXPECT_EQ(one.seed_group(0), 0U);
}

TEST_F(PlanTest, CrossesTheAxesTheLastFastest) {
  const Plan grid = plan(
      "sweep:\n"
      "  config.model.heads: [1, 2]\n"
      "  zip: {speed: {config.rate: [0, 1, 0.5], config.start: [origin, first-word, origin]}}\n"
      "  seed: {from: 5, count: 2}\n");
  EXPECT_EQ(grid.size(), 12U);
  EXPECT_EQ(grid.shape(), (std::vector<std::size_t>{2, 3, 2}));
  const PlannedRun run = grid.run(9);
  EXPECT_EQ(run.index, 9U);
  EXPECT_EQ(run.coordinates, (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_EQ(run.seed, 6U);
  EXPECT_EQ(run.config.find("model")->find("heads")->text, "2");
  EXPECT_EQ(run.config.find("rate")->text, "1.0");
  EXPECT_EQ(run.config.find("start")->text, "first-word");
  EXPECT_EQ(grid.label(9), "config.model.heads=2 config.rate=1 config.start=first-word seed=6");
}

TEST_F(PlanTest, GroupsRunsThatDifferInTheirSeedAlone) {
  const Plan outer = plan("sweep: {seed: [1, 2], config.rate: [0, 1, 0.5]}\n");
  const Plan inner = plan("sweep: {config.rate: [0, 1, 0.5], seed: [1, 2]}\n");
  std::vector<std::size_t> outer_groups;
  std::vector<std::size_t> inner_groups;
  for (std::size_t i = 0; i < 6; ++i) {
    outer_groups.push_back(outer.seed_group(i));
    inner_groups.push_back(inner.seed_group(i));
  }
  EXPECT_EQ(outer_groups, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(inner_groups, (std::vector<std::size_t>{0, 0, 1, 1, 2, 2}));
}

TEST_F(PlanTest, GroupsThePointsOfAZipByAllButTheirSeed) {
  const Plan zip = plan("sweep: {zip: {z: {seed: [1, 2, 3, 4], config.rate: [0, 1, 0, 1]}}}\n");
  EXPECT_EQ(zip.seed_group(0), 0U);
  EXPECT_EQ(zip.seed_group(1), 1U);
  EXPECT_EQ(zip.seed_group(2), 0U);
  EXPECT_EQ(zip.seed_group(3), 1U);
  const Plan seedless =
      plan("sweep: {zip: {z: {config.model.heads: [1, 2], config.rate: [0, 0]}}}\n");
  EXPECT_EQ(seedless.seed_group(1), 1U);
}

TEST_F(PlanTest, ReportsProblemsOfFileConfigAndSweepAtOnceAndEachOnce) {
  EXPECT_EQ(
      error_of("seed: 1\n"
               "seed: 2\n"
               "sead: 3\n"
               "config: {rate: 2, model: {heds: 1}}\n"
               "sweep:\n"
               "  config.model.heads: [1, two, 17]\n"
               "  config.model.layers: [1, 2]\n"
               "  config.rate.x: [1]\n"
               "  config.words: [[{text: a}], [{txt: b}]]\n"),
      "x.yaml:3:1: seed: found a second time, allowed: once; the first is at x.yaml:2:1\n"
      "x.yaml:4:1: sead: found an unknown key, allowed: experiment, seed, demo, config, sweep, "
      "base, compress; did you mean 'seed'?\n"
      "x.yaml:5:16: config.rate: found an integer 2, allowed: a number from 0 to 1\n"
      "x.yaml:5:27: config.model.heds: found an unknown key, allowed: heads, dropout; did you "
      "mean 'heads'?\n"
      "x.yaml:7:27: config.model.heads: found a text 'two', allowed: an integer from 1 to 16\n"
      "x.yaml:7:32: config.model.heads: found an integer 17, allowed: an integer from 1 to 16\n"
      "x.yaml:8:3: config.model.layers: found an unknown key, allowed: heads, dropout\n"
      "x.yaml:9:19: config.rate.x: found an integer 2 above the key 'x', allowed: a map\n"
      "x.yaml:10:32: config.words[0].text: found no such key, required: a text\n"
      "x.yaml:10:33: config.words[0].txt: found an unknown key, allowed: text, point; did you mean "
      "'text'?");
}

TEST_F(PlanTest, RefusesAGridWithoutEnd) {
  EXPECT_EQ(
      error_of("sweep:\n  seed: {from: 0, count: 10000}\n  config.rate: [0, 1]\n"
               "  config.model.heads: {from: 1, count: 1000}\n"),
      "x.yaml:3:3: sweep: found a grid of more than 10000000 runs, allowed: at most 10000000");
}

TEST_F(PlanTest, ReportsTheRulesBetweenFieldsWhereTheirValuesAreWritten) {
  const CheckConfig check = [](const Value& config, Problems& problems) {
    if (config.find("model")->find("heads")->text == "3") problems.add("model.heads", "found 3");
    if (config.find("words")->items.size() > 1) problems.add("words[1].point", "found no point");
    problems.add("start", "found no start");
    problems.add("", "found all wrong");
  };
  EXPECT_EQ(error_of("config:\n"
                     "  words:\n"
                     "    - text: a\n"
                     "    - text: b\n"
                     "  rate: 1\n"
                     "sweep: {config.model.heads: [2, 3], seed: [1, 2]}\n",
                     check),
            "x.yaml:3:3: config.start: found no start\n"
            "x.yaml:3:3: config: found all wrong\n"
            "x.yaml:5:7: config.words[1].point: found no point\n"
            "x.yaml:7:33: config.model.heads: found 3");
}

TEST_F(PlanTest, ChecksOnlyConfigsThatAreValid) {
  EXPECT_EQ(error_of("config: {rate: 2}\n",
                     [](const Value&, Problems& problems) { problems.add("rate", "found 2"); }),
            "x.yaml:2:16: config.rate: found an integer 2, allowed: a number from 0 to 1");
}

TEST_F(PlanTest, ListsEveryInputOnce) {
  std::ofstream(folder() / "a.txt") << "a";
  std::ofstream(folder() / "b.txt") << "b";
  std::vector<std::string> seen;
  const Plan files = plan("config: {files: [b.txt, ./a.txt]}\nsweep: {config.rate: [0, 1]}\n",
                          [&](const Value& config, Problems& problems) {
                            seen.push_back(config.find("files")->items[1].text);
                            problems.reads("c.txt");
                            problems.reads(config.find("files")->items[0].text);
                          });
  EXPECT_EQ(seen, (std::vector<std::string>{(folder() / "a.txt").string(),
                                            (folder() / "a.txt").string()}));
  EXPECT_EQ(files.inputs(), (std::vector<std::filesystem::path>{
                                folder() / "b.txt", folder() / "a.txt", folder() / "c.txt"}));
  EXPECT_EQ(files.run(0).config.find("files")->items[1].text, "./a.txt");
}

const char* const kGrid =
    "config:\n"
    "  weights: {z: 1, a: 2}\n"
    "  words: [{text: tía}]\n"
    "sweep:\n"
    "  seed: {from: 1, count: 2}\n"
    "  config.weights.z: [1, 3]\n"
    "  zip: {size: {config.model.heads: [1, 2], config.rate: [0, 1]}}\n";

TEST_F(PlanTest, WritesTheWholeFileWithDefaultsSpelledOut) {
  const Plan grid = plan(kGrid);
  EXPECT_EQ(to_yaml(grid.resolved(true)),
            "experiment: toy\n"
            "base: " +
                folder().string() +
                "\n"
                "config:\n"
                "  words:\n"
                "    - text: tía\n"
                "      point: [0.0, 0.0]\n"
                "  start: origin\n"
                "  model:\n"
                "    dropout: 0.0\n"
                "  weights:\n"
                "    z: 1.0\n"
                "    a: 2.0\n"
                "  files: []\n"
                "sweep:\n"
                "  seed: [1, 2]\n"
                "  config.weights.z: [1.0, 3.0]\n"
                "  zip:\n"
                "    size:\n"
                "      config.model.heads: [1, 2]\n"
                "      config.rate: [0.0, 1.0]\n");
}

TEST_F(PlanTest, WritesOneRunWithoutTheSweep) {
  const Plan grid = plan(kGrid);
  EXPECT_EQ(to_yaml(grid.resolved_run(7, false)),
            "experiment: toy\n"
            "seed: 2\n"
            "config:\n"
            "  words:\n"
            "    - text: tía\n"
            "      point: [0.0, 0.0]\n"
            "  rate: 1.0\n"
            "  start: origin\n"
            "  model:\n"
            "    heads: 2\n"
            "    dropout: 0.0\n"
            "  weights:\n"
            "    z: 3.0\n"
            "    a: 2.0\n"
            "  files: []\n");
}

TEST_F(PlanTest, PlansTheSameRunsFromWhatItResolved) {
  for (const char* yaml : {
           "config: {rate: 1}\nseed: 3\n",
           "config:\n  weights: {z: 1, a: 2}\nsweep:\n  zip: {s: {config.model.heads: [1, 2], "
           "seed: [4, "
           "9]}}\n  config.weights.z: [1e-3, 3]\n  config.words: [[], [{text: '010'}]]\n",
           "sweep: {config.model: [{heads: 2}, {dropout: 1}], seed: {from: 1, count: 3}}\n",
       }) {
    const Plan first = plan(yaml);
    std::filesystem::create_directories(folder() / "elsewhere");
    const std::filesystem::path file = folder() / "elsewhere" / "y.yaml";
    std::ofstream(file) << to_yaml(first.resolved(true));
    const Plan again(read_spec(file, {}, {}), description(), nullptr);
    EXPECT_EQ(again.spec().base, first.spec().base);
    EXPECT_EQ(again.resolved(true), first.resolved(true));
    ASSERT_EQ(again.shape(), first.shape());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(again.run(i).config, first.run(i).config);
      EXPECT_EQ(again.run(i).seed, first.run(i).seed);
      EXPECT_EQ(again.resolved_run(i, true), first.resolved_run(i, true));
    }
  }
}

TEST_F(PlanTest, SweepsAFieldThatIsRequired) {
  Description toy = description();
  toy.fields[1].required = true;
  const Spec spec = read_spec(write("experiment: toy\nsweep: {config.rate: [0, 1]}\n"), {}, {});
  EXPECT_EQ(Plan(spec, toy, nullptr).run(1).config.find("rate")->text, "1.0");
}

}  // namespace
}  // namespace refran::runner
