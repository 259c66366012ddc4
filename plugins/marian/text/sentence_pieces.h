// SentencePiece models as this library uses them: strings of pieces, never their numbers.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace refran::marian {

class SentencePieces {
 public:
  // Throws ModelError where `file` is missing, cut short, or no SentencePiece model.
  explicit SentencePieces(const std::filesystem::path& file);
  ~SentencePieces();
  SentencePieces(SentencePieces&&) noexcept;
  SentencePieces& operator=(SentencePieces&&) noexcept;

  // The text, normalised as the model says, in pieces; "▁" stands for a space. A run of characters
  // that the model does not know is one piece.
  std::vector<std::string> split(std::string_view text) const;
  // The text of pieces. One that the model does not know stays as it is, "▁" included.
  std::string join(const std::vector<std::string>& pieces) const;

 private:
  std::unique_ptr<const sentencepiece::SentencePieceProcessor> processor_;
};

}  // namespace refran::marian
