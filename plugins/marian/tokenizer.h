// Text to token ids and back, as MarianTokenizer of transformers does it: SentencePiece makes the
// pieces, the vocabulary numbers them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model_config.h"

namespace refran::marian {

// Tokens of one text. `</s>` is the last of them.
struct Tokens {
  std::vector<std::int32_t> ids;
  std::vector<std::string> pieces;    // "▁solucion", "aba", "</s>"; unknown ones as in the text
  std::vector<std::string> words;     // what whitespace separates, special tokens a word each
  std::vector<std::int32_t> word_of;  // [piece]: the index of its word
};

struct TokenizerOptions {
  // `</s>`, `<pad>` and `<unk>` typed in a text are text, not the special tokens (transformers
  // takes them for the tokens).
  bool special_tokens_as_text = false;
  // Punctuation as Moses' script normalises it, before anything else; transformers does not do it.
  bool normalize_punctuation = false;
  // Translations lose the space before . ? ! , and those in English contractions: transformers'
  // clean_up_tokenization_spaces, its default before 4.46. Else as the model's folder says.
  std::optional<bool> clean_up_spaces = std::nullopt;
};

class Tokenizer {
 public:
  // Loads both SentencePiece models and the vocabularies. Throws ModelError.
  explicit Tokenizer(const ModelFolder& folder, const TokenizerOptions& options = {});
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  Tokens encode_source(std::string_view text) const;
  Tokens encode_target(std::string_view text) const;
  // The same for ids that are there already, as decoding gives them: words are found by "▁".
  Tokens source_tokens(std::span<const std::int32_t> ids) const;
  Tokens target_tokens(std::span<const std::int32_t> ids) const;
  // Text of target ids; special tokens are left out. Decodes with target.spm.
  std::string decode_target(std::span<const std::int32_t> ids) const;
  // What a target id is written as: its piece.
  std::string target_piece(std::int32_t id) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace refran::marian
