// The encoder over sentences side by side.
#include "records.h"
#include "side_by_side.h"

namespace refran::marian {
namespace {

// Every row attends to all rows of its sentence.
std::vector<RowContext> contexts_of(Encoded& encoded) {
  std::vector<RowContext> contexts;
  for (std::size_t sentence = 0; sentence < encoded.sentences(); ++sentence) {
    for (std::size_t i = 0; i < encoded.length(sentence); ++i)
      contexts.push_back({.context = nullptr,
                          .first = encoded.first_row[sentence],
                          .positions = encoded.length(sentence),
                          .record = record_row(encoded.record[sentence], i)});
  }
  return contexts;
}

// Rows without numbers yet, and room for what is to be kept.
Encoded prepare(const ModelConfig& config, const SideBySide& rows, const Keep& keep) {
  Encoded encoded;
  encoded.first_row = rows.first_row;
  for (std::size_t sentence = 0; sentence < rows.sentences(); ++sentence) {
    const std::size_t length = rows.length(sentence);
    encoded.record.push_back(
        make_record(config, AttentionKind::encoder_self, length, length, keep));
    Array<float, 3>& residual = encoded.residual.emplace_back();
    if (keep.residual)
      residual = Array<float, 3>({config.encoder_layers + 1, length, config.model_dim});
  }
  return encoded;
}

}  // namespace

Encoded encode(const Model& model, std::span<const Ids> sources, const Gates& gates,
               const Keep& keep, Team& team) {
  const SideBySide rows = source_rows(model.config, sources);
  Encoded encoded = prepare(model.config, rows, keep);
  Forward forward(model, gates, team);
  Rows& x = encoded.output;
  forward.embed(model.weights.source_embedding, model.weights.encoder_positions, rows.ids,
                rows.positions, x);
  const std::vector<RowContext> contexts = contexts_of(encoded);
  KeysAndValues memory;
  LayerScratch scratch;
  for (std::size_t depth = 0;; ++depth) {
    for (std::size_t sentence = 0; sentence < rows.sentences(); ++sentence)
      record_residual(encoded.residual[sentence], depth, x, encoded.first_row[sentence]);
    if (depth == model.config.encoder_layers) return encoded;
    encoder_layer(forward, depth, contexts, x, memory, scratch);
    for (std::size_t sentence = 0; sentence < rows.sentences(); ++sentence)
      record_layer(encoded.record[sentence], depth,
                   model.weights.encoder[depth].self_attention.output, memory,
                   encoded.first_row[sentence], scratch.heads_out, encoded.first_row[sentence]);
  }
}

}  // namespace refran::marian
