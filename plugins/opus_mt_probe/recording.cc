#include "recording.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <refran/math.h>

namespace refran::opus_mt_probe {
namespace {

std::vector<std::string> depth_labels(std::size_t layers) {
  std::vector<std::string> labels = {"embedding"};
  for (std::size_t layer = 1; layer <= layers; ++layer) labels.push_back(fmt::format("L{}", layer));
  return labels;
}

// One head's matrix of [layer, head, query, key].
ArrayView<float, 2> matrix_of(const Array<float, 4>& weight, std::size_t layer, std::size_t head) {
  const std::size_t queries = weight.extent(2);
  const std::size_t keys = weight.extent(3);
  const std::size_t first = (layer * weight.extent(1) + head) * queries * keys;
  return {{queries, keys}, weight.values().subspan(first, queries * keys)};
}

}  // namespace

std::vector<std::string> numbered(char letter, const std::vector<std::size_t>& indices) {
  std::vector<std::string> labels;
  for (const std::size_t index : indices) labels.push_back(fmt::format("{}{}", letter, index + 1));
  return labels;
}

const KindOutputs& outputs_of(AttentionKind kind) {
  if (kind == AttentionKind::encoder_self) return kEncoderSelf;
  return kind == AttentionKind::decoder_self ? kDecoderSelf : kCross;
}

double mean_entropy(ArrayView<float, 2> weight) {
  double sum = 0;
  for (const float one : weight.values) {
    const double share = one;
    if (share > 0) sum -= share * math::log(share);
  }
  return sum / static_cast<double>(weight.extents[0]);
}

double mean_confidence(ArrayView<float, 2> weight, const marian::Ids& query_id,
                       std::int32_t eos_id) {
  const auto [queries, keys] = weight.extents;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t query = 0; query < queries; ++query) {
    if (query_id[query] == eos_id) continue;
    sum += static_cast<double>(std::ranges::max(weight.values.subspan(query * keys, keys)));
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

Recording::Recording(const KeepConfig& keep, const marian::ModelConfig& model,
                     const marian::Tokenizer& tokenizer)
    : keep_(keep),
      model_(model),
      tokenizer_(tokenizer),
      encoder_{indices_of(keep.encoder_layers, model.encoder_layers),
               indices_of(keep.encoder_heads, model.encoder_heads)},
      decoder_{indices_of(keep.decoder_layers, model.decoder_layers),
               indices_of(keep.decoder_heads, model.decoder_heads)} {
  encoder_.is_whole = encoder_.layers.size() == model.encoder_layers &&
                      encoder_.heads.size() == model.encoder_heads;
  decoder_.is_whole = decoder_.layers.size() == model.decoder_layers &&
                      decoder_.heads.size() == model.decoder_heads;
}

std::uint64_t Recording::bytes(std::size_t source_length, std::size_t steps) const {
  std::uint64_t cells = 0;
  for (const AttentionKind kind : kKinds) {
    if (!keep_.has(kind)) continue;
    const Side& side = side_of(kind);
    const std::uint64_t heads = side.layers.size() * side.heads.size();
    const std::uint64_t queries = kind == AttentionKind::encoder_self ? source_length : steps;
    const std::uint64_t keys = kind == AttentionKind::decoder_self ? steps : source_length;
    const std::uint64_t head_dim = model_.model_dim / heads_of(kind, model_);
    cells += heads * queries * keys * (keep_.norms ? 2 : 1);
    if (keep_.values) cells += heads * keys * head_dim;
    if (keep_.head_outputs) cells += heads * queries * head_dim;
  }
  if (keep_.residual) {
    cells += model_.model_dim *
             ((model_.encoder_layers + 1) * source_length + (model_.decoder_layers + 1) * steps);
  }
  return cells * sizeof(float);
}

std::vector<std::string> Recording::input_tokens(const marian::Tokens& target) const {
  std::vector<std::string> tokens = {tokenizer_.target_piece(model_.decoder_start_id)};
  tokens.insert(tokens.end(), target.pieces.begin(), target.pieces.end() - 1);
  return tokens;
}

void Recording::put(const marian::Tokens& source, const marian::Tokens& target,
                    const marian::Translation& translation, Item item) const {
  put_labels(source, input_tokens(target), item);
  put_tokens(source, target, translation, item);
  if (translation.runner_up.extent(1) > 0) put_runners_up(translation, item);
  if (keep_.has(AttentionKind::encoder_self))
    put_kind(AttentionKind::encoder_self, translation.encoder_self, source.ids, item);
  if (keep_.has(AttentionKind::decoder_self))
    put_kind(AttentionKind::decoder_self, translation.decoder_self, translation.input, item);
  if (keep_.has(AttentionKind::cross))
    put_kind(AttentionKind::cross, translation.cross, translation.input, item);
  if (keep_.residual) {
    item.put(kEncoderResidual, translation.encoder_residual);
    item.put(kDecoderResidual, translation.decoder_residual);
  }
}

// A dimension may be labelled only where an output that is written has it.
void Recording::put_labels(const marian::Tokens& source,
                           const std::vector<std::string>& input_token, Item item) const {
  const bool has_encoder_self = keep_.has(AttentionKind::encoder_self);
  const bool has_decoder_self = keep_.has(AttentionKind::decoder_self);
  item.labels("source_key", source.pieces);
  item.labels("target_query", input_token);
  if (has_encoder_self || keep_.residual) item.labels("source_query", source.pieces);
  if (has_encoder_self) {
    item.labels("encoder_layer", numbered('L', encoder_.layers));
    item.labels("encoder_head", numbered('H', encoder_.heads));
  }
  if (has_decoder_self) item.labels("target_key", input_token);
  if (has_decoder_self || keep_.has(AttentionKind::cross)) {
    item.labels("decoder_layer", numbered('L', decoder_.layers));
    item.labels("decoder_head", numbered('H', decoder_.heads));
  }
  if (keep_.residual) {
    item.labels("encoder_depth", depth_labels(model_.encoder_layers));
    item.labels("decoder_depth", depth_labels(model_.decoder_layers));
  }
}

void Recording::put_tokens(const marian::Tokens& source, const marian::Tokens& target,
                           const marian::Translation& translation, Item item) const {
  std::vector<std::int32_t> input_word_of = {-1};
  input_word_of.insert(input_word_of.end(), target.word_of.begin(), target.word_of.end() - 1);
  item.put(kSourceId, source.ids);
  item.put(kInputId, translation.input);
  item.put(kPredictedId, translation.predicted);
  item.put(kInputToken, input_tokens(target));
  item.put(kPredictedToken, target.pieces);
  item.put(kLogProbability, translation.log_probability);
  item.put(kSourceWord, source.words);
  item.put(kSourceWordOf, source.word_of);
  item.put(kTargetWord, target.words);
  item.put(kPredictedWordOf, target.word_of);
  item.put(kInputWordOf, input_word_of);
}

void Recording::put_runners_up(const marian::Translation& translation, Item item) const {
  Array<std::string, 2> token(translation.runner_up.extents());
  std::ranges::transform(translation.runner_up.values(), token.values().begin(),
                         [this](std::int32_t id) { return tokenizer_.target_piece(id); });
  item.put(kRunnerUpId, translation.runner_up);
  item.put(kRunnerUpToken, token);
  item.put(kRunnerUpLogProbability, translation.runner_up_log_probability);
}

void Recording::put_kind(AttentionKind kind, const marian::AttentionRecord& record,
                         const marian::Ids& query_id, Item item) const {
  const KindOutputs& outputs = outputs_of(kind);
  const Side& side = side_of(kind);
  put_selected(outputs.attention, side, record.weight, item);
  put_measures(kind, record.weight, query_id, item);
  if (keep_.norms) put_selected(outputs.norm_attention, side, record.norm, item);
  if (keep_.values) put_selected(outputs.value, side, record.value, item);
  if (keep_.head_outputs) put_selected(outputs.head_output, side, record.output, item);
}

void Recording::put_measures(AttentionKind kind, const Array<float, 4>& weight,
                             const marian::Ids& query_id, Item item) const {
  const Side& side = side_of(kind);
  Array<double, 2> entropy({side.layers.size(), side.heads.size()});
  Array<double, 2> confidence(entropy.extents());
  for (std::size_t layer = 0; layer < side.layers.size(); ++layer) {
    for (std::size_t head = 0; head < side.heads.size(); ++head) {
      const ArrayView<float, 2> matrix = matrix_of(weight, side.layers[layer], side.heads[head]);
      entropy(layer, head) = mean_entropy(matrix);
      confidence(layer, head) = mean_confidence(matrix, query_id, model_.eos_id);
    }
  }
  item.put(outputs_of(kind).entropy, entropy);
  item.put(outputs_of(kind).confidence, confidence);
}

void Recording::put_selected(const Output<float, 4>& output, const Side& side,
                             const Array<float, 4>& all, Item item) const {
  if (side.is_whole) {
    item.put(output, all);
    return;
  }
  Array<float, 4> selected({side.layers.size(), side.heads.size(), all.extent(2), all.extent(3)});
  auto place = selected.values().begin();
  for (const std::size_t layer : side.layers) {
    for (const std::size_t head : side.heads)
      place = std::ranges::copy(matrix_of(all, layer, head).values, place).out;
  }
  item.put(output, selected);
}

}  // namespace refran::opus_mt_probe
