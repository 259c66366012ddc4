// Sentences as rows that follow each other, without padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../model.h"

namespace refran::marian {

struct SideBySide {
  std::vector<std::size_t> first_row{0};  // [sentence + 1]
  std::vector<std::int32_t> ids;          // [row]
  std::vector<std::size_t> positions;     // [row]

  std::size_t sentences() const { return first_row.size() - 1; }
  std::size_t rows() const { return ids.size(); }
  std::size_t length(std::size_t sentence) const {
    return first_row[sentence + 1] - first_row[sentence];
  }
  void add(std::int32_t id) {
    positions.push_back(rows() - first_row.back());
    ids.push_back(id);
  }
  void end_sentence() { first_row.push_back(rows()); }
};

// What the encoder reads. Throws Error as `encode` says.
SideBySide source_rows(const ModelConfig& config, std::span<const Ids> sources);

// What the decoder reads: the start token, and the targets without their last tokens. Throws Error
// as `force` says; there is a target for each of `sources`.
SideBySide target_rows(const ModelConfig& config, std::span<const Ids> sources,
                       std::span<const Ids> targets);

// The targets one after another: what is predicted after each of those rows.
Ids joined(std::span<const Ids> targets);

}  // namespace refran::marian
