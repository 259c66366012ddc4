// The weights of a model, by the place they have in it. Matrices are [out, in], row-major: as the
// file has them where it is float32 (then they lie in its mapping and are not copied), else
// converted.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checkpoint.h"
#include "model_config.h"

namespace refran::marian {

struct LinearWeights {
  std::span<const float> weight;  // [out, in]
  std::span<const float> bias;    // [out]
};

struct NormWeights {
  std::span<const float> scale;  // [model_dim]
  std::span<const float> bias;   // [model_dim]
};

// Head h of `heads` owns columns [h · head_dim, (h + 1) · head_dim) of query, key and value.
struct AttentionWeights {
  LinearWeights query, key, value, output;
};

struct EncoderLayerWeights {
  AttentionWeights self_attention;
  NormWeights self_attention_norm;
  LinearWeights ffn_in, ffn_out;
  NormWeights ffn_norm;
};

struct DecoderLayerWeights {
  AttentionWeights self_attention;
  NormWeights self_attention_norm;
  AttentionWeights cross_attention;
  NormWeights cross_attention_norm;
  LinearWeights ffn_in, ffn_out;
  NormWeights ffn_norm;
};

struct Weights {
  std::span<const float> source_embedding;   // [source id, model_dim]
  std::span<const float> target_embedding;   // [target id, model_dim]
  LinearWeights output;                      // [target id, model_dim]; final_logits_bias
  std::span<const float> encoder_positions;  // [position, model_dim]
  std::span<const float> decoder_positions;  // [position, model_dim]
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;

  std::vector<std::string> warnings;  // tensors nothing uses, tables that differ, …
  std::shared_ptr<const void> owner;  // the checkpoint, and the arrays that had to be made
};

// Finds every tensor of `folder.config` in `checkpoint`. Throws ModelError: the names of all
// missing tensors, shapes that do not fit the config, an element type that holds no weights, a
// tensor with NaN or infinite numbers.
Weights load_weights(const ModelFolder& folder, Checkpoint checkpoint);

// Sines and cosines of every position, [position, model_dim]: the first half of a row sines, the
// rest cosines. Frequencies in float64, rounded once, or native Marian's.
std::vector<float> position_table(PositionTable kind, std::size_t positions, std::size_t model_dim);

}  // namespace refran::marian
