#include "controls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "seed_groups.h"

namespace refran::referent {
namespace {

// `answer(sentence)` is the word it names; none leaves the sentence out.
template <class Function>
ControlScore score_of(std::span<const Sentence> sentences, Function answer) {
  MeanByReferent accuracy;
  for (const Sentence& sentence : sentences) {
    const std::optional<std::size_t> word = answer(sentence);
    if (word) accuracy.add(sentence.referent, *word == sentence.target ? 1 : 0);
  }
  return {.accuracy = accuracy.all(), .accuracy_by_referent = {accuracy.of(0), accuracy.of(1)}};
}

ControlScore score_of_position(std::size_t position, std::span<const Sentence> sentences) {
  return score_of(sentences, [position](const Sentence& sentence) {
    return std::optional(sentence.word[position]);
  });
}

std::vector<std::size_t> bag_of(const Sentence& sentence) {
  std::vector<std::size_t> bag = sentence.word;
  std::ranges::sort(bag);
  return bag;
}

}  // namespace

ControlScore nearest_noun(const Task& task, std::span<const Sentence> sentences) {
  const auto distance = [&task](std::size_t position) {
    return position < task.it ? task.it - position : position - task.it;
  };
  const std::size_t first =
      std::min(task.slot_position[kFirstNoun], task.slot_position[kSecondNoun]);
  const std::size_t second =
      std::max(task.slot_position[kFirstNoun], task.slot_position[kSecondNoun]);
  return score_of_position(distance(second) < distance(first) ? second : first, sentences);
}

ControlScore first_noun(const Task& task, std::span<const Sentence> sentences) {
  return score_of_position(
      std::min(task.slot_position[kFirstNoun], task.slot_position[kSecondNoun]), sentences);
}

ControlScore bag_of_words(const Task& task, std::span<const Sentence> sentences) {
  std::map<std::vector<std::size_t>, std::map<std::size_t, std::size_t>> targets;
  for (const Sentence& sentence : task.training) ++targets[bag_of(sentence)][sentence.target];
  return score_of(sentences, [&](const Sentence& sentence) -> std::optional<std::size_t> {
    const auto known = targets.find(bag_of(sentence));
    if (known == targets.end()) return std::nullopt;
    return std::ranges::max_element(known->second, {},
                                    [](const auto& entry) { return entry.second; })
        ->first;
  });
}

}  // namespace refran::referent
