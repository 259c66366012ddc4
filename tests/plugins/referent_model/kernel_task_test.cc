// The task as the kernel goes through it: rows, groups, and which rows meet.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_examples.h"

namespace refran::referent::kernel {
namespace {

using testing::ElementsAre;

// The words of a sentence by position, and its target.
using Content = std::pair<std::vector<std::size_t>, std::size_t>;

// The rows of a sentence: the template's, its nouns', its adjective's.
std::vector<std::size_t> rows_of(const KernelTask& task, const Group& group, std::size_t sentence) {
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < task.constants; ++r) rows.push_back(r);
  rows.insert(rows.end(), group.noun_row.begin(), group.noun_row.end());
  rows.push_back(group.adjective_row[sentence]);
  return rows;
}

std::vector<Content> contents_of(const KernelTask& task, std::size_t positions) {
  std::vector<Content> contents;
  for (const Group& group : task.groups) {
    for (std::size_t s = 0; s < group.target.size(); ++s) {
      std::vector<std::size_t> word(positions, Task::kNoWord);
      for (const std::size_t r : rows_of(task, group, s))
        word[task.rows[r].position] = task.rows[r].word;
      contents.emplace_back(word, group.target[s]);
    }
  }
  return contents;
}

std::vector<std::size_t> group_sizes(const KernelTask& task) {
  std::vector<std::size_t> sizes;
  for (const Group& group : task.groups) sizes.push_back(group.target.size());
  return sizes;
}

TEST(KernelTaskTest, ThePageHas21RowsAnd16GroupsOf6) {
  const KernelTask task(page_task());
  EXPECT_EQ(task.rows.size(), 21U);
  EXPECT_EQ(task.constants, 7U);
  EXPECT_THAT(task.slot_begin, ElementsAre(7, 11, 15, 21));
  EXPECT_EQ(task.it, 5U);
  EXPECT_EQ(task.rows[task.it].position, 7U);
  EXPECT_EQ(group_sizes(task), std::vector<std::size_t>(16, 6));
  EXPECT_EQ(task.largest_group, 6U);
  EXPECT_EQ(task.sentences, 96U);
}

TEST(KernelTaskTest, AWordOfTheTemplateAtTwoPositionsHasTwoRows) {
  const Task page = page_task();
  const KernelTask task(page);
  EXPECT_EQ(page.vocabulary[task.rows[0].word], "the");
  EXPECT_EQ(task.rows[0].word, task.rows[3].word);
  EXPECT_EQ(task.rows[0].position, 0U);
  EXPECT_EQ(task.rows[3].position, 4U);
}

TEST(KernelTaskTest, ANounOfOnePoolHasARowInEachSlot) {
  const KernelTask task(one_pool_task());
  EXPECT_THAT(task.slot_begin, ElementsAre(6, 9, 12, 15));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(task.rows[6 + i].word, task.rows[9 + i].word);
    EXPECT_NE(task.rows[6 + i].position, task.rows[9 + i].position);
  }
  EXPECT_EQ(group_sizes(task), std::vector<std::size_t>(6, 3));
}

TEST(KernelTaskTest, HeldOutSentencesLeaveGroupsOfUnequalSizes) {
  const KernelTask task(held_out_task());
  EXPECT_THAT(group_sizes(task), ElementsAre(3, 1, 2, 3));
  EXPECT_EQ(task.largest_group, 3U);
  EXPECT_EQ(task.sentences, 9U);
}

TEST(KernelTaskTest, AGroupIsOneEvenIfItsSentencesAreApart) {
  Task page = page_task();
  std::ranges::sort(page.training, {},
                    [](const Sentence& sentence) { return sentence.filler[kAdjective]; });
  EXPECT_EQ(group_sizes(KernelTask(page)), std::vector<std::size_t>(16, 6));
}

class KernelTaskOfTest : public testing::TestWithParam<KernelExample> {};

TEST_P(KernelTaskOfTest, GroupsHoldEveryTrainingSentenceOnce) {
  const Task& task = GetParam().task;
  std::vector<Content> expected;
  for (const Sentence& sentence : task.training)
    expected.emplace_back(sentence.word, sentence.target);
  EXPECT_THAT(contents_of(KernelTask(task), task.positions),
              testing::UnorderedElementsAreArray(expected));
}

TEST_P(KernelTaskOfTest, RowsOfASentenceMeetAndThoseOfOneSlotDoNot) {
  const KernelTask task(GetParam().task);
  for (const Group& group : task.groups) {
    for (std::size_t s = 0; s < group.target.size(); ++s) {
      const std::vector<std::size_t> rows = rows_of(task, group, s);
      for (const std::size_t a : rows) {
        for (const std::size_t b : rows) EXPECT_TRUE(task.meet(a, b)) << a << " and " << b;
      }
    }
  }
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    for (std::size_t a = task.slot_begin[slot]; a < task.slot_begin[slot + 1]; ++a) {
      for (std::size_t b = task.slot_begin[slot]; b < task.slot_begin[slot + 1]; ++b)
        EXPECT_EQ(task.meet(a, b), a == b) << a << " and " << b;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, KernelTaskOfTest, testing::ValuesIn(kernel_examples()),
                         example_name);

}  // namespace
}  // namespace refran::referent::kernel
