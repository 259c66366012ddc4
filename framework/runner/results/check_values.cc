#include "check_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "digest.h"
#include "grid_view.h"

namespace refran::runner {
namespace {

constexpr std::uint64_t kBlock = 512 << 10;  // elements read at once
constexpr std::uint64_t kTextBlock = 1024;
constexpr double kRowTolerance = 1e-5;  // of the format
const Sha256 kNoDigest{};

std::uint64_t product(std::span<const std::uint64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
}

// Follows the rows along the last dimension as values come by.
class RowSums {
 public:
  explicit RowSums(std::uint64_t length) : length_(length) {}

  void add(std::span<const double> values) {
    for (const double value : values) {
      if (std::isnan(value)) {
        ++nans_;
      } else {
        sum_ += value;
      }
      if (++position_ == length_) end_row();
    }
  }

  // "" where all is well.
  std::string finding(const std::string& path) const {
    if (bad_ == 0) return "";
    const std::string rest =
        bad_ == 1 ? "" : fmt::format(" (and {} more rows do not either)", bad_ - 1);
    return fmt::format("{}: row {} {}, where rows have to sum to 1{}", path, first_bad_,
                       first_problem_, rest);
  }

 private:
  void end_row() {
    const bool is_partly_nan = nans_ > 0 && nans_ < length_;
    if (is_partly_nan || (nans_ == 0 && !(std::abs(sum_ - 1) <= kRowTolerance))) {
      if (bad_++ == 0) {
        first_bad_ = row_;
        first_problem_ = is_partly_nan ? "is NaN in part" : fmt::format("sums to {}", sum_);
      }
    }
    ++row_;
    position_ = nans_ = 0;
    sum_ = 0;
  }

  std::uint64_t length_;
  std::uint64_t position_ = 0;
  std::uint64_t nans_ = 0;
  double sum_ = 0;
  std::uint64_t row_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t first_bad_ = 0;
  std::string first_problem_;
};

// Checks one output against its own digests.
class OutputCheck {
 public:
  OutputCheck(const ResultFile& result, const DatasetInfo& dataset, Findings& findings)
      : result_(result),
        dataset_(dataset),
        findings_(findings),
        place_(place_of(dataset.path, result.axes())),
        cells_(product(std::span(dataset.extents).first(dataset.axes))),
        extents_(dataset.extents.begin() + static_cast<std::ptrdiff_t>(dataset.axes),
                 dataset.extents.end()) {}

  void run() {
    stored_ = result_.run_digests(dataset_);
    if (stored_.size() != cells_) {
      findings_.push_back(fmt::format("digest/{}: {} digests are there, {} runs have one",
                                      dataset_.path, stored_.size(), cells_));
      return;
    }
    if (dataset_.element == Element::text) {
      check_texts();
    } else {
      check_numbers();
    }
    check_stacked();
  }

 private:
  void check_numbers() {
    const std::uint64_t cell_size = product(extents_);
    const std::uint64_t total = cells_ * cell_size;
    RowSums rows(extents_.empty() ? 1 : std::max<std::uint64_t>(1, extents_.back()));
    Hasher hasher;
    bool is_blank = true;
    std::uint64_t position = 0;
    for (std::uint64_t first = 0; first < total; first += kBlock) {
      std::vector<std::byte> bytes =
          result_.read_bytes(dataset_, first, std::min(kBlock, total - first));
      canonicalise(dataset_.element, bytes);
      if (dataset_.rows_sum_to_one) rows.add(as_doubles(bytes));
      for (std::span<const std::byte> rest = bytes; !rest.empty();) {
        const std::uint64_t left = (cell_size - position % cell_size) * size_of(dataset_.element);
        const auto part = rest.first(std::min<std::uint64_t>(rest.size(), left));
        hasher.add(part);
        is_blank = is_blank && is_missing(part);
        position += part.size() / size_of(dataset_.element);
        rest = rest.subspan(part.size());
        if (position % cell_size != 0) continue;
        check_cell(position / cell_size - 1, std::exchange(hasher, Hasher()).finish(),
                   std::exchange(is_blank, true));
      }
    }
    if (total == 0) check_empty_cells();
    if (std::string finding = rows.finding(dataset_.path); !finding.empty())
      findings_.push_back(std::move(finding));
  }

