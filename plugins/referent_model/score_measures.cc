// measure_score: what a model can do on any sentences.
#include "measurements.h"
#include "seed_groups.h"

namespace refran::referent {
namespace {

template <class Element>
Score score_of(std::span<const Sentence> sentences, const AnswerMemory<Element>& memory,
               std::size_t width, std::size_t lane) {
  const LaneValues<Element> loss(memory.loss, width, lane);
  const LaneValues<Element> named(memory.named, width, lane);
  MeanByReferent mean_loss;
  MeanByReferent accuracy;
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    mean_loss.add(sentences[s].referent, static_cast<double>(loss[s]));
    accuracy.add(sentences[s].referent, named[s] == Element{0} ? 1 : 0);
  }
  return {.loss = mean_loss.all(),
          .accuracy = accuracy.all(),
          .accuracy_by_referent = {accuracy.of(0), accuracy.of(1)}};
}

template <class Element>
std::vector<Score> scores(const LanePrograms<Element>& programs, const Task& task,
                          const TrainingSpec& spec, std::span<const Sentence> sentences,
                          std::span<const std::vector<double>> parameters) {
  std::vector<Score> result(parameters.size());
  AnswerMemory<Element> memory(sentences.size(), programs.width);
  for_each_group<Element>(programs.width, task, spec, sentences, parameters,
                          [&](const SeedGroup<Element>& group, std::size_t first) {
                            programs.score(group, memory.answers());
                            for (std::size_t i = first;
                                 i < std::min(first + programs.width, result.size()); ++i)
                              result[i] = score_of(sentences, memory, programs.width, i - first);
                          });
  return result;
}

}  // namespace

std::vector<Score> measure_score(const Task& task, const TrainingSpec& spec,
                                 std::span<const Sentence> sentences,
                                 std::span<const std::vector<double>> parameters,
                                 Processor processor) {
  return with_programs(processor, spec.precision, [&](const auto& programs) {
    return scores(programs, task, spec, sentences, parameters);
  });
}

}  // namespace refran::referent
