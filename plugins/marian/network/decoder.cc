#include "decoder.h"

#include <algorithm>

#include <fmt/format.h>

#include <refran/error.h>

namespace refran::marian {
namespace {

// A search may go further than the model has positions.
void check_position(const ModelConfig& config, const DecoderRow& row) {
  if (row.before.size() < config.max_positions) return;
  throw Error(
      fmt::format("sentence {}: found a translation of more than {} tokens, allowed: at "
                  "most that many, the positions of the model",
                  row.sentence + 1, config.max_positions));
}

}  // namespace

Decoder::Decoder(Forward& forward, const Encoded& encoded)
    : forward_(forward),
      encoded_(encoded),
      self_(forward.model().config.decoder_layers),
      cross_(forward.model().config.decoder_layers) {
  for (std::size_t layer = 0; layer < cross_.size(); ++layer)
    cross_memory(forward, layer, encoded.output, cross_[layer]);
}

void Decoder::reserve(std::size_t rows) {
  constexpr std::size_t kMostFloats = 1 << 24;  // 64 MiB: wide beams seldom need all they might
  const std::size_t floats = std::min(rows * forward_.dim(), kMostFloats);
  for (KeysAndValues& memory : self_) {
    memory.keys.reserve(floats);
    memory.values.reserve(floats);
  }
}

void Decoder::make_contexts(std::span<const DecoderRow> rows) {
  std::size_t total = 0;
  for (const DecoderRow& row : rows) total += row.before.size() + 1;
  context_ids_.clear();
  context_ids_.reserve(total);  // pointers into it stay valid
  contexts_.self.clear();
  contexts_.cross.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const DecoderRow& row = rows[i];
    const std::uint32_t* context = context_ids_.data() + context_ids_.size();
    context_ids_.insert(context_ids_.end(), row.before.begin(), row.before.end());
    context_ids_.push_back(static_cast<std::uint32_t>(rows_read_ + i));
    contexts_.self.push_back(
        {.context = context, .first = 0, .positions = row.before.size() + 1, .record = row.self});
    contexts_.cross.push_back({.context = nullptr,
                               .first = encoded_.first_row[row.sentence],
                               .positions = encoded_.length(row.sentence),
                               .record = row.cross});
  }
}

void Decoder::read(std::span<const DecoderRow> rows) {
  const Model& model = forward_.model();
  std::vector<std::int32_t> ids;
  std::vector<std::size_t> positions;
  for (const DecoderRow& row : rows) {
    check_position(model.config, row);
    ids.push_back(row.token);
    positions.push_back(row.before.size());
  }
  make_contexts(rows);
  forward_.embed(model.weights.target_embedding, model.weights.decoder_positions, ids, positions,
                 x_);
  for (std::size_t layer = 0; layer < self_.size(); ++layer) {
    if (observer_ != nullptr) observer_->stream(layer, x_);
    decoder_self_attention(forward_, layer, contexts_.self, x_, self_[layer], scratch_);
    if (observer_ != nullptr)
      observer_->layer(AttentionKind::decoder_self, layer, self_[layer], scratch_.heads_out);
    decoder_cross_attention(forward_, layer, contexts_.cross, x_, cross_[layer], scratch_);
    if (observer_ != nullptr)
      observer_->layer(AttentionKind::cross, layer, cross_[layer], scratch_.heads_out);
    decoder_feed_forward(forward_, layer, x_);
  }
  if (observer_ != nullptr) observer_->stream(self_.size(), x_);
  rows_read_ += rows.size();
}

}  // namespace refran::marian
