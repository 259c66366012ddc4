// The task of the page's last section: sentences made from a template and lists of words, each of
// which asks what "it" refers to. The adjective decides.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace refran::referent {

// What a task is made from. A template names its slots in braces: "the {animal} didn't cross the
// {place} because it was {adjective}".
struct TaskSpec {
  std::string sentence_template;
  // The two noun slots in the order of the template, each with its words. Where a word is in both
  // lists, sentences that would use it twice are left out.
  std::array<std::pair<std::string, std::vector<std::string>>, 2> nouns;
  // For each noun slot, the adjectives that mean it.
  std::array<std::vector<std::string>, 2> adjectives;
  // Combinations (first noun, second noun, adjective) that are not trained on.
  std::vector<std::array<std::string, 3>> held_out;
};

// A slot in the order of the template: first noun, second noun, adjective.
enum Slot : std::size_t { kFirstNoun, kSecondNoun, kAdjective, kSlots };

struct Sentence {
  std::vector<std::size_t> word;           // [position], an index into the vocabulary
  std::array<std::size_t, kSlots> filler;  // [slot], an index into the slot's list of words
  std::size_t referent = 0;                // 0: the first noun, 1: the second
  std::size_t target = 0;                  // the referent's word
  std::size_t distractor = 0;              // the other noun's
};

struct Task {
  std::vector<std::string> vocabulary;  // [word]: those of the template, then nouns, adjectives
  std::array<std::string, kSlots> slot_name;
  std::array<std::vector<std::size_t>, kSlots> slot_words;  // [slot][filler], of the vocabulary
  std::array<std::size_t, kSlots> slot_position;            // [slot]
  std::vector<std::size_t> constant_word;  // [position], of the vocabulary; kNoWord at a slot
  std::size_t positions = 0;
  std::size_t it = 0;  // the position that asks

  std::vector<Sentence> training;
  std::vector<Sentence> held_out;

  static constexpr std::size_t kNoWord = static_cast<std::size_t>(-1);

  // The sentence's words, joined by blanks.
  std::string text(const Sentence& sentence) const;
  // The same sentence with its two nouns in each other's place; the referent keeps its word.
  Sentence swapped(const Sentence& sentence) const;
};

// What is wrong with a spec, each as (field, text) for a config error; fields are "template",
// "nouns", "nouns.<slot>", "adjectives.<slot>", "held_out", "held_out[<n>]". Empty = `make_task`
// takes it.
std::vector<std::pair<std::string, std::string>> problems_of(const TaskSpec& spec);

// The sentences in a fixed order: first noun outermost, adjective innermost. `spec` has no
// problems.
Task make_task(const TaskSpec& spec);

}  // namespace refran::referent
