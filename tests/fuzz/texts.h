// What the fuzz targets of vocabularies and of the tokenizer run. The first byte chooses among
// formats and options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <marian/checkpoint.h>
#include <marian/text/unicode.h>
#include <marian/text/vocabulary.h>
#include <marian/tokenizer.h>
#include <plugins/marian/tokenizer_folder.h>

namespace refran::marian::fuzz {

// A defect, which libFuzzer then reports.
inline void expect(bool holds) {
  if (!holds) std::abort();
}

// Whether the bytes are a good vocabulary. Anything but a ModelError is a defect.
inline bool read_vocabulary(std::string_view bytes) {
  if (bytes.empty()) return false;
  constexpr std::string_view kNames[] = {"v.json", "v.yml", "v.vocab", "v.yaml"};
  const auto choice = static_cast<unsigned char>(bytes.front());
  const std::filesystem::path name = kNames[choice & 3U];
  try {
    const std::vector<VocabularyEntry> entries = parse_vocabulary(bytes.substr(1), name);
    const Vocabulary vocabulary(entries, {5, (choice & 4U) != 0}, name);
    for (const VocabularyEntry& entry : entries) {
      expect(vocabulary.id_of(entry.token) == entry.id);
      expect(*vocabulary.token_of(entry.id) == entry.token);
    }
  } catch (const ModelError&) {
    return false;
  }
  return true;
}

inline void check_tokens(const Tokens& tokens) {
  expect(tokens.pieces.size() == tokens.ids.size());
  expect(tokens.word_of.size() == tokens.ids.size());
  std::int32_t last = 0;
  for (std::size_t piece = 0; piece < tokens.pieces.size(); ++piece) {
    expect(valid_utf8(tokens.pieces[piece]) == tokens.pieces[piece]);
    expect(tokens.word_of[piece] == last || tokens.word_of[piece] == last + 1);
    last = tokens.word_of[piece];
  }
  expect(tokens.words.size() == (tokens.ids.empty() ? 0U : static_cast<std::size_t>(last) + 1));
  for (const std::string& word : tokens.words) expect(valid_utf8(word) == word);
}

inline void check_ids(const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids) {
  check_tokens(tokenizer.source_tokens(ids));
  check_tokens(tokenizer.target_tokens(ids));
  const std::string text = tokenizer.decode_target(ids);
  expect(valid_utf8(text) == text && strip(text) == text);
}

// Two bytes an id, so that many are in the vocabulary.
inline std::vector<std::int32_t> ids_of(std::string_view bytes) {
  std::vector<std::int32_t> ids;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    const auto low = static_cast<unsigned char>(bytes[at]);
    const auto high = static_cast<signed char>(bytes[at + 1]);
    ids.push_back(high * 256 + low);
  }
  return ids;
}

// The bytes as a text, or as ids.
inline void use_tokenizer(std::string_view bytes) {
  static const std::filesystem::path fixtures =
      REFRAN_SOURCE_DIR "/tests/fixtures/marian/tokenizer";
  static const Tokenizer plain(tokenizer_folder(fixtures / "joint"));
  static const Tokenizer other = [] {
    ModelFolder folder = tokenizer_folder(fixtures / "separate");
    folder.source_language = "fr";
    folder.target_language = "en";
    return Tokenizer(
        folder,
        {.special_tokens_as_text = true, .normalize_punctuation = true, .clean_up_spaces = true});
  }();
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  const Tokenizer& tokenizer = (choice & 2U) != 0 ? other : plain;
  if ((choice & 1U) != 0) {
    check_ids(tokenizer, ids_of(bytes));
    return;
  }
  for (const Tokens& tokens : {tokenizer.encode_source(bytes), tokenizer.encode_target(bytes)}) {
    check_tokens(tokens);
    check_ids(tokenizer, tokens.ids);
    expect(tokens.pieces.back() == "</s>");
  }
}

}  // namespace refran::marian::fuzz
