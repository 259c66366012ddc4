#include "stacked_writer.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "slabs.h"
#include "value_reader.h"

namespace refran::runner {
namespace {

constexpr std::uint64_t kBufferBytes = 4 << 20;
constexpr std::uint64_t kChunkBytes = 1 << 20;
constexpr std::uint64_t kPlainBytes = 4 << 10;  // below this a chunk index costs more than it saves
constexpr std::uint64_t kBufferTexts = 1024;

std::uint64_t product(const std::vector<std::uint64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
}

template <class T>
void fill(std::span<std::byte> bytes, T value) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T))
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// What stands where a run failed.
void fill_missing(Element element, std::span<std::byte> bytes) {
  if (element == Element::float32) {
    fill(bytes, std::numeric_limits<float>::quiet_NaN());
  } else if (element == Element::float64) {
    fill(bytes, std::numeric_limits<double>::quiet_NaN());
  } else {
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
  }
}

}  // namespace

hdf5::Stored stored_as(Element element) {
  switch (element) {
    case Element::float32:
      return hdf5::Stored::float32;
    case Element::float64:
      return hdf5::Stored::float64;
    case Element::int32:
      return hdf5::Stored::int32;
    case Element::int64:
      return hdf5::Stored::int64;
    case Element::text:
      break;
  }
  return hdf5::Stored::text;
}

hdf5::Shape storage_of(Element element, std::vector<std::uint64_t> extents, bool compress_floats) {
  hdf5::Shape shape{std::move(extents), {}};
  const bool is_integer = element == Element::int32 || element == Element::int64;
  const bool is_float = element == Element::float32 || element == Element::float64;
  if (!is_integer && !(is_float && compress_floats)) return shape;
  if (product(shape.extents) * size_of(element) < kPlainBytes) return shape;
  shape.chunk = slab_shape(shape.extents, kChunkBytes / size_of(element));
  return shape;
}

void write_all_texts(const hdf5::Handle& dataset, const std::vector<std::uint64_t>& extents,
                     const TextAt& text_at) {
  std::vector<std::string> texts;
  std::uint64_t position = 0;
  for (Slabs slabs(extents, kBufferTexts); slabs.next();) {
    texts.resize(slabs.box().size());
    for (std::string& text : texts) text = text_at(position++);
    hdf5::write_texts(dataset, slabs.box(), texts);
  }
}

StackedWriter::StackedWriter(const Layout& layout, const LayoutGroup& group,
                             const LayoutDataset& dataset, Element element,
                             const SegmentSet& segments)
    : layout_(layout), group_(group), dataset_(dataset), element_(element), segments_(segments) {}

std::vector<std::uint64_t> StackedWriter::extents() const {
  std::vector<std::uint64_t> extents = group_.cells.extents();
  extents.insert(extents.end(), dataset_.extents.begin(), dataset_.extents.end());
  return extents;
}

std::uint64_t StackedWriter::cell_size() const { return product(dataset_.extents); }

void StackedWriter::write(const hdf5::Handle& dataset, const hdf5::Shape& shape) const {
  if (element_ == Element::text) {
    write_texts(dataset);
  } else {
    write_numbers(dataset, shape);
  }
}

void StackedWriter::write_numbers(const hdf5::Handle& dataset, const hdf5::Shape& shape) const {
  const std::uint64_t element_bytes = size_of(element_);
  const std::uint64_t cell_bytes = cell_size() * element_bytes;
  // A chunk is written whole and once: a box of the chunk's own shape.
  const std::uint64_t limit = (shape.chunk.empty() ? kBufferBytes : kChunkBytes) / element_bytes;
  std::vector<std::byte> buffer;
  std::optional<ValueReader> reader;
  std::uint64_t position = 0;  // in bytes, over all cells
  for (Slabs slabs(shape.extents, limit); slabs.next();) {
    buffer.resize(slabs.box().size() * element_bytes);
    for (std::span<std::byte> rest = buffer; !rest.empty();) {
      const std::uint64_t cell = position / cell_bytes;
      const std::uint64_t offset = position % cell_bytes;
      const auto part = rest.first(std::min<std::uint64_t>(rest.size(), cell_bytes - offset));
      if (const DatasetRecord* values = record(cell); values != nullptr) {
        if (offset == 0)
          reader.emplace(segments_, *layout_.runs()[group_.cells.run(cell)], *values);
        reader->read(part);
      } else {
        fill_missing(element_, part);
      }
      position += part.size();
      rest = rest.subspan(part.size());
    }
    hdf5::write_numbers(dataset, stored_as(element_), slabs.box(), buffer);
  }
}

void StackedWriter::write_texts(const hdf5::Handle& dataset) const {
  const std::uint64_t size = cell_size();
  std::optional<ValueReader> reader;
  write_all_texts(dataset, extents(), [&](std::uint64_t position) -> std::string {
    const std::uint64_t cell = position / size;
    const DatasetRecord* values = record(cell);
    if (values == nullptr) return "";
    if (position % size == 0)
      reader.emplace(segments_, *layout_.runs()[group_.cells.run(cell)], *values);
    return reader->read_text();
  });
}

std::vector<Sha256> StackedWriter::digests() const {
  std::vector<Sha256> digests(group_.cells.size());
  for (std::uint64_t cell = 0; cell < digests.size(); ++cell) {
    if (const DatasetRecord* values = record(cell); values != nullptr)
      digests[cell] = values->digest;
  }
  return digests;
}

}  // namespace refran::runner
