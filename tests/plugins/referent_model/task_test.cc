// The task: its sentences, and every complaint about what it is made from.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <referent_model/task.h>

namespace refran::referent {
namespace {

using Found = std::vector<std::pair<std::string, std::string>>;

TaskSpec page_spec() {
  TaskSpec spec;
  spec.sentence_template = "the {animal} didn't cross the {place} because it was {adjective}";
  spec.nouns = {{{"animal", {"animal", "dog", "cat", "horse"}},
                 {"place", {"street", "road", "river", "bridge"}}}};
  spec.adjectives = {{{"tired", "hungry", "scared"}, {"wide", "flooded", "icy"}}};
  return spec;
}

TaskSpec one_pool_spec() {
  const std::vector<std::string> pool = {"dog", "cat", "fox", "hare"};
  TaskSpec spec;
  spec.sentence_template = "the {chaser} didn't catch the {chased} because it was {adjective}";
  spec.nouns = {{{"chaser", pool}, {"chased", pool}}};
  spec.adjectives = {{{"slow", "tired", "lame", "old"}, {"fast", "quick", "nimble", "wary"}}};
  return spec;
}

Found one(const std::string& field, const std::string& text) { return {{field, text}}; }

TEST(TaskTest, ThePageHas96BalancedSentences) {
  const TaskSpec spec = page_spec();
  EXPECT_EQ(problems_of(spec), Found{});
  const Task task = make_task(spec);
  EXPECT_EQ(task.training.size(), 96u);
  EXPECT_TRUE(task.held_out.empty());
  EXPECT_EQ(task.positions, 10u);
  EXPECT_EQ(task.vocabulary.size(), 20u);
  EXPECT_EQ(task.it, 7u);
  EXPECT_THAT(task.slot_position, testing::ElementsAre(1, 5, 9));
  EXPECT_THAT(task.slot_name, testing::ElementsAre("animal", "place", "adjective"));
  EXPECT_EQ(std::ranges::count(task.training, 0u, &Sentence::referent), 48);
}

TEST(TaskTest, SentencesComeWithTheFirstNounOutermost) {
  const Task task = make_task(page_spec());
  EXPECT_EQ(task.text(task.training[0]), "the animal didn't cross the street because it was tired");
  EXPECT_EQ(task.text(task.training[5]), "the animal didn't cross the street because it was icy");
  EXPECT_EQ(task.text(task.training[6]), "the animal didn't cross the road because it was tired");
  EXPECT_EQ(task.text(task.training[95]), "the horse didn't cross the bridge because it was icy");
}

TEST(TaskTest, TheAdjectiveDecidesWhatItIs) {
  const Task task = make_task(page_spec());
  const Sentence& tired = task.training[0];
  EXPECT_EQ(tired.referent, 0u);
  EXPECT_EQ(task.vocabulary[tired.target], "animal");
  EXPECT_EQ(task.vocabulary[tired.distractor], "street");
  const Sentence& wide = task.training[3];
  EXPECT_EQ(wide.referent, 1u);
  EXPECT_EQ(task.vocabulary[wide.target], "street");
  EXPECT_EQ(task.vocabulary[wide.distractor], "animal");
}

TEST(TaskTest, TheVocabularyIsTemplateThenNounsThenAdjectives) {
  const Task task = make_task(page_spec());
  EXPECT_THAT(task.vocabulary,
              testing::ElementsAre("the", "didn't", "cross", "because", "it", "was", "animal",
                                   "dog", "cat", "horse", "street", "road", "river", "bridge",
                                   "tired", "hungry", "scared", "wide", "flooded", "icy"));
  EXPECT_EQ(task.constant_word[0], 0u);
  EXPECT_EQ(task.constant_word[1], Task::kNoWord);
  EXPECT_EQ(task.constant_word[4], 0u);
}

TEST(TaskTest, OnePoolLeavesOutSentencesThatUseANounTwice) {
  const TaskSpec spec = one_pool_spec();
  EXPECT_EQ(problems_of(spec), Found{});
  const Task task = make_task(spec);
  EXPECT_EQ(task.training.size(), 96u);
  EXPECT_EQ(task.vocabulary.size(), 7u + 4u + 8u - 1u);  // "the" is there twice
  for (const Sentence& sentence : task.training) EXPECT_NE(sentence.target, sentence.distractor);
  EXPECT_EQ(task.text(task.training[0]), "the dog didn't catch the cat because it was slow");
}

TEST(TaskTest, HeldOutCombinationsAreNotTrainedOn) {
  TaskSpec spec = page_spec();
  spec.held_out = {{"dog", "river", "wide"}, {"cat", "street", "tired"}};
  EXPECT_EQ(problems_of(spec), Found{});
  const Task task = make_task(spec);
  EXPECT_EQ(task.training.size(), 94u);
  ASSERT_EQ(task.held_out.size(), 2u);
  EXPECT_EQ(task.text(task.held_out[0]), "the dog didn't cross the river because it was wide");
  EXPECT_EQ(task.text(task.held_out[1]), "the cat didn't cross the street because it was tired");
  std::set<std::string> texts;
  for (const Sentence& sentence : task.training) texts.insert(task.text(sentence));
  EXPECT_EQ(texts.size(), 94u);
  for (const Sentence& sentence : task.held_out) EXPECT_EQ(texts.count(task.text(sentence)), 0u);
}

TEST(TaskTest, SwappedNounsKeepTheReferentsWord) {
  const Task task = make_task(page_spec());
  const Sentence swapped = task.swapped(task.training[0]);
  EXPECT_EQ(task.text(swapped), "the street didn't cross the animal because it was tired");
  EXPECT_EQ(swapped.target, task.training[0].target);
  EXPECT_EQ(swapped.distractor, task.training[0].distractor);
  EXPECT_EQ(task.text(task.swapped(swapped)), task.text(task.training[0]));
}

TEST(TaskTest, BlanksInTheTemplateDoNotCount) {
  TaskSpec spec = page_spec();
  spec.sentence_template = "  the {animal}  is no {place} if it is {adjective} ";
  EXPECT_EQ(problems_of(spec), Found{});
  EXPECT_EQ(make_task(spec).positions, 9u);
}

TEST(TaskTest, RefusesATemplateWithoutItOrWithTwo) {
  TaskSpec spec = page_spec();
  spec.sentence_template = "the {animal} met the {place} that was {adjective}";
  EXPECT_EQ(problems_of(spec),
            one("template",
                "found the word 'it' 0 times in 'the {animal} met the {place} that was "
                "{adjective}', allowed: once"));
  spec.sentence_template = "it {animal} {place} it {adjective}";
  EXPECT_EQ(problems_of(spec), one("template",
                                   "found the word 'it' 2 times in 'it {animal} {place} it "
                                   "{adjective}', allowed: once"));
}

TEST(TaskTest, RefusesASlotWithoutAList) {
  TaskSpec spec = page_spec();
  spec.sentence_template = "the {animal} {verb} the {place} as it was {adjective}";
  EXPECT_EQ(problems_of(spec),
            one("template",
                "found the slot '{verb}' without a list of words, allowed: '{animal}', "
                "'{place}' and '{adjective}'"));
}

TEST(TaskTest, RefusesASlotThatIsMissingOrThereTwice) {
  TaskSpec spec = page_spec();
  spec.sentence_template = "{animal} {animal} as it was {adjective}";
  EXPECT_EQ(problems_of(spec),
            (Found{{"template",
                    "found no '{animal}', or more than one, in '{animal} {animal} as it was "
                    "{adjective}', allowed: every slot once"},
                   {"template",
                    "found no '{place}', or more than one, in '{animal} {animal} as it was "
                    "{adjective}', allowed: every slot once"}}));
}

TEST(TaskTest, RefusesNounsInAnotherOrderThanTheTemplates) {
  TaskSpec spec = page_spec();
  std::swap(spec.nouns[0], spec.nouns[1]);
  std::swap(spec.adjectives[0], spec.adjectives[1]);
  EXPECT_EQ(problems_of(spec),
            one("nouns", "found 'place' before 'animal', allowed: the order of the template"));
}

TEST(TaskTest, RefusesSlotsOfOneName) {
  TaskSpec spec = page_spec();
  spec.sentence_template = "the {animal} is here as it was {adjective}";
  spec.nouns[1].first = "animal";
  EXPECT_EQ(problems_of(spec),
            one("nouns",
                "found the slots 'animal' and 'animal', allowed: two names that differ "
                "from each other and from 'adjective'"));
  spec = page_spec();
  spec.sentence_template = "the {animal} is here as it was {adjective}";
  spec.nouns[1].first = "adjective";
  EXPECT_EQ(problems_of(spec),
            one("nouns",
                "found the slots 'animal' and 'adjective', allowed: two names that differ "
                "from each other and from 'adjective'"));
}

TEST(TaskTest, RefusesEmptyLists) {
  TaskSpec spec = page_spec();
  spec.nouns[1].second.clear();
  spec.adjectives[0].clear();
  EXPECT_EQ(problems_of(spec),
            (Found{{"nouns.place", "found no words, allowed: at least one"},
                   {"adjectives.animal", "found no words, allowed: at least one"}}));
}

TEST(TaskTest, RefusesWordsThatAreNoneOrThereTwice) {
  TaskSpec spec = page_spec();
  spec.nouns[0].second = {"dog", "polar bear", "", "dog"};
  EXPECT_EQ(problems_of(spec),
            (Found{{"nouns.animal", "found 'polar bear', allowed: one word without blanks"},
                   {"nouns.animal", "found '', allowed: one word without blanks"},
                   {"nouns.animal", "found 'dog' a second time, allowed: every word once"}}));
}

TEST(TaskTest, RefusesAnAdjectiveThatMeansBothNouns) {
  TaskSpec spec = page_spec();
  spec.adjectives[1].push_back("tired");
  EXPECT_EQ(problems_of(spec), one("adjectives.place",
                                   "found 'tired', which means 'animal' too, allowed: one referent "
                                   "per adjective"));
}

TEST(TaskTest, RefusesHeldOutWordsThatTheListsDoNotHave) {
  TaskSpec spec = page_spec();
  spec.held_out = {{"dog", "road", "icy"}, {"road", "dog", "green"}};
  EXPECT_EQ(problems_of(spec),
            (Found{{"held_out[1]", "found 'road', allowed: a word of 'animal'"},
                   {"held_out[1]", "found 'dog', allowed: a word of 'place'"},
                   {"held_out[1]", "found 'green', allowed: a word of 'adjective'"}}));
}

TEST(TaskTest, RefusesToHoldOutEverything) {
  TaskSpec spec = page_spec();
  spec.nouns[0].second = {"dog"};
  spec.nouns[1].second = {"road"};
  spec.adjectives = {{{"tired"}, {"wide"}}};
  spec.held_out = {{"dog", "road", "tired"}, {"dog", "road", "wide"}};
  EXPECT_EQ(problems_of(spec),
            one("held_out", "found all sentences held out, allowed: some left to train on"));
}

TEST(TaskTest, RefusesAPoolOfOneNoun) {
  TaskSpec spec = one_pool_spec();
  spec.nouns[0].second = {"dog"};
  spec.nouns[1].second = {"dog"};
  EXPECT_EQ(problems_of(spec),
            one("nouns", "found no sentence of two different nouns, allowed: at least one"));
}

TEST(TaskTest, RefusesWordsThatAreNeverTrained) {
  TaskSpec spec = page_spec();
  spec.nouns[0].second = {"dog", "cat"};
  spec.nouns[1].second = {"road"};
  spec.adjectives = {{{"tired"}, {"wide"}}};
  spec.held_out = {{"dog", "road", "tired"}, {"dog", "road", "wide"}};
  EXPECT_EQ(problems_of(spec), one("held_out",
                                   "found no training sentence with 'dog' as 'animal', "
                                   "allowed: every word trained on at least once"));
}

TEST(TaskTest, RefusesANounThatCanNeverBeUsed) {
  TaskSpec spec = one_pool_spec();
  spec.nouns[0].second = {"dog", "cat"};
  spec.nouns[1].second = {"dog"};
  EXPECT_EQ(problems_of(spec), one("nouns",
                                   "found no training sentence with 'dog' as 'chaser', "
                                   "allowed: every word trained on at least once"));
}

}  // namespace
}  // namespace refran::referent
