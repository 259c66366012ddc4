// One dataset of one run on its way into a segment: chunked, canonical, hashed as it passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <refran/detail/host.h>
#include <refran/schema.h>
#include "segment.h"

namespace refran::runner {

class DatasetStream {
 public:
  // `extents` are those of the first array; an appended dataset grows along the first of them.
  DatasetStream(const OutputInfo& info, SegmentWriter& writer) : info_(&info), writer_(&writer) {}

  void add(const detail::HostArray& array);
  // Writes what is left and returns the record, but for its indices.
  DatasetRecord finish(const std::string& path);

  const OutputInfo& info() const { return *info_; }
  const std::vector<std::uint64_t>& extents() const { return extents_; }
  // Whether it was put whole, so that nothing may be added.
  bool is_whole = false;

 private:
  void check_rows(const detail::HostArray& array) const;
  void add_bytes(std::span<const std::byte> bytes);
  void flush();

  const OutputInfo* info_;
  SegmentWriter* writer_;
  std::vector<std::uint64_t> extents_;
  std::vector<std::byte> buffer_;
  std::vector<Piece> pieces_;
  Hasher hasher_;
};

}  // namespace refran::runner
