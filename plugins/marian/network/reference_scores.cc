#include "../reference_scores.h"

#include <map>

#include "forward.h"
#include "side_by_side.h"
#include "target_scores.h"

namespace refran::marian {
namespace {

// The average over rows of a layer's heads' outputs [row, model_dim].
std::vector<double> mean_row(const Rows& heads_out, std::size_t dim) {
  std::vector<double> mean(dim);
  const std::size_t rows = heads_out.size() / dim;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < dim; ++i) mean[i] += static_cast<double>(heads_out[row * dim + i]);
  for (double& value : mean) value /= static_cast<double>(rows);
  return mean;
}

// All rows of a sentence, for every row of another: the source's for each of `rows`.
std::vector<RowContext> whole_sentences(const SideBySide& rows, const SideBySide& attended) {
  std::vector<RowContext> contexts;
  for (std::size_t sentence = 0; sentence < rows.sentences(); ++sentence)
    contexts.insert(contexts.end(), rows.length(sentence),
                    {.context = nullptr,
                     .first = attended.first_row[sentence],
                     .positions = attended.length(sentence),
                     .record = {}});
  return contexts;
}

// A row and those before it in its sentence.
std::vector<RowContext> up_to_here(const SideBySide& rows) {
  std::vector<RowContext> contexts;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    contexts.push_back({.context = nullptr,
                        .first = row - rows.positions[row],
                        .positions = rows.positions[row] + 1,
                        .record = {}});
  return contexts;
}

}  // namespace

struct ReferenceScores::Open {
  SideBySide source;
  SideBySide target;
  Ids predicted;                                // [target row]
  std::vector<RowContext> encoder_self;         // [source row]
  std::vector<RowContext> decoder_self, cross;  // [target row]
  std::vector<Rows> encoder_input;              // [layer + 1]: the last is the encoder's output
  std::vector<Rows> decoder_input;              // [layer + 1]: the last is the decoder's output
  std::vector<KeysAndValues> cross_memory;      // [layer]
  std::map<HeadId, std::vector<float>> mean_output;

  void put_means(AttentionKind kind, std::size_t layer, std::size_t heads, std::size_t dim,
                 const Rows& heads_out) {
    const std::vector<double> mean = mean_row(heads_out, dim);
    for (std::size_t i = 0; i < dim; ++i)
      mean_output[{kind, layer, i / (dim / heads)}].push_back(static_cast<float>(mean[i]));
  }

  void run_encoder(Forward& forward) {
    const Model& model = forward.model();
    KeysAndValues memory;
    LayerScratch scratch;
    Rows x;
    forward.embed(model.weights.source_embedding, model.weights.encoder_positions, source.ids,
                  source.positions, x);
    for (std::size_t layer = 0; layer < model.config.encoder_layers; ++layer) {
      encoder_input.push_back(x);
      encoder_layer(forward, layer, encoder_self, x, memory, scratch);
      put_means(AttentionKind::encoder_self, layer, model.config.encoder_heads, forward.dim(),
                scratch.heads_out);
    }
    encoder_input.push_back(std::move(x));
  }

  void run_decoder(Forward& forward) {
    const Model& model = forward.model();
    LayerScratch scratch;
    Rows x;
    forward.embed(model.weights.target_embedding, model.weights.decoder_positions, target.ids,
                  target.positions, x);
    for (std::size_t layer = 0; layer < model.config.decoder_layers; ++layer) {
      decoder_input.push_back(x);
      marian::cross_memory(forward, layer, encoder_input.back(), cross_memory.emplace_back());
      KeysAndValues memory;
      decoder_self_attention(forward, layer, decoder_self, x, memory, scratch);
      put_means(AttentionKind::decoder_self, layer, model.config.decoder_heads, forward.dim(),
                scratch.heads_out);
      decoder_cross_attention(forward, layer, cross, x, cross_memory.back(), scratch);
      put_means(AttentionKind::cross, layer, model.config.decoder_heads, forward.dim(),
                scratch.heads_out);
      decoder_feed_forward(forward, layer, x);
    }
    decoder_input.push_back(std::move(x));
  }

  // The decoder's output from `layer` on, its encoder's output being `encoded`; null: the open one.
  Rows decoder_from(Forward& forward, std::size_t layer, const Rows* encoded) const {
    LayerScratch scratch;
    KeysAndValues gated_memory;
    Rows x = decoder_input[layer];
    for (; layer < cross_memory.size(); ++layer) {
      KeysAndValues memory;
      decoder_self_attention(forward, layer, decoder_self, x, memory, scratch);
      if (encoded != nullptr) marian::cross_memory(forward, layer, *encoded, gated_memory);
      decoder_cross_attention(forward, layer, cross, x,
                              encoded != nullptr ? gated_memory : cross_memory[layer], scratch);
      decoder_feed_forward(forward, layer, x);
    }
    return x;
  }

  Rows encoder_from(Forward& forward, std::size_t layer) const {
    KeysAndValues memory;
    LayerScratch scratch;
    Rows x = encoder_input[layer];
    for (; layer + 1 < encoder_input.size(); ++layer)
      encoder_layer(forward, layer, encoder_self, x, memory, scratch);
    return x;
  }
};

ReferenceScores::ReferenceScores(const Model& model, std::span<const Ids> sources,
                                 std::span<const Ids> targets, Team& team)
    : model_(model), team_(team) {
  auto open = std::make_unique<Open>();
  open->source = source_rows(model.config, sources);
  open->target = target_rows(model.config, sources, targets);
  open->predicted = joined(targets);
  open->encoder_self = whole_sentences(open->source, open->source);
  open->cross = whole_sentences(open->target, open->source);
  open->decoder_self = up_to_here(open->target);
  const Gates none;
  Forward forward(model, none, team);
  open->run_encoder(forward);
  open->run_decoder(forward);
  open_ = std::move(open);
}

ReferenceScores::~ReferenceScores() = default;
ReferenceScores::ReferenceScores(ReferenceScores&&) noexcept = default;

std::vector<double> ReferenceScores::log_probability(const Gates& gates) const {
  Forward forward(model_, gates, team_);
  const auto in_encoder = gates.lowest_layer(true);
  const auto in_decoder = gates.lowest_layer(false);
  Rows output;
  if (in_encoder) {
    const Rows encoded = open_->encoder_from(forward, *in_encoder);
    output = open_->decoder_from(forward, 0, &encoded);
  } else {
    output = open_->decoder_from(forward, in_decoder.value_or(open_->cross_memory.size()), nullptr);
  }
  const std::vector<TargetScore> scores = score_targets(forward, output, open_->predicted, 0);
  std::vector<double> sums;
  for (std::size_t pair = 0; pair < open_->target.sentences(); ++pair) {
    double& sum = sums.emplace_back(0);
    for (std::size_t row = open_->target.first_row[pair]; row < open_->target.first_row[pair + 1];
         ++row)
      sum += scores[row].log_probability;
  }
  return sums;
}

const std::vector<float>& ReferenceScores::mean_output(const HeadId& head) const {
  return open_->mean_output.at(head);
}

}  // namespace refran::marian
