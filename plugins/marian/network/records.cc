#include "records.h"

#include <algorithm>
#include <cmath>

namespace refran::marian {
namespace {

// ‖v W_o‖ of one head's value v [head_dim]; W_o's columns are those of the head.
float norm_of_output(const LinearWeights& output, std::size_t dim, std::size_t column,
                     const float* value, std::size_t head_dim) {
  double squares = 0;
  for (std::size_t out = 0; out < dim; ++out) {
    const float* row = output.weight.data() + out * dim + column;
    double sum = 0;
    for (std::size_t i = 0; i < head_dim; ++i)
      sum += static_cast<double>(row[i]) * static_cast<double>(value[i]);
    squares += sum * sum;
  }
  return static_cast<float>(std::sqrt(squares));
}

}  // namespace

AttentionRecord make_record(const ModelConfig& config, AttentionKind kind, std::size_t queries,
                            std::size_t keys, const Keep& keep) {
  const bool is_encoder = kind == AttentionKind::encoder_self;
  const std::size_t layers = is_encoder ? config.encoder_layers : config.decoder_layers;
  const std::size_t heads = is_encoder ? config.encoder_heads : config.decoder_heads;
  const std::size_t head_dim = config.model_dim / heads;
  AttentionRecord record;
  if (keep.attention || keep.norms) record.weight = Array<float, 4>({layers, heads, queries, keys});
  if (keep.values || keep.norms) record.value = Array<float, 4>({layers, heads, keys, head_dim});
  if (keep.head_outputs) record.output = Array<float, 4>({layers, heads, queries, head_dim});
  if (keep.norms) record.norm = Array<float, 4>({layers, heads, queries, keys});
  return record;
}

RowRecord record_row(AttentionRecord& record, std::size_t query) {
  if (record.weight.values().empty()) return {};
  const auto [layers, heads, queries, keys] = record.weight.extents();
  return {.weight = record.weight.values().data() + query * keys,
          .layer_stride = heads * queries * keys,
          .head_stride = queries * keys};
}

void record_layer(AttentionRecord& record, std::size_t layer, const LinearWeights& output,
                  const KeysAndValues& memory, std::size_t first_key, const Rows& heads_out,
                  std::size_t first_query) {
  const std::size_t dim = output.bias.size();
  const auto copy = [&](Array<float, 4>& target, const Rows& rows, std::size_t first) {
    if (target.values().empty()) return;
    const std::size_t head_dim = target.extent(3);
    for (std::size_t head = 0; head < target.extent(1); ++head)
      for (std::size_t i = 0; i < target.extent(2); ++i)
        std::copy_n(rows.data() + (first + i) * dim + head * head_dim, head_dim,
                    target.row(layer, head, i).data());
  };
  copy(record.value, memory.values, first_key);
  copy(record.output, heads_out, first_query);
  if (record.norm.values().empty()) return;
  const std::size_t head_dim = record.value.extent(3);
  for (std::size_t head = 0; head < record.norm.extent(1); ++head) {
    for (std::size_t key = 0; key < record.norm.extent(3); ++key) {
      const float norm = norm_of_output(output, dim, head * head_dim,
                                        record.value.row(layer, head, key).data(), head_dim);
      for (std::size_t query = 0; query < record.norm.extent(2); ++query)
        record.norm(layer, head, query, key) = record.weight(layer, head, query, key) * norm;
    }
  }
}

void record_residual(Array<float, 3>& residual, std::size_t depth, const Rows& x,
                     std::size_t first_row) {
  if (residual.values().empty()) return;
  const auto [depths, positions, dim] = residual.extents();
  std::copy_n(x.data() + first_row * dim, positions * dim, residual.row(depth, 0).data());
}

}  // namespace refran::marian
