#include "hugging_face_config.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "json_fields.h"
#include "limits.h"

namespace refran::marian {
namespace {

std::size_t size_or(JsonFields& fields, const std::string& key, std::size_t fallback,
                    std::int64_t most) {
  const auto found = fields.whole(key, 1, most);
  return found ? static_cast<std::size_t>(*found) : fallback;
}

// The same for a key that has a second name, which counts where the first is missing.
std::size_t size_or(JsonFields& fields, const std::string& key, const std::string& alias,
                    std::size_t fallback, std::int64_t most) {
  return size_or(fields, fields.has(key) ? key : alias, fallback, most);
}

void check_family(JsonFields& fields) {
  const auto type = fields.text("model_type");
  const nlohmann::json* const classes = fields.find("architectures");
  const bool is_translator =
      classes != nullptr && classes->is_array() &&
      std::find(classes->begin(), classes->end(), "MarianMTModel") != classes->end();
  if (type ? *type != "marian" : !is_translator)
    fields.refuse("model_type", "\"marian\", the one architecture this program has");
  if (classes != nullptr && !is_translator) {
    fields.refuse(
        "architectures",
        "[\"MarianMTModel\"], the encoder and decoder with the output over the vocabulary");
  }
}

// A switch of BART's other variants, which MarianMTModel has no code for.
struct FixedFlag {
  const char* key;
  bool value;
  const char* why;
};

constexpr std::array kFixedFlags{
    FixedFlag{"is_encoder_decoder", true, "a decoder without encoder does not translate"},
    FixedFlag{"normalize_before", false, "layer norm comes behind every block"},
    FixedFlag{"normalize_embedding", false, "embeddings go into the first layer as they are"},
    FixedFlag{"add_final_layer_norm", false, "the last layer's output is the stack's"},
    FixedFlag{"static_position_embeddings", true, "positions are sinusoids, not learnt"},
};

void check_fixed_flags(JsonFields& fields) {
  for (const FixedFlag& fixed : kFixedFlags) {
    if (fields.flag(fixed.key).value_or(fixed.value) != fixed.value)
      fields.refuse(fixed.key,
                    fmt::format("{}, since in a Marian model {}", fixed.value, fixed.why));
  }
}

struct NamedActivation {
  const char* name;
  Activation activation;
};

constexpr std::array kActivations{
    NamedActivation{"swish", Activation::swish},       NamedActivation{"silu", Activation::swish},
    NamedActivation{"relu", Activation::relu},         NamedActivation{"gelu", Activation::gelu},
    NamedActivation{"gelu_new", Activation::gelu_new},
};

Activation read_activation(JsonFields& fields) {
  const auto name = fields.text("activation_function").value_or("gelu");
  const auto* const place =
      std::find_if(kActivations.begin(), kActivations.end(),
                   [&](const NamedActivation& entry) { return entry.name == name; });
  if (place != kActivations.end()) return place->activation;
  fields.refuse("activation_function", "swish, silu, relu, gelu or gelu_new");
  return Activation::gelu;
}

void check_heads(JsonFields& fields, const char* key, std::size_t heads, std::size_t model_dim) {
  if (model_dim % heads == 0) return;
  fields.add_problem(fmt::format("{}: found {}, allowed: a divisor of d_model, which is {}", key,
                                 heads, model_dim));
}

void read_sizes(JsonFields& fields, ModelConfig& config) {
  config.model_dim = size_or(fields, "d_model", "hidden_size", 1024, kMostWidth);
  config.encoder_layers = size_or(fields, "encoder_layers", "num_hidden_layers", 12, kMostLayers);
  config.decoder_layers = size_or(fields, "decoder_layers", 12, kMostLayers);
  config.encoder_heads =
      size_or(fields, "encoder_attention_heads", "num_attention_heads", 16, kMostWidth);
  config.decoder_heads = size_or(fields, "decoder_attention_heads", 16, kMostWidth);
  config.encoder_ffn_dim = size_or(fields, "encoder_ffn_dim", 4096, kMostFfnWidth);
  config.decoder_ffn_dim = size_or(fields, "decoder_ffn_dim", 4096, kMostFfnWidth);
  config.max_positions = size_or(fields, "max_position_embeddings", 1024, kMostPositions);
  check_heads(fields, "encoder_attention_heads", config.encoder_heads, config.model_dim);
  check_heads(fields, "decoder_attention_heads", config.decoder_heads, config.model_dim);
}

void read_embeddings(JsonFields& fields, ModelConfig& config, std::vector<std::string>& warnings) {
  config.scale_embedding = fields.flag("scale_embedding").value_or(false);
  config.shared_embeddings = fields.flag("share_encoder_decoder_embeddings").value_or(true);
  config.tied_output = fields.flag("tie_word_embeddings").value_or(true);
  config.source_vocabulary = size_or(fields, "vocab_size", 58101, kMostRows);
  const std::size_t target =
      size_or(fields, "decoder_vocab_size", config.source_vocabulary, kMostRows);
  config.target_vocabulary = config.shared_embeddings ? config.source_vocabulary : target;
  if (target != config.target_vocabulary) {
    warnings.push_back(
        fmt::format("config.json: decoder_vocab_size {} has no effect, since encoder and decoder "
                    "share embeddings of vocab_size {}",
                    target, config.source_vocabulary));
  }
}

std::int32_t id_or(JsonFields& fields, const char* key, std::size_t vocabulary,
                   std::int32_t fallback) {
  const auto found = fields.id(key, vocabulary);
  if (!found && !fields.has(key) && static_cast<std::size_t>(fallback) >= vocabulary)
    fields.refuse(key, fmt::format("a token id from 0 to {}", vocabulary - 1));
  return found.value_or(fallback);
}

void read_ids(JsonFields& fields, ModelConfig& config) {
  // Both sides look ids up, so that they have to be in the smaller table.
  const std::size_t both = std::min(config.source_vocabulary, config.target_vocabulary);
  config.pad_id = id_or(fields, "pad_token_id", both, 58100);
  config.eos_id = id_or(fields, "eos_token_id", both, 0);
  config.decoder_start_id =
      id_or(fields, "decoder_start_token_id", config.target_vocabulary, 58100);
}

// Settings of `generate` that are left out of the search here, and the value that has no effect.
struct LeftOut {
  const char* key;
  double neutral;
};

constexpr std::array kLeftOut{
    LeftOut{"no_repeat_ngram_size", 0}, LeftOut{"encoder_no_repeat_ngram_size", 0},
    LeftOut{"repetition_penalty", 1},   LeftOut{"encoder_repetition_penalty", 1},
    LeftOut{"num_beam_groups", 1},      LeftOut{"diversity_penalty", 0},
    LeftOut{"min_new_tokens", 0},
};

// The same for settings without such a value.
constexpr std::array kLeftOutAlways{
    "forced_bos_token_id",   "suppress_tokens",
    "begin_suppress_tokens", "force_words_ids",
    "sequence_bias",         "constraints",
    "penalty_alpha",         "exponential_decay_length_penalty",
};

void warn_left_out(const JsonFields& fields, const std::string& file,
                   std::vector<std::string>& warnings) {
  const auto warn = [&](const char* key) {
    warnings.push_back(fmt::format("{}: {} {} is left out: translations are chosen without it",
                                   file, key, shown(*fields.find(key))));
  };
  for (const LeftOut& entry : kLeftOut) {
    const nlohmann::json* const value = fields.find(entry.key);
    if (value != nullptr && *value != entry.neutral) warn(entry.key);
  }
  for (const char* key : kLeftOutAlways) {
    if (fields.has(key)) warn(key);
  }
  if (fields.has("do_sample") && *fields.find("do_sample") != false) warn("do_sample");
  if (fields.has("early_stopping") && *fields.find("early_stopping") == "never")
    warn("early_stopping");
}

// `bad_words_ids`, each of one token. As in `generate`, the end of the sentence is never banned.
std::vector<std::int32_t> read_banned_ids(JsonFields& fields, const ModelConfig& config) {
  const nlohmann::json* const words = fields.find("bad_words_ids");
  if (words == nullptr) return {};
  std::vector<std::int32_t> ids;
  const auto is_id = [&](const nlohmann::json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() < config.target_vocabulary;
  };
  const bool is_list = words->is_array() &&
                       std::all_of(words->begin(), words->end(), [&](const nlohmann::json& word) {
                         return word.is_array() && word.size() == 1 && is_id(word.front());
                       });
  if (!is_list) {
    fields.refuse("bad_words_ids", fmt::format("a list of words of one token id from 0 to {} each",
                                               config.target_vocabulary - 1));
    return {};
  }
  for (const nlohmann::json& word : *words) {
    const auto id = word.front().get<std::int32_t>();
    if (id != config.eos_id) ids.push_back(id);
  }
  return ids;
}

// Without a ban <pad> is often the most likely token: its embedding is zero.
void ban_pad(const ModelFolder& folder, const JsonFields& fields, Decoding& decoding) {
  std::vector<std::int32_t>& ids = decoding.banned_ids;
  // The numbers of separate vocabularies are not one: what pad_token_id is in the target's, the
  // file has to say.
  if (fields.has("bad_words_ids") && folder.separate_vocabularies) return;
  if (std::find(ids.begin(), ids.end(), folder.config.pad_id) == ids.end())
    ids.push_back(folder.config.pad_id);
}

void read_lengths(JsonFields& fields, Decoding& decoding) {
  decoding.max_length = 20;
  if (const auto length = fields.whole("max_length", 2, kMostLength))
    decoding.max_length = static_cast<std::size_t>(*length);
  if (const auto added = fields.whole("max_new_tokens", 1, kMostLength))
    decoding.max_length = static_cast<std::size_t>(*added) + 1;
  if (const auto least = fields.whole("min_length", 0, kMostLength))
    decoding.min_length = static_cast<std::size_t>(*least);
}

// `fields` is the file that counts for decoding; `of_config` tells that it is config.json, whose
// class forces token 0 where nothing is said.
void read_decoding(JsonFields& fields, bool of_config, ModelFolder& folder) {
  ModelConfig& config = folder.config;
  Decoding& decoding = folder.decoding;
  decoding.beam_size = size_or(fields, "num_beams", 1, kMostBeams);
  decoding.length_penalty = fields.number("length_penalty").value_or(1);
  const bool never = fields.has("early_stopping") && *fields.find("early_stopping") == "never";
  decoding.early_stopping = !never && fields.flag("early_stopping").value_or(false);
  // A ban takes probability away. Where no file says otherwise, scores count what is left, as those
  // of Marian and of transformers before 4.32 do.
  decoding.renormalize = fields.flag("renormalize_logits").value_or(true);
  read_lengths(fields, decoding);
  decoding.forced_eos_id = fields.id("forced_eos_token_id", config.target_vocabulary);
  if (of_config && !fields.has("forced_eos_token_id") && !fields.is_null("forced_eos_token_id"))
    decoding.forced_eos_id = 0;
  if (!of_config) {
    config.eos_id = fields.id("eos_token_id", config.target_vocabulary).value_or(config.eos_id);
    config.decoder_start_id = fields.id("decoder_start_token_id", config.target_vocabulary)
                                  .value_or(config.decoder_start_id);
  }
  decoding.banned_ids = read_banned_ids(fields, config);
  ban_pad(folder, fields, decoding);
  warn_left_out(fields, of_config ? "config.json" : "generation_config.json", folder.warnings);
}

void read_languages(const std::string& text, ModelFolder& folder) {
  JsonFields fields(text, folder.path / "tokenizer_config.json");
  folder.separate_vocabularies = fields.flag("separate_vocabs").value_or(false);
  folder.clean_up_spaces = fields.flag("clean_up_tokenization_spaces").value_or(false);
  folder.source_language = fields.text("source_lang").value_or("");
  folder.target_language = fields.text("target_lang").value_or("");
  const std::string tokenizer = fields.text("tokenizer_class").value_or("MarianTokenizer");
  if (tokenizer != "MarianTokenizer")
    fields.refuse("tokenizer_class", "\"MarianTokenizer\", whose rules this program has");
  fields.finish();
}

}  // namespace

void read_hugging_face_config(const HuggingFaceTexts& texts, ModelFolder& folder) {
  if (texts.tokenizer) read_languages(*texts.tokenizer, folder);
  JsonFields fields(texts.config, folder.path / "config.json");
  check_family(fields);
  fields.finish();  // what another architecture's keys mean is not known
  check_fixed_flags(fields);
  folder.config.activation = read_activation(fields);
  read_sizes(fields, folder.config);
  read_embeddings(fields, folder.config, folder.warnings);
  read_ids(fields, folder.config);
  // Not a key of transformers: this project marks its own untrained models with it.
  if (fields.flag("refran_random_weights").value_or(false)) {
    folder.warnings.push_back(
        "the weights are random: what this model looks at, and what it writes, means nothing");
  }
  if (!texts.generation) read_decoding(fields, true, folder);
  fields.finish();
  if (!texts.generation) return;
  JsonFields generation(*texts.generation, folder.path / "generation_config.json");
  read_decoding(generation, false, folder);
  generation.finish();
}

}  // namespace refran::marian
