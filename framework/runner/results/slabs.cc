#include "slabs.h"

#include <algorithm>

namespace refran::runner {

std::vector<std::uint64_t> slab_shape(const std::vector<std::uint64_t>& extents,
                                      std::uint64_t limit) {
  std::vector<std::uint64_t> shape(extents.size(), 1);
  std::uint64_t size = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    shape[axis] = std::max<std::uint64_t>(1, std::min(extents[axis], limit / size));
    if (shape[axis] < extents[axis]) break;
    size *= shape[axis];
  }
  return shape;
}

Slabs::Slabs(std::vector<std::uint64_t> extents, std::uint64_t limit)
    : extents_(std::move(extents)), shape_(slab_shape(extents_, limit)) {}

bool Slabs::next() {
  if (!started_) {
    started_ = true;
    if (std::find(extents_.begin(), extents_.end(), 0) != extents_.end()) return false;
    box_.start.assign(extents_.size(), 0);
  } else {
    std::size_t axis = extents_.size();
    while (axis > 0) {
      --axis;
      box_.start[axis] += shape_[axis];
      if (box_.start[axis] < extents_[axis]) break;
      box_.start[axis] = 0;
      if (axis == 0) return false;
    }
    if (extents_.empty()) return false;
  }
  box_.count.resize(extents_.size());
  for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
    box_.count[axis] = std::min(shape_[axis], extents_[axis] - box_.start[axis]);
  }
  return true;
}

hdf5::Box box_at(const std::vector<std::uint64_t>& extents, std::uint64_t first,
                 std::uint64_t count) {
  hdf5::Box box;
  box.start.assign(extents.size(), 0);
  box.count.assign(extents.size(), 1);
  // From the innermost axis out: as long as the position is at the start of whole inner extents,
  // more of them fit.
  std::uint64_t inner = 1;
  bool is_open = true;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    box.start[axis] = first % extents[axis];
    first /= extents[axis];
    if (!is_open) continue;
    box.count[axis] = std::clamp<std::uint64_t>(count / inner, 1, extents[axis] - box.start[axis]);
    is_open = box.count[axis] == extents[axis];
    inner *= extents[axis];
  }
  return box;
}

}  // namespace refran::runner
