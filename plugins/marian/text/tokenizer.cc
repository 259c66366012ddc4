#include "../tokenizer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "punctuation.h"
#include "sentence_pieces.h"
#include "unicode.h"
#include "vocabulary.h"
#include "words.h"

namespace refran::marian {

// One of the two languages. Tokenizer::Parts has it, so it is not in the anonymous namespace.
struct TokenizerSide {
  std::shared_ptr<const Vocabulary> vocabulary;
  SentencePieces pieces;
  std::string language;
};

namespace {

constexpr std::string_view kUnknown = "<unk>";

struct SpecialToken {
  std::string_view text;
  std::int32_t id = 0;
};

// The special token that `text` begins with. None of them begins another.
std::optional<SpecialToken> special_token_at(std::string_view text, const Vocabulary& vocabulary) {
  const std::array<SpecialToken, 3> tokens = {{{"</s>", vocabulary.end_id()},
                                               {kUnknown, vocabulary.unknown_id()},
                                               {"<pad>", vocabulary.pad_id()}}};
  const auto* const found = std::ranges::find_if(
      tokens, [text](const SpecialToken& token) { return text.starts_with(token.text); });
  if (found == tokens.end()) return std::nullopt;
  return *found;
}

// The bytes of the language code that `text` begins with, ">>gl<<"; 0 where there is none. As in
// transformers since 4.53: up to the first "<<", whatever is between.
std::size_t bytes_of_language_code(std::string_view text) {
  if (!text.starts_with(">>")) return 0;
  const std::size_t end = text.find("<<");
  return end == std::string_view::npos ? 0 : end + 2;
}

bool is_language_code(std::string_view token) {
  return !token.empty() && bytes_of_language_code(token) == token.size();
}

// Gathers the tokens of one text.
class Gatherer {
 public:
  void add(std::int32_t id, std::string piece, bool stands_alone) {
    tokens_.ids.push_back(id);
    pieces_.push_back({std::move(piece), stands_alone});
  }

  Tokens take() {
    Words words = words_of(pieces_);
    tokens_.words = std::move(words.words);
    tokens_.word_of = std::move(words.word_of);
    for (Piece& piece : pieces_) tokens_.pieces.push_back(std::move(piece.text));
    return std::move(tokens_);
  }

 private:
  Tokens tokens_;
  std::vector<Piece> pieces_;
};

// Adds a stretch of text that has no special token in it.
void add_text(const TokenizerSide& side, std::string_view text, Gatherer& gatherer) {
  const auto add = [&](std::string piece, bool stands_alone) {
    const std::int32_t id = side.vocabulary->id_of(piece).value_or(side.vocabulary->unknown_id());
    gatherer.add(id, std::move(piece), stands_alone);
  };
  const std::size_t code = bytes_of_language_code(text);
  if (code > 0) add(std::string(text.substr(0, code)), true);
  for (std::string& piece : side.pieces.split(text.substr(code))) add(std::move(piece), false);
}

Tokens encode(const TokenizerSide& side, const TokenizerOptions& options, std::string_view given) {
  std::string text = valid_utf8(given);
  if (options.normalize_punctuation) text = normalize_punctuation(text, side.language);
  Gatherer gatherer;
  std::string_view rest = text;
  std::size_t at = options.special_tokens_as_text ? std::string_view::npos : rest.find('<');
  while (at != std::string_view::npos) {
    const std::optional<SpecialToken> token = special_token_at(rest.substr(at), *side.vocabulary);
    if (token) {
      add_text(side, rest.substr(0, at), gatherer);
      gatherer.add(token->id, std::string(token->text), true);
      rest.remove_prefix(at + token->text.size());
    }
    at = rest.find('<', token ? 0 : at + 1);
  }
  add_text(side, rest, gatherer);
  gatherer.add(side.vocabulary->end_id(), "</s>", true);
  return gatherer.take();
}

std::string piece_of(const Vocabulary& vocabulary, std::int32_t id) {
  const std::string* token = vocabulary.token_of(id);
  return token == nullptr ? std::string(kUnknown) : valid_utf8(*token);
}

Tokens tokens_of(const Vocabulary& vocabulary, std::span<const std::int32_t> ids) {
  Gatherer gatherer;
  for (const std::int32_t id : ids) {
    std::string piece = piece_of(vocabulary, id);
    const bool is_special = vocabulary.is_special(id) || vocabulary.token_of(id) == nullptr;
    const bool stands_alone = is_special || is_language_code(piece);
    gatherer.add(id, std::move(piece), stands_alone);
  }
  return gatherer.take();
}

// Every `from` becomes `to`, from left to right.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// As `clean_up_tokenization` of transformers, in its order.
void clean_up_spaces(std::string& text) {
  replace_all(text, " .", ".");
  replace_all(text, " ?", "?");
  replace_all(text, " !", "!");
  replace_all(text, " ,", ",");
  replace_all(text, " ' ", "'");
  replace_all(text, " n't", "n't");
  replace_all(text, " 'm", "'m");
  replace_all(text, " 's", "'s");
  replace_all(text, " 've", "'ve");
  replace_all(text, " 're", "'re");
}

}  // namespace

struct Tokenizer::Parts {
  TokenizerOptions options;
  TokenizerSide source;
  TokenizerSide target;
  bool cleans_up_spaces = false;
};

Tokenizer::Tokenizer(const ModelFolder& folder, const TokenizerOptions& options) {
  const auto source = std::make_shared<const Vocabulary>(read_vocabulary(
      folder.source_vocabulary, {folder.config.source_vocabulary, folder.is_native}));
  // One vocabulary for both has to fit the rows of both.
  const bool is_joint = !folder.separate_vocabularies &&
                        folder.config.source_vocabulary == folder.config.target_vocabulary;
  const auto target =
      is_joint
          ? source
          : std::make_shared<const Vocabulary>(read_vocabulary(
                folder.target_vocabulary, {folder.config.target_vocabulary, folder.is_native}));
  parts_ = std::make_unique<const Parts>(
      Parts{options,
            {source, SentencePieces(folder.source_spm), folder.source_language},
            {target, SentencePieces(folder.target_spm), folder.target_language},
            options.clean_up_spaces.value_or(folder.clean_up_spaces)});
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Tokens Tokenizer::encode_source(std::string_view text) const {
  return encode(parts_->source, parts_->options, text);
}

Tokens Tokenizer::encode_target(std::string_view text) const {
  return encode(parts_->target, parts_->options, text);
}

Tokens Tokenizer::source_tokens(std::span<const std::int32_t> ids) const {
  return tokens_of(*parts_->source.vocabulary, ids);
}

Tokens Tokenizer::target_tokens(std::span<const std::int32_t> ids) const {
  return tokens_of(*parts_->target.vocabulary, ids);
}

// An id that no token has is `<unk>`, and left out like it.
std::string Tokenizer::decode_target(std::span<const std::int32_t> ids) const {
  const TokenizerSide& target = parts_->target;
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) {
    const std::string* token = target.vocabulary->token_of(id);
    if (token != nullptr && !target.vocabulary->is_special(id)) pieces.push_back(*token);
  }
  std::string text = target.pieces.join(pieces);
  replace_all(text, "▁", " ");  // SentencePiece leaves that of pieces it does not know
  text = strip(valid_utf8(text));
  if (parts_->cleans_up_spaces) clean_up_spaces(text);
  return text;
}

std::string Tokenizer::target_piece(std::int32_t id) const {
  return piece_of(*parts_->target.vocabulary, id);
}

}  // namespace refran::marian
