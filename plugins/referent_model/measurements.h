// What is measured of a model beside its loss: where its heads look, what each contributes, and
// what it can do with heads switched off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <refran/array.h>
#include "model.h"
#include "task.h"
#include "training.h"

namespace refran::referent {

// Who a position is in its sentence. Everything that is no noun, adjective or "it" is `other`.
enum Role : std::size_t { kFirstNounRole, kSecondNounRole, kAdjectiveRole, kSelf, kOther, kRoles };

// The same, by what the sentence means: the noun that "it" is, and the one it is not.
enum Part : std::size_t { kReferent, kDistractor, kAdjectivePart, kSelfPart, kOtherPart, kParts };

// Where the heads look in each training sentence, from one pass of a model.
struct AttentionMaps {
  Array<float, 4> it_attention;      // [sentence, layer, head, position]: from "it"
  Array<float, 4> layer1_attention;  // [sentence, head, query, key]; empty unless asked for
};

// The same, and what it says over all sentences.
struct AttentionMeasures : AttentionMaps {
  // Weight of a key role, summed over its positions, averaged over the query role's positions and
  // the sentences of a referent; NaN where a layer has no such query.
  Array<double, 5> role_attention;  // [referent, layer, head, query_role, key_role]
  Array<double, 4> part_attention;  // [referent, layer, head, part]: from "it"
  Array<double, 2> confidence;      // [layer, head]: mean largest weight, from "it"
  Array<double, 2> entropy;         // [layer, head]: mean entropy in nat, from "it"
  // Mean contribution to the logit difference referent - distractor along the residual stream:
  // embedding, then layer 1's heads, then layer 2's. They sum to the mean logit difference.
  Array<double, 2> direct_logit;         // [referent, component]
  std::vector<double> logit_difference;  // [sentence]
  std::vector<std::int32_t> named;       // [sentence]: 0 referent, 1 distractor, 2 another word
};

enum class AblationMode : std::size_t {
  zero,      // the head's output is 0 (the page)
  uniform,   // the head looks everywhere alike
  mean,      // the head's mean output at that position over the training sentences
  resample,  // the head's output in another training sentence, the same for all heads
};
inline constexpr std::size_t kAblationModes = 4;

// Every subset of heads switched off after training. Subset bits: bit layer * heads + head is 1
// where that head is off; subset 0 is the whole model.
struct AblationMeasures {
  Array<double, 2> loss;                  // [mode, subset]
  Array<double, 2> accuracy;              // [mode, subset]
  Array<double, 2> logit_difference;      // [mode, subset]: referent - distractor, mean
  Array<double, 3> loss_by_referent;      // [mode, subset, referent]
  Array<double, 3> accuracy_by_referent;  // [mode, subset, referent]
  Array<std::int32_t, 3> named;           // [mode, subset, sentence]; as above
};

// Several seeds at once, here and below: `parameters` holds one flat array per seed
// (ParameterLayout), any number of them. Every seed's result is the same whatever the others are.
std::vector<AttentionMaps> read_attention(const Task& task, const TrainingSpec& spec,
                                          std::span<const std::vector<double>> parameters,
                                          bool with_layer1, Processor processor = Processor::best);
std::vector<AttentionMeasures> measure_attention(const Task& task, const TrainingSpec& spec,
                                                 std::span<const std::vector<double>> parameters,
                                                 bool with_layer1,
                                                 Processor processor = Processor::best);

// `resampled` [seed][sentence] says whose head outputs stand in for a sentence's in mode resample.
std::vector<AblationMeasures> measure_ablation(const Task& task, const TrainingSpec& spec,
                                               std::span<const std::vector<double>> parameters,
                                               std::span<const std::vector<std::size_t>> resampled,
                                               Processor processor = Processor::best);

// Mean loss in nat and share of right answers on any sentences (held out, swapped), by seed.
struct Score {
  double loss = 0;
  double accuracy = 0;
  std::array<double, 2> accuracy_by_referent{};  // NaN where no sentence has that referent
};
std::vector<Score> measure_score(const Task& task, const TrainingSpec& spec,
                                 std::span<const Sentence> sentences,
                                 std::span<const std::vector<double>> parameters,
                                 Processor processor = Processor::best);

}  // namespace refran::referent
