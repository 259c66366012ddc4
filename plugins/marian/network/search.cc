#include "search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <refran/error.h>
#include <refran/math.h>
#include "target_scores.h"

namespace refran::marian {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();

bool is_better(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.beam != b.beam ? a.beam < b.beam : a.token < b.token;
}

// Puts a candidate in its place among the `wanted` best, which are in order.
void insert(std::vector<Candidate>& best, const Candidate& candidate, std::size_t wanted) {
  best.insert(std::ranges::upper_bound(best, candidate, is_better), candidate);
  if (best.size() > wanted) best.pop_back();
}

}  // namespace

std::vector<Candidate> best_candidates(const kernel::Kernels& kernels, std::span<const Scored> rows,
                                       std::span<const double> sums, std::size_t wanted) {
  std::vector<Candidate> best;
  for (std::size_t beam = 0; beam < rows.size(); ++beam) {
    const Scored& row = rows[beam];
    const double offset = sums[beam] - row.normalizer;
    // A token enters only if it beats the last; of equal ones the first stays. Rounded down, so
    // that no token is passed over that beats it.
    const auto logit_of_last = [&] {
      if (best.size() < wanted) return kBanned;
      return std::nextafter(static_cast<float>(best.back().score - offset), kBanned);
    };
    float least = logit_of_last();
    for (std::size_t token = 0;; ++token) {
      token = kernels.next_above(row.logits, token, row.count, least);
      if (token == row.count) break;
      const Candidate candidate{static_cast<double>(row.logits[token]) + offset,
                                static_cast<std::uint32_t>(beam), static_cast<std::int32_t>(token)};
      if (best.size() == wanted && !is_better(candidate, best.back())) continue;
      insert(best, candidate, wanted);
      least = logit_of_last();
    }
  }
  return best;
}

Search::Search(const ModelConfig& config, const Decoding& decoding, std::size_t source_length)
    : config_(config), decoding_(decoding) {
  const double most = decoding.max_length_factor * static_cast<double>(source_length);
  most_tokens_ = decoding.native ? static_cast<std::size_t>(most) : decoding.max_length - 1;
  // Native Marian translates `</s>` alone as nothing.
  if (decoding.native && source_length == 1) return;
  live_.push_back({.last = nullptr, .chosen = config.decoder_start_id});
}

double Search::ban(float* logits, double normalizer) const {
  double banned = 0;
  const auto take = [&](std::int32_t id) {
    banned += math::exp(static_cast<double>(logits[id]) - normalizer);
    logits[id] = kBanned;
  };
  for (const std::int32_t id : decoding_.banned_ids) {
    if (id != config_.eos_id) take(id);
  }
  if (length_ < decoding_.min_length) take(config_.eos_id);
  return banned;
}

Scored Search::score_row(const kernel::Kernels& kernels, float* logits, Node& node) const {
  const std::size_t count = config_.target_vocabulary;
  // Native Marian's vocabulary has no <pad>.
  if (decoding_.native) logits[config_.pad_id] = kBanned;
  node.log_normalizer = log_normalizer(kernels, logits, count);
  const double banned = ban(logits, node.log_normalizer);
  if (!decoding_.renormalize) return {logits, count, node.log_normalizer};
  // What is left of the sum, summed anew only where the difference would not be exact enough.
  constexpr double kMuch = 0.5;
  const double normalizer = banned < kMuch ? node.log_normalizer + math::log(1 - banned)
                                           : log_normalizer(kernels, logits, count);
  return {logits, count, normalizer};
}

double Search::final_score(const Hypothesis& hypothesis) const {
  const auto tokens = static_cast<double>(length_);  // of the translation: the start token is none
  const double penalty = decoding_.length_penalty;
  const double sum = hypothesis.sum - (decoding_.native ? decoding_.word_penalty * tokens : 0);
  return sum / (penalty == 1 ? tokens : math::exp(penalty * math::log(tokens)));
}

void Search::count_ties(std::span<const Candidate> candidates) {
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (candidates[i].score == candidates[i - 1].score) ++ties_;
  }
}

