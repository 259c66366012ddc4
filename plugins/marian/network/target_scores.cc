#include "target_scores.h"

#include <algorithm>

#include <refran/math.h>
#include "search.h"

namespace refran::marian {
namespace {

constexpr std::size_t kRowsAtOnce = 96;

}  // namespace

double log_normalizer(const kernel::Kernels& kernels, const float* logits, std::size_t count) {
  float largest = 0;
  double sum = 0;
  kernels.exp_sum(logits, count, &largest, &sum);
  return static_cast<double>(largest) + math::log(sum);
}

void make_room(Translation& translation, std::size_t steps, std::size_t runners_up) {
  translation.log_probability.resize(steps);
  translation.runner_up = Array<std::int32_t, 2>({steps, runners_up});
  translation.runner_up_log_probability = Array<float, 2>({steps, runners_up});
}

void put_runners_up(Translation& translation, std::size_t step,
                    std::span<const std::int32_t> likely, std::span<const double> log_probability) {
  const std::size_t ranks = translation.runner_up.extent(1);
  std::size_t rank = 0;
  for (std::size_t i = 0; i < likely.size() && rank < ranks; ++i) {
    if (likely[i] == translation.predicted[step]) continue;
    translation.runner_up(step, rank) = likely[i];
    translation.runner_up_log_probability(step, rank) = static_cast<float>(log_probability[i]);
    ++rank;
  }
}

std::vector<std::int32_t> likely_tokens(const kernel::Kernels& kernels, const float* logits,
                                        std::size_t count, std::size_t likely) {
  std::vector<std::int32_t> tokens;
  if (likely == 0) return tokens;
  const Scored row{logits, count, 0};
  for (const Candidate& candidate :
       best_candidates(kernels, {&row, 1}, std::vector<double>{0}, likely))
    tokens.push_back(candidate.token);
  return tokens;
}

std::vector<TargetScore> score_targets(Forward& forward, const Rows& x,
                                       std::span<const std::int32_t> targets, std::size_t likely) {
  const kernel::Kernels& kernels = *forward.model().kernels;
  const ModelConfig& config = forward.model().config;
  const std::size_t vocabulary = config.target_vocabulary;
  std::vector<TargetScore> scores(targets.size());
  Rows logits;
  for (std::size_t first = 0; first < targets.size(); first += kRowsAtOnce) {
    const std::size_t rows = std::min(kRowsAtOnce, targets.size() - first);
    output_logits(forward, x.data() + first * forward.dim(), rows, logits);
    forward.team().share(rows, [&](std::size_t row, std::size_t) {
      const float* of_row = logits.data() + row * vocabulary;
      TargetScore& score = scores[first + row];
      const double normalizer = log_normalizer(kernels, of_row, vocabulary);
      const auto log_probability = [&](std::int32_t token) {
        return static_cast<double>(of_row[token]) - normalizer;
      };
      score.log_probability = log_probability(targets[first + row]);
      score.likely = likely_tokens(kernels, of_row, vocabulary, likely);
      for (const std::int32_t token : score.likely)
        score.likely_log_probability.push_back(log_probability(token));
    });
  }
  return scores;
}

}  // namespace refran::marian
