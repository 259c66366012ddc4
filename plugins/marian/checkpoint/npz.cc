#include "npz.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace refran::marian {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kMostNpyHeader = 65536;

constexpr std::array<std::pair<std::string_view, StoredType>, 12> kNpyTypes{{
    {"<f4", StoredType::float32},
    {"<f2", StoredType::float16},
    {"<f8", StoredType::float64},
    {"|i1", StoredType::int8},
    {"<i1", StoredType::int8},
    {"<i2", StoredType::int16},
    {"<i4", StoredType::int32},
    {"<i8", StoredType::int64},
    {"|u1", StoredType::uint8},
    {"<u1", StoredType::uint8},
    {"|b1", StoredType::boolean},
    {"<b1", StoredType::boolean},
}};

// The header: a dict as Python writes it, of exactly three keys.
class NpyHeader {
 public:
  NpyHeader(const FileBytes& file, std::string_view array, std::string_view text)
      : file_(file), array_(array), rest_(text) {}

  void read(StoredTensor& tensor) {
    expect('{');
    unsigned seen = 0;
    while (!skip('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        seen |= add(seen, 1);
        tensor.type = type();
      } else if (key == "fortran_order") {
        seen |= add(seen, 2);
        check_order();
      } else if (key == "shape") {
        seen |= add(seen, 4);
        tensor.shape = shape();
      } else {
        fail();
      }
      if (!skip(',') && !next_is('}')) fail();
    }
    skip_space();
    if (seen != 7 || !rest_.empty()) fail();
  }

 private:
  [[noreturn]] void fail() const {
    refuse(file_,
           "found a damaged header of the array {}, allowed: a dict of descr, fortran_order "
           "and shape",
           in_quotes(array_));
  }

  unsigned add(unsigned seen, unsigned key) const {
    if ((seen & key) != 0) fail();
    return key;
  }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  bool next_is(char c) {
    skip_space();
    return rest_.starts_with(c);
  }
  bool skip(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!skip(c)) fail();
  }
  bool skip_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string_view string() {
    const char quote = next_is('"') ? '"' : '\'';
    expect(quote);
    const std::size_t length = rest_.find(quote);
    if (length == std::string_view::npos) fail();
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return text;
  }

  StoredType type() {
    const std::string_view text = next_is('[') ? "[…]" : string();
    const auto* const found = std::find_if(kNpyTypes.begin(), kNpyTypes.end(),
                                           [&](const auto& t) { return t.first == text; });
    if (found == kNpyTypes.end()) {
      refuse(file_,
             "found element type {} of the array {}, allowed: little-endian <f4, <f2, <f8, "
             "|i1, <i2, <i4, <i8, |u1, |b1",
             text == "[…]" ? "a record" : in_quotes(text), in_quotes(array_));
    }
    return found->second;
  }

  void check_order() {
    if (skip_word("True")) {
      refuse(file_, "found the array {} in Fortran's order (columns first), allowed: rows first",
             in_quotes(array_));
    }
    if (!skip_word("False")) fail();
  }

  std::vector<std::size_t> shape() {
    std::vector<std::size_t> sizes;
    expect('(');
    while (!skip(')')) {
      skip_space();
      std::size_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc{}) fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      skip('L');  // Python 2 wrote long integers so
      sizes.push_back(size);
      if (!skip(',') && !next_is(')')) fail();
    }
    return sizes;
  }

  const FileBytes& file_;
  std::string_view array_;
  std::string_view rest_;
};

}  // namespace

StoredTensor read_npy(const FileBytes& file, std::string_view name,
                      std::span<const std::byte> bytes) {
  Cursor cursor(file, fmt::format("the array {}", in_quotes(name)), bytes);
  const bool is_npy = text_of(bytes).starts_with(kNpyMagic);
  if (!is_npy) refuse(file, "found no array of NumPy in the member {}", in_quotes(name));
  cursor.take(kNpyMagic.size());
  const auto version = cursor.number<std::uint8_t>();
  cursor.take(1);  // the minor version
  if (version < 1 || version > 3) {
    refuse(file, "found version {} of the npy format of the array {}, allowed: 1 to 3", version,
           in_quotes(name));
  }
  const std::size_t size =
      version == 1 ? cursor.number<std::uint16_t>() : cursor.number<std::uint32_t>();
  if (size > kMostNpyHeader) {
    refuse(file, "found a header of {} bytes of the array {}, allowed: up to {}", size,
           in_quotes(name), kMostNpyHeader);
  }
  StoredTensor tensor;
  tensor.name = name;
  NpyHeader(file, name, text_of(cursor.take(size))).read(tensor);
  tensor.bytes = cursor.take(cursor.left());
  const auto elements = checked_elements(tensor.shape);
  if (!elements || *elements * size_of(tensor.type) != tensor.bytes.size()) {
    refuse(file, "found {} bytes for the array {}, which do not fit shape {} of {}",
           tensor.bytes.size(), in_quotes(name), shape_text(tensor.shape), name_of(tensor.type));
  }
  tensor.strides = row_major_strides(tensor.shape);
  return tensor;
}

Contents read_npz(const FileBytes& file, ZipArchive& archive) {
  Contents contents{.container = "NumPy npz", .tensors = {}, .buffers = {}};
  for (const ZipMember& member : archive.members()) {
    if (!member.name.ends_with(kSuffix)) {
      refuse(file,
             "found the member {} in a zip file, allowed: PyTorch's (with a data.pkl in a "
             "folder), NumPy's (all members named .npy)",
             in_quotes(member.name));
    }
    const std::string_view name = member.name.substr(0, member.name.size() - kSuffix.size());
    contents.tensors.push_back(read_npy(file, name, archive.data_of(member, contents.buffers)));
  }
  return contents;
}

}  // namespace refran::marian
