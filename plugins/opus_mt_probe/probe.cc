#include "probe.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <marian/checkpoint.h>
#include <marian/weights.h>

#include "mean_outputs.h"
#include "outputs.h"

namespace refran::opus_mt_probe {
namespace {

// How long a translation is expected to be, for deciding how many sentences go together.
std::size_t expected_steps(std::size_t source_length, const marian::Decoding& decoding) {
  constexpr std::size_t kTimes = 2;
  constexpr std::size_t kMore = 10;
  const std::size_t expected = kTimes * source_length + kMore;
  return decoding.native ? expected : std::min(decoding.max_length - 1, expected);
}

// The same of all kinds, layers and heads: what a pass keeps before any are left out.
KeepConfig whole(const KeepConfig& keep) {
  KeepConfig result;
  result.values = keep.values;
  result.head_outputs = keep.head_outputs;
  result.residual = keep.residual;
  result.norms = keep.norms;
  if (keep.kinds.empty()) result.kinds.clear();
  return result;
}

}  // namespace

Probe::Probe(const Config& config, Run& run)
    : config_(config),
      run_(run),
      folder_(marian::read_model_folder(config.model)),
      tokenizer_(folder_, config.tokenizer_options()),
      model_{folder_.config,
             marian::load_weights(folder_, marian::Checkpoint::open(folder_.weights))},
      decoding_(config.decoding.on_top_of(folder_.decoding)),
      team_(static_cast<std::size_t>(run.threads())),
      recording_(config.keep, model_.config, tokenizer_) {
  tokenize();
  if (config.ablation.is_on())
    ablation_.emplace(config.ablation, model_, tokenizer_, decoding_, team_);
  total_ = source_ids_.size() * (needs_means() ? 2 : 1);
  if (ablation_) total_ += ablation_->questions();
}

void Probe::run() {
  tell();
  run_.items(kList, texts_);
  const marian::Gates gates = make_gates();
  for (const Batch& batch : batches(expected_bytes())) {
    if (run_.stop_requested()) return;
    const std::vector<marian::Translation> translations =
        translate(batch, gates, generation_options());
    if (batch.first == 0) announce(translations);
    for (std::size_t i = 0; i < batch.count; ++i) put(batch.first + i, translations[i]);
    if (!go_on(batch.count)) return;
  }
  put_texts();
  put_supervised();
  if (ablation_) ablation_->run(run_, [this] { return go_on(1); });
}

bool Probe::go_on(std::size_t done) {
  done_ += done;
  run_.progress(static_cast<double>(done_), static_cast<double>(total_));
  return !run_.stop_requested();
}

void Probe::tokenize() {
  texts_ = config_.source_texts();
  for (const std::string& text : texts_) {
    sources_.push_back(tokenizer_.encode_source(text));
    source_ids_.push_back(sources_.back().ids);
  }
  for (const std::string& text : config_.target_texts()) {
    targets_.push_back(tokenizer_.encode_target(text));
    target_ids_.push_back(targets_.back().ids);
  }
}

void Probe::tell() {
  const marian::ModelConfig& model = model_.config;
  run_.log(fmt::format("{}: {} and {} layers of {} and {} heads, {} dimensions{}",
                       folder_.path.filename().string(), model.encoder_layers, model.decoder_layers,
                       model.encoder_heads, model.decoder_heads, model.model_dim,
                       folder_.is_native ? ", native Marian" : ""));
  for (const std::string& warning : folder_.warnings) run_.warn(warning);
  for (const std::string& warning : model_.weights.warnings) run_.warn(warning);
  note_selection("encoder_layers", config_.keep.encoder_layers, model.encoder_layers);
  note_selection("encoder_heads", config_.keep.encoder_heads, model.encoder_heads);
  note_selection("decoder_layers", config_.keep.decoder_layers, model.decoder_layers);
  note_selection("decoder_heads", config_.keep.decoder_heads, model.decoder_heads);
  if (!config_.is_forced() || config_.translates_ablated()) note_decoding();
}

void Probe::note_selection(std::string_view name, const Selection& selection, std::size_t count) {
  if (!selection) run_.note(fmt::format("keep.{}", name), fmt::format("1 to {}", count));
}

void Probe::note_decoding() {
  const auto note = [this](std::string_view name, const auto& field, const auto& value) {
    if (!field) run_.note(fmt::format("decoding.{}", name), fmt::format("{}", value));
  };
  const DecodingConfig& given = config_.decoding;
  note("strategy", given.strategy, decoding_.beam_size > 1 ? "beam" : "greedy");
  note("beam_size", given.beam_size, decoding_.beam_size);
  note("length_penalty", given.length_penalty, decoding_.length_penalty);
  note("min_length", given.min_length, decoding_.min_length);
  if (decoding_.native) {
    note("max_length", given.max_length,
         fmt::format("{} times the tokens of the source", decoding_.max_length_factor));
  } else {
    note("max_length", given.max_length, decoding_.max_length);
    note("early_stopping", given.early_stopping, decoding_.early_stopping);
  }
}

marian::GenerationOptions Probe::generation_options() const {
  const KeepConfig& keep = config_.keep;
  const bool has_kinds = !keep.kinds.empty();
  marian::GenerationOptions options;
  options.keep.attention = has_kinds;
  options.keep.values = has_kinds && keep.values;
  options.keep.head_outputs = has_kinds && keep.head_outputs;
  options.keep.norms = has_kinds && keep.norms;
  options.keep.residual = keep.residual;
  options.runners_up = static_cast<std::size_t>(config_.runners_up);
  return options;
}

std::vector<std::uint64_t> Probe::expected_bytes() const {
  const KeepConfig keep = whole(config_.keep);
  const Recording everything(keep, model_.config, tokenizer_);
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i < source_ids_.size(); ++i) {
    const std::size_t length = source_ids_[i].size();
    const std::size_t steps =
        config_.is_forced() ? target_ids_[i].size() : expected_steps(length, decoding_);
    bytes.push_back(everything.bytes(length, steps));
  }
  return bytes;
}

