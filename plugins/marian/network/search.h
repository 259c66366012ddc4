// Choosing a translation token by token: what one sentence's search reads next, and what it makes
// of the logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../generation.h"
#include "decoder.h"

namespace refran::marian {

// A row the decoder has read, kept as long as a hypothesis goes through it.
struct Node {
  std::shared_ptr<const Node> parent;  // null at the start token
  std::uint32_t row = 0;               // its id in the decoder
  std::int32_t token = 0;
  float logit = 0;                   // of the token, in the row before
  Rows self;                         // [layer, head, position], or empty
  Rows cross;                        // [layer, head, source position], or empty
  double log_normalizer = 0;         // of all its logits
  std::vector<std::int32_t> likely;  // tokens, most likely first
  std::vector<float> likely_logits;
};

// The beginning of a translation: the nodes up to the last that was read, and the token chosen
// after it.
struct Hypothesis {
  std::shared_ptr<Node> last;
  std::int32_t chosen = 0;
  float chosen_logit = 0;
  double sum = 0;      // of log-probabilities as the search sees them, `chosen` included
  double score = 0;    // of one that has ended
  bool ended = false;  // with the end of the sentence, not at the length limit
};

// The logits of a row as a search sees them: minus the logarithm of their sum, tokens banned.
struct Scored {
  const float* logits;  // [target id], banned ones -infinity
  std::size_t count;
  double normalizer;  // log-probability = logit - normalizer
};

// A token after one of the live hypotheses.
struct Candidate {
  double score = 0;
  std::uint32_t beam = 0;
  std::int32_t token = 0;
};

// The `wanted` best candidates of rows that have the sums `sums`, best first, of equal ones the
// lower (beam, token) first; fewer where fewer are possible.
std::vector<Candidate> best_candidates(const kernel::Kernels& kernels, std::span<const Scored> rows,
                                       std::span<const double> sums, std::size_t wanted);

// The search for one sentence. Steps: `live` is what to read, `advance` takes the rows' logits.
class Search {
 public:
  Search(const ModelConfig& config, const Decoding& decoding, std::size_t source_length);

  // Hypotheses whose `chosen` is to be read; none when the search is over.
  const std::vector<Hypothesis>& live() const { return live_; }

  // `nodes` are the rows just read, one per live hypothesis; `logits` [row, target id] are theirs,
  // and are spoilt.
  void advance(const kernel::Kernels& kernels, std::span<const std::shared_ptr<Node>> nodes,
               float* logits);

  // The translation that was found, once the search is over; null where it is empty.
  const Hypothesis* best() const { return pool_.empty() ? nullptr : &pool_.front(); }
  std::size_t ties() const { return ties_; }

 private:
  Scored score_row(const kernel::Kernels& kernels, float* logits, Node& node) const;
  // Gives the probability that the banned tokens had.
  double ban(float* logits, double normalizer) const;
  bool is_greedy() const { return decoding_.beam_size == 1 && !decoding_.native; }
  // Which tokens come into question after the live hypotheses, best first.
  std::vector<Candidate> candidates_after(const kernel::Kernels& kernels,
                                          std::span<const Scored> rows);
  void count_ties(std::span<const Candidate> candidates);
  void advance_greedily(std::span<const Hypothesis> candidates);
  void advance_beams(std::vector<Hypothesis> candidates);
  void advance_native(std::vector<Hypothesis> candidates);
  double final_score(const Hypothesis& hypothesis) const;

  const ModelConfig& config_;
  const Decoding& decoding_;
  std::size_t most_tokens_;  // tokens a translation may have
  std::size_t length_ = 1;   // tokens of a live hypothesis, the start token among them
  std::vector<Hypothesis> live_;
  std::vector<Hypothesis> pool_;  // ended ones, best first
  bool may_improve_ = true;
  std::size_t ties_ = 0;
};

}  // namespace refran::marian
