// From pieces to words: attention is looked at by pieces or by words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace refran::marian {

struct Words {
  std::vector<std::string> words;     // [word]: as in a text, without "▁"
  std::vector<std::int32_t> word_of;  // [piece]: the index of its word
};

// A piece of a text. One that `stands_alone` is a word of its own, as it is written: a special
// token, a language code.
struct Piece {
  std::string text;
  bool stands_alone = false;
};

// A word begins with the text, with "▁", and beside a piece that stands alone. Further "▁" before
// its first letter make no word of their own. Bytes of SentencePiece's byte fallback ("<0xC3>",
// "<0xB1>") are joined within a word to the characters they spell; those that spell none, or a
// control character, stay as they are written.
Words words_of(std::span<const Piece> pieces);

}  // namespace refran::marian
