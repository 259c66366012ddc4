// A loaded Marian model, and its forward pass: encoder and decoder over sentences side by side,
// with every attention weight kept on request and any head switched off.
//
// Rows of all sentences follow each other without padding, and a row's arithmetic has one fixed
// order. So a sentence's numbers are the same bytes alone or in any batch, with a cache or without
// one, kept or not, on any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <refran/array.h>
#include "aligned.h"
#include "gates.h"
#include "model_config.h"
#include "team.h"
#include "weights.h"

namespace refran::marian {

// What a pass keeps beside its result.
struct Keep {
  bool attention = true;
  bool values = false;        // every head's values
  bool head_outputs = false;  // every head's weighted average of values
  bool residual = false;      // the stream after the embedding and after every layer
  bool norms = false;  // ‖α f(x)‖, f(x) = (x W_v + b_v) W_o of the head (Kobayashi et al. 2020)
};

// One kind of attention over one sentence. Empty where it was not asked for.
struct AttentionRecord {
  Array<float, 4> weight;  // [layer, head, query, key]; each row sums to 1
  Array<float, 4> value;   // [layer, head, key, head_dim]
  Array<float, 4> output;  // [layer, head, query, head_dim]
  Array<float, 4> norm;    // [layer, head, query, key]
};

namespace kernel {
struct Kernels;
const Kernels& best_kernels();
}  // namespace kernel

struct Model {
  ModelConfig config;
  Weights weights;
  // The arithmetic for this processor. The plain one gives the same bytes.
  const kernel::Kernels* kernels = &kernel::best_kernels();
};

using Ids = std::vector<std::int32_t>;

// Source sentences after the encoder.
struct Encoded {
  std::vector<std::size_t> first_row;   // [sentence + 1]: where a sentence's rows begin
  Rows output;                          // [row, model_dim]
  std::vector<AttentionRecord> record;  // [sentence]
  std::vector<Array<float, 3>>
      residual;  // [sentence]: [depth, position, model_dim], depth 0 = embedding

  std::size_t sentences() const { return first_row.size() - 1; }
  std::size_t length(std::size_t sentence) const {
    return first_row[sentence + 1] - first_row[sentence];
  }
};

// Throws Error where a sentence is empty, longer than max_positions, or has an id that the
// vocabulary does not hold.
Encoded encode(const Model& model, std::span<const Ids> sources, const Gates& gates,
               const Keep& keep, Team& team);

}  // namespace refran::marian
