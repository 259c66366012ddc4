// Reads the values of one run's dataset from its segment, front to back, piece by piece.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "segment.h"

namespace refran::runner {

class ValueReader {
 public:
  ValueReader(const SegmentSet& segments, const RunRecord& run, const DatasetRecord& dataset)
      : segments_(&segments), run_(&run), dataset_(&dataset) {}

  // The next bytes; throws std::runtime_error where the dataset has fewer.
  void read(std::span<std::byte> bytes);
  // The next text, stored behind its length.
  std::string read_text();

 private:
  void load_piece(std::span<std::byte> bytes);

  const SegmentSet* segments_;
  const RunRecord* run_;
  const DatasetRecord* dataset_;
  std::size_t next_piece_ = 0;
  std::vector<std::byte> buffer_;  // a piece of which a part was read
  std::size_t used_ = 0;
};

}  // namespace refran::runner
