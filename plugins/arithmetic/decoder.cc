#include "decoder.h"

#include <algorithm>

#include "attention.h"
#include "matrix.h"

namespace refran::arithmetic {
namespace {

std::size_t most_likely(std::span<const double> logit) {
  return static_cast<std::size_t>(std::ranges::max_element(logit) -
                                  logit.begin());  // of equal ones the first
}

std::size_t most_likely_other(std::span<const double> logit, std::size_t chosen) {
  std::size_t best = chosen == 0 ? 1 : 0;
  for (std::size_t i = best + 1; i < logit.size(); ++i) {
    if (i != chosen && logit[i] > logit[best]) best = i;
  }
  return best;
}

// `state` [dim] after the candidate was written.
std::vector<double> moved(const Vocabulary& vocabulary, std::vector<double> state,
                          std::size_t candidate) {
  const std::span<const double> step = vocabulary.step.row(candidate);
  for (std::size_t dim = 0; dim < state.size(); ++dim) state[dim] += step[dim];
  return state;
}

std::vector<double> logits(const Vocabulary& vocabulary, std::span<const double> state) {
  return scores(state, vocabulary.embedding, Scoring::dot);
}

}  // namespace

Decoding decode(const Vocabulary& vocabulary, std::span<const double> start, const Limits& limits,
                const Choice& choose) {
  Decoding decoding;
  std::vector<std::vector<double>> states = {{start.begin(), start.end()}};
  std::vector<std::vector<double>> logit;
  std::vector<std::vector<double>> probability;
  while (!decoding.ended && decoding.chosen.size() < limits.max_steps) {
    logit.push_back(logits(vocabulary, states.back()));
    probability.push_back(softmax(logit.back(), limits.temperature));
    const std::size_t chosen = choose(decoding.chosen.size(), logit.back(), probability.back());
    decoding.chosen.push_back(chosen);
    decoding.runner_up.push_back(most_likely_other(logit.back(), chosen));
    decoding.log_probability += log_softmax(logit.back(), limits.temperature)[chosen];
    decoding.ended = chosen == vocabulary.end;
    if (!decoding.ended) states.push_back(moved(vocabulary, states.back(), chosen));
  }
  decoding.state = matrix(states, start.size());
  decoding.logit = matrix(logit, vocabulary.words.size());
  decoding.probability = matrix(probability, vocabulary.words.size());
  return decoding;
}

Decoding decode_greedily(const Vocabulary& vocabulary, std::span<const double> start,
                         const Limits& limits, std::vector<Tie>& ties) {
  return decode(vocabulary, start, limits,
                [&](std::size_t step, std::span<const double> logit, auto) {
                  const std::size_t best = most_likely(logit);
                  Tie tie{step, {}};
                  for (std::size_t i = 0; i < logit.size(); ++i) {
                    if (logit[i] == logit[best]) tie.texts.push_back(vocabulary.words[i]);
                  }
                  if (tie.texts.size() > 1) ties.push_back(std::move(tie));
                  return best;
                });
}

Decoding decode_by_sampling(const Vocabulary& vocabulary, std::span<const double> start,
                            const Limits& limits, Stream& stream) {
  return decode(vocabulary, start, limits,
                [&](std::size_t, auto, std::span<const double> probability) {
                  return stream.choice(probability);
                });
}

Decoding decode_given(const Vocabulary& vocabulary, std::span<const double> start,
                      const Limits& limits, std::span<const std::size_t> chosen) {
  return decode(vocabulary, start, {limits.temperature, std::min(limits.max_steps, chosen.size())},
                [&](std::size_t step, auto, auto) { return chosen[step]; });
}

std::string text_of(const Vocabulary& vocabulary, std::span<const std::size_t> chosen) {
  std::string text;
  for (const std::size_t candidate : chosen) {
    if (candidate == vocabulary.end) break;
    if (!text.empty()) text += ' ';
    text += vocabulary.words[candidate];
  }
  return text;
}

}  // namespace refran::arithmetic