  void check_texts() {
    const std::uint64_t cell_size = product(extents_);
    const std::uint64_t total = cells_ * cell_size;
    Hasher hasher;
    bool is_blank = true;
    std::uint64_t position = 0;
    for (std::uint64_t first = 0; first < total; first += kTextBlock) {
      for (const std::string& text :
           result_.read_texts(dataset_, first, std::min(kTextBlock, total - first))) {
        hasher.add(encode_texts({&text, 1}));
        is_blank = is_blank && text.empty();
        if (++position % cell_size != 0) continue;
        check_cell(position / cell_size - 1, std::exchange(hasher, Hasher()).finish(),
                   std::exchange(is_blank, true));
      }
    }
    if (total == 0) check_empty_cells();
  }

  void check_empty_cells() {
    for (std::uint64_t cell = 0; cell < cells_; ++cell) check_cell(cell, Hasher().finish(), true);
  }

  void check_cell(std::uint64_t cell, const Sha256& values, bool is_blank) {
    const std::string& stored = stored_[cell];
    if (stored == to_hex(kNoDigest)) {
      if (!is_blank) add_cell(cell, "holds values, though its digest says that the run failed");
      return;
    }
    if (stored != to_hex(dataset_digest(place_.own_path, dataset_.element, extents_, values))) {
      add_cell(cell, "holds other values than its digest says");
    }
  }

  void add_cell(std::uint64_t cell, std::string_view problem) {
    std::string where;
    std::uint64_t rest = cell;
    for (std::size_t axis = dataset_.axes; axis-- > 0;) {
      const std::uint64_t point = rest % dataset_.extents[axis];
      rest /= dataset_.extents[axis];
      where = fmt::format(" {}={}{}", dataset_.dims[axis], result_.labels(dataset_, axis)[point],
                          where);
    }
    const std::string run = where.empty() ? "" : fmt::format(" the run{}", where);
    findings_.push_back(fmt::format("{}:{} {}", dataset_.path, run, problem));
  }

  void check_stacked() {
    std::string expected = stored_.front();
    try {
      if (dataset_.axes > 0) {
        Hasher hasher;
        for (const std::string& hex : stored_) {
          const Sha256 digest = from_hex(hex);
          hasher.add(std::as_bytes(std::span(digest)));
        }
        expected = to_hex(hasher.finish());
      }
    } catch (const std::runtime_error&) {
      findings_.push_back(
          fmt::format("digest/{}: holds something that is no SHA-256", dataset_.path));
      return;
    }
    if (dataset_.sha256 != expected) {
      findings_.push_back(
          fmt::format("{}: its sha256 is not that of its runs' digests", dataset_.path));
    }
  }

  std::vector<double> as_doubles(std::span<const std::byte> bytes) const {
    std::vector<double> values(bytes.size() / size_of(dataset_.element));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (dataset_.element == Element::float32) {
        float value;
        std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
        values[i] = static_cast<double>(value);
      } else {
        std::memcpy(&values[i], bytes.data() + i * sizeof(double), sizeof(double));
      }
    }
    return values;
  }

  // Whether all values are what stands where a run failed.
  bool is_missing(std::span<const std::byte> bytes) const {
    if (dataset_.element == Element::float32 || dataset_.element == Element::float64) {
      const std::vector<double> values = as_doubles(bytes);
      return std::all_of(values.begin(), values.end(),
                         [](double value) { return std::isnan(value); });
    }
    return std::all_of(bytes.begin(), bytes.end(),
                       [](std::byte byte) { return byte == std::byte{0}; });
  }

  const ResultFile& result_;
  const DatasetInfo& dataset_;
  Findings& findings_;
  Place place_;
  std::uint64_t cells_;
  std::vector<std::uint64_t> extents_;  // without the axes
  std::vector<std::string> stored_;     // digests of the runs
};

void check_file_digest(const ResultFile& result, Findings& findings) {
  Hasher hasher;
  for (const DatasetInfo& dataset : result.datasets()) {
    if (!dataset.is_output) continue;
    Sha256 digest;
    try {
      digest = from_hex(dataset.sha256);
    } catch (const std::runtime_error&) {
      findings.push_back(fmt::format("{}: its sha256 is no SHA-256", dataset.path));
      return;
    }
    hasher.add(dataset.path);
    hasher.add(std::string_view("\0", 1));
    hasher.add(std::as_bytes(std::span(digest)));
  }
  if (result.attribute("digest") != to_hex(hasher.finish())) {
    findings.push_back("the file's digest is not that of its datasets");
  }
}

}  // namespace

void check_values(const ResultFile& result, Findings& findings) {
  for (const DatasetInfo& dataset : result.datasets()) {
    if (dataset.is_output) OutputCheck(result, dataset, findings).run();
  }
  check_file_digest(result, findings);
}

}  // namespace refran::runner
