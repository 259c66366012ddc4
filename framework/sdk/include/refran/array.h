// Row-major arrays with a rank known at compile time: what plugins hand over as outputs.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace refran {

template <std::size_t Rank>
using Extents = std::array<std::size_t, Rank>;

// An owning array. `Array<double, 2> score({queries, keys}); score(i, j) = …;`
template <class T, std::size_t Rank>
class Array {
 public:
  Array() = default;
  explicit Array(const Extents<Rank>& extents, T fill = T{})
      : extents_(extents), values_(count(extents), fill) {}

  template <class... Index>
  requires(sizeof...(Index) == Rank) T& operator()(Index... index) {
    return values_[offset({static_cast<std::size_t>(index)...})];
  }
  template <class... Index>
  requires(sizeof...(Index) == Rank) const T& operator()(Index... index) const {
    return values_[offset({static_cast<std::size_t>(index)...})];
  }

  const Extents<Rank>& extents() const { return extents_; }
  std::size_t extent(std::size_t axis) const { return extents_[axis]; }
  std::span<T> values() & { return values_; }
  std::span<const T> values() const& { return values_; }
  std::span<const T> values() && = delete;  // they would go with the temporary

  // The values along the last axis; `row(i)` of a matrix.
  template <class... Index>
  requires(sizeof...(Index) + 1 == Rank) std::span<T> row(Index... index) {
    return {values_.data() + offset({static_cast<std::size_t>(index)..., 0}), extents_[Rank - 1]};
  }
  template <class... Index>
  requires(sizeof...(Index) + 1 == Rank) std::span<const T> row(Index... index)
  const {
    return {values_.data() + offset({static_cast<std::size_t>(index)..., 0}), extents_[Rank - 1]};
  }

 private:
  static std::size_t count(const Extents<Rank>& extents) {
    std::size_t product = 1;
    for (const std::size_t extent : extents) product *= extent;
    return product;
  }
  std::size_t offset(const Extents<Rank>& index) const {
    std::size_t position = 0;
    for (std::size_t axis = 0; axis < Rank; ++axis)
      position = position * extents_[axis] + index[axis];
    return position;
  }

  Extents<Rank> extents_{};
  std::vector<T> values_;
};

// What `put` takes: extents and values somebody else owns. Made from an Array, from a vector (rank
// 1) or one value (rank 0).
template <class T, std::size_t Rank>
struct ArrayView {
  Extents<Rank> extents{};
  std::span<const T> values;

  ArrayView(const Extents<Rank>& shape, std::span<const T> all) : extents(shape), values(all) {}
  ArrayView(const Array<T, Rank>& array) : extents(array.extents()), values(array.values()) {}
  ArrayView(const std::vector<T>& vector) requires(Rank == 1)
      : extents{vector.size()}, values(vector) {}
  ArrayView(std::span<const T> span) requires(Rank == 1) : extents{span.size()}, values(span) {}
  ArrayView(const T& value) requires(Rank == 0) : values(&value, 1) {}
};

}  // namespace refran