std::vector<Candidate> Search::candidates_after(const kernel::Kernels& kernels,
                                                std::span<const Scored> rows) {
  std::vector<double> sums;
  for (const Hypothesis& hypothesis : live_) sums.push_back(hypothesis.sum);
  std::vector<Candidate> candidates;
  if (!decoding_.native && decoding_.forced_eos_id && length_ == most_tokens_) {
    for (std::size_t beam = 0; beam < rows.size(); ++beam)
      insert(candidates, {sums[beam], static_cast<std::uint32_t>(beam), *decoding_.forced_eos_id},
             rows.size());
    return candidates;
  }
  std::size_t wanted = is_greedy() ? 1 : 2 * decoding_.beam_size;
  if (decoding_.native) wanted = decoding_.beam_size - pool_.size();
  candidates =
      best_candidates(kernels, rows, sums, wanted + 1);  // one more, to see a tie at the cut
  count_ties(candidates);
  if (candidates.size() > wanted) candidates.pop_back();
  if (candidates.empty()) throw Error("found no token with a finite logit");
  return candidates;
}

void Search::advance(const kernel::Kernels& kernels, std::span<const std::shared_ptr<Node>> nodes,
                     float* logits) {
  std::vector<Scored> rows;
  for (std::size_t beam = 0; beam < live_.size(); ++beam)
    rows.push_back(score_row(kernels, logits + beam * config_.target_vocabulary, *nodes[beam]));
  std::vector<Hypothesis> longer;
  for (const Candidate& candidate : candidates_after(kernels, rows)) {
    longer.push_back({.last = nodes[candidate.beam],
                      .chosen = candidate.token,
                      .chosen_logit = rows[candidate.beam].logits[candidate.token],
                      .sum = candidate.score,
                      .ended = candidate.token == config_.eos_id});
  }
  if (is_greedy()) {
    advance_greedily(longer);
  } else if (decoding_.native) {
    advance_native(std::move(longer));
  } else {
    advance_beams(std::move(longer));
  }
  ++length_;
}

void Search::advance_greedily(std::span<const Hypothesis> candidates) {
  Hypothesis longer = candidates.front();
  live_.clear();
  if (!longer.ended && length_ < most_tokens_) {
    live_.push_back(std::move(longer));
    return;
  }
  longer.score = final_score(longer);
  pool_.push_back(std::move(longer));
}

// As `_beam_search` of transformers (from 4.51 on): of twice as many candidates as beams the first
// half may end; the best that do not end go on.
void Search::advance_beams(std::vector<Hypothesis> candidates) {
  const std::size_t beams = decoding_.beam_size;
  const bool is_last = length_ >= most_tokens_;
  live_.clear();
  const bool may_enter = may_improve_ && !(decoding_.early_stopping && pool_.size() == beams);
  for (std::size_t rank = 0; rank < candidates.size(); ++rank) {
    Hypothesis& candidate = candidates[rank];
    if (!candidate.ended && !is_last) {
      if (live_.size() < beams) live_.push_back(std::move(candidate));
    } else if (rank < beams && may_enter) {
      candidate.score = final_score(candidate);
      pool_.push_back(std::move(candidate));
    }
  }
  std::ranges::stable_sort(pool_, std::ranges::greater{}, &Hypothesis::score);
  if (pool_.size() > beams) pool_.resize(beams);
  if (live_.empty() || pool_.size() < beams) return;
  may_improve_ = final_score(live_.front()) > pool_.back().score;
  if (!may_improve_ || decoding_.early_stopping) live_.clear();
}

void Search::advance_native(std::vector<Hypothesis> candidates) {
  live_.clear();
  for (Hypothesis& candidate : candidates) {
    if (!candidate.ended && length_ < most_tokens_) {
      live_.push_back(std::move(candidate));
      continue;
    }
    candidate.score = final_score(candidate);
    pool_.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(pool_, std::ranges::greater{}, &Hypothesis::score);
  if (pool_.size() > decoding_.beam_size) pool_.resize(decoding_.beam_size);
}

}  // namespace refran::marian
