// measure_ablation: the answers of every subset of heads, summed up seed by seed.
#include "measurements.h"
#include "seed_groups.h"

namespace refran::referent {
namespace {

AblationMeasures make_measures(std::size_t subsets, std::size_t sentences) {
  AblationMeasures result;
  result.loss = Array<double, 2>({kAblationModes, subsets});
  result.accuracy = Array<double, 2>({kAblationModes, subsets});
  result.logit_difference = Array<double, 2>({kAblationModes, subsets});
  result.loss_by_referent = Array<double, 3>({kAblationModes, subsets, 2});
  result.accuracy_by_referent = Array<double, 3>({kAblationModes, subsets, 2});
  result.named = Array<std::int32_t, 3>({kAblationModes, subsets, sentences});
  return result;
}

// `memory` is [mode, subset, sentence, lane].
template <class Element>
AblationMeasures measures_of(const Task& task, std::size_t subsets,
                             const AnswerMemory<Element>& memory, std::size_t width,
                             std::size_t lane) {
  const std::size_t sentences = task.training.size();
  AblationMeasures result = make_measures(subsets, sentences);
  const LaneValues<Element> loss(memory.loss, width, lane);
  const LaneValues<Element> difference(memory.difference, width, lane);
  const LaneValues<Element> named(memory.named, width, lane);
  for (std::size_t row = 0; row < kAblationModes * subsets; ++row) {
    const std::size_t mode = row / subsets;
    const std::size_t subset = row % subsets;
    MeanByReferent mean_loss;
    MeanByReferent accuracy;
    MeanByReferent mean_difference;
    for (std::size_t s = 0; s < sentences; ++s) {
      const std::size_t referent = task.training[s].referent;
      const std::size_t at = row * sentences + s;
      mean_loss.add(referent, static_cast<double>(loss[at]));
      accuracy.add(referent, named[at] == Element{0} ? 1 : 0);
      mean_difference.add(referent, static_cast<double>(difference[at]));
      result.named(mode, subset, s) = static_cast<std::int32_t>(named[at]);
    }
    result.loss(mode, subset) = mean_loss.all();
    result.accuracy(mode, subset) = accuracy.all();
    result.logit_difference(mode, subset) = mean_difference.all();
    for (std::size_t referent = 0; referent < 2; ++referent) {
      result.loss_by_referent(mode, subset, referent) = mean_loss.of(referent);
      result.accuracy_by_referent(mode, subset, referent) = accuracy.of(referent);
    }
  }
  return result;
}

// [sentence, lane] of the group that begins with seed `first`; lanes without a seed hold zeros.
std::vector<std::size_t> resampled_lanes(std::span<const std::vector<std::size_t>> resampled,
                                         std::size_t sentences, std::size_t first,
                                         std::size_t width) {
  std::vector<std::size_t> lanes(sentences * width);
  const std::size_t seeds = std::min(width, resampled.size() - first);
  for (std::size_t lane = 0; lane < seeds; ++lane) {
    const std::vector<std::size_t>& others = resampled[first + lane];
    if (others.size() != sentences ||
        std::ranges::any_of(others, [sentences](std::size_t s) { return s >= sentences; })) {
      throw std::invalid_argument("found resampled sentences that are not those of the training");
    }
    for (std::size_t s = 0; s < sentences; ++s) lanes[s * width + lane] = others[s];
  }
  return lanes;
}

template <class Element>
std::vector<AblationMeasures> ablations(const LanePrograms<Element>& programs, const Task& task,
                                        const TrainingSpec& spec,
                                        std::span<const std::vector<double>> parameters,
                                        std::span<const std::vector<std::size_t>> resampled) {
  const std::size_t subsets = std::size_t{1} << spec.shape.all_heads();
  const std::size_t sentences = task.training.size();
  const std::size_t width = programs.width;
  std::vector<AblationMeasures> result;
  AnswerMemory<Element> memory(kAblationModes * subsets * sentences, width);
  for_each_group<Element>(
      width, task, spec, task.training, parameters,
      [&](const SeedGroup<Element>& group, std::size_t first) {
        const std::vector<std::size_t> others = resampled_lanes(resampled, sentences, first, width);
        programs.ablate(group, others.data(), {memory.answers()});
        for (std::size_t lane = 0; lane < std::min(width, parameters.size() - first); ++lane)
          result.push_back(measures_of(task, subsets, memory, width, lane));
      });
  return result;
}

}  // namespace

std::vector<AblationMeasures> measure_ablation(const Task& task, const TrainingSpec& spec,
                                               std::span<const std::vector<double>> parameters,
                                               std::span<const std::vector<std::size_t>> resampled,
                                               Processor processor) {
  if (resampled.size() != parameters.size())
    throw std::invalid_argument("found resampled sentences for another number of seeds");
  return with_programs(processor, spec.precision, [&](const auto& programs) {
    return ablations(programs, task, spec, parameters, resampled);
  });
}

}  // namespace refran::referent
