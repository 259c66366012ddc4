// What referent-training refuses beyond single fields, and what it takes out of a config. How the
// texts look to a user is tested through the program.
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <referent_training/config.h>

namespace refran::referent_training {
namespace {

using referent::Sentence;
using referent::Task;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> problems_of(const Config& config) {
  Problems problems;
  config.check(problems);
  std::vector<std::string> texts;
  for (const auto& [field, text] : problems.problems()) texts.push_back(field + ": " + text);
  return texts;
}

// 12 sentences.
Config small_config() {
  Config config;
  config.nouns = {{"animal", {"dog", "cat"}}, {"place", {"street", "road"}}};
  config.adjectives = {{"animal", {"tired"}}, {"place", {"wide", "icy"}}};
  return config;
}

TEST(ReferentTrainingConfigTest, DefaultsAreThePages) {
  const Config config;
  EXPECT_THAT(problems_of(config), IsEmpty());
  const Task task = referent::make_task(config.task_spec());
  EXPECT_EQ(task.training.size(), 96U);
  const referent::TrainingSpec spec = config.training_spec(task);
  EXPECT_EQ(spec.shape.words, 20U);
  EXPECT_EQ(spec.shape.positions, 10U);
  EXPECT_EQ(spec.shape.heads, 2U);
  EXPECT_EQ(spec.shape.key_dim, 2U);
  EXPECT_TRUE(spec.shape.has_positions);
  EXPECT_EQ(spec.adam.learning_rate, 0.03);
  EXPECT_EQ(spec.precision, referent::Precision::float32);
  EXPECT_EQ(spec.attention, referent::AttentionKind::learned);
  EXPECT_EQ(config.steps, 500);
}

TEST(ReferentTrainingConfigTest, AModelIsMadeOfItsFields) {
  Config config = small_config();
  config.heads = 3;
  config.model_dim = 5;
  config.key_dim = 6;
  config.value_dim = 7;
  config.positions = false;
  config.precision = "float64";
  config.adam.weight_decay = 0.5;
  const referent::TrainingSpec spec = config.training_spec(referent::make_task(config.task_spec()));
  EXPECT_EQ(spec.shape.heads, 3U);
  EXPECT_EQ(spec.shape.model_dim, 5U);
  EXPECT_EQ(spec.shape.key_dim, 6U);
  EXPECT_EQ(spec.shape.value_dim, 7U);
  EXPECT_FALSE(spec.shape.has_positions);
  EXPECT_EQ(spec.precision, referent::Precision::float64);
  EXPECT_EQ(spec.adam.weight_decay, 0.5);
}

TEST(ReferentTrainingConfigTest, RecordedStepsAreEveryFifthAndTheLast) {
  Config config;
  config.steps = 12;
  EXPECT_THAT(config.recorded_steps(), ElementsAre(0, 5, 10, 12));
  config.steps = 10;
  EXPECT_THAT(config.recorded_steps(), ElementsAre(0, 5, 10));
  config.steps = 0;
  EXPECT_THAT(config.recorded_steps(), ElementsAre(0));
  config.steps = 10;
  config.record.steps = {3, 4};
  EXPECT_THAT(config.recorded_steps(), ElementsAre(3, 4));
}

TEST(ReferentTrainingConfigTest, RecordedSentencesAreTheFirstOfEachReferent) {
  Config config = small_config();
  const Task task = referent::make_task(config.task_spec());
  const auto texts = [&] {
    std::vector<std::string> result;
    for (const Sentence& sentence : config.recorded_sentences(task))
      result.push_back(task.text(sentence));
    return result;
  };
  EXPECT_THAT(texts(), ElementsAre("the dog didn't cross the street because it was tired",
                                   "the dog didn't cross the street because it was wide"));
  config.record.sentences = {{"cat", "road", "icy"}};
  EXPECT_THAT(texts(), ElementsAre("the cat didn't cross the road because it was icy"));
}

TEST(ReferentTrainingConfigTest, TheHoldOutControlKeepsEveryWordInTraining) {
  const Config config;
  const Task task = referent::make_task(config.task_spec());
  const Task rest = config.task_of_hold_out(task);
  EXPECT_EQ(rest.training.size() + rest.held_out.size(), 96U);
  EXPECT_EQ(rest.held_out.size(), 13U);
  std::set<std::size_t> words;
  for (const Sentence& sentence : rest.training)
    words.insert(sentence.word.begin(), sentence.word.end());
  EXPECT_EQ(words.size(), task.vocabulary.size());
}

TEST(ReferentTrainingConfigTest, RefusesAHoldOutThatLeavesAWordUntrained) {
  Config config = small_config();
  config.controls.hold_out = 1;
  EXPECT_THAT(problems_of(config),
              ElementsAre("controls.hold_out: found 1, which leaves no training sentence with "
                          "'dog' as 'animal', allowed: 0, or a number that leaves every word "
                          "some"));
  config.nouns = {{"animal", {"dog"}}, {"place", {"street"}}};
  config.controls.hold_out = 2;
  EXPECT_THAT(problems_of(config),
              ElementsAre("controls.hold_out: found 2, which leaves no training sentence with "
                          "'wide' as 'adjective', allowed: 0, or a number that leaves every word "
                          "some"));
  config.controls.hold_out = 0;
  EXPECT_THAT(problems_of(config), IsEmpty());
}

TEST(ReferentTrainingConfigTest, TheHoldOutControlIsNoMatterWhereSentencesAreHeldOut) {
  Config config = small_config();
  config.controls.hold_out = 1;
  config.held_out = {{"dog", "road", "icy"}};
  EXPECT_THAT(problems_of(config), IsEmpty());
}

TEST(ReferentTrainingConfigTest, RefusesCombinationsThatAreNotThreeWords) {
  Config config = small_config();
  config.held_out = {{"dog", "road"}, {"cat", "road", "icy"}, {}};
  config.record.sentences = {{"dog", "road", "icy", "wide"}};
  EXPECT_THAT(problems_of(config),
              ElementsAre("held_out[0]: found 2 words, allowed: 3, the first noun, the second and "
                          "the adjective",
                          "held_out[2]: found 0 words, allowed: 3, the first noun, the second and "
                          "the adjective",
                          "record.sentences[0]: found 4 words, allowed: 3, the first noun, the "
                          "second and the adjective"));
}

TEST(ReferentTrainingConfigTest, RefusesStepsToRecordThatAreNotThereOrNotInOrder) {
  Config config = small_config();
  config.steps = 20;
  config.record.steps = {-1, 4, 4, 3, 20, 21};
  EXPECT_THAT(problems_of(config),
              ElementsAre("record.steps[0]: found -1, allowed: 0 to 20, the number of steps",
                          "record.steps[2]: found 4 after 4, allowed: steps in order, each once",
                          "record.steps[3]: found 3 after 4, allowed: steps in order, each once",
                          "record.steps[5]: found 21, allowed: 0 to 20, the number of steps"));
}

TEST(ReferentTrainingConfigTest, RefusesToRecordWhatIsNotTrainedOn) {
  Config config = small_config();
  config.held_out = {{"dog", "road", "icy"}};
  config.record.sentences = {{"dog", "road", "icy"}, {"dog", "road", "wide"}, {"road", "dog", "x"}};
  EXPECT_THAT(
      problems_of(config),
      ElementsAre("record.sentences[0]: found 'dog road icy', which is no training sentence",
                  "record.sentences[2]: found 'road dog x', which is no training sentence"));
}

TEST(ReferentTrainingConfigTest, RefusesAdjectivesThatAreNotOfTheNounSlotsInOrder) {
  Config config = small_config();
  config.adjectives = {{"animal", {"tired"}}, {"street", {"wide"}}};
  EXPECT_THAT(problems_of(config), ElementsAre("adjectives: found 'street', allowed: the noun "
                                               "slots in their order, 'animal' and 'place'"));
  config.adjectives = {{"place", {"wide"}}, {"animal", {"tired"}}};
  EXPECT_THAT(problems_of(config), ElementsAre("adjectives: found 'place', allowed: the noun "
                                               "slots in their order, 'animal' and 'place'",
                                               "adjectives: found 'animal', allowed: the noun "
                                               "slots in their order, 'animal' and 'place'"));
}

TEST(ReferentTrainingConfigTest, RefusesMoreHeadsThanAblationGoesThrough) {
  Config config;
  config.heads = 5;
  EXPECT_THAT(problems_of(config),
              ElementsAre("heads: found 5 with ablation, which goes through all subsets of heads, "
                          "allowed: at most 4, or ablation: false"));
  config.ablation = false;
  EXPECT_THAT(problems_of(config), IsEmpty());
}

TEST(ReferentTrainingConfigTest, SaysWhatIsWrongWithTheTask) {
  Config config = small_config();
  config.sentence_template = "the {animal} saw the {place} as they were {adjective}";
  config.nouns[0].second.clear();
  EXPECT_THAT(problems_of(config),
              ElementsAre("template: found the word 'it' 0 times in 'the {animal} saw the {place} "
                          "as they were {adjective}', allowed: once",
                          "nouns.animal: found no words, allowed: at least one"));
}

}  // namespace
}  // namespace refran::referent_training
