// How experiment files, overrides and sweeps are read.
#include "spec.h"

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config_error.h"
#include "experiment_file.h"
#include "yaml.h"

namespace refran::runner {
namespace {

using Arguments = std::vector<std::string>;

class SpecTest : public ExperimentFileTest {
 protected:
  Spec read(const std::string& text, const Arguments& overrides = {},
            const Arguments& sweeps = {}) {
    return read_spec(write(text), overrides, sweeps);
  }
  // What is wrong, found on the way or left for the plan to report.
  std::string error_of(const std::string& text, const Arguments& overrides = {},
                       const Arguments& sweeps = {}) {
    return without_folder(
        config_error([&] { read(text, overrides, sweeps).diagnostics.throw_if_any(); }));
  }
  std::string override_error(const std::string& argument) {
    return error_of("experiment: toy\nconfig:\n  rate: 0.5\n  words: [{point: [1, 2]}]\n",
                    {argument});
  }
  static std::string line(const Axis& axis) {
    std::string text = axis.name + ":";
    for (const auto& point : axis.values) {
      for (const Value& value : point) text += " " + to_yaml_line(value);
    }
    return text;
  }
};

TEST_F(SpecTest, ReadsTheTopLevel) {
  std::filesystem::create_directory(folder() / "data");
  const Spec spec = read(
      "experiment: toy-encoder\nseed: 18446744073709551615\ndemo: true\n"
      "config: {rate: 0.5}\nbase: data/..\n");
  EXPECT_EQ(spec.experiment, "toy-encoder");
  EXPECT_EQ(spec.seed, 18446744073709551615U);
  EXPECT_TRUE(spec.demo);
  EXPECT_EQ(spec.base, folder());
  EXPECT_EQ(to_yaml(spec.config), "rate: 0.5\n");
  EXPECT_TRUE(spec.axes.empty());
  EXPECT_TRUE(spec.diagnostics.empty());
}

TEST_F(SpecTest, HasDefaults) {
  const Spec spec = read("experiment: toy\n");
  EXPECT_EQ(spec.seed, 1U);
  EXPECT_FALSE(spec.demo);
  EXPECT_EQ(spec.base, folder());
  EXPECT_EQ(spec.config.kind, Value::Kind::null);
}

TEST_F(SpecTest, ReportsEveryProblemOfTheTopLevelAtOnce) {
  EXPECT_EQ(
      error_of("experimnt: toy\nseed: -1\nseed: 2\ndemo: yes\nbase: nowhere\nsweep: 3\nother: 1\n"),
      "x.yaml:1:1: experimnt: found an unknown key, allowed: experiment, seed, demo, config, "
      "sweep, base, compress; did you mean 'experiment'?\n"
      "x.yaml:1:1: experiment: found no such key, required: a text\n"
      "x.yaml:2:7: seed: found an integer -1, allowed: an integer from 0 to 18446744073709551615\n"
      "x.yaml:3:1: seed: found a second time, allowed: once; the first is at x.yaml:2:1\n"
      "x.yaml:4:7: demo: found a text 'yes', allowed: true or false; write true\n"
      "x.yaml:5:7: base: found nothing at 'nowhere' (nowhere), allowed: an existing folder\n"
      "x.yaml:6:8: sweep: found an integer 3, allowed: a map of keys to lists of values\n"
      "x.yaml:7:1: other: found an unknown key, allowed: experiment, seed, demo, config, sweep, "
      "base, compress");
}

TEST_F(SpecTest, LeavesProblemsForThePlanWhereThereIsAnExperiment) {
  const Spec spec = read("experiment: toy\nsead: 7\n");
  EXPECT_EQ(spec.diagnostics.size(), 1U);
}

TEST_F(SpecTest, ReportsAFileThatIsNoMap) {
  EXPECT_EQ(error_of("- experiment: toy\n"),
            "x.yaml:1:1: found a list, allowed: a map that begins with 'experiment: NAME'");
  EXPECT_EQ(error_of("toy\n"),
            "x.yaml:1:1: found a text 'toy', allowed: a map that begins with 'experiment: NAME'");
  EXPECT_EQ(error_of(""),
            "x.yaml: found an empty file, allowed: a map that begins with 'experiment: NAME'");
}

TEST_F(SpecTest, ReadsAxesInTheOrderOfTheFile) {
  const Spec spec = read(
      "experiment: toy\n"
      "sweep:\n"
      "  config.model.heads: [1, 2]\n"
      "  zip:\n"
      "    size: {config.a: [1, 2, 3], config.b: {from: -1, count: 3}}\n"
      "    mode: {config.c: [u], config.d: [v]}\n"
      "  seed: {from: 18446744073709551614, count: 2}\n");
  ASSERT_EQ(spec.axes.size(), 4U);
  EXPECT_EQ(line(spec.axes[0]), "config.model.heads: 1 2");
  EXPECT_FALSE(spec.axes[0].is_zip());
  EXPECT_EQ(line(spec.axes[1]), "size: 1 -1 2 0 3 1");
  EXPECT_TRUE(spec.axes[1].is_zip());
  EXPECT_EQ(spec.axes[1].keys, (Arguments{"config.a", "config.b"}));
  EXPECT_EQ(line(spec.axes[2]), "mode: u v");
  EXPECT_EQ(line(spec.axes[3]), "seed: 18446744073709551614 18446744073709551615");
  EXPECT_TRUE(spec.diagnostics.empty());
}

TEST_F(SpecTest, ReportsAxesThatAreNotWrittenWell) {
  EXPECT_EQ(
      error_of("experiment: toy\n"
               "sweep:\n"
               "  config.a: []\n"
               "  config.b: 3\n"
               "  config.c: {from: 1, cuont: 2}\n"
               "  config.d: {from: 1, count: 0}\n"
               "  seed: {from: 18446744073709551615, count: 2}\n"
               "  heads: [1]\n"
               "  confg.heads: [1]\n"
               "  config: [1]\n"
               "  config.words[0]: [1]\n"
               "  sead: [1]\n"),
      "x.yaml:3:13: config.a: found an empty list, allowed: a list of values, or {from: 1, count: "
      "3}\n"
      "x.yaml:4:13: config.b: found an integer 3, allowed: a list of values, or {from: 1, count: "
      "3}\n"
      "x.yaml:5:13: config.c.count: found no such key, required: an integer from 1 to 10000000\n"
      "x.yaml:5:23: config.c.cuont: found an unknown key, allowed: from, count; did you mean "
      "'count'?\n"
      "x.yaml:6:30: config.d.count: found an integer 0, allowed: an integer from 1 to 10000000\n"
      "x.yaml:7:9: seed: found 2 integers from 18446744073709551615, allowed: up to "
      "18446744073709551615\n"
      "x.yaml:8:3: sweep.heads: found a key that cannot sweep, allowed: seed, config.FIELD; did "
      "you mean 'config.heads'?\n"
      "x.yaml:9:3: sweep['confg.heads']: found a key that cannot sweep, allowed: seed, "
      "config.FIELD; did you mean 'config.heads'?\n"
      "x.yaml:10:3: sweep.config: found a key that cannot sweep, allowed: seed, config.FIELD\n"
      "x.yaml:11:3: sweep['config.words[0]']: found a key that cannot sweep, allowed: seed, "
      "config.FIELD\n"
      "x.yaml:12:3: sweep.sead: found a key that cannot sweep, allowed: seed, config.FIELD; did "
      "you mean 'seed'?");
}

TEST_F(SpecTest, ReportsZipsThatAreNotWrittenWell) {
  EXPECT_EQ(
      error_of("experiment: toy\n"
               "sweep:\n"
               "  zip:\n"
               "    a: {config.a: [1, 2], config.b: [1, 2, 3]}\n"
               "    b: {config.c: [1, 2]}\n"
               "    c: [1]\n"
               "    seed: {config.d: [1], config.e: [2]}\n"
               "    d: {config.f: [1], g: [2]}\n"),
      "x.yaml:4:37: config.b: found 3 values, allowed: 2, as many as 'config.a' has\n"
      "x.yaml:5:5: sweep.zip.b: found a map of 1, allowed: a map of two or more keys to lists of "
      "one length\n"
      "x.yaml:6:5: sweep.zip.c: found a list, allowed: a map of two or more keys to lists of one "
      "length\n"
      "x.yaml:7:5: sweep.zip.seed: found a name that no axis can have, allowed: letters, digits, "
      "'-' and '_', but not seed or config\n"
      "x.yaml:8:24: sweep.zip.d.g: found a key that cannot sweep, allowed: seed, config.FIELD; "
      "did you mean 'config.g'?");
  EXPECT_EQ(
      error_of("experiment: toy\nsweep: {zip: 3}\n"),
      "x.yaml:2:14: sweep.zip: found an integer 3, allowed: a map of names to maps of keys to "
      "lists");
}

TEST_F(SpecTest, ReportsKeysAndPointsThatAreThereTwice) {
  EXPECT_EQ(
      error_of("experiment: toy\n"
               "sweep:\n"
               "  seed: [3, 1, 3]\n"
               "  config.a: [1, 1.0, x]\n"
               "  config.model: [{heads: 1}]\n"
               "  config.model.heads: [1, 2]\n"
               "  zip:\n"
               "    z: {config.a: [1, 2, 1], config.b: [1, 2, 1]}\n"),
      "x.yaml:3:16: seed: found 3 as point 1 and again as point 3, allowed: each value once\n"
      "x.yaml:4:17: config.a: found 1.0 as point 1 and again as point 2, allowed: each value once\n"
      "x.yaml:6:3: config.model.heads: found beside 'config.model' of another axis (x.yaml:5:3), "
      "allowed: keys that do not hold each other\n"
      "x.yaml:8:9: config.a: found on two axes, allowed: one; the other is at x.yaml:4:3\n"
      "x.yaml:8:26: z: found config.a=1 config.b=1 as point 1 and again as point 3, allowed: each "
      "value once");
}

TEST_F(SpecTest, ReportsSeedsThatAreNone) {
  EXPECT_EQ(
      error_of("experiment: toy\nsweep: {seed: [1, x, -2, 18446744073709551616]}\n"),
      "x.yaml:2:19: seed: found a text 'x', allowed: an integer of at least 0\n"
      "x.yaml:2:22: seed: found an integer -2, allowed: an integer from 0 to 18446744073709551615\n"
      "x.yaml:2:26: seed: found an integer 18446744073709551616, allowed: an integer from 0 to "
      "18446744073709551615");
}

TEST_F(SpecTest, OverridesValuesAndCreatesMissingMaps) {
  const Spec spec = read("experiment: toy\nconfig:\n  words: [{point: [1, 2]}]\n",
                         {"config.words[0].point=[3]", "config.model.heads=8", "seed=7",
                          "config['a.b']=x", "config.words[0].text='it''s'"});
  EXPECT_TRUE(spec.diagnostics.empty());
  EXPECT_EQ(spec.seed, 7U);
  EXPECT_EQ(to_yaml(spec.config),
            "words:\n  - point: [3]\n    text: 'it''s'\nmodel:\n  heads: 8\na.b: x\n");
  EXPECT_EQ(spec.config.find("model")->find("heads")->origin.to_string(),
            "command line: config.model.heads=8");
}

TEST_F(SpecTest, AppliesOverridesFromLeftToRight) {
  const Spec spec = read("experiment: toy\n", {"config={a: 1}", "config.a=2", "config.a=3"});
  EXPECT_EQ(to_yaml(spec.config), "a: 3\n");
}

TEST_F(SpecTest, ReportsOverridesThatAreNone) {
  EXPECT_EQ(override_error("steps"),
            "command line: steps: found no '=', allowed: KEY=VALUE, as in seed=7");
  EXPECT_EQ(override_error("experiment=x"),
            "command line: experiment=x: experiment: found a key that only the file sets, allowed: "
            "seed, config.FIELD");
  EXPECT_EQ(
      override_error("sweep.seed=[1]"),
      "command line: sweep.seed=[1]: sweep.seed: found a key that only the file sets, allowed: "
      "seed, config.FIELD; a sweep is given by --sweep KEY=[…]");
  EXPECT_EQ(
      override_error("steps=5"),
      "command line: steps=5: steps: found an unknown key, allowed: seed, config.FIELD; did you "
      "mean 'config.steps'?");
  EXPECT_EQ(
      override_error("sede=5"),
      "command line: sede=5: sede: found an unknown key, allowed: seed, config.FIELD; did you "
      "mean 'seed'?");
  EXPECT_EQ(override_error("config..a=5"),
            "command line: config..a=5: config..a: found no such kind of key, allowed: seed, "
            "config.FIELD");
  EXPECT_EQ(override_error("config.rate.x=5"),
            "command line: config.rate.x=5: config.rate.x: found a number 0.5 above the key 'x', "
            "allowed: a map");
  EXPECT_EQ(
      override_error("config.words[1]=5"),
      "command line: config.words[1]=5: config.words[1]: found a list of 1 in the file, allowed: "
      "a list with an item 1");
  EXPECT_EQ(
      override_error("config.other[0]=5"),
      "command line: config.other[0]=5: config.other[0]: found nothing in the file, allowed: a "
      "list with an item 0");
  EXPECT_EQ(override_error("config.rate=[1"),
            "command line: config.rate=[1: found no ']' that closes this '['");
  EXPECT_EQ(override_error("seed=x"),
            "command line: seed=x: seed: found a text 'x', allowed: an integer of at least 0");
}

TEST_F(SpecTest, OverridesOfSweptKeysTakeThePlaceOfTheirAxis) {
  const std::string text =
      "experiment: toy\nsweep:\n  config.a: [1, 2]\n  seed: [1, 2]\n  zip: {z: {config.b: [1, 2], "
      "config.c: [3, 4]}}\n";
  const Spec spec = read(text, {"config.a=[7, 8, 9]", "seed=5", "config.c=[5, 6]"});
  EXPECT_TRUE(spec.diagnostics.empty());
  ASSERT_EQ(spec.axes.size(), 2U);
  EXPECT_EQ(line(spec.axes[0]), "config.a: 7 8 9");
  EXPECT_EQ(line(spec.axes[1]), "z: 1 5 2 6");
  EXPECT_EQ(spec.seed, 5U);
  EXPECT_EQ(
      error_of(text, {"config.b=1"}),
      "command line: config.b=1: config.b: found one value for a key of the zip 'z', allowed: a "
      "list of 2");
  EXPECT_EQ(
      error_of(text, {"config.b=[1, 2, 3]"}),
      "command line: config.b=[1, 2, 3]: config.b: found 3 values, allowed: 2, as many as the zip "
      "'z' has");
}

TEST_F(SpecTest, SweepsFromTheCommandLine) {
  const Spec spec = read("experiment: toy\nsweep:\n  config.a: [1, 2]\n", {},
                         {"seed={from: 1, count: 2}", "config.a=[3]"});
  EXPECT_TRUE(spec.diagnostics.empty());
  ASSERT_EQ(spec.axes.size(), 2U);
  EXPECT_EQ(line(spec.axes[0]), "config.a: 3");
  EXPECT_EQ(line(spec.axes[1]), "seed: 1 2");
  EXPECT_EQ(error_of("experiment: toy\n", {}, {"heads=[1]", "seed=3"}),
            "command line: --sweep heads=[1]: heads: found a key that cannot sweep, allowed: seed, "
            "config.FIELD; did you mean 'config.heads'?\n"
            "command line: --sweep seed=3: seed: found an integer 3, allowed: a list of values, or "
            "{from: 1, count: 3}");
}

TEST_F(SpecTest, TakesAnyTextInSingleQuotesAsAnOverride) {
  const std::vector<std::string> letters{"a", " ", "'",  "\"",   "\\", "|",          "%",
                                         "@", "&", "=",  "\n",   "\t", "{",          "]",
                                         ",", "#", ": ", "\x01", "ñ",  "\U0001F989", "\u2028"};
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    std::string quoted;
    for (std::size_t left = random() % 10; left > 0; --left) {
      const std::string& letter = letters[random() % letters.size()];
      text += letter;
      quoted += letter == "'" ? "''" : letter;
    }
    const Spec spec = read("experiment: toy\n", {"config.x='" + quoted + "'"});
    ASSERT_TRUE(spec.diagnostics.empty()) << quoted;
    ASSERT_EQ(*spec.config.find("x"), Value::string(text)) << quoted;
  }
}

}  // namespace
}  // namespace refran::runner
