// Log-probabilities of given tokens, from the decoder's last layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../generation.h"
#include "forward.h"

namespace refran::marian {

// What the logits of a row say of the token that was given there.
struct TargetScore {
  double log_probability = 0;
  std::vector<std::int32_t> likely;  // the most likely tokens, best first
  std::vector<double> likely_log_probability;
};

// Of rows x [row, model_dim] and the token given after each; `likely` tokens are listed. Works on a
// few rows at a time, so that no more of their logits is in memory.
std::vector<TargetScore> score_targets(Forward& forward, const Rows& x,
                                       std::span<const std::int32_t> targets, std::size_t likely);

// The `likely` tokens of highest logit, best first; of equal ones the lower first.
std::vector<std::int32_t> likely_tokens(const kernel::Kernels& kernels, const float* logits,
                                        std::size_t count, std::size_t likely);

// Makes room in a translation for `steps` scores and `runners_up` tokens beside each.
void make_room(Translation& translation, std::size_t steps, std::size_t runners_up);

// Puts the runners-up of a step: the likely tokens but for the predicted one.
void put_runners_up(Translation& translation, std::size_t step,
                    std::span<const std::int32_t> likely, std::span<const double> log_probability);

// log of the sum of exp(logit).
double log_normalizer(const kernel::Kernels& kernels, const float* logits, std::size_t count);

}  // namespace refran::marian
