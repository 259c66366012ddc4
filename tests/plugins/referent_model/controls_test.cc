// What needs no training: counted by hand on small tasks.
#include <cmath>

#include <gtest/gtest.h>
#include <referent_model/controls.h>

namespace refran::referent {
namespace {

TaskSpec two_pools() {
  TaskSpec spec;
  spec.sentence_template = "the {animal} crossed the {place} as it was {adjective}";
  spec.nouns = {{{"animal", {"dog", "cat"}}, {"place", {"road", "river"}}}};
  spec.adjectives = {{{"tired", "hungry", "old"}, {"wide"}}};
  return spec;
}

TaskSpec one_pool() {
  TaskSpec spec;
  spec.sentence_template = "the {chaser} chased the {chased} and it was {adjective}";
  spec.nouns = {{{"chaser", {"dog", "cat", "fox"}}, {"chased", {"dog", "cat", "fox"}}}};
  spec.adjectives = {{{"slow"}, {"fast"}}};
  return spec;
}

void expect_score(const ControlScore& score, double all, double first, double second) {
  EXPECT_EQ(score.accuracy, all);
  EXPECT_EQ(score.accuracy_by_referent[0], first);
  EXPECT_EQ(score.accuracy_by_referent[1], second);
}

TEST(ControlsTest, NearestNounIsRightWhereTheSecondIsMeant) {
  const Task task = make_task(two_pools());
  expect_score(nearest_noun(task, task.training), 0.25, 0, 1);
}

TEST(ControlsTest, FirstNounIsRightWhereTheFirstIsMeant) {
  const Task task = make_task(two_pools());
  expect_score(first_noun(task, task.training), 0.75, 1, 0);
}

TEST(ControlsTest, SwappedNounsAreCountedByTheirWords) {
  const Task task = make_task(two_pools());
  std::vector<Sentence> swapped;
  for (const Sentence& sentence : task.training) swapped.push_back(task.swapped(sentence));
  expect_score(nearest_noun(task, swapped), 0.75, 1, 0);
  expect_score(first_noun(task, swapped), 0.25, 0, 1);
  expect_score(bag_of_words(task, swapped), 1, 1, 1);
}

TEST(ControlsTest, NearestIsByDistanceOnEitherSideOfIt) {
  TaskSpec spec = two_pools();
  spec.sentence_template = "the {animal} said it and the {place} is {adjective}";
  Task task = make_task(spec);  // 2 before, 3 after
  expect_score(nearest_noun(task, task.training), 0.75, 1, 0);
  spec.sentence_template = "the {animal} there said it to {place} is {adjective}";
  task = make_task(spec);  // 3 before, 2 after
  expect_score(nearest_noun(task, task.training), 0.25, 0, 1);
  spec.sentence_template = "the {animal} said it to {place} is {adjective}";
  task = make_task(spec);  // 2 on both sides: the one before
  expect_score(nearest_noun(task, task.training), 0.75, 1, 0);
}

TEST(ControlsTest, ABagOfWordsSolvesATaskOfTwoPools) {
  const Task task = make_task(two_pools());
  expect_score(bag_of_words(task, task.training), 1, 1, 1);
}

TEST(ControlsTest, ABagOfWordsIsRightHalfTheTimeWhereBothNounsComeFromOnePool) {
  const Task task = make_task(one_pool());
  expect_score(bag_of_words(task, task.training), 0.5, 0.5, 0.5);
}

TEST(ControlsTest, ABagOfWordsGoesByTheMajority) {
  TaskSpec spec = one_pool();
  spec.held_out = {{"dog", "cat", "slow"}};
  const Task task = make_task(spec);
  // "cat … dog … slow" is left alone with its bag: one more right of the eleven.
  EXPECT_NEAR(bag_of_words(task, task.training).accuracy, 6.0 / 11, 1e-15);
  // The one held out has a known bag, whose target is the other noun.
  const ControlScore held_out = bag_of_words(task, task.held_out);
  EXPECT_EQ(held_out.accuracy, 0);
  EXPECT_EQ(held_out.accuracy_by_referent[0], 0);
  EXPECT_TRUE(std::isnan(held_out.accuracy_by_referent[1]));
}

TEST(ControlsTest, ABagThatWasNeverTrainedIsLeftOut) {
  TaskSpec spec = two_pools();
  spec.held_out = {{"dog", "road", "wide"}};
  const Task task = make_task(spec);
  EXPECT_TRUE(std::isnan(bag_of_words(task, task.held_out).accuracy));
  expect_score(bag_of_words(task, task.training), 1, 1, 1);
}

TEST(ControlsTest, OfNoSentencesIsNaN) {
  const Task task = make_task(two_pools());
  EXPECT_TRUE(std::isnan(first_noun(task, {}).accuracy));
  EXPECT_TRUE(std::isnan(nearest_noun(task, {}).accuracy_by_referent[0]));
}

}  // namespace
}  // namespace refran::referent
