// The tiny attention-only model of the page's last section: its extents, and where each of its
// weights lies in the one flat array of parameters that training, evaluation and files share.
//
// x_p = word_embedding[w_p] + position_embedding[p]. Layer 1: every position asks every position,
// h_p = x_p + Σ_head o W_O. Layer 2: "it" asks every position, y = h_it + Σ_head o W_O; the logits
// are y · unembedding. Scores are scaled dot products. No LayerNorm, MLP or bias.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace refran::referent {

inline constexpr std::size_t kLayers = 2;  // what the task is made of: one to mix, one to ask

struct ModelShape {
  std::size_t words = 0;      // of the vocabulary
  std::size_t positions = 0;  // of a sentence
  std::size_t heads = 2;      // per layer
  std::size_t model_dim = 16;
  std::size_t key_dim = 2;
  std::size_t value_dim = 8;
  bool has_positions = true;  // whether there is a position embedding

  std::size_t all_heads() const { return kLayers * heads; }
};

// Where each weight begins in the flat array. Every one is row-major with the axes named here.
struct ParameterLayout {
  explicit ParameterLayout(const ModelShape& shape);

  std::size_t word_embedding;      // [word, model_dim]
  std::size_t position_embedding;  // [position, model_dim]; of no extent where there is none
  std::size_t query;               // [layer, head, model_dim, key_dim]
  std::size_t key;                 // [layer, head, model_dim, key_dim]
  std::size_t value;               // [layer, head, model_dim, value_dim]
  std::size_t output;              // [layer, head, value_dim, model_dim]: W_O, split by head
  std::size_t unembedding;         // [model_dim, word]
  std::size_t size;                // of the whole array
};

// A random start: normal numbers, from one named stream of the seed per weight, so that a config
// that adds a head or a word changes no other weight's numbers. Embeddings have the standard
// deviation `scale`, matrices `scale` / √(extent that is summed over).
std::vector<double> random_start(const ModelShape& shape, std::uint64_t seed, double scale);

// Adam (Kingma and Ba 2015), with decoupled weight decay (Loshchilov and Hutter 2019, AdamW).
struct AdamOptions {
  double learning_rate = 0.03;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
};

// Whether the model learns where to look, or looks everywhere alike and learns the rest.
enum class AttentionKind { learned, uniform };

}  // namespace refran::referent
