// HDF5's C API behind owning handles, plain C++ types and exceptions. Only the sources of this
// header see HDF5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace refran::runner::hdf5 {

// "cannot write share: No space left on device": what was tried, and the cause as HDF5 or the
// system puts it.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Owns one HDF5 identifier of whatever kind.
class Handle {
 public:
  Handle() = default;
  explicit Handle(std::int64_t id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, kNone)) {}
  Handle& operator=(Handle&& other) noexcept;

  std::int64_t id() const { return id_; }
  void reset() noexcept;
  std::int64_t release() { return std::exchange(id_, kNone); }

 private:
  static constexpr std::int64_t kNone = -1;
  std::int64_t id_ = kNone;
};

// How the elements of a dataset are stored: little-endian numbers, UTF-8 texts of any length,
// 64-character digests.
enum class Stored : std::uint8_t { float32, float64, int32, int64, uint64, text, digest };

// Bytes of an element in memory; of text that of a pointer.
std::size_t size_of(Stored stored);

struct Shape {
  std::vector<std::uint64_t> extents;  // empty = one value
  std::vector<std::uint64_t> chunk;  // empty = stored in one piece, plain; else chunks under gzip-1
};

// A rectangle of a dataset; both vectors empty for one of a single value.
struct Box {
  std::vector<std::uint64_t> start;
  std::vector<std::uint64_t> count;
  std::uint64_t size() const;
};

using Attribute =
    std::variant<std::string, std::int32_t, std::uint64_t, double, std::vector<std::string>>;

// A file being written. It is not valid until `close`; destroyed before that, it is given up
// without a word, also where the disk is full (HDF5 itself would try to write again at exit).
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& file);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const Handle& root() const { return file_; }
  void close();

 private:
  void give_up() noexcept;

  Handle file_;
};

// Names are relative to `parent`, whose groups must be there. Objects hold no times, links keep
// their order.
Handle create_group(const Handle& parent, const std::string& name);
Handle create_dataset(const Handle& parent, const std::string& name, Stored stored,
                      const Shape& shape);
void write_numbers(const Handle& dataset, Stored stored, const Box& box,
                   std::span<const std::byte> values);
void write_texts(const Handle& dataset, const Box& box, std::span<const std::string> texts);
void set_attribute(const Handle& object, const std::string& name, const Attribute& value);

// Dimension scales as the HDF5 dimension scale specification lays them down. They are written here
// and not through H5DSattach_scale, which rewrites a scale's list of datasets for each of them (60
// µs per dimension).
void make_scale(const Handle& dataset, const std::string& name);
// A dataset and which of its dimensions a scale serves.
struct ScaleUse {
  const Handle* dataset;
  int dimension;
};
void set_dimensions(const Handle& dataset, std::span<const Handle* const> scales,
                    std::span<const std::string> names);
void set_uses(const Handle& scale, std::span<const ScaleUse> uses);

// Reading.
Handle open_file(const std::filesystem::path& file);
Handle open_object(const Handle& parent, const std::string& path);

enum class Kind : std::uint8_t { group, dataset, other };
struct Child {
  std::string name;
  Kind kind = Kind::other;
  Handle object;  // open; none where the link leads nowhere
};
// In the order they were written.
std::vector<Child> children(const Handle& group);

struct DatasetShape {
  std::optional<Stored> stored;  // none where it is of a type the format does not know
  std::vector<std::uint64_t> extents;
};
DatasetShape shape_of(const Handle& dataset);

bool is_scale(const Handle& dataset);
// What a dimension's scale and an object are told apart and recognised by, within a file.
using Reference = std::uint64_t;
Reference reference_to(const Handle& object);
// Of each dimension its first scale; 0 where it has none.
std::vector<Reference> scales_of(const Handle& dataset);
// Of each dimension its name; "" where it has none.
std::vector<std::string> dimension_labels(const Handle& dataset);

std::optional<Attribute> attribute(const Handle& object, const std::string& name);
// All but those HDF5 itself uses for dimension scales, in order of their names.
std::vector<std::pair<std::string, Attribute>> attributes(const Handle& object);

// Numbers as `stored` says, digests as 64 bytes each.
void read_numbers(const Handle& dataset, Stored stored, const Box& box,
                  std::span<std::byte> values);
std::vector<std::string> read_texts(const Handle& dataset, const Box& box);

}  // namespace refran::runner::hdf5
