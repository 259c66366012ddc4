// Holds the values of two datasets against each other, a block at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "result_file.h"

namespace refran::runner {

class ValueComparison {
 public:
  // Numbers that are at most `tolerance` apart count as equal; with 0, those with the same bytes
  // alone. NaN equals NaN. Keeps references.
  ValueComparison(const ResultFile& was, const ResultFile& is, double tolerance)
      : was_(was), is_(is), tolerance_(tolerance) {}

  // Compares `count` values from these row-major positions on; the datasets have one element type.
  void add(const DatasetInfo& was, std::uint64_t was_first, const DatasetInfo& is,
           std::uint64_t is_first, std::uint64_t count);

  struct First {
    std::uint64_t position;  // in the dataset of `was`
    std::string was;
    std::string is;
  };
  // The first that differs; none where all are equal.
  const std::optional<First>& first() const { return first_; }
  std::uint64_t differing() const { return differing_; }
  // "12 of 500 values differ, by up to 0.25": without the largest absolute difference where they
  // are texts, or a number is held against NaN or an infinity. "" of a single value.
  std::string extent(std::uint64_t values) const;

 private:
  // The offset of the first value in the block that differs.
  template <class T>
  std::optional<std::uint64_t> compare_numbers(const std::vector<std::byte>& was,
                                               const std::vector<std::byte>& is);
  std::optional<std::uint64_t> compare_texts(const std::vector<std::string>& was,
                                             const std::vector<std::string>& is);
  std::optional<std::uint64_t> compare_block(const DatasetInfo& was, std::uint64_t was_first,
                                             const DatasetInfo& is, std::uint64_t is_first,
                                             std::uint64_t count);

  const ResultFile& was_;
  const ResultFile& is_;
  double tolerance_;
  std::optional<First> first_;
  std::uint64_t differing_ = 0;
  double largest_ = 0;
  bool has_distance_ = true;
};

}  // namespace refran::runner
