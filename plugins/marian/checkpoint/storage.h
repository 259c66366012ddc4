// What the readers of checkpoint files share: the bytes of a file, what is found in them, and the
// checks that each of them makes. Internal to this library, its tests and its fuzz targets.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "../checkpoint.h"

namespace refran::marian {

// All bytes of a file that is being read, and the path that its errors begin with.
struct FileBytes {
  std::string path;
  std::span<const std::byte> bytes;
};

// Throws a ModelError that begins with the file's path.
template <class... Args>
[[noreturn]] void refuse(const FileBytes& file, fmt::format_string<Args...> text, Args&&... args) {
  throw ModelError(file.path + ": " + fmt::format(text, std::forward<Args>(args)...));
}

// A name out of a file, as a message may show it: in quotes, short, printable ASCII.
std::string in_quotes(std::string_view name);
std::string shape_text(std::span<const std::size_t> shape);  // "[2, 3]"

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The little-endian number at `at`; the caller has checked that it lies within `bytes`.
template <std::integral T>
T little_endian(std::span<const std::byte> bytes, std::size_t at = 0) {
  T number;
  std::memcpy(&number, bytes.subspan(at, sizeof(T)).data(), sizeof(T));
  return number;
}

// The number of elements of a tensor, none where it is beyond all memory. What a dimension of 0
// hides from the product is held to the same bound, so that strides and sizes in bytes of a checked
// shape never overflow.
std::optional<std::size_t> checked_elements(std::span<const std::size_t> shape);
std::vector<std::size_t> row_major_strides(std::span<const std::size_t> shape);

// Reads bytes one after another and refuses to go beyond their end.
class Cursor {
 public:
  // `what` is what a message calls these bytes of the file: "the header", "archive/data.pkl".
  Cursor(const FileBytes& file, std::string what, std::span<const std::byte> bytes)
      : file_(&file), what_(std::move(what)), bytes_(bytes) {}

  std::span<const std::byte> take(std::size_t count);
  template <std::integral T>
  T number() {
    return little_endian<T>(take(sizeof(T)));
  }
  // Up to the next line feed, which is taken too.
  std::string_view line();

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }
  const FileBytes& file() const { return *file_; }
  const std::string& what() const { return what_; }

 private:
  const FileBytes* file_;
  std::string what_;
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

using Buffer = std::unique_ptr<std::byte[]>;

// What a reader finds. The bytes of the tensors lie in the file's or in `buffers`.
struct Contents {
  std::string_view container;
  std::vector<StoredTensor> tensors;
  std::vector<Buffer> buffers;
};

// Tells the container by its first bytes, reads it, and puts the tensors in the order of their
// names, of which none may be there twice.
Contents read_contents(const FileBytes& file);

// A file in memory, for reading only. Cutting a file short while it is mapped ends the program: the
// files of a model are not to be changed while they are in use.
class Mapping {
 public:
  explicit Mapping(const std::filesystem::path& file);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

struct Checkpoint::Storage {
  explicit Storage(const std::filesystem::path& file) : mapping(file) {}

  Mapping mapping;
  std::vector<Buffer> buffers;
};

}  // namespace refran::marian
