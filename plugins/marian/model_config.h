// What the files of a model folder say of its architecture and of how it is decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace refran::marian {

// gelu is x Φ(x) with the exact error function, gelu_new its form with tanh, gelu_sigmoid the
// x · sigmoid(1.702 x) of native Marian before 2023. swish is x · sigmoid(x).
enum class Activation { swish, relu, gelu, gelu_new, gelu_sigmoid };

// How positions are written: Hugging Face and native Marian differ (frequencies
// 10000^(-2i/d) against 10000^(-i/(d/2-1))).
enum class PositionTable { hugging_face, native };

// The architecture: encoder and decoder of the Transformer, post-norm.
struct ModelConfig {
  std::size_t source_vocabulary = 0;  // rows of the encoder's embedding, <pad> among them
  std::size_t target_vocabulary = 0;
  std::size_t model_dim = 0;
  std::size_t encoder_layers = 0;
  std::size_t decoder_layers = 0;
  std::size_t encoder_heads = 0;
  std::size_t decoder_heads = 0;
  std::size_t encoder_ffn_dim = 0;
  std::size_t decoder_ffn_dim = 0;
  Activation activation = Activation::swish;
  bool scale_embedding = true;  // by the square root of model_dim
  std::size_t max_positions = 0;
  bool shared_embeddings = true;  // encoder and decoder use one
  bool tied_output = true;        // the output matrix is the decoder's embedding
  float layer_norm_epsilon = 1e-5F;
  PositionTable position_table = PositionTable::hugging_face;
  std::int32_t pad_id = 0;  // of native Marian, which has none: the zero row behind the target's
  std::int32_t eos_id = 0;
  std::int32_t decoder_start_id = 0;
};

// How a translation is chosen; the names are those of transformers.
struct Decoding {
  std::size_t beam_size = 1;    // 1 = greedy
  double length_penalty = 1;    // score = log-probability / length^length_penalty
  bool early_stopping = false;  // stop as soon as beam_size hypotheses have ended
  std::size_t max_length = 20;  // decoder positions, the start token among them
  std::size_t min_length = 0;
  std::optional<std::int32_t> forced_eos_id;  // at max_length
  // bad_words_ids of one token each. <pad> is among them whatever the files say, except where
  // separate vocabularies come with bad_words_ids of their own.
  std::vector<std::int32_t> banned_ids;
  bool renormalize = true;

  // Native Marian's search in place of that of `generate`: no token is forced, a
  // translation has at most max_length_factor times the tokens of its source (`</s>` counts on both
  // sides), the beam narrows as hypotheses end, and score = (log-probability − word_penalty ·
  // length) / length^length_penalty. A source of `</s>` alone is translated as nothing, score 0.
  bool native = false;
  double max_length_factor = 3;
  double word_penalty = 0;
};

// A model folder: Hugging Face's layout, or the native Marian package.
struct ModelFolder {
  std::filesystem::path path;
  bool is_native = false;
  ModelConfig config;
  Decoding decoding;  // the model's own defaults
  std::filesystem::path weights;
  std::filesystem::path source_spm;
  std::filesystem::path target_spm;
  std::filesystem::path source_vocabulary;
  std::filesystem::path target_vocabulary;  // equal to the source's where joint
  bool separate_vocabularies = false;
  bool clean_up_spaces = false;  // of translations, see TokenizerOptions
  std::string source_language;   // "" where the files do not say
  std::string target_language;
  // Everything that is read: to be hashed before a run.
  std::vector<std::filesystem::path> files;
  // What was found and is not as expected, but can be gone on with.
  std::vector<std::string> warnings;
};

// Throws ModelError: a missing file (which), an unsupported architecture (which key, and why), a
// value out of range. Reads the npz's special:model.yml of a native package.
ModelFolder read_model_folder(const std::filesystem::path& path);

}  // namespace refran::marian
