// How problems are gathered, ordered and worded.
#include "diagnostics.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "config_error.h"

namespace refran::runner {
namespace {

Origin at(int line, int column) {
  static const auto source = std::make_shared<const std::string>("x.yaml");
  return {source, line, column};
}

TEST(DiagnosticsTest, ThrowsNothingWithoutProblems) {
  const Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_NO_THROW(diagnostics.throw_if_any());
}

TEST(DiagnosticsTest, ReportsEveryProblemInTheOrderOfTheFile) {
  Diagnostics diagnostics;
  diagnostics.add(at(9, 2), "config.rate", "third");
  diagnostics.add({std::make_shared<const std::string>("command line: seed=x"), 0, 0}, "seed",
                  "last");
  diagnostics.add(at(2, 10), "seed", "second");
  diagnostics.add(at(2, 9), "", "first");
  EXPECT_EQ(diagnostics.size(), 4U);
  EXPECT_EQ(config_error([&] { diagnostics.throw_if_any(); }),
            "x.yaml:2:9: first\n"
            "x.yaml:2:10: seed: second\n"
            "x.yaml:9:2: config.rate: third\n"
            "command line: seed=x: seed: last");
}

TEST(DiagnosticsTest, ReportsTheSameProblemOnce) {
  Diagnostics diagnostics;
  Diagnostics others;
  diagnostics.add(at(1, 1), "seed", "wrong");
  diagnostics.add(at(1, 1), "seed", "wrong");
  others.add(at(1, 1), "seed", "wrong");
  others.add(at(1, 1), "seed", "bad");
  diagnostics.add(others);
  EXPECT_EQ(config_error([&] { diagnostics.throw_if_any(); }),
            "x.yaml:1:1: seed: wrong\nx.yaml:1:1: seed: bad");
}

TEST(SuggestionTest, FindsAMissingAnExtraAWrongAndTwoSwappedLetters) {
  for (const char* word : {"lerning_rate", "learningg_rate", "learninf_rate", "laerning_rate",
                           "LEARNING_RATE", "learningrate"}) {
    EXPECT_EQ(suggestion(word, {"steps", "learning_rate"}), "; did you mean 'learning_rate'?")
        << word;
  }
}

TEST(SuggestionTest, PrefersTheNearest) {
  EXPECT_EQ(suggestion("heads", {"head", "heade", "hands"}), "; did you mean 'head'?");
  EXPECT_EQ(suggestion("dto", {"scaled-dot", "dots", "dot"}), "; did you mean 'dot'?");
}

TEST(SuggestionTest, KeepsQuietWhereNothingIsNear) {
  EXPECT_EQ(suggestion("rate", {"steps", "words"}), "");
  EXPECT_EQ(suggestion("x", {"y"}), "");  // a word of one letter resembles every other
  EXPECT_EQ(suggestion("ab", {"cd"}), "");
  EXPECT_EQ(suggestion("", {"ab"}), "");
}

TEST(SuggestionTest, CountsCharactersRatherThanBytes) {
  EXPECT_EQ(suggestion("tia", {"tía"}), "; did you mean 'tía'?");
}

TEST(FoundTest, NamesTheKindAndTheSpelling) {
  EXPECT_EQ(found({}), "nothing");
  EXPECT_EQ(found(Value::boolean(true)), "a boolean true");
  EXPECT_EQ(found(Value::integer(std::int64_t{-3})), "an integer -3");
  EXPECT_EQ(found(Value::real(0.5)), "a number 0.5");
  EXPECT_EQ(found(Value::string("dto")), "a text 'dto'");
  EXPECT_EQ(found(Value::list()), "a list");
  EXPECT_EQ(found(Value::map()), "a map");
}

TEST(FoundTest, KeepsTextsShortAndOnOneLine) {
  EXPECT_EQ(found(Value::string("a\nb\tc\x01")), "a text 'a\\nb\\tc\\x01'");
  std::string cut = "a text '";
  for (int i = 0; i < 60; ++i) cut += "ñ";
  std::string text;
  for (int i = 0; i < 61; ++i) text += "ñ";
  EXPECT_EQ(found(Value::string(text)), cut + "…'");
}

}  // namespace
}  // namespace refran::runner
