// The layers of a pass, on rows of sentences side by side. Shared by encoder, decoder and the
// scores of references; model.h and generation.h are what others use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <vector>

#include "../kernel/kernels.h"
#include "../model.h"

namespace refran::marian {

// One product of several that the same rows are in.
struct Product {
  const LinearWeights* weights;
  float* y;                   // [row, out]
  bool is_activated = false;  // and packed, for a product to read
};

// Where the attention of one row goes: (layer, head, position) is at
// weight + layer · layer_stride + head · head_stride + position. Null: nowhere.
struct RowRecord {
  float* weight = nullptr;
  std::size_t layer_stride = 0;
  std::size_t head_stride = 0;
};

// Which positions a row attends to: rows `context[0 … positions - 1]` of the keys, or from `first`
// on where `context` is null.
struct RowContext {
  const std::uint32_t* context = nullptr;
  std::size_t first = 0;
  std::size_t positions = 0;
  RowRecord record;
};

// The keys and values that rows attend to.
struct KeysAndValues {
  Rows keys;    // [row, model_dim]
  Rows values;  // [row, model_dim]
};

// Runs parts of a pass on a team, and owns their scratch memory. Throws Error for gates that the
// model has no heads for.
class Forward {
 public:
  Forward(const Model& model, const Gates& gates, Team& team)
      : model_(model), gates_(gates), team_(team), scratch_(team.size()) {
    gates.check(model.config);
  }

  const Model& model() const { return model_; }
  std::size_t dim() const { return model_.config.model_dim; }
  Team& team() { return team_; }

  // x[row] = embedding[id] · scale + position. `ids`, `positions` [row].
  void embed(std::span<const float> embedding, std::span<const float> position_table,
             std::span<const std::int32_t> ids, std::span<const std::size_t> positions,
             Rows& x) const;

  // y = x W + b of each of them, their parts shared by the team. x [row, in].
  void multiply(const float* x, std::size_t rows, std::initializer_list<Product> products);

  // Every head of every query row: `heads_out` [row, model_dim]. Gates are those of (kind, layer).
  void attend(AttentionKind kind, std::size_t layer, const Rows& queries,
              const KeysAndValues& memory, std::span<const RowContext> contexts, Rows& heads_out);

  // x = norm(x + heads_out W_o + b_o).
  void finish_attention(const AttentionWeights& attention, const NormWeights& norm,
                        const Rows& heads_out, Rows& x);

  // x = norm(x + W_2 activation(W_1 x + b_1) + b_2).
  void feed_forward(const LinearWeights& in, const LinearWeights& out, const NormWeights& norm,
                    Rows& x);

 private:
  // Each thread's first weights of the products after these. A decoder's steps read the same
  // weights in the same order: what came after them last time comes next.
  std::span<const Ahead> ahead_of(std::span<const Product> products);
  void add_norm(const NormWeights& norm, const Rows& added, Rows& x);
  // x [row, in] as products of more than a few rows read it.
  const float* packed(const float* x, std::size_t rows, std::size_t in);
  // The same as `multiply`, of x packed where rows are more than a few.
  void multiply_packed(const float* x, std::size_t rows, std::span<const Product> products);

  const Model& model_;
  const Gates& gates_;
  Team& team_;
  std::vector<Rows> scratch_;            // [thread]
  const float* last_product_ = nullptr;  // the first weights of the last products
  // Those that came after them, by their first weights; y is of then.
  std::unordered_map<const float*, std::vector<Product>> next_products_;
  std::vector<Ahead> ahead_;  // [thread]
  Rows packed_;               // rows of a product
  Rows added_;
  Rows hidden_;
};

// Scratch arrays of a layer, to be reused from layer to layer.
struct LayerScratch {
  Rows queries;    // [row, model_dim]
  Rows heads_out;  // [row, model_dim]
};

// One layer of the encoder, on x [row, model_dim] in place. `contexts` [row]. `memory` is left
// holding the layer's keys and values, `scratch` its heads' outputs.
void encoder_layer(Forward& forward, std::size_t layer, std::span<const RowContext> contexts,
                   Rows& x, KeysAndValues& memory, LayerScratch& scratch);

// What cross-attention of a decoder's layer looks at: keys and values of the encoder's rows.
void cross_memory(Forward& forward, std::size_t layer, const Rows& encoded, KeysAndValues& memory);

// What the rows of a decoder attend to, [row] each.
struct DecoderContexts {
  std::vector<RowContext> self;
  std::vector<RowContext> cross;
};

// Self-attention of one layer of the decoder, then its cross-attention and feed-forward, on x
// [row, model_dim] in place. The rows' keys and values are added to the end of `memory`.
void decoder_self_attention(Forward& forward, std::size_t layer,
                            std::span<const RowContext> contexts, Rows& x, KeysAndValues& memory,
                            LayerScratch& scratch);
void decoder_cross_attention(Forward& forward, std::size_t layer,
                             std::span<const RowContext> contexts, Rows& x,
                             const KeysAndValues& memory, LayerScratch& scratch);
void decoder_feed_forward(Forward& forward, std::size_t layer, Rows& x);

// logits [row, target id] of `rows` rows x [row, model_dim].
void output_logits(Forward& forward, const float* x, std::size_t rows, Rows& logits);

}  // namespace refran::marian
