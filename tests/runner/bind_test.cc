// How a config is resolved against declared fields, and what is said of what does not fit.
#include "bind.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <refran/config.h>
#include "config_error.h"
#include "resolve_as.h"
#include "word.h"
#include "yaml.h"

namespace refran::runner {
namespace {

struct BoundModel {
  std::int32_t heads = 4;
  bool bias = false;
  void describe(Fields& field) {
    field("heads", heads, "Heads").range(1, 16);
    field("bias", bias, "Add a bias");
  }
};

struct BoundConfig {
  std::vector<Word> words;
  OneOrList<double> rate = 0.5;
  std::string scoring = "dot";
  std::optional<std::uint32_t> threads;
  std::filesystem::path vectors;
  Map<std::vector<double>> points;
  BoundModel model;
  std::int64_t steps = 10;

  void describe(Fields& field) {
    field("words", words, "The sentence").required().items(1);
    field("rate", rate, "Share").range(0, 1);
    field("scoring", scoring, "Scores").one_of({"dot", "scaled-dot"});
    field("threads", threads, "Threads");
    field("vectors", vectors, "Vectors").existing_file();
    field("points", points, "Points").above(-10);
    field("model", model, "The model");
    field("steps", steps, "Steps").at_least(1);
  }
};

Value resolved(const std::string& yaml) { return resolve_as<BoundConfig>(yaml); }

std::string error_of(const std::string& yaml) {
  return config_error([&] { resolved(yaml); });
}

// The error of one line added to a config that is fine.
std::string error_of_line(const std::string& line) {
  return error_of("  words: [{text: tía}]\n  " + line + "\n");
}

struct OneText {
  std::string text = "x";
  void describe(Fields& field) { field("text", text, "A text"); }
};

TEST(BindTest, SpellsOutDefaultsInTheOrderOfTheDeclaration) {
  Value expected = parse_yaml(
      "words:\n"
      "  - text: tía\n"
      "    point: [1.0, 0.0]\n"
      "rate: 1.0\n"
      "scoring: dot\n"
      "threads: auto\n"
      "vectors: ''\n"
      "points: {}\n"
      "model:\n"
      "  heads: 2\n"
      "  bias: false\n"
      "steps: 10\n",
      "expected");
  EXPECT_EQ(to_yaml(resolve_as<BoundConfig>(
                "  model: {heads: 2}\n  rate: 1\n  words:\n    - point: [1, 0]\n"
                "      text: tía\n")),
            to_yaml(expected));
}

TEST(BindTest, ResolvesAResolvedConfigToItself) {
  const Value once =
      resolved("  words: [{text: a, point: [.5, 1e-3]}]\n  rate: [0, 1]\n  threads: 3\n");
  Diagnostics diagnostics;
  EXPECT_EQ(resolve(fields_of<BoundConfig>(), once, "config", "/", diagnostics), once);
  EXPECT_TRUE(diagnostics.empty());
}

TEST(BindTest, GivesEqualConfigsEqualTexts) {
  EXPECT_EQ(resolved("  words: [{text: a, point: [1, 0.50]}]\n  rate: 1\n"),
            resolved("  rate: 1.0\n  words: [{point: [1.0, 5e-1], text: 'a'}]\n  steps: 10\n"));
}

TEST(BindTest, ReportsEveryProblemInTheOrderOfTheFile) {
  EXPECT_EQ(
      error_of("  stpes: 5\n"
               "  words:\n"
               "    - {text: 7, point: [1, x]}\n"
               "    - {point: [1, 2]}\n"
               "  model: {heads: 1.0, depth: 2}\n"
               "  rate: [0.5, 2]\n"),
      "x.yaml:2:3: config.stpes: found an unknown key, allowed: words, rate, scoring, threads, "
      "vectors, points, model, steps; did you mean 'steps'?\n"
      "x.yaml:4:14: config.words[0].text: found an integer 7, allowed: a text; write '7' in "
      "quotes\n"
      "x.yaml:4:28: config.words[0].point[1]: found a text 'x', allowed: a number\n"
      "x.yaml:5:7: config.words[1].text: found no such key, required: a text\n"
      "x.yaml:6:18: config.model.heads: found a number 1.0, allowed: an integer from 1 to 16; "
      "write 1\n"
      "x.yaml:6:23: config.model.depth: found an unknown key, allowed: heads, bias\n"
      "x.yaml:7:15: config.rate[1]: found an integer 2, allowed: a number from 0 to 1");
}

TEST(BindTest, ReportsAMissingKeyWhereItsBlockIs) {
  EXPECT_EQ(
      error_of("  rate: 1\n"),
      "x.yaml:2:3: config.words: found no such key, required: a list of maps with the keys text, "
      "point (at least 1)");
  EXPECT_EQ(
      error_of(""),
      "x.yaml:1:1: config.words: found no such key, required: a list of maps with the keys text, "
      "point (at least 1)");
}

TEST(BindTest, ReportsWhatIsNoMap) {
  EXPECT_EQ(config_error([] {
              Diagnostics diagnostics;
              const Value root = parse_yaml("config: [1]", "x.yaml");
              resolve(fields_of<BoundModel>(), *root.find("config"), "config", "/", diagnostics);
              diagnostics.throw_if_any();
            }),
            "x.yaml:1:9: config: found a list, allowed: a map with the keys heads, bias");
  EXPECT_EQ(
      error_of_line("model: 3"),
      "x.yaml:3:10: config.model: found an integer 3, allowed: a map with the keys heads, bias");
}

TEST(BindTest, TakesAnEmptyBlockForItsDefaults) {
  EXPECT_EQ(resolved("  words: [{text: a}]\n  model:\n").find("model")->find("heads")->text, "4");
}

TEST(BindTest, ReportsNumbersThatOtherReadersWouldTakeForOthers) {
  EXPECT_EQ(
      error_of_line("steps: 010"),
      "x.yaml:3:10: config.steps: found a text '010', allowed: an integer of at least 1; it looks "
      "octal: write 10, or 8 if octal was meant");
  EXPECT_EQ(
      error_of_line("steps: 007"),
      "x.yaml:3:10: config.steps: found a text '007', allowed: an integer of at least 1; write 7 "
      "without leading zeros");
  EXPECT_EQ(error_of_line("steps: 0x1F"),
            "x.yaml:3:10: config.steps: found a text '0x1F', allowed: an integer of at least 1; "
            "write 31");
  EXPECT_EQ(error_of_line("steps: 0o17"),
            "x.yaml:3:10: config.steps: found a text '0o17', allowed: an integer of at least 1; "
            "write 15");
  EXPECT_EQ(
      error_of_line("steps: 1_000"),
      "x.yaml:3:10: config.steps: found a text '1_000', allowed: an integer of at least 1; write "
      "1000");
  EXPECT_EQ(
      error_of_line("steps: +5"),
      "x.yaml:3:10: config.steps: found a text '+5', allowed: an integer of at least 1; write 5");
  EXPECT_EQ(
      error_of_line("steps: '5'"),
      "x.yaml:3:10: config.steps: found a text '5', allowed: an integer of at least 1; write 5 "
      "without quotes");
  EXPECT_EQ(
      error_of_line("rate: 0,5"),
      "x.yaml:3:9: config.rate: found a text '0,5', allowed: a number from 0 to 1; write 0.5");
}

TEST(BindTest, ChecksTheRangeOfIntegersByTypeAndRule) {
  EXPECT_EQ(
      error_of_line("model: {heads: 99999999999}"),
      "x.yaml:3:18: config.model.heads: found an integer 99999999999, allowed: an integer from "
      "-2147483648 to 2147483647");
  EXPECT_EQ(
      error_of_line("model: {heads: 17}"),
      "x.yaml:3:18: config.model.heads: found an integer 17, allowed: an integer from 1 to 16");
  EXPECT_EQ(
      error_of_line("threads: -1"),
      "x.yaml:3:12: config.threads: found an integer -1, allowed: an integer from 0 to 4294967295");
  EXPECT_EQ(
      error_of_line("steps: 9223372036854775808"),
      "x.yaml:3:10: config.steps: found an integer 9223372036854775808, allowed: an integer from "
      "-9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(
      error_of_line("steps: 99999999999999999999"),
      "x.yaml:3:10: config.steps: found an integer 99999999999999999999, allowed: an integer from "
      "-9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(resolved("  words: [{text: a}]\n  steps: 9223372036854775807\n").find("steps")->text,
            "9223372036854775807");
}

TEST(BindTest, RefusesNanInfinityAndWhatNoDoubleHolds) {
  EXPECT_EQ(
      error_of_line("rate: .nan"),
      "x.yaml:3:9: config.rate: found a number .nan, allowed: a number from 0 to 1, not NaN or "
      "infinity");
  EXPECT_EQ(
      error_of_line("points: {a: [1, -.inf]}"),
      "x.yaml:3:19: config.points.a[1]: found a number -.inf, allowed: a number above -10, not "
      "NaN or infinity");
  EXPECT_EQ(
      error_of_line("rate: 1e999"),
      "x.yaml:3:9: config.rate: found a number 1e999, allowed: a number that 64 bits can hold");
}

TEST(BindTest, AppliesRangesToEveryNumberInside) {
  EXPECT_EQ(
      error_of_line("points: {tía: [1, -10], 'ao pé': [-11]}"),
      "x.yaml:3:21: config.points.tía[1]: found an integer -10, allowed: a number above -10\n"
      "x.yaml:3:37: config.points['ao pé'][0]: found an integer -11, allowed: a number above -10");
}

TEST(BindTest, ReportsWrongKindsOfEverything) {
  EXPECT_EQ(error_of_line("rate: fast"),
            "x.yaml:3:9: config.rate: found a text 'fast', allowed: a number from 0 to 1");
  EXPECT_EQ(error_of_line("rate:"),
            "x.yaml:3:3: config.rate: found nothing, allowed: a number from 0 to 1, or a list of "
            "numbers from 0 to 1");
  EXPECT_EQ(
      error_of_line("rate: {a: 1}"),
      "x.yaml:3:9: config.rate: found a map, allowed: a number from 0 to 1, or a list of numbers "
      "from 0 to 1");
  EXPECT_EQ(
      error_of_line("points: [1]"),
      "x.yaml:3:11: config.points: found a list, allowed: a map of lists of numbers above -10");
  EXPECT_EQ(
      error_of_line("points: {a: 1}"),
      "x.yaml:3:15: config.points.a: found an integer 1, allowed: a list of numbers above -10");
  EXPECT_EQ(
      error_of_line("model: {bias: yes}"),
      "x.yaml:3:17: config.model.bias: found a text 'yes', allowed: true or false; write true");
  EXPECT_EQ(
      error_of_line("model: {bias: 0}"),
      "x.yaml:3:17: config.model.bias: found an integer 0, allowed: true or false; write false");
  EXPECT_EQ(
      error_of_line("vectors: 5"),
      "x.yaml:3:12: config.vectors: found an integer 5, allowed: an existing file; write '5' in "
      "quotes");
  EXPECT_EQ(error_of_line("threads: four"),
            "x.yaml:3:12: config.threads: found a text 'four', allowed: an integer, or auto");
  EXPECT_EQ(
      error_of("  words: tía\n"),
      "x.yaml:2:10: config.words: found a text 'tía', allowed: a list of maps with the keys text, "
      "point (at least 1)");
  EXPECT_EQ(
      error_of("  words: [tía]\n"),
      "x.yaml:2:11: config.words[0]: found a text 'tía', allowed: a map with the keys text, point");
}

TEST(BindTest, TextsHaveToBeQuotedWhereTheyLookLikeSomethingElse) {
  const auto error = [](const std::string& spelling) {
    return config_error([&] { resolve_as<OneText>("  text: " + spelling); });
  };
  EXPECT_EQ(error("5"),
            "x.yaml:2:9: config.text: found an integer 5, allowed: a text; write '5' in quotes");
  EXPECT_EQ(error("1e5"),
            "x.yaml:2:9: config.text: found a number 1e5, allowed: a text; write '1e5' in quotes");
  EXPECT_EQ(
      error("true"),
      "x.yaml:2:9: config.text: found a boolean true, allowed: a text; write 'true' in quotes");
  EXPECT_EQ(error("~"), "x.yaml:2:3: config.text: found nothing, allowed: a text");
  EXPECT_EQ(resolve_as<OneText>("  text: '5'").find("text")->text, "5");
  EXPECT_EQ(resolve_as<OneText>("  text: 010").find("text")->text, "010");
}

TEST(BindTest, ReportsChoicesWithTheNearest) {
  EXPECT_EQ(
      error_of_line("scoring: dto"),
      "x.yaml:3:12: config.scoring: found a text 'dto', allowed: dot or scaled-dot; did you mean "
      "'dot'?");
  EXPECT_EQ(error_of_line("scoring: cosine"),
            "x.yaml:3:12: config.scoring: found a text 'cosine', allowed: dot or scaled-dot");
}

TEST(BindTest, ReportsTheNumberOfItems) {
  EXPECT_EQ(
      error_of("  words: []\n"),
      "x.yaml:2:10: config.words: found a list of 0, allowed: a list of maps with the keys text, "
      "point (at least 1)");
  EXPECT_EQ(error_of("  words: [{text: a, point: [1, 2, 3]}]\n"),
            "x.yaml:2:28: config.words[0].point: found a list of 3, allowed: a list of numbers "
            "(exactly 2)");
}

TEST(BindTest, ListsTheFirstTwelveKeysOfABlockThatHasMore) {
  std::vector<Field> fields;
  for (int i = 1; i <= 14; ++i) {
    Field field;
    field.name = "key_" + std::to_string(i);
    field.default_value = Value::string("");
    fields.push_back(field);
  }
  Diagnostics diagnostics;
  resolve(fields, parse_yaml("key_41: x", "x.yaml"), "config", "/", diagnostics);
  EXPECT_EQ(config_error([&] { diagnostics.throw_if_any(); }),
            "x.yaml:1:1: config.key_41: found an unknown key, allowed: key_1, key_2, key_3, key_4, "
            "key_5, key_6, key_7, key_8, key_9, key_10, key_11, key_12 and 2 more; did you mean "
            "'key_1'?");
}

// A typo must never be taken for something that is not there.
TEST(BindTest, RefusesEveryConfigWithOneWrongLetterInAKey) {
  const std::string text =
      "  words:\n    - text: a\n      point: [1, 2]\n  rate: 1\n  scoring: dot\n  threads: auto\n"
      "  model:\n    heads: 2\n    bias: true\n  steps: 3\n";
  EXPECT_NO_THROW(resolved(text));
  int mutations = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t colon = text.find(':', i);
    const bool is_in_key =
        text[i] >= 'a' && text[i] <= 'z' && colon != std::string::npos &&
        text.substr(i, colon - i).find_first_not_of("abcdefghijklmnopqrstuvwxyz") ==
            std::string::npos;
    if (!is_in_key) continue;
    for (const std::string letter : {"q", "", "_"}) {
      std::string mutated = text;
      mutated.replace(i, 1, letter);
      EXPECT_THROW(resolved(mutated), ConfigError) << mutated;
      ++mutations;
    }
  }
  EXPECT_EQ(mutations, 3 * 51);
}

}  // namespace
}  // namespace refran::runner
