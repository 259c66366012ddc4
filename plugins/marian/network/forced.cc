// Reading a given target, all steps at once.
#include <numeric>

#include "../generation.h"
#include "decoder.h"
#include "records.h"
#include "side_by_side.h"
#include "target_scores.h"

namespace refran::marian {
namespace {

// What the decoder is handed.
struct ForcedRows {
  std::vector<std::uint32_t> numbers;  // 0, 1, 2, …: what comes before a row is a part of it
  std::vector<DecoderRow> rows;
};

ForcedRows decoder_rows(const SideBySide& side) {
  ForcedRows result;
  result.numbers.resize(side.rows());
  std::iota(result.numbers.begin(), result.numbers.end(), 0U);
  result.rows.resize(side.rows());
  for (std::size_t sentence = 0; sentence < side.sentences(); ++sentence) {
    const std::size_t first = side.first_row[sentence];
    for (std::size_t row = first; row < side.first_row[sentence + 1]; ++row) {
      result.rows[row].token = side.ids[row];
      result.rows[row].sentence = sentence;
      result.rows[row].before = {result.numbers.data() + first, row - first};
    }
  }
  return result;
}

// Keeps what a pass does beside its attention weights.
class Recorder : public Decoder::Observer {
 public:
  Recorder(const Model& model, const SideBySide& rows, const Encoded& encoded,
           std::vector<Translation>& translations)
      : model_(model), rows_(rows), encoded_(encoded), translations_(translations) {}

  void stream(std::size_t depth, const Rows& x) override {
    for (std::size_t sentence = 0; sentence < translations_.size(); ++sentence)
      record_residual(translations_[sentence].decoder_residual, depth, x,
                      rows_.first_row[sentence]);
  }

  void layer(AttentionKind kind, std::size_t layer, const KeysAndValues& memory,
             const Rows& heads_out) override {
    const DecoderLayerWeights& weights = model_.weights.decoder[layer];
    const bool is_cross = kind == AttentionKind::cross;
    for (std::size_t sentence = 0; sentence < translations_.size(); ++sentence) {
      Translation& translation = translations_[sentence];
      record_layer(is_cross ? translation.cross : translation.decoder_self, layer,
                   is_cross ? weights.cross_attention.output : weights.self_attention.output,
                   memory, is_cross ? encoded_.first_row[sentence] : rows_.first_row[sentence],
                   heads_out, rows_.first_row[sentence]);
    }
  }

 private:
  const Model& model_;
  const SideBySide& rows_;
  const Encoded& encoded_;
  std::vector<Translation>& translations_;
};

// Makes the records of a sentence, and points its rows to them.
void prepare(const ModelConfig& config, const Keep& keep, std::size_t source_length,
             std::span<DecoderRow> rows, Translation& translation) {
  translation.decoder_self =
      make_record(config, AttentionKind::decoder_self, rows.size(), rows.size(), keep);
  translation.cross = make_record(config, AttentionKind::cross, rows.size(), source_length, keep);
  if (keep.residual)
    translation.decoder_residual =
        Array<float, 3>({config.decoder_layers + 1, rows.size(), config.model_dim});
  for (std::size_t step = 0; step < rows.size(); ++step) {
    rows[step].self = record_row(translation.decoder_self, step);
    rows[step].cross = record_row(translation.cross, step);
    translation.input.push_back(rows[step].token);
  }
}

void put_scores(std::span<const TargetScore> scores, std::size_t runners_up,
                Translation& translation) {
  const std::size_t steps = scores.size();
  make_room(translation, steps, runners_up);
  for (std::size_t step = 0; step < steps; ++step) {
    translation.log_probability[step] = static_cast<float>(scores[step].log_probability);
    translation.score += scores[step].log_probability;
    put_runners_up(translation, step, scores[step].likely, scores[step].likely_log_probability);
  }
}

}  // namespace

std::vector<Translation> force(const Model& model, std::span<const Ids> sources,
                               std::span<const Ids> targets, const Gates& gates,
                               const GenerationOptions& options, Team& team) {
  const SideBySide side = target_rows(model.config, sources, targets);
  Encoded encoded = encode(model, sources, gates, options.keep, team);
  ForcedRows rows = decoder_rows(side);
  std::vector<Translation> result(sources.size());
  for (std::size_t sentence = 0; sentence < result.size(); ++sentence) {
    const std::size_t first = side.first_row[sentence];
    result[sentence].predicted = targets[sentence];
    prepare(model.config, options.keep, encoded.length(sentence),
            std::span(rows.rows).subspan(first, targets[sentence].size()), result[sentence]);
  }

  Forward forward(model, gates, team);
  Decoder decoder(forward, encoded);
  Recorder recorder(model, side, encoded, result);
  decoder.observe(&recorder);
  decoder.read(rows.rows);
  const std::size_t likely = options.runners_up == 0 ? 0 : options.runners_up + 1;
  const std::vector<TargetScore> scores =
      score_targets(forward, decoder.output(), joined(targets), likely);
  for (std::size_t sentence = 0; sentence < result.size(); ++sentence) {
    Translation& translation = result[sentence];
    put_scores(std::span(scores).subspan(side.first_row[sentence], translation.predicted.size()),
               options.runners_up, translation);
    translation.ended = translation.predicted.back() == model.config.eos_id;
    translation.encoder_self = std::move(encoded.record[sentence]);
    translation.encoder_residual = std::move(encoded.residual[sentence]);
  }
  return result;
}

}  // namespace refran::marian
