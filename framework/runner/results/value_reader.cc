#include "value_reader.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace refran::runner {

void ValueReader::read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    if (used_ < buffer_.size()) {
      const std::size_t count = std::min(bytes.size(), buffer_.size() - used_);
      std::memcpy(bytes.data(), buffer_.data() + used_, count);
      used_ += count;
      bytes = bytes.subspan(count);
      continue;
    }
    if (next_piece_ == dataset_->pieces.size()) {
      throw std::runtime_error(fmt::format("the values of run {} are not all there", run_->run));
    }
    const std::size_t size = dataset_->pieces[next_piece_].bytes;
    if (size <= bytes.size()) {  // no need to buffer it
      load_piece(bytes.first(size));
      bytes = bytes.subspan(size);
    } else {
      buffer_.resize(size);
      used_ = 0;
      load_piece(buffer_);
    }
  }
}

std::string ValueReader::read_text() {
  std::uint32_t length = 0;
  read(std::as_writable_bytes(std::span(&length, 1)));
  std::string text(length, '\0');
  read(std::as_writable_bytes(std::span(text)));
  return text;
}

void ValueReader::load_piece(std::span<std::byte> bytes) {
  DatasetRecord piece;
  piece.pieces = {dataset_->pieces[next_piece_++]};
  segments_->read(*run_, piece, bytes);
}

}  // namespace refran::runner
