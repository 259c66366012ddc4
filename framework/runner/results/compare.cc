#include "compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace refran::runner {
namespace {

constexpr std::uint64_t kBlock = 1 << 16;

std::uint64_t cells(const DatasetInfo& dataset) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : dataset.extents) count *= extent;
  return count;
}

bool is_real(const DatasetInfo& dataset) {
  return dataset.element == Element::float32 || dataset.element == Element::float64;
}

// The largest absolute difference; infinity where one is NaN and the other not.
double largest_difference(const ResultFile& expected, const DatasetInfo& a, const ResultFile& found,
                          const DatasetInfo& b) {
  double largest = 0;
  const std::uint64_t count = cells(a);
  for (std::uint64_t first = 0; first < count; first += kBlock) {
    const std::uint64_t length = std::min(kBlock, count - first);
    const std::vector<double> left = expected.read_numbers(a, first, length);
    const std::vector<double> right = found.read_numbers(b, first, length);
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (std::isnan(left[i]) && std::isnan(right[i])) continue;
      const double difference = std::abs(left[i] - right[i]);
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                       : std::max(largest, difference);
    }
  }
  return largest;
}

// "in all 3 runs", "in runs 1, 4 of 10": which runs of a sweep have another digest.
std::string where(const ResultFile& expected, const DatasetInfo& a, const ResultFile& found,
                  const DatasetInfo& b) {
  const std::vector<std::string> left = expected.run_digests(a);
  const std::vector<std::string> right = found.run_digests(b);
  std::vector<std::size_t> runs;
  for (std::size_t run = 0; run < std::min(left.size(), right.size()); ++run) {
    if (left[run] != right[run]) runs.push_back(run);
  }
  if (left.size() <= 1) return "";
  if (runs.size() == left.size()) return fmt::format(" in all {} runs", runs.size());
  constexpr std::size_t kMostNamed = 8;
  const bool is_long = runs.size() > kMostNamed;
  if (is_long) runs.resize(kMostNamed);
  return fmt::format(" in runs {}{} of {}", fmt::join(runs, ", "), is_long ? ", …" : "",
                     left.size());
}

std::string difference(const ResultFile& expected, const DatasetInfo& a, const ResultFile& found,
                       const DatasetInfo& b, double tolerance) {
  if (a.extents != b.extents || a.element != b.element) {
    return fmt::format("{}: is {} [{}], was {} [{}]", a.path, name_of(b.element),
                       fmt::join(b.extents, ", "), name_of(a.element), fmt::join(a.extents, ", "));
  }
  if (a.sha256 == b.sha256) return "";
  if (!is_real(a)) return fmt::format("{}: differs{}", a.path, where(expected, a, found, b));
  const double largest = largest_difference(expected, a, found, b);
  if (tolerance > 0 && largest <= tolerance) return "";
  return fmt::format("{}: differs by up to {:.3g}{}", a.path, largest,
                     where(expected, a, found, b));
}

}  // namespace

std::vector<std::string> differences(const ResultFile& expected, const ResultFile& found,
                                     double tolerance) {
  std::vector<std::string> texts;
  for (const DatasetInfo& dataset : expected.datasets()) {
    if (!dataset.is_output) continue;
    const DatasetInfo* const other = found.find(dataset.path);
    std::string text = other == nullptr ? fmt::format("{}: is missing", dataset.path)
                                        : difference(expected, dataset, found, *other, tolerance);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  for (const DatasetInfo& dataset : found.datasets()) {
    if (dataset.is_output && expected.find(dataset.path) == nullptr) {
      texts.push_back(fmt::format("{}: is new", dataset.path));
    }
  }
  return texts;
}

}  // namespace refran::runner
