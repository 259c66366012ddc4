// Vectors of floats that begin at a cache line, so that eight of them lie on one line.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace refran::marian {

template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kLine));
  }
  void deallocate(T* values, std::size_t) { ::operator delete(values, kLine); }
  // What is new in a vector has no value yet: all of it is written before it is read, often by
  // several threads, and writing zeros first would take one of them some percent of a translation.
  template <class U>
  void construct(U* value) {
    ::new (static_cast<void*>(value)) U;
  }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

using Rows = std::vector<float, LineAllocator<float>>;  // [row, dim]

}  // namespace refran::marian
