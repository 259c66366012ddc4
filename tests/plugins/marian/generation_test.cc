// Greedy and beam search against `generate` of transformers, and native Marian's search against one
// written in NumPy.
#include <gmock/gmock.h>
#include <marian/generation.h>

#include "reference.h"

namespace refran::marian {
namespace {

class GenerationTest : public testing::TestWithParam<std::string> {
 protected:
  Reference reference_{GetParam()};
  Team team_{2};

  Translation translate_one(std::size_t index, const Decoding& decoding, const Keep& keep = {}) {
    const std::vector<Ids> sources = {reference_.source(index)};
    return translate(reference_.model, sources, decoding, {}, {keep, 2}, team_).front();
  }
};

TEST_P(GenerationTest, ChoosesTheTokensOfTransformersAndScoresThem) {
  std::size_t index = 0;
  for (const nlohmann::json& said : reference_.said["translations"]) {
    SCOPED_TRACE("translation " + std::to_string(index++) + " " + said["options"].dump());
    const Translation found = translate_one(said["case"], decoding_of(said["options"]));
    EXPECT_EQ(found.predicted, said["predicted_ids"].get<Ids>());
    EXPECT_NEAR(found.score, said["score"].get<double>(), kClose);
    EXPECT_EQ(found.ended, said["ended"].get<bool>());
    EXPECT_EQ(found.ties, 0U);
  }
  EXPECT_GT(index, 0U);
}

TEST_P(GenerationTest, TranslatesAndForcesNothingWhereThereIsNothing) {
  const Decoding decoding = decoding_of(reference_.said["translations"][0]["options"]);
  EXPECT_TRUE(translate(reference_.model, {}, decoding, {}, {}, team_).empty());
  EXPECT_TRUE(force(reference_.model, {}, {}, {}, {}, team_).empty());
}

TEST_P(GenerationTest, KeepsTheAttentionOfTheHypothesisThatWon) {
  std::size_t compared = 0;
  for (std::size_t index = 0; index < reference_.said["translations"].size(); ++index) {
    const nlohmann::json& said = reference_.said["translations"][index];
    const std::string prefix = "translation" + std::to_string(index) + ".";
    const Translation found = translate_one(said["case"], decoding_of(said["options"]));
    for (const std::string name : said["tensors"]) {
      const AttentionRecord& record = name == "cross_attention" ? found.cross : found.decoder_self;
      const std::vector<float> kept = reference_.tensor(prefix + name);
      EXPECT_LE(largest_difference(record.weight.values(), kept), kClose) << prefix << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 0U);
}

TEST_P(GenerationTest, ABatchGivesTheBytesOfItsSentencesAlone) {
  for (const nlohmann::json& said : reference_.said["batches"]) {
    const Decoding decoding = decoding_of(said["options"]);
    std::vector<Ids> sources;
    for (const std::size_t index : said["cases"]) sources.push_back(reference_.source(index));
    const std::vector<Translation> found =
        translate(reference_.model, sources, decoding, {}, {}, team_);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      EXPECT_EQ(found[i].predicted, said["predicted_ids"][i].get<Ids>());
      EXPECT_NEAR(found[i].score, said["scores"][i].get<double>(), kClose);
      const Translation alone = translate_one(said["cases"][i], decoding);
      EXPECT_EQ(found[i].predicted, alone.predicted);
      EXPECT_EQ(found[i].score, alone.score);
      EXPECT_TRUE(
          same_bytes(found[i].encoder_self.weight.values(), alone.encoder_self.weight.values()));
      EXPECT_TRUE(same_bytes(found[i].cross.weight.values(), alone.cross.weight.values()));
      EXPECT_TRUE(
          same_bytes(found[i].decoder_self.weight.values(), alone.decoder_self.weight.values()));
    }
  }
}

TEST_P(GenerationTest, ReadingTheTranslationAtOnceGivesTheBytesOfTheSearch) {
  const Keep all{
      .attention = true, .values = true, .head_outputs = true, .residual = true, .norms = true};
  for (const nlohmann::json& said : reference_.said["translations"]) {
    const Translation found = translate_one(said["case"], decoding_of(said["options"]));
    const std::vector<Ids> sources = {reference_.source(said["case"])};
    const std::vector<Ids> targets = {found.predicted};
    const Translation forced =
        force(reference_.model, sources, targets, {}, {all, 2}, team_).front();
    EXPECT_TRUE(same_bytes(found.log_probability, forced.log_probability));
    EXPECT_TRUE(same_bytes(found.runner_up.values(), forced.runner_up.values()));
    EXPECT_TRUE(same_bytes(found.runner_up_log_probability.values(),
                           forced.runner_up_log_probability.values()));
    EXPECT_TRUE(same_bytes(found.cross.weight.values(), forced.cross.weight.values()));
    EXPECT_TRUE(
        same_bytes(found.decoder_self.weight.values(), forced.decoder_self.weight.values()));
    EXPECT_TRUE(
        same_bytes(found.encoder_self.weight.values(), forced.encoder_self.weight.values()));
  }
}

TEST_P(GenerationTest, KeepingNothingChangesNoByteOfTheTranslation) {
  for (const nlohmann::json& said : reference_.said["translations"]) {
    const Decoding decoding = decoding_of(said["options"]);
    const Translation kept = translate_one(said["case"], decoding);
    const Translation bare = translate_one(said["case"], decoding, {.attention = false});
    EXPECT_EQ(kept.predicted, bare.predicted);
    EXPECT_EQ(kept.score, bare.score);
    EXPECT_TRUE(same_bytes(kept.log_probability, bare.log_probability));
    EXPECT_EQ(bare.cross.weight.values().size(), 0U);
  }
}

TEST_P(GenerationTest, RunnersUpAreTheLikeliestOfTheOthers) {
  const Decoding decoding = decoding_of(reference_.said["translations"][0]["options"]);
  const Translation found = translate_one(reference_.said["translations"][0]["case"], decoding);
  const auto [steps, ranks] = found.runner_up.extents();
  ASSERT_EQ(ranks, 2U);
  for (std::size_t step = 0; step < steps; ++step) {
    EXPECT_NE(found.runner_up(step, 0), found.predicted[step]);
    EXPECT_NE(found.runner_up(step, 1), found.predicted[step]);
    EXPECT_GE(found.runner_up_log_probability(step, 0), found.runner_up_log_probability(step, 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GenerationTest, testing::ValuesIn(fixture_models()),
                         name_of_model);

class NativeSearchTest : public testing::TestWithParam<std::string> {};

TEST_P(NativeSearchTest, FindsWhatAnIndependentSearchFinds) {
  const Reference reference(GetParam());
  Team team(1);
  ASSERT_FALSE(reference.said["native_translations"].empty());
  for (const nlohmann::json& said : reference.said["native_translations"]) {
    SCOPED_TRACE(said.dump());
    Decoding decoding = reference.folder.decoding;
    decoding.beam_size = said["options"]["beam_size"];
    decoding.length_penalty = said["options"]["length_penalty"];
    decoding.word_penalty = said["options"]["word_penalty"];
    decoding.max_length_factor = said["options"]["max_length_factor"];
    const std::vector<Ids> sources = {reference.source(said["case"])};
    const Translation found = translate(reference.model, sources, decoding, {}, {}, team).front();
    EXPECT_EQ(found.predicted, said["predicted_ids"].get<Ids>());
    EXPECT_NEAR(found.score, said["score"].get<double>(), kClose);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, NativeSearchTest, testing::Values("native", "native_separate"),
                         name_of_model);

}  // namespace
}  // namespace refran::marian
