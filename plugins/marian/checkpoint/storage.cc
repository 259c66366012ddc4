#include "storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <system_error>

#include <fmt/ranges.h>

namespace refran::marian {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are used as files have them");

// Shapes up to here have sizes in bytes that fit 64 bits, whatever their element type.
constexpr std::size_t kMaxElements = std::size_t{1} << 58;

// Closes a file's descriptor.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& file)
      : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void refuse_to_read(const std::filesystem::path& file) {
  throw ModelError(file.string() + ": cannot be read: " + std::generic_category().message(errno));
}

}  // namespace

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kShown = 100;
  std::string text = "'";
  for (const char c : name.substr(0, kShown)) {
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text + (name.size() > kShown ? "…'" : "'");
}

std::string shape_text(std::span<const std::size_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::optional<std::size_t> checked_elements(std::span<const std::size_t> shape) {
  std::size_t product = 1;
  bool empty = false;
  for (const std::size_t size : shape) {
    if (size == 0) {
      empty = true;
    } else if (size > kMaxElements / product) {
      return std::nullopt;
    } else {
      product *= size;
    }
  }
  return empty ? 0 : product;
}

std::vector<std::size_t> row_major_strides(std::span<const std::size_t> shape) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

std::span<const std::byte> Cursor::take(std::size_t count) {
  if (count > left()) {
    refuse(*file_, "found the end of {} after {} bytes, expected {} more", what_, bytes_.size(),
           count - left());
  }
  position_ += count;
  return bytes_.subspan(position_ - count, count);
}

std::string_view Cursor::line() {
  const std::string_view rest = text_of(bytes_.subspan(position_));
  const std::size_t length = rest.find('\n');
  if (length == std::string_view::npos) {
    refuse(*file_, "found the end of {} after {} bytes, within a line", what_, bytes_.size());
  }
  position_ += length + 1;
  return rest.substr(0, length);
}

Mapping::Mapping(const std::filesystem::path& file) {
  const Descriptor descriptor(file);
  struct stat status {};
  if (descriptor.number() < 0 || ::fstat(descriptor.number(), &status) != 0) refuse_to_read(file);
  if (!S_ISREG(status.st_mode)) {
    throw ModelError(file.string() + ": found a folder or device, expected a file");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;  // nothing can be mapped
  void* const begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
  if (begin == MAP_FAILED) refuse_to_read(file);
  bytes_ = {static_cast<const std::byte*>(begin), size};
}

Mapping::~Mapping() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace refran::marian
