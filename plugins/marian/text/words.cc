#include "words.h"

#include <optional>
#include <string_view>
#include <utility>

#include "unicode.h"

namespace refran::marian {
namespace {

constexpr std::string_view kSpace = "▁";

std::optional<unsigned> hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A' + 10);
  return std::nullopt;
}

// The byte that a piece of byte fallback stands for: "<0xC3>".
std::optional<char> byte_of(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  const std::optional<unsigned> high = hexadecimal(piece[3]);
  const std::optional<unsigned> low = hexadecimal(piece[4]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high << 4U | *low);
}

std::string written_byte(char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  return {'<', '0', 'x', kDigits[value >> 4U], kDigits[value & 0xFU], '>'};
}

// Puts the pieces of one word together.
class Speller {
 public:
  void add(std::string_view piece) {
    if (const std::optional<char> byte = byte_of(piece)) {
      bytes_ += *byte;
      return;
    }
    end_bytes();
    for (std::size_t at = 0; at < piece.size();) {
      const bool is_mark = piece.substr(at).starts_with(kSpace);
      if (!is_mark) {
        word_ += piece[at];
      } else if (!word_.empty()) {  // a piece may hold several words
        word_ += ' ';
      }
      at += is_mark ? kSpace.size() : 1;
    }
  }

  bool empty() const { return word_.empty() && bytes_.empty(); }

  std::string take() {
    end_bytes();
    return std::exchange(word_, {});
  }

 private:
  void end_bytes() {
    for (std::string_view rest = bytes_; !rest.empty();) {
      const CodePoint point = first_code_point(rest);
      const std::string_view spelled = rest.substr(0, point.bytes);
      if (point.malformed || is_control(point.value)) {
        for (const char byte : spelled) word_ += written_byte(byte);
      } else {
        word_ += spelled;
      }
      rest.remove_prefix(point.bytes);
    }
    bytes_.clear();
  }

  std::string word_;
  std::string bytes_;  // the latest pieces, while they are bytes
};

}  // namespace

Words words_of(std::span<const Piece> pieces) {
  Words found;
  Speller word;
  bool is_open = false;  // whether a next piece may belong to the last word
  const auto close = [&] {
    if (is_open) found.words.push_back(word.take());
    is_open = false;
  };
  for (const Piece& piece : pieces) {
    const bool begins = piece.text.starts_with(kSpace) && !word.empty();
    if (begins || piece.stands_alone) close();
    found.word_of.push_back(static_cast<std::int32_t>(found.words.size()));
    if (piece.stands_alone) {
      found.words.push_back(piece.text);
    } else {
      word.add(piece.text);
      is_open = true;
    }
  }
  close();
  return found;
}

}  // namespace refran::marian
