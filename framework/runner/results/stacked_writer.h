// Writes the runs' parts of one dataset into its place in a result file, buffer by buffer, in grid
// order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <refran/schema.h>
#include "hdf5_handle.h"
#include "result_layout.h"
#include "segment.h"

namespace refran::runner {

hdf5::Stored stored_as(Element element);

// Contiguous and plain, or where it pays chunks of at most 1 MiB under gzip: integers, floats if
// told so.
hdf5::Shape storage_of(Element element, std::vector<std::uint64_t> extents, bool compress_floats);

// A text per element, asked for in row-major order.
using TextAt = std::function<std::string(std::uint64_t position)>;
void write_all_texts(const hdf5::Handle& dataset, const std::vector<std::uint64_t>& extents,
                     const TextAt& text_at);

// The cells of one dataset of a group: [axes…, dims…].
class StackedWriter {
 public:
  StackedWriter(const Layout& layout, const LayoutGroup& group, const LayoutDataset& dataset,
                Element element, const SegmentSet& segments);

  std::vector<std::uint64_t> extents() const;
  // Numbers and texts; cells of failed runs hold NaN, 0 or the empty text.
  void write(const hdf5::Handle& dataset, const hdf5::Shape& shape) const;
  // The digest of each cell, zeros where the run failed.
  std::vector<Sha256> digests() const;

 private:
  void write_numbers(const hdf5::Handle& dataset, const hdf5::Shape& shape) const;
  void write_texts(const hdf5::Handle& dataset) const;
  const DatasetRecord* record(std::uint64_t cell) const {
    return (*dataset_.records)[group_.cells.run(cell)];
  }
  std::uint64_t cell_size() const;  // elements

  const Layout& layout_;
  const LayoutGroup& group_;
  const LayoutDataset& dataset_;
  Element element_;
  const SegmentSet& segments_;
};

}  // namespace refran::runner
