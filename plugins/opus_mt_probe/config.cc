#include "config.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "texts.h"

namespace refran::opus_mt_probe {
namespace {

constexpr std::array<std::string_view, 3> kKindNames = {"encoder_self", "decoder_self", "cross"};
constexpr double kMostRunnersUp = 100;
constexpr double kMostBeams = 1000;

std::vector<std::string> kind_names() { return {kKindNames.begin(), kKindNames.end()}; }

std::size_t index_from_1(std::int32_t number) { return static_cast<std::size_t>(number - 1); }

}  // namespace

std::string_view name_of(AttentionKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

AttentionKind kind_named(std::string_view name) {
  return kKinds[std::ranges::find(kKindNames, name) - kKindNames.begin()];
}

std::size_t layers_of(AttentionKind kind, const marian::ModelConfig& model) {
  return kind == AttentionKind::encoder_self ? model.encoder_layers : model.decoder_layers;
}

std::size_t heads_of(AttentionKind kind, const marian::ModelConfig& model) {
  return kind == AttentionKind::encoder_self ? model.encoder_heads : model.decoder_heads;
}

std::string label_of(std::size_t layer, std::size_t head) {
  return fmt::format("L{}H{}", layer + 1, head + 1);
}

std::string label_of(const marian::HeadId& head) {
  return fmt::format("{} {}", name_of(head.kind), label_of(head.layer, head.head));
}

void DecodingConfig::describe(Fields& field) {
  field("strategy", strategy,
        "Write the most likely token, or keep several beginnings of a sentence; auto = by the "
        "model's own beam size")
      .one_of({"greedy", "beam"});
  field("beam_size", beam_size,
        "For beam: how many beginnings are kept; this and the keys below: auto = the model's own")
      .range(1, kMostBeams);
  field("length_penalty", length_penalty,
        "A hypothesis' log-probability is divided by its length to this power");
  field("max_length", max_length, "Tokens at most, the start token among them").at_least(2);
  field("min_length", min_length, "No end of the sentence before so many tokens").at_least(0);
  field("early_stopping", early_stopping,
        "For beam: stop as soon as beam_size hypotheses have ended");
}

marian::Decoding DecodingConfig::on_top_of(const marian::Decoding& own) const {
  marian::Decoding result = own;
  const auto set = [](std::size_t& member, const std::optional<std::int32_t>& value) {
    if (value) member = static_cast<std::size_t>(*value);
  };
  set(result.beam_size, beam_size);
  set(result.max_length, max_length);
  set(result.min_length, min_length);
  if (strategy == "greedy") result.beam_size = 1;
  result.length_penalty = length_penalty.value_or(own.length_penalty);
  result.early_stopping = early_stopping.value_or(own.early_stopping);
  return result;
}

std::vector<std::size_t> indices_of(const Selection& selection, std::size_t count) {
  std::vector<std::size_t> indices;
  if (selection) {
    for (const std::int32_t number : *selection) indices.push_back(index_from_1(number));
  } else {
    for (std::size_t index = 0; index < count; ++index) indices.push_back(index);
  }
  return indices;
}

void KeepConfig::describe(Fields& field) {
  field("kinds", kinds, "The kinds of attention that are kept").one_of(kind_names());
  field("encoder_layers", encoder_layers,
        "The encoder's layers they are kept of, from 1; auto = all")
      .items(1);
  field("encoder_heads", encoder_heads, "The encoder's heads, from 1; auto = all").items(1);
  field("decoder_layers", decoder_layers, "The decoder's layers, from 1; auto = all").items(1);
  field("decoder_heads", decoder_heads, "The decoder's heads, from 1; auto = all").items(1);
  field("values", values, "Keep what every head can pass on: its values");
  field("head_outputs", head_outputs, "Keep what every head passes on: its average of values");
  field("residual", residual,
        "Keep the stream of vectors after the embedding and after every layer");
  field("norms", norms,
        "Keep the lengths of weight times transformed value, beside the weights (Kobayashi et al. "
        "2020)");
}

bool KeepConfig::has(AttentionKind kind) const {
  return std::ranges::find(kinds, name_of(kind)) != kinds.end();
}

void GateConfig::describe(Fields& field) {
  field("kind", kind, "Which attention").required().one_of(kind_names());
  field("layer", layer, "The layer, from 1").required().at_least(1);
  field("head", head, "The head, from 1").required().at_least(1);
  field("mode", mode,
        "What takes the place of its output: zeros, the average of all values, or the output's "
        "mean over this run's sentences")
      .one_of({"zero", "uniform", "mean"});
}

marian::HeadId GateConfig::id() const {
  return {kind_named(kind), index_from_1(layer), index_from_1(head)};
}

marian::GateMode gate_mode(std::string_view name) {
  if (name == "zero") return marian::GateMode::zero;
  return name == "uniform" ? marian::GateMode::uniform : marian::GateMode::mean;
}

void AblationConfig::describe(Fields& field) {
  field("pairs", pairs,
        "A file of sentence pairs, source<TAB>translation per line; heads are switched off over "
        "it, one condition after the other, whatever gates says")
      .existing_file();
  field("protocol", protocol,
        "Every head alone; all heads of a layer but one; or one more at a time, the one that "
        "costs least")
      .one_of({"single", "all_but_one", "greedy"});
  field("kinds", kinds, "The kinds of attention whose heads are switched off")
      .one_of(kind_names())
      .items(1);
  field("mode", mode, "As in gates; the mean is over these pairs")
      .one_of({"zero", "uniform", "mean"});
  field("translate", translate,
        "Have the model translate the sources under every condition too, as decoding says");
  field("limit", limit, "For greedy: how many heads are switched off at most; auto = all")
      .at_least(1);
}

void Config::describe(Fields& field) {
  field("model", model,
        "Folder of a Marian model: Hugging Face's files, or a native package of OPUS-MT")
      .required()
      .existing_folder();
  field("sentences", sentences, "The sentences, in the model's source language");
  field("text", text, "A file with the sentences instead, one per line").existing_file();
  field("decoding", decoding, "How a translation is chosen");
  field("target", target,
        "Translations to force on the model, one per sentence, instead of having it choose");
  field("target_text", target_text, "A file with them instead, one per line").existing_file();
  field("keep", keep, "What is kept of every sentence");
  field("runners_up", runners_up,
        "How many tokens are listed beside the one that was written, most likely first")
      .range(0, kMostRunnersUp);
  field("gates", gates, "Heads that are switched off");
  field("ablation", ablation, "A study of what switching heads off costs, if it has pairs");
  field("supervised_heads", supervised_heads,
        "Cross-attention heads, as L6H1, that were trained to align words: marked in figures, left "
        "out of statistics on jobs");
  field("special_tokens_as_text", special_tokens_as_text,
        "Read </s>, <pad> and <unk> in a sentence as text, not as the special tokens");
  field("normalize_punctuation", normalize_punctuation,
        "Normalize punctuation as Moses' script does, before anything else");
  field("clean_up_spaces", clean_up_spaces,
        "Leave out of translations the space before . ? ! , and those in English contractions; "
        "auto: as the model's tokenizer_config.json says, else not");
}

std::vector<std::string> Config::source_texts() const {
  return text.empty() ? sentences : read_lines(text);
}

std::vector<std::string> Config::target_texts() const {
  return target_text.empty() ? target : read_lines(target_text);
}

marian::TokenizerOptions Config::tokenizer_options() const {
  return {special_tokens_as_text, normalize_punctuation, clean_up_spaces};
}

std::vector<marian::HeadId> Config::supervised() const {
  std::vector<marian::HeadId> heads;
  for (const std::string& label : supervised_heads) heads.push_back(*supervised_head(label));
  return heads;
}

std::optional<marian::HeadId> supervised_head(std::string_view label) {
  constexpr std::size_t kLargest = 10000;
  const auto number_after = [&label](char letter) -> std::size_t {
    if (!label.starts_with(letter)) return 0;
    label.remove_prefix(1);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
    label.remove_prefix(static_cast<std::size_t>(end - label.data()));
    return error == std::errc{} && number <= kLargest ? number : 0;
  };
  const std::size_t layer = number_after('L');
  const std::size_t head = number_after('H');
  if (layer == 0 || head == 0 || !label.empty()) return std::nullopt;
  return marian::HeadId{AttentionKind::cross, layer - 1, head - 1};
}

}  // namespace refran::opus_mt_probe