std::vector<marian::Translation> Probe::translate(const Batch& batch, const marian::Gates& gates,
                                                  const marian::GenerationOptions& options) {
  const auto sources = std::span<const marian::Ids>(source_ids_).subspan(batch.first, batch.count);
  if (!config_.is_forced())
    return marian::translate(model_, sources, decoding_, gates, options, team_);
  const auto targets = std::span<const marian::Ids>(target_ids_).subspan(batch.first, batch.count);
  return marian::force(model_, sources, targets, gates, options, team_);
}

bool Probe::needs_means() const {
  return std::ranges::any_of(config_.gates,
                             [](const GateConfig& gate) { return gate.mode == "mean"; });
}

marian::Gates Probe::make_gates() {
  // Of the model with all heads on, over the run's own sentences.
  MeanOutputs means;
  for (const GateConfig& gate : config_.gates) {
    if (gate.mode == "mean") means.of(gate.id());
  }
  marian::GenerationOptions options;
  options.keep.attention = false;
  options.keep.head_outputs = true;
  for (const Batch& batch : needs_means() ? batches(expected_bytes()) : std::vector<Batch>{}) {
    for (const marian::Translation& translation : translate(batch, {}, options))
      means.add(translation);
    if (!go_on(batch.count)) break;
  }

  marian::Gates gates;
  for (const GateConfig& config : config_.gates) {
    marian::Gate gate{gate_mode(config.mode), {}};
    if (gate.mode == marian::GateMode::mean) gate.mean = means.mean(config.id());
    gates.set(config.id(), std::move(gate));
  }
  return gates;
}

// Exact where the first batch is all; else later translations are taken to be as long for their
// sentences as those of the first.
void Probe::announce(const std::vector<marian::Translation>& first) {
  std::uint64_t bytes = 0;
  std::size_t source_tokens = 0;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    bytes += recording_.bytes(source_ids_[i].size(), first[i].input.size());
    source_tokens += source_ids_[i].size();
    steps += first[i].input.size();
  }
  for (std::size_t i = first.size(); i < source_ids_.size(); ++i) {
    const std::size_t length = source_ids_[i].size();
    bytes += recording_.bytes(
        length, config_.is_forced() ? target_ids_[i].size() : length * steps / source_tokens);
  }
  run_.announce(bytes);
}

void Probe::put(std::size_t sentence, const marian::Translation& translation) {
  const marian::Tokens target =
      config_.is_forced() ? targets_[sentence] : tokenizer_.target_tokens(translation.predicted);
  recording_.put(sources_[sentence], target, translation, run_.item(sentence));
  translation_.push_back(tokenizer_.decode_target(translation.predicted));
  score_.push_back(translation.score);
  target_length_.push_back(static_cast<std::int32_t>(translation.predicted.size()));
  ended_.push_back(translation.ended ? 1 : 0);
  if (translation.ties > 0) {
    run_.warn(fmt::format("'{}': equal scores met at {} choices; the lower id was taken",
                          texts_[sentence], translation.ties));
  }
  if (config_.text.empty()) run_.log(fmt::format("{} → {}", texts_[sentence], translation_.back()));
}

void Probe::put_texts() {
  std::vector<std::int32_t> source_length;
  for (const marian::Ids& ids : source_ids_)
    source_length.push_back(static_cast<std::int32_t>(ids.size()));
  run_.labels("text", texts_);
  run_.put(kSourceText, texts_);
  run_.put(kTranslation, translation_);
  run_.put(kScore, score_);
  run_.put(kSourceLength, source_length);
  run_.put(kTargetLength, target_length_);
  run_.put(kEnded, ended_);
}

void Probe::put_supervised() {
  Array<std::int32_t, 2> supervised({model_.config.decoder_layers, model_.config.decoder_heads});
  for (const marian::HeadId& head : config_.supervised()) supervised(head.layer, head.head) = 1;
  run_.labels("decoder_layer", numbered('L', indices_of({}, model_.config.decoder_layers)));
  run_.labels("decoder_head", numbered('H', indices_of({}, model_.config.decoder_heads)));
  run_.put(kSupervised, supervised);
}

}  // namespace refran::opus_mt_probe
