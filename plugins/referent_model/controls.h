// What can be said about a task's sentences without any training: accuracies that a model has to be
// compared with.
#pragma once

#include <array>
#include <span>

#include "task.h"

namespace refran::referent {

// Shares of right answers; NaN where there is no sentence to answer.
struct ControlScore {
  double accuracy = 0;
  std::array<double, 2> accuracy_by_referent{};
};

// Always names the noun nearest to "it", by position; of two equally near the one before "it".
ControlScore nearest_noun(const Task& task, std::span<const Sentence> sentences);

// Always names the noun that comes first in the sentence.
ControlScore first_noun(const Task& task, std::span<const Sentence> sentences);

// The best that any function of the word counts can do, which knows no order: for each bag of words
// the most frequent target of the training sentences with that bag (of equally frequent ones the
// first of the vocabulary). Sentences with a bag that no training sentence has are left out.
ControlScore bag_of_words(const Task& task, std::span<const Sentence> sentences);

}  // namespace refran::referent
