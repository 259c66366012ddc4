// The arithmetic of a forward pass, compiled twice with the same bytes: for every x86-64 processor
// and for those with AVX2 and FMA. Each number has one order of operations, which does not depend
// on how many rows there are, on the threads, or on what is kept.
//
// What is compiled for AVX2 must share no inline function with the rest of the program (see
// referent_model/lane_programs.h), so arguments are raw pointers in plain structs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../model_config.h"

namespace refran::marian::kernel {

// With so few rows a product takes as long as its weights take from memory.
constexpr std::size_t kFewRows = 4;

// Rows as a product of more than kFewRows reads them (matmul.h). Eight at a time are packed.
struct Pack {
  const float* x;  // [row, in]
  std::size_t rows;
  std::size_t in;
  float* packed;  // [packed_size(rows, in)]
};

constexpr std::size_t packed_size(std::size_t rows, std::size_t in) {
  return (rows + 7) / 8 * 8 * in;
}

// y[row, out] = bias[out] + sum over in of x[row, in] · weight[out, in], for out in [begin, end).
// Rows of weight and y are contiguous; those of y are `y_stride` apart.
struct Matmul {
  const float* x;  // [row, in], or packed if there are more than kFewRows
  std::size_t rows;
  std::size_t in;
  const float* weight;  // [out, in]
  const float* bias;    // [out]
  float* y;             // [row, out]
  std::size_t y_stride;
  const float* next;  // weights that are read next, fetched meanwhile where rows are few
};

// Attention of one query row, all heads. Key and value of position j are the rows `context[j]` of
// `keys` and `values`, or `first + j` where `context` is null.
struct Attend {
  const float* query;   // [model_dim]
  const float* keys;    // [row, model_dim]
  const float* values;  // [row, model_dim]
  const std::uint32_t* context;
  std::size_t first;
  std::size_t positions;
  std::size_t heads;
  std::size_t head_dim;
  float scale;
  const std::uint8_t* uniform;  // [head]: not 0 where it looks at all positions alike; null = none
  float* output;                // [model_dim]
  float* weights;               // [head · weights_stride + position], or null
  std::size_t weights_stride;
  float* scratch;  // [scratch_size(positions)]
};

// The floats that Attend::scratch must have.
constexpr std::size_t scratch_size(std::size_t positions) { return positions + 8; }

// x[row] = norm(x[row] + added[row]) · scale + bias.
struct AddNorm {
  float* x;            // [row, dim]
  const float* added;  // [row, dim]
  std::size_t rows;
  std::size_t dim;
  const float* scale;
  const float* bias;
  float epsilon;
};

struct Kernels {
  void (*pack)(const Pack& pack, std::size_t eight);
  void (*matmul)(const Matmul& product, std::size_t begin, std::size_t end);
  // The same of more than kFewRows, activated, for a product to read: y is [packed_size(rows,
  // y_stride)].
  void (*matmul_activated)(const Matmul& product, Activation activation, std::size_t begin,
                           std::size_t end);
  void (*attend)(const Attend& attend);
  void (*add_norm)(const AddNorm& norm);
  void (*activate)(Activation activation, float* values, std::size_t count);
  // The largest of `logits`, and the sum of exp(logit - largest).
  void (*exp_sum)(const float* logits, std::size_t count, float* largest, double* sum);
  // The first index in [begin, count) whose value is greater than `least`; `count` if none is.
  std::size_t (*next_above)(const float* values, std::size_t begin, std::size_t count, float least);
};

extern const Kernels kPlainKernels;  // plain_kernels.cc
extern const Kernels kAvx2Kernels;   // avx2_kernels.cc

// The fastest that this processor runs.
const Kernels& best_kernels();

}  // namespace refran::marian::kernel
