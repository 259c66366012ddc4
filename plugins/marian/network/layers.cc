// The layers of encoder and decoder: post-norm, h = norm(x + attention(x)), y = norm(h + ffn(h))
// (Vaswani et al. 2017, section 3.1).
#include "forward.h"

namespace refran::marian {

void encoder_layer(Forward& forward, std::size_t layer, std::span<const RowContext> contexts,
                   Rows& x, KeysAndValues& memory, LayerScratch& scratch) {
  const EncoderLayerWeights& weights = forward.model().weights.encoder[layer];
  const AttentionWeights& attention = weights.self_attention;
  const std::size_t rows = x.size() / forward.dim();
  scratch.queries.resize(x.size());
  memory.keys.resize(x.size());
  memory.values.resize(x.size());
  forward.multiply(x.data(), rows,
                   {{&attention.query, scratch.queries.data()},
                    {&attention.key, memory.keys.data()},
                    {&attention.value, memory.values.data()}});
  forward.attend(AttentionKind::encoder_self, layer, scratch.queries, memory, contexts,
                 scratch.heads_out);
  forward.finish_attention(attention, weights.self_attention_norm, scratch.heads_out, x);
  forward.feed_forward(weights.ffn_in, weights.ffn_out, weights.ffn_norm, x);
}

void cross_memory(Forward& forward, std::size_t layer, const Rows& encoded, KeysAndValues& memory) {
  const AttentionWeights& attention = forward.model().weights.decoder[layer].cross_attention;
  const std::size_t rows = encoded.size() / forward.dim();
  memory.keys.resize(encoded.size());
  memory.values.resize(encoded.size());
  forward.multiply(
      encoded.data(), rows,
      {{&attention.key, memory.keys.data()}, {&attention.value, memory.values.data()}});
}

void decoder_self_attention(Forward& forward, std::size_t layer,
                            std::span<const RowContext> contexts, Rows& x, KeysAndValues& memory,
                            LayerScratch& scratch) {
  const DecoderLayerWeights& weights = forward.model().weights.decoder[layer];
  const AttentionWeights& attention = weights.self_attention;
  const std::size_t rows = x.size() / forward.dim();
  const std::size_t before = memory.keys.size();
  scratch.queries.resize(x.size());
  memory.keys.resize(before + x.size());
  memory.values.resize(before + x.size());
  forward.multiply(x.data(), rows,
                   {{&attention.query, scratch.queries.data()},
                    {&attention.key, memory.keys.data() + before},
                    {&attention.value, memory.values.data() + before}});
  forward.attend(AttentionKind::decoder_self, layer, scratch.queries, memory, contexts,
                 scratch.heads_out);
  forward.finish_attention(attention, weights.self_attention_norm, scratch.heads_out, x);
}

void decoder_cross_attention(Forward& forward, std::size_t layer,
                             std::span<const RowContext> contexts, Rows& x,
                             const KeysAndValues& memory, LayerScratch& scratch) {
  const DecoderLayerWeights& weights = forward.model().weights.decoder[layer];
  const AttentionWeights& attention = weights.cross_attention;
  scratch.queries.resize(x.size());
  forward.multiply(x.data(), x.size() / forward.dim(),
                   {{&attention.query, scratch.queries.data()}});
  forward.attend(AttentionKind::cross, layer, scratch.queries, memory, contexts, scratch.heads_out);
  forward.finish_attention(attention, weights.cross_attention_norm, scratch.heads_out, x);
}

void decoder_feed_forward(Forward& forward, std::size_t layer, Rows& x) {
  const DecoderLayerWeights& weights = forward.model().weights.decoder[layer];
  forward.feed_forward(weights.ffn_in, weights.ffn_out, weights.ffn_norm, x);
}

void output_logits(Forward& forward, const float* x, std::size_t rows, Rows& logits) {
  const LinearWeights& output = forward.model().weights.output;
  logits.resize(rows * output.bias.size());
  forward.multiply(x, rows, {{&output, logits.data()}});
}

}  // namespace refran::marian
