// Reads a checkpoint as its users do, for tests of damaged files and for the fuzz targets.
#pragma once

#include <cstddef>
#include <stdexcept>

#include <marian/checkpoint/storage.h>

namespace refran::marian::files {

// Touches the first and last byte of every tensor. Throws std::logic_error where one breaks what
// checkpoint.h promises of its bytes.
inline void check_contents(const Contents& contents) {
  [[maybe_unused]] volatile unsigned char seen = 0;
  for (const StoredTensor& tensor : contents.tensors) {
    if (tensor.shape.size() != tensor.strides.size()) throw std::logic_error("strides");
    std::size_t reach = tensor.elements() == 0 ? 0 : 1;
    for (std::size_t axis = 0; reach != 0 && axis < tensor.shape.size(); ++axis) {
      reach += (tensor.shape[axis] - 1) * tensor.strides[axis];
    }
    if (tensor.bytes.size() != reach * size_of(tensor.type)) throw std::logic_error("bytes");
    if (tensor.elements() > reach) throw std::logic_error("repeated elements");
    if (tensor.bytes.empty()) continue;
    seen = std::to_integer<unsigned char>(tensor.bytes.front());
    seen = std::to_integer<unsigned char>(tensor.bytes.back());
  }
}

inline void read_through(const FileBytes& file) { check_contents(read_contents(file)); }

}  // namespace refran::marian::files
