// The config of opus-mt-probe: the model, what it translates and how, what is kept of it, which
// heads are switched off.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <marian/gates.h>
#include <marian/model.h>
#include <marian/model_config.h>
#include <marian/tokenizer.h>

#include <refran/config.h>
#include <refran/error.h>

namespace refran::opus_mt_probe {

using marian::AttentionKind;

inline constexpr AttentionKind kKinds[] = {AttentionKind::encoder_self, AttentionKind::decoder_self,
                                           AttentionKind::cross};

std::string_view name_of(AttentionKind kind);     // "encoder_self", …
AttentionKind kind_named(std::string_view name);  // one of these names
// How many layers and heads attention of a kind has.
std::size_t layers_of(AttentionKind kind, const marian::ModelConfig& model);
std::size_t heads_of(AttentionKind kind, const marian::ModelConfig& model);
// "L1H1": layers and heads count from 1 in all that people read.
std::string label_of(std::size_t layer, std::size_t head);
// "decoder_self L1H1"
std::string label_of(const marian::HeadId& head);

struct DecodingConfig {
  std::optional<std::string> strategy;
  std::optional<std::int32_t> beam_size;
  std::optional<double> length_penalty;
  std::optional<std::int32_t> max_length;
  std::optional<std::int32_t> min_length;
  std::optional<bool> early_stopping;

  void describe(Fields& field);
  // The model's own decoding, but for what is said here.
  marian::Decoding on_top_of(const marian::Decoding& own) const;
};

// Which layers or heads; auto = all. They count from 1.
using Selection = std::optional<std::vector<std::int32_t>>;
// The same as indices from 0.
std::vector<std::size_t> indices_of(const Selection& selection, std::size_t count);

struct KeepConfig {
  std::vector<std::string> kinds = {"encoder_self", "decoder_self", "cross"};
  Selection encoder_layers;
  Selection encoder_heads;
  Selection decoder_layers;
  Selection decoder_heads;
  bool values = false;
  bool head_outputs = false;
  bool residual = false;
  bool norms = false;

  void describe(Fields& field);
  bool has(AttentionKind kind) const;
};

struct GateConfig {
  std::string kind;
  std::int32_t layer = 1;
  std::int32_t head = 1;
  std::string mode = "zero";

  void describe(Fields& field);
  marian::HeadId id() const;
};

marian::GateMode gate_mode(std::string_view name);  // "zero", "uniform" or "mean"

struct AblationConfig {
  std::filesystem::path pairs;
  std::string protocol = "single";
  std::vector<std::string> kinds = {"encoder_self", "decoder_self", "cross"};
  std::string mode = "zero";
  bool translate = false;
  std::optional<std::int32_t> limit;

  void describe(Fields& field);
  bool is_on() const { return !pairs.empty(); }
};

struct Config {
  std::filesystem::path model;
  std::vector<std::string> sentences;
  std::filesystem::path text;
  DecodingConfig decoding;
  std::vector<std::string> target;
  std::filesystem::path target_text;
  KeepConfig keep;
  std::int32_t runners_up = 3;
  std::vector<GateConfig> gates;
  AblationConfig ablation;
  std::vector<std::string> supervised_heads;
  bool special_tokens_as_text = false;
  bool normalize_punctuation = false;
  std::optional<bool> clean_up_spaces;

  void describe(Fields& field);
  // Registers the files of the model that the run will read.
  void check(Problems& problems) const;

  // What follows holds for a config without problems. Texts are read from their files.
  std::vector<std::string> source_texts() const;
  bool is_forced() const { return !target.empty() || !target_text.empty(); }
  std::vector<std::string> target_texts() const;  // one per source text where it is forced
  // Whether the model writes translations in the ablation study.
  bool translates_ablated() const { return ablation.is_on() && ablation.translate; }
  marian::TokenizerOptions tokenizer_options() const;
  std::vector<marian::HeadId> supervised() const;
};

// The cross-attention head that "L6H1" names; nothing where it names none.
std::optional<marian::HeadId> supervised_head(std::string_view label);

}  // namespace refran::opus_mt_probe
