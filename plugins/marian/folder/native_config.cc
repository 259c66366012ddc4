#include "native_config.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "limits.h"
#include "native_options.h"

namespace refran::marian {
namespace {

constexpr std::int64_t kDefaultBeams = 12;  // Marian's own

// Marian computes as many positions as a sentence needs, and takes sources of up to 1,000 tokens.
constexpr std::size_t kPositions = 1024;

// An option that this program has code for in one form only. Empty `other`: there is one value.
struct FixedOption {
  std::string_view key;
  std::string_view value;  // also what a missing option stands for
  std::string_view other;
  std::string_view why;
};

constexpr std::array kFixedOptions{
    FixedOption{"transformer-decoder-autoreg", "self-attention", "",
                "the decoder's other forms do not attend to what was written"},
    FixedOption{"layer-normalization", "false", "", "it belongs to recurrent networks"},
    FixedOption{"right-left", "false", "", "the decoder writes from left to right"},
    FixedOption{"transformer-ffn-depth", "2", "", "feed-forward blocks have two layers"},
    FixedOption{"transformer-decoder-ffn-depth", "0", "2", "feed-forward blocks have two layers"},
    FixedOption{"transformer-no-projection", "false", "", "attention ends with an output matrix"},
    FixedOption{"transformer-no-bias", "false", "", "every matrix has a bias"},
    FixedOption{"transformer-no-affine", "false", "", "layer norm has a scale and a bias"},
    FixedOption{"transformer-pool", "false", "", "the encoder attends"},
    FixedOption{"transformer-train-position-embeddings", "false", "", "positions are sinusoids"},
    FixedOption{"ulr", "false", "", "embeddings are one table"},
    FixedOption{"ulr-dim-emb", "0", "", "embeddings are one table"},
    FixedOption{"lemma-dim-emb", "0", "", "vocabularies are not factored"},
};

// What is done around a block, a letter each: a = add, n = layer norm, d = dropout, which does
// nothing once a model is trained.
struct BlockSteps {
  std::string_view key;
  std::string_view fallback;
  std::string_view steps;  // those that are supported, without d
  std::string_view why;
};

constexpr std::array kBlockSteps{
    BlockSteps{"transformer-preprocess", "", "", "nothing comes before a block"},
    BlockSteps{"transformer-postprocess", "dan", "an", "a block ends with addition and layer norm"},
    BlockSteps{"transformer-postprocess-emb", "d", "", "embeddings go in as they are"},
    BlockSteps{"transformer-postprocess-top", "", "", "the last layer's output is the stack's"},
};

void check_fixed_options(NativeOptions& options) {
  for (const FixedOption& fixed : kFixedOptions) {
    const std::string value = options.text(fixed.key).value_or(std::string(fixed.value));
    if (value == fixed.value || (!fixed.other.empty() && value == fixed.other)) continue;
    options.refuse(fixed.key, fmt::format("{}, since in the models this program has {}",
                                          fixed.value, fixed.why));
  }
  for (const BlockSteps& block : kBlockSteps) {
    std::string steps = options.text(block.key).value_or(std::string(block.fallback));
    steps.erase(std::remove(steps.begin(), steps.end(), 'd'), steps.end());
    if (steps == block.steps) continue;
    options.refuse(block.key, fmt::format("'{}', since in the models this program has {}",
                                          block.fallback, block.why));
  }
  const YamlOption* const tied_layers = options.find("transformer-tied-layers");
  if (tied_layers != nullptr && tied_layers->is_list && !tied_layers->items.empty())
    options.refuse("transformer-tied-layers", "[], since every layer has its own weights");
}

std::size_t required(NativeOptions& options, std::string_view key, std::int64_t most) {
  if (options.find(key) == nullptr)
    options.refuse(key, fmt::format("a whole number from 1 to {}", most));
  return static_cast<std::size_t>(options.whole(key, 1, most).value_or(1));
}

void read_sizes(NativeOptions& options, ModelConfig& config) {
  config.model_dim = required(options, "dim-emb", kMostWidth);
  config.encoder_layers = required(options, "enc-depth", kMostLayers);
  config.decoder_layers = required(options, "dec-depth", kMostLayers);
  config.encoder_heads = config.decoder_heads = required(options, "transformer-heads", kMostWidth);
  config.encoder_ffn_dim = required(options, "transformer-dim-ffn", kMostFfnWidth);
  const std::int64_t decoder =
      options.whole("transformer-decoder-dim-ffn", 0, kMostFfnWidth).value_or(0);
  config.decoder_ffn_dim =
      decoder == 0 ? config.encoder_ffn_dim : static_cast<std::size_t>(decoder);
  if (config.model_dim % config.encoder_heads != 0) {
    options.refuse("transformer-heads",
                   fmt::format("a divisor of dim-emb, which is {}", config.model_dim));
  }
  if (config.model_dim % 2 != 0 || config.model_dim < 4)
    options.refuse("dim-emb", "an even number from 4, half of it for sines and half for cosines");
}

void read_vocabularies(NativeOptions& options, ModelConfig& config) {
  const bool all = options.flag("tied-embeddings-all").value_or(false);
  config.shared_embeddings = options.flag("tied-embeddings-src").value_or(false) || all;
  config.tied_output = options.flag("tied-embeddings").value_or(false) || all;
  const std::vector<std::int64_t> rows = options.wholes("dim-vocabs", 1, kMostRows);
  if (rows.size() != 2 || (config.shared_embeddings && rows[0] != rows[1])) {
    options.refuse("dim-vocabs", config.shared_embeddings
                                     ? "the size of the vocabulary, twice"
                                     : "the sizes of the source's and the target's vocabulary");
    return;
  }
  // A row of zeros is added behind each table: what the decoder reads first.
  config.source_vocabulary = static_cast<std::size_t>(rows[0]) + 1;
  config.target_vocabulary = static_cast<std::size_t>(rows[1]) + 1;
  config.pad_id = config.decoder_start_id = static_cast<std::int32_t>(rows[1]);
}

// Until March 2023 Marian's gelu was its approximation by a sigmoid; 1.12 is the last release that
// has it. `version` ends with the date of its source: "v1.9.56 ba94c5b9 2021-05-17 10:42:17 +0100".
Activation gelu_of(NativeOptions& options, std::vector<std::string>& warnings) {
  const std::string version = options.text("version").value_or("");
  const std::size_t day = version.find(" 20");
  const bool is_exact =
      day != std::string::npos && std::string_view(version).substr(day + 1, 7) >= "2023-04";
  warnings.push_back(
      fmt::format("gelu of Marian '{}' is taken as {}: the form changed in March 2023", version,
                  is_exact ? "x Φ(x)" : "x sigmoid(1.702 x)"));
  return is_exact ? Activation::gelu : Activation::gelu_sigmoid;
}

Activation read_activation(NativeOptions& options, std::vector<std::string>& warnings) {
  const std::string name = options.text("transformer-ffn-activation").value_or("swish");
  if (name == "swish") return Activation::swish;
  if (name == "relu") return Activation::relu;
  if (name == "gelu") return gelu_of(options, warnings);
  options.refuse("transformer-ffn-activation", "swish, relu or gelu");
  return Activation::swish;
}

// Vocabularies that are no list of tokens: Marian's built-in SentencePiece, and factored ones.
void check_vocabulary_name(NativeOptions& options, const std::string& name) {
  if (name.ends_with(".spm") || name.ends_with(".fsv"))
    options.refuse("vocabs", "files that list tokens and their ids, as '….vocab.yml'");
}

}  // namespace

NativeFiles read_decoder_options(std::string_view text, ModelFolder& folder) {
  NativeOptions options(text, folder.path / "decoder.yml");
  NativeFiles files;
  const YamlOption* const models = options.find("models");
  if (models == nullptr || models->items.size() != 1) {
    options.refuse("models", "one file; a vote of several models is not supported");
  } else {
    files.weights = models->items.front();
  }
  const YamlOption* const vocabularies = options.find("vocabs");
  if (vocabularies == nullptr || vocabularies->items.size() != 2) {
    options.refuse("vocabs", "two files, the source's and the target's vocabulary");
  } else {
    files.source_vocabulary = vocabularies->items[0];
    files.target_vocabulary = vocabularies->items[1];
    check_vocabulary_name(options, files.source_vocabulary);
    if (files.target_vocabulary != files.source_vocabulary)
      check_vocabulary_name(options, files.target_vocabulary);
  }
  files.allows_unknown = options.flag("allow-unk").value_or(false);

  Decoding& decoding = folder.decoding;
  decoding.native = true;
  decoding.beam_size =
      static_cast<std::size_t>(options.whole("beam-size", 1, kMostBeams).value_or(kDefaultBeams));
  decoding.length_penalty = options.number("normalize", 0).value_or(0);
  decoding.word_penalty = options.number("word-penalty", -1e6).value_or(0);
  decoding.max_length_factor = options.number("max-length-factor", 1).value_or(3);
  decoding.max_length = kPositions;
  decoding.renormalize = false;
  options.finish();
  return files;
}

void read_model_options(std::string_view text, const std::filesystem::path& name,
                        ModelFolder& folder) {
  NativeOptions options(text, name);
  if (options.text("type").value_or("") != "transformer")
    options.refuse("type", "transformer, the one architecture this program has");
  options.finish();  // what another architecture's options mean is not known
  ModelConfig& config = folder.config;
  config.activation = read_activation(options, folder.warnings);
  config.scale_embedding = true;
  config.max_positions = kPositions;
  config.layer_norm_epsilon = 1e-6F;
  config.position_table = PositionTable::native;
  check_fixed_options(options);
  read_sizes(options, config);
  read_vocabularies(options, config);
  options.finish();
}

}  // namespace refran::marian
