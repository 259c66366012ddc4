// What greedy-decoder refuses.
#include <string>
#include <vector>

#include <greedy_decoder/config.h>
#include <gtest/gtest.h>

namespace refran::greedy_decoder {
namespace {

using Texts = std::vector<std::string>;

Config small_config() {
  Config config;
  config.inputs = {"tía", "tío"};
  config.encoder.points = {{"tía", {0, 3}}, {"tío", {0, -3}}};
  config.vocabulary = {
      {"aunt", {0, 3}, {-2, -2}}, {"uncle", {0, -3}, {-1, 0}}, {"</s>", {-2, -3}, {}}};
  return config;
}

Texts problems_of(const Config& config) {
  Problems problems;
  config.check(problems);
  Texts texts;
  for (const auto& [field, problem] : problems.problems()) texts.push_back(field + ": " + problem);
  return texts;
}

TEST(GreedyDecoderConfigTest, AcceptsAVocabularyThatFits) {
  EXPECT_EQ(problems_of(small_config()), Texts{});
  const arithmetic::Vocabulary vocabulary = small_config().candidates();
  EXPECT_EQ(vocabulary.words, (Texts{"aunt", "uncle", "</s>"}));
  EXPECT_EQ(vocabulary.end, 2U);
  EXPECT_EQ(vocabulary.step(0, 1), -2);
  EXPECT_EQ(vocabulary.step(2, 0), 0);
}

TEST(GreedyDecoderConfigTest, RefusesAnInputWithoutWordsOrPoints) {
  Config config = small_config();
  config.inputs = {"tía", "", "a tía"};
  EXPECT_EQ(problems_of(config),
            (Texts{"inputs[1]: found no words in '', allowed: a sentence of at least one",
                   "inputs[2]: found words without a point ('a'), allowed: words listed in "
                   "'encoder.points'"}));
}

TEST(GreedyDecoderConfigTest, RefusesVectorsOfAnotherDimension) {
  Config config = small_config();
  config.vocabulary[0].embedding = {1, 2, 3};
  config.vocabulary[1].step = {};
  EXPECT_EQ(
      problems_of(config),
      (Texts{"vocabulary[0].embedding: found 3 numbers for 'aunt', allowed: 2, as in the points "
             "of the Galician words",
             "vocabulary[1].step: found 0 numbers for 'uncle', allowed: 2, as in the points of "
             "the Galician words"}));
}

TEST(GreedyDecoderConfigTest, RefusesAWordTwice) {
  Config config = small_config();
  config.vocabulary[1].word = "aunt";
  EXPECT_EQ(problems_of(config),
            Texts{"vocabulary[1].word: found 'aunt' a second time, allowed: every word once"});
}

TEST(GreedyDecoderConfigTest, RefusesAVocabularyThatCannotEnd) {
  Config config = small_config();
  config.vocabulary.pop_back();
  EXPECT_EQ(problems_of(config),
            Texts{"vocabulary: found no '</s>', allowed: a vocabulary with '</s>', which ends a "
                  "sentence"});
}

TEST(GreedyDecoderConfigTest, RefusesAStepVectorBehindTheEnd) {
  Config config = small_config();
  config.vocabulary[2].step = {1, 1};
  EXPECT_EQ(
      problems_of(config),
      Texts{"vocabulary[2].step: found a step vector for '</s>', allowed: none, since nothing "
            "follows it"});
}

}  // namespace
}  // namespace refran::greedy_decoder
