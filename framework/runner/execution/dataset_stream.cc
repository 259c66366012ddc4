#include "dataset_stream.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <refran/error.h>

namespace refran::runner {
namespace {

constexpr std::size_t kChunkBytes = 256 << 10;
constexpr double kRowSumTolerance = 1e-5;

// The first row (of `length` values) whose sum is not 1 and that is not all NaN, or -1.
template <class T>
std::ptrdiff_t bad_row(std::span<const T> values, std::size_t length, double* sum) {
  for (std::size_t row = 0; row * length < values.size(); ++row) {
    const auto cells = values.subspan(row * length, length);
    *sum = 0;
    std::size_t nans = 0;
    for (const T value : cells) {
      if (std::isnan(value)) ++nans;
      *sum += static_cast<double>(value);
    }
    if (nans != length && !(std::abs(*sum - 1) <= kRowSumTolerance))
      return static_cast<std::ptrdiff_t>(row);
  }
  return -1;
}

}  // namespace

void DatasetStream::check_rows(const detail::HostArray& array) const {
  // A row that is appended value by value is only whole at the end; results are checked again by
  // `refran check`.
  if (!info_->rows_sum_to_one || array.count == 0 || (info_->dims.size() == 1 && !is_whole)) return;
  const std::size_t length = array.extents.back();
  double sum = 0;
  std::ptrdiff_t row = -1;
  if (info_->element == Element::float64) {
    row = bad_row(std::span(static_cast<const double*>(array.values), array.count), length, &sum);
  } else if (info_->element == Element::float32) {
    row = bad_row(std::span(static_cast<const float*>(array.values), array.count), length, &sum);
  }
  if (row >= 0) {
    throw PluginError(
        fmt::format("output '{}' is declared to have rows that sum to 1, but row {} sums to {}",
                    info_->name, row, sum));
  }
}

void DatasetStream::add(const detail::HostArray& array) {
  check_rows(array);
  if (extents_.empty()) {
    extents_.assign(array.extents.begin(), array.extents.end());
  } else {
    extents_.front() += array.extents.front();
  }
  if (info_->element == Element::text) {
    const std::string bytes =
        encode_texts({static_cast<const std::string*>(array.values), array.count});
    add_bytes(std::as_bytes(std::span(bytes)));
  } else {
    add_bytes({static_cast<const std::byte*>(array.values), array.count * size_of(info_->element)});
  }
}

void DatasetStream::add_bytes(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), kChunkBytes - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    if (buffer_.size() == kChunkBytes) flush();
  }
}

void DatasetStream::flush() {
  canonicalise(info_->element, buffer_);
  hasher_.add(buffer_);
  pieces_.push_back(writer_->write(buffer_));
  buffer_.clear();
}

DatasetRecord DatasetStream::finish(const std::string& path) {
  if (!buffer_.empty()) flush();
  DatasetRecord record;
  record.extents = extents_;
  record.digest = dataset_digest(path, info_->element, extents_, hasher_.finish());
  record.pieces = std::move(pieces_);
  return record;
}

}  // namespace refran::runner
