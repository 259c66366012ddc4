// The decoder of the page's section 2: from a state, every word of the vocabulary has a probability
// of coming next; the written word moves the state, until the end of the sentence. Which word is
// written is the strategy's choice: the most likely one (greedy), a drawn one (sample), or the one
// on the way to the likeliest sentence found (beam).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <refran/array.h>
#include <refran/random.h>

namespace refran::arithmetic {

// What the decoder can write. A word's output embedding is what the state is scored against; its
// step vector is another, added to the state once the word is written.
struct Vocabulary {
  std::vector<std::string> words;  // [candidate]
  Array<double, 2> embedding;      // [candidate, dim]
  Array<double, 2> step;           // [candidate, dim]
  std::size_t end = 0;             // the candidate that ends the sentence
};

struct Limits {
  double temperature = 1;     // > 0; below 1 sharpens the probabilities, above 1 flattens them
  std::size_t max_steps = 8;  // > 0
};

// A sentence as it was written, step by step. One step for every written word, the one that ends it
// among them; one position for the start and one after every word but that.
struct Decoding {
  std::vector<std::size_t> chosen;  // [step]: candidates
  std::vector<std::size_t>
      runner_up;                 // [step]: the most likely candidate other than the chosen one
  Array<double, 2> state;        // [position, dim]
  Array<double, 2> logit;        // [step, candidate]
  Array<double, 2> probability;  // [step, candidate]; rows sum to 1
  double log_probability = 0;    // of all chosen words together, nat
  bool ended = false;            // false where max_steps cut it off
};

// Equal scores among which the order of the vocabulary decided.
struct Tie {
  std::size_t step;  // counts from 0
  std::vector<std::string>
      texts;  // the words, or for beam the sentences so far, the kept one first
};

// One of the sentences beam search kept.
struct Hypothesis {
  std::vector<std::size_t> chosen;
  double log_probability = 0;  // nat
  bool ended = false;
  std::vector<double> state;  // [dim], after its last word
};

// Says which candidate to write, given `logit` [candidate] and `probability` [candidate].
using Choice = std::function<std::size_t(std::size_t step, std::span<const double> logit,
                                         std::span<const double> probability)>;

// The loop all strategies share, from `start` [dim].
Decoding decode(const Vocabulary& vocabulary, std::span<const double> start, const Limits& limits,
                const Choice& choose);

// Writes the most likely word at every step; of equal ones the first of the vocabulary, and notes
// the tie.
Decoding decode_greedily(const Vocabulary& vocabulary, std::span<const double> start,
                         const Limits& limits, std::vector<Tie>& ties);

// Draws every word with its probability.
Decoding decode_by_sampling(const Vocabulary& vocabulary, std::span<const double> start,
                            const Limits& limits, Stream& stream);

// Keeps the `beam_size` most likely beginnings of a sentence at every step, and returns what it
// found, most likely first: the sentences that ended, or where none did those cut off at max_steps.
// It stops early once no beginning can overtake the best sentence, since every further word lowers
// the probability. A beam of 1 is greedy.
std::vector<Hypothesis> beam_search(const Vocabulary& vocabulary, std::span<const double> start,
                                    const Limits& limits, std::size_t beam_size,
                                    std::vector<Tie>& ties);

// The steps of a sentence whose words are given.
Decoding decode_given(const Vocabulary& vocabulary, std::span<const double> start,
                      const Limits& limits, std::span<const std::size_t> chosen);

// The words joined by spaces, without the one that ends the sentence.
std::string text_of(const Vocabulary& vocabulary, std::span<const std::size_t> chosen);

}  // namespace refran::arithmetic
