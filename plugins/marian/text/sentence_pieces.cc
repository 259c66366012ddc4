#include "sentence_pieces.h"

#include <sentencepiece_processor.h>

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <refran/error.h>
#include "../checkpoint.h"
#include "../folder/folder_files.h"
#include "../folder/limits.h"

namespace refran::marian {
namespace {

// Takes a number in protobuf's variable length off the beginning of `bytes`.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// Whether `bytes` are a sequence of protobuf's fields of bytes, with the last two that a model has:
// how it was trained and how it normalises text. SentencePiece itself takes a file that was cut
// short between two pieces.
bool is_whole(std::string_view bytes) {
  constexpr std::uint64_t kBytes = 2;
  constexpr std::uint64_t kTrainerSpec = 2;
  constexpr std::uint64_t kNormalizerSpec = 3;
  bool has_trainer = false;
  bool has_normalizer = false;
  while (!bytes.empty()) {
    const std::optional<std::uint64_t> tag = take_varint(bytes);
    const std::optional<std::uint64_t> size = take_varint(bytes);
    if (!tag || (*tag & 7U) != kBytes || !size || *size > bytes.size()) return false;
    bytes.remove_prefix(static_cast<std::size_t>(*size));
    has_trainer |= *tag >> 3U == kTrainerSpec;
    has_normalizer |= *tag >> 3U == kNormalizerSpec;
  }
  return has_trainer && has_normalizer;
}

}  // namespace

SentencePieces::SentencePieces(const std::filesystem::path& file) {
  const std::string bytes = read_text_file(file, kMostTextBytes);
  if (!is_whole(bytes)) {
    throw ModelError(fmt::format("{}: found no whole SentencePiece model", file.string()));
  }
  auto processor = std::make_unique<sentencepiece::SentencePieceProcessor>();
  const sentencepiece::util::Status status = processor->LoadFromSerializedProto(bytes);
  if (!status.ok()) {
    throw ModelError(
        fmt::format("{}: SentencePiece cannot read it: {}", file.string(), status.ToString()));
  }
  processor_ = std::move(processor);
}

SentencePieces::~SentencePieces() = default;
SentencePieces::SentencePieces(SentencePieces&&) noexcept = default;
SentencePieces& SentencePieces::operator=(SentencePieces&&) noexcept = default;

std::vector<std::string> SentencePieces::split(std::string_view text) const {
  std::vector<std::string> pieces;
  const sentencepiece::util::Status status = processor_->Encode(text, &pieces);
  if (!status.ok())
    throw Error(fmt::format("SentencePiece cannot split a text: {}", status.ToString()));
  return pieces;
}

std::string SentencePieces::join(const std::vector<std::string>& pieces) const {
  std::string text;
  const sentencepiece::util::Status status = processor_->Decode(pieces, &text);
  if (!status.ok())
    throw Error(fmt::format("SentencePiece cannot join pieces: {}", status.ToString()));
  return text;
}

}  // namespace refran::marian
