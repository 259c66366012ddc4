#include "compare_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "diagnostics.h"

namespace refran::runner {
namespace {

constexpr std::uint64_t kBlock = 1 << 16;      // numbers
constexpr std::uint64_t kTextBlock = 1 << 10;  // texts, which may be long

template <class T>
bool is_same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;  // 0 and -0 are two numbers to a digest
}

template <class T>
double distance(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(static_cast<double>(a) - static_cast<double>(b));
  } else {  // whose difference may not fit their own type
    const auto low = static_cast<std::uint64_t>(std::min(a, b));
    return static_cast<double>(static_cast<std::uint64_t>(std::max(a, b)) - low);
  }
}

std::string shown(const ResultFile& result, const DatasetInfo& dataset, std::uint64_t position) {
  const std::string value = result.read_as_texts(dataset, position, 1).front();
  return dataset.element == Element::text ? in_quotes(value) : value;
}

}  // namespace

void ValueComparison::add(const DatasetInfo& was, std::uint64_t was_first, const DatasetInfo& is,
                          std::uint64_t is_first, std::uint64_t count) {
  const std::uint64_t block = was.element == Element::text ? kTextBlock : kBlock;
  for (std::uint64_t done = 0; done < count; done += block) {
    const std::uint64_t length = std::min(block, count - done);
    const auto at = compare_block(was, was_first + done, is, is_first + done, length);
    if (!at || first_) continue;
    const std::uint64_t position = was_first + done + *at;
    first_ = First{position, shown(was_, was, position), shown(is_, is, is_first + done + *at)};
  }
}

std::optional<std::uint64_t> ValueComparison::compare_block(const DatasetInfo& was,
                                                            std::uint64_t was_first,
                                                            const DatasetInfo& is,
                                                            std::uint64_t is_first,
                                                            std::uint64_t count) {
  if (was.element == Element::text)
    return compare_texts(was_.read_texts(was, was_first, count),
                         is_.read_texts(is, is_first, count));
  const std::vector<std::byte> left = was_.read_bytes(was, was_first, count);
  const std::vector<std::byte> right = is_.read_bytes(is, is_first, count);
  if (left == right) return std::nullopt;
  switch (was.element) {
    case Element::float32:
      return compare_numbers<float>(left, right);
    case Element::float64:
      return compare_numbers<double>(left, right);
    case Element::int32:
      return compare_numbers<std::int32_t>(left, right);
    default:
      return compare_numbers<std::int64_t>(left, right);
  }
}

template <class T>
std::optional<std::uint64_t> ValueComparison::compare_numbers(const std::vector<std::byte>& was,
                                                              const std::vector<std::byte>& is) {
  std::optional<std::uint64_t> first;
  for (std::size_t at = 0; at < was.size(); at += sizeof(T)) {
    T left;
    T right;
    std::memcpy(&left, was.data() + at, sizeof(T));
    std::memcpy(&right, is.data() + at, sizeof(T));
    if (is_same(left, right)) continue;
    const double apart = distance(left, right);
    if (tolerance_ > 0 && apart <= tolerance_) continue;
    if (!first) first = at / sizeof(T);
    ++differing_;
    has_distance_ = has_distance_ && std::isfinite(apart);
    largest_ = std::max(largest_, apart);
  }
  return first;
}

std::optional<std::uint64_t> ValueComparison::compare_texts(const std::vector<std::string>& was,
                                                            const std::vector<std::string>& is) {
  std::optional<std::uint64_t> first;
  for (std::size_t i = 0; i < was.size(); ++i) {
    if (was[i] == is[i]) continue;
    if (!first) first = i;
    ++differing_;
    has_distance_ = false;
  }
  return first;
}

std::string ValueComparison::extent(std::uint64_t values) const {
  if (values == 1) return "";
  const bool is_one = differing_ == 1;
  std::string text = fmt::format("{} of {} value{} differ{}", differing_, values,
                                 values == 1 ? "" : "s", is_one ? "s" : "");
  if (has_distance_) text += fmt::format(", by {}{:.3g}", is_one ? "" : "up to ", largest_);
  return text;
}

}  // namespace refran::runner
