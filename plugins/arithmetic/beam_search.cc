// Beam search; decoder.h says what it promises.
#include <algorithm>
#include <functional>
#include <string>

#include "attention.h"
#include "decoder.h"

namespace refran::arithmetic {
namespace {

// Every beginning with every word added, most likely first. Equal ones stay in the order of their
// beginnings, then of the vocabulary, so that the result does not depend on the sort.
std::vector<Hypothesis> expanded(const Vocabulary& vocabulary,
                                 const std::vector<Hypothesis>& beginnings, double temperature) {
  std::vector<Hypothesis> longer;
  for (const Hypothesis& beginning : beginnings) {
    const std::vector<double> log_probability =
        log_softmax(scores(beginning.state, vocabulary.embedding, Scoring::dot), temperature);
    for (std::size_t candidate = 0; candidate < vocabulary.words.size(); ++candidate) {
      Hypothesis& next = longer.emplace_back(beginning);
      next.chosen.push_back(candidate);
      next.log_probability += log_probability[candidate];
      next.ended = candidate == vocabulary.end;
      const std::span<const double> step = vocabulary.step.row(candidate);
      for (std::size_t dim = 0; dim < step.size(); ++dim) next.state[dim] += step[dim];
    }
  }
  std::ranges::stable_sort(longer, std::ranges::greater{}, &Hypothesis::log_probability);
  return longer;
}

// The words so far, the one that ends the sentence among them.
std::string written(const Vocabulary& vocabulary, const Hypothesis& hypothesis) {
  std::string text;
  for (const std::size_t candidate : hypothesis.chosen) {
    text += (text.empty() ? "" : " ") + vocabulary.words[candidate];
  }
  return text;
}

// Notes it where the hypotheses on both sides of a cut are equally likely.
void note_tie(const Vocabulary& vocabulary, const Hypothesis& kept, const Hypothesis& dropped,
              std::vector<Tie>& ties) {
  if (kept.log_probability != dropped.log_probability) return;
  ties.push_back({std::max(kept.chosen.size(), dropped.chosen.size()) - 1,
                  {written(vocabulary, kept), written(vocabulary, dropped)}});
}

}  // namespace

std::vector<Hypothesis> beam_search(const Vocabulary& vocabulary, std::span<const double> start,
                                    const Limits& limits, std::size_t beam_size,
                                    std::vector<Tie>& ties) {
  std::vector<Hypothesis> beginnings = {{{}, 0, false, {start.begin(), start.end()}}};
  std::vector<Hypothesis> ended;
  for (std::size_t step = 0; step < limits.max_steps && !beginnings.empty(); ++step) {
    std::vector<Hypothesis> kept = expanded(vocabulary, beginnings, limits.temperature);
    if (kept.size() > beam_size) {
      note_tie(vocabulary, kept[beam_size - 1], kept[beam_size], ties);
      kept.resize(beam_size);
    }
    beginnings.clear();
    for (Hypothesis& hypothesis : kept) {
      (hypothesis.ended ? ended : beginnings).push_back(std::move(hypothesis));
    }
    std::ranges::stable_sort(ended, std::ranges::greater{}, &Hypothesis::log_probability);
    if (!ended.empty() && !beginnings.empty() &&
        ended.front().log_probability >= beginnings.front().log_probability) {
      break;
    }
  }
  std::vector<Hypothesis> found = ended.empty() ? std::move(beginnings) : std::move(ended);
  if (found.size() > 1) note_tie(vocabulary, found[0], found[1], ties);
  return found;
}

}  // namespace refran::arithmetic
