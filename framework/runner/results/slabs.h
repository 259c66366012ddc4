// Cuts a row-major array into boxes that are contiguous in it, so that it can be written or read a
// buffer at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "hdf5_handle.h"

namespace refran::runner {

// The largest box of whole trailing extents with at most `limit` elements, and at least one.
std::vector<std::uint64_t> slab_shape(const std::vector<std::uint64_t>& extents,
                                      std::uint64_t limit);

// Gives the boxes one after the other, in row-major order. An array without elements has none.
class Slabs {
 public:
  Slabs(std::vector<std::uint64_t> extents, std::uint64_t limit);

  bool next();
  const hdf5::Box& box() const { return box_; }

 private:
  std::vector<std::uint64_t> extents_;
  std::vector<std::uint64_t> shape_;
  hdf5::Box box_;
  bool started_ = false;
};

// The box of `count` elements from row-major position `first` on, cut down to what is contiguous:
// its size says how far it got.
hdf5::Box box_at(const std::vector<std::uint64_t>& extents, std::uint64_t first,
                 std::uint64_t count);

}  // namespace refran::runner
