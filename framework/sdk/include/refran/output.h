// Typed outputs, each declared once: the only key to the results file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include <refran/schema.h>

namespace refran {

template <class T>
concept ElementType =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::string>;

// A dataset of elements T with named dimensions, outermost first.
//
//   constexpr refran::Output<double, 2> kShare{.name = "share", .dims = {"step", "part"}, .unit =
//   "1",
//       .doc = "How much of each part is in the summary after every step", .rows_sum_to_one =
//       true};
template <ElementType T, std::size_t Rank>
struct Output {
  const char* name;
  std::array<const char*, Rank> dims{};
  const char* unit;  // "1" where the numbers have none
  const char* doc;   // one sentence
  // Along the last axis the values sum to 1 within 1e-5, or are all NaN.
  bool rows_sum_to_one = false;
  // The item list it is written for, item by item, its extents free to differ between them; null =
  // a dense output.
  const char* per_item = nullptr;
};

namespace detail {

template <class T>
constexpr Element element_type() {
  if constexpr (std::is_same_v<T, float>) return Element::float32;
  if constexpr (std::is_same_v<T, double>) return Element::float64;
  if constexpr (std::is_same_v<T, std::int32_t>) return Element::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Element::int64;
  if constexpr (std::is_same_v<T, std::string>) return Element::text;
}

template <class T, std::size_t Rank>
OutputInfo info_of(const Output<T, Rank>& output) {
  OutputInfo info;
  info.name = output.name;
  info.element = element_type<T>();
  info.dims.assign(output.dims.begin(), output.dims.end());
  info.unit = output.unit;
  info.doc = output.doc;
  info.rows_sum_to_one = output.rows_sum_to_one;
  if (output.per_item != nullptr) info.per_item = output.per_item;
  return info;
}

}  // namespace detail
}  // namespace refran
