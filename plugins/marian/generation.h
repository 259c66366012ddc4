// Translations: greedy and beam search as `generate` of transformers does them, or a target
// that is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <refran/array.h>
#include "model.h"

namespace refran::marian {

// A translation, step by step. Step 0 reads the start token and predicts the first token; the end
// of the sentence is predicted and never read.
struct Translation {
  Ids input;      // [step]: what the decoder read
  Ids predicted;  // [step]: what was chosen, or given
  std::vector<float>
      log_probability;  // [step]: of `predicted`, of the model as it is (no token banned)
  Array<std::int32_t, 2> runner_up;  // [step, rank]: the most likely tokens other than `predicted`
  Array<float, 2> runner_up_log_probability;  // [step, rank]
  // As `sequences_scores` of transformers: the log-probabilities as the search saw them, over
  // length^length_penalty. Of a given target: their plain sum.
  double score = 0;
  bool ended = false;    // with the end of the sentence, which max_length may have forced
  std::size_t ties = 0;  // how often equal scores met at a choice; the lower index was taken

  AttentionRecord encoder_self, decoder_self, cross;
  Array<float, 3> encoder_residual;  // [depth, position, model_dim], depth 0 = embedding
  Array<float, 3> decoder_residual;  // [depth, step, model_dim]
};

struct GenerationOptions {
  Keep keep;
  std::size_t runners_up = 0;
};

// Translates sentences side by side. Throws Error as `encode` does, and where the decoder would
// need more than max_positions.
std::vector<Translation> translate(const Model& model, std::span<const Ids> sources,
                                   const Decoding& decoding, const Gates& gates,
                                   const GenerationOptions& options, Team& team);

// The same for targets that are given, [sentence]: all steps at once. A target has at least one
// token, and usually ends with the end of the sentence.
std::vector<Translation> force(const Model& model, std::span<const Ids> sources,
                               std::span<const Ids> targets, const Gates& gates,
                               const GenerationOptions& options, Team& team);

}  // namespace refran::marian
