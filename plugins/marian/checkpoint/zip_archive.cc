#include "zip_archive.h"

#include <algorithm>

namespace refran::marian {
namespace {

constexpr std::size_t kEndSize = 22;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kLocatorSize = 20;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kLocalSize = 30;

// A byte of deflate data yields at most this many.
constexpr std::size_t kMaxRatio = 1032;
// Weights compress little. What whole files may inflate to leaves room for small ones of zeros.
constexpr std::size_t kBudgetRatio = 16;
constexpr std::size_t kBudgetFloor = std::size_t{64} << 20;

// Where the directory lies, as the records at the file's end say.
struct DirectoryPlace {
  bool is_whole = true;  // not one part of several
  std::uint64_t entries = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::size_t end = 0;  // the first of those records begins here
};

bool has_signature(std::span<const std::byte> bytes, std::size_t at, std::string_view signature) {
  return at <= bytes.size() && text_of(bytes.subspan(at)).starts_with(signature);
}

[[noreturn]] void refuse_directory(const FileBytes& file) {
  refuse(file,
         "found a zip file whose directory does not fit it: the file is damaged or cut short");
}

// The end record stands before the file's comment, which reaches to the file's end.
std::size_t find_end(const FileBytes& file) {
  const std::size_t size = file.bytes.size();
  constexpr std::size_t kMaxComment = 0xFFFF;
  for (std::size_t comment = 0; comment <= kMaxComment && kEndSize + comment <= size; ++comment) {
    const std::size_t at = size - kEndSize - comment;
    if (has_signature(file.bytes, at, "PK\x05\x06") &&
        little_endian<std::uint16_t>(file.bytes, at + 20) == comment) {
      return at;
    }
  }
  refuse(file, "found a zip file without a directory at its end: the file is damaged or cut short");
}

// Fields of the end record that are too small for their numbers have all bits set; a second record,
// which PyTorch always writes, has them in 64 bits. `locator`, before the end record, says where.
DirectoryPlace widen(const FileBytes& file, std::size_t locator, const DirectoryPlace& small) {
  const auto bytes = file.bytes;
  const auto at = little_endian<std::uint64_t>(bytes, locator + 8);
  if (at > locator || locator - at < kEnd64Size || !has_signature(bytes, at, "PK\x06\x06")) {
    refuse_directory(file);
  }
  const DirectoryPlace place{.is_whole = small.is_whole &&
                                         little_endian<std::uint64_t>(bytes, at + 16) == 0 &&
                                         little_endian<std::uint64_t>(bytes, at + 24) ==
                                             little_endian<std::uint64_t>(bytes, at + 32),
                             .entries = little_endian<std::uint64_t>(bytes, at + 32),
                             .size = little_endian<std::uint64_t>(bytes, at + 40),
                             .offset = little_endian<std::uint64_t>(bytes, at + 48),
                             .end = at};
  if ((small.entries != 0xFFFF && small.entries != place.entries) ||
      (small.size != 0xFFFFFFFF && small.size != place.size) ||
      (small.offset != 0xFFFFFFFF && small.offset != place.offset)) {
    refuse_directory(file);
  }
  return place;
}

DirectoryPlace find_directory(const FileBytes& file) {
  const auto bytes = file.bytes;
  const std::size_t end = find_end(file);
  DirectoryPlace place{.is_whole = little_endian<std::uint32_t>(bytes, end + 4) == 0 &&
                                   little_endian<std::uint16_t>(bytes, end + 8) ==
                                       little_endian<std::uint16_t>(bytes, end + 10),
                       .entries = little_endian<std::uint16_t>(bytes, end + 10),
                       .size = little_endian<std::uint32_t>(bytes, end + 12),
                       .offset = little_endian<std::uint32_t>(bytes, end + 16),
                       .end = end};
  if (end >= kLocatorSize && has_signature(bytes, end - kLocatorSize, "PK\x06\x07")) {
    place = widen(file, end - kLocatorSize, place);
  }
  if (!place.is_whole) refuse(file, "found one part of several of a zip file, allowed: all in one");
  if (place.offset > place.end || place.size != place.end - place.offset ||
      place.entries > place.size / kEntrySize) {
    refuse_directory(file);
  }
  return place;
}

// Sizes and place of a member. Those that do not fit 32 bits stand in the extra field of id 1, in
// this order.
struct Place {
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t offset = 0;
};

void widen(const FileBytes& file, std::span<const std::byte> extra, Place& place) {
  Cursor fields(file, "the zip file's directory", extra);
  while (fields.left() >= 4) {
    const auto id = fields.number<std::uint16_t>();
    const auto size = fields.number<std::uint16_t>();
    Cursor field(file, "the zip file's directory", fields.take(size));
    if (id != 1) continue;
    for (std::uint64_t* number : {&place.size, &place.packed_size, &place.offset}) {
      if (*number == 0xFFFFFFFF) *number = field.number<std::uint64_t>();
    }
    return;
  }
}

// The data of a member begin after its local header, whose extra field PyTorch fills up so that
// they are aligned.
std::span<const std::byte> packed_data(const FileBytes& file, std::size_t directory,
                                       std::string_view name, const Place& place) {
  const auto before = file.bytes.first(directory);
  if (place.offset > before.size() || before.size() - place.offset < kLocalSize ||
      !has_signature(before, place.offset, "PK\x03\x04")) {
    refuse_directory(file);
  }
  Cursor local(file, "the zip file's members", before.subspan(place.offset));
  local.take(kLocalSize - 4);
  const auto name_size = local.number<std::uint16_t>();
  const auto extra_size = local.number<std::uint16_t>();
  if (text_of(local.take(name_size)) != name) {
    refuse(file, "found another name than {} where the zip file's directory has this member",
           in_quotes(name));
  }
  local.take(extra_size);
  if (place.packed_size > local.left()) {
    refuse(file, "found {} bytes for the member {} of the zip file, expected {}", local.left(),
           in_quotes(name), place.packed_size);
  }
  return local.take(place.packed_size);
}

ZipMember read_entry(const FileBytes& file, std::size_t directory, Cursor& entries) {
  const auto fixed = entries.take(kEntrySize);
  if (!has_signature(fixed, 0, "PK\x01\x02")) refuse_directory(file);
  const auto flags = little_endian<std::uint16_t>(fixed, 8);
  const auto method = little_endian<std::uint16_t>(fixed, 10);
  Place place{.size = little_endian<std::uint32_t>(fixed, 24),
              .packed_size = little_endian<std::uint32_t>(fixed, 20),
              .offset = little_endian<std::uint32_t>(fixed, 42)};
  ZipMember member;
  member.name = text_of(entries.take(little_endian<std::uint16_t>(fixed, 28)));
  const auto extra = entries.take(little_endian<std::uint16_t>(fixed, 30));
  entries.take(little_endian<std::uint16_t>(fixed, 32));  // the comment
  widen(file, extra, place);

  constexpr unsigned kEncrypted = 1U << 0 | 1U << 6 | 1U << 13;
  if ((flags & kEncrypted) != 0) {
    refuse(file, "found the encrypted member {} of a zip file, allowed: plain ones",
           in_quotes(member.name));
  }
  if (method != 0 && method != 8) {
    refuse(file,
           "found compression method {} for the member {} of the zip file, allowed: 0 "
           "(stored), 8 (deflated)",
           method, in_quotes(member.name));
  }
  member.is_deflated = method == 8;
  member.size = place.size;
  member.packed = packed_data(file, directory, member.name, place);
  if (!member.is_deflated && place.size != place.packed_size) refuse_directory(file);
  return member;
}

// Members that share bytes are how a small file inflates to a huge one.
void check_apart(const FileBytes& file, const std::vector<ZipMember>& members) {
  std::vector<const ZipMember*> order;
  for (const ZipMember& member : members) {
    if (!member.packed.empty()) order.push_back(&member);
  }
  std::sort(order.begin(), order.end(), [](const ZipMember* a, const ZipMember* b) {
    return a->packed.data() < b->packed.data();
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i - 1]->packed.data() + order[i - 1]->packed.size() > order[i]->packed.data()) {
      refuse(file,
             "found that the members {} and {} of the zip file overlap, allowed: separate "
             "ones",
             in_quotes(order[i - 1]->name), in_quotes(order[i]->name));
    }
  }
}

struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

zip_t* open_with_libzip(std::span<const std::byte> bytes) {
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  if (source == nullptr) return nullptr;
  zip_t* const archive = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  if (archive == nullptr) zip_source_free(source);
  return archive;
}

// Whether libzip, too, has this member at its place in the directory, fills `data` with it to the
// last byte, and finds its sum right.
bool inflate(zip_t* archive, const ZipMember& member, std::span<std::byte> data) {
  const char* const name = zip_get_name(archive, member.index, ZIP_FL_ENC_RAW);
  if (name == nullptr || name != member.name) return false;
  const std::unique_ptr<zip_file_t, CloseMember> opened(zip_fopen_index(archive, member.index, 0));
  if (opened == nullptr) return false;
  std::size_t filled = 0;
  while (filled < data.size()) {
    const auto count = zip_fread(opened.get(), data.data() + filled, data.size() - filled);
    if (count <= 0) return false;
    filled += static_cast<std::size_t>(count);
  }
  std::byte more{};
  return zip_fread(opened.get(), &more, 1) == 0;
}

}  // namespace

void ZipArchive::Close::operator()(zip_t* archive) const { zip_discard(archive); }

ZipArchive::ZipArchive(const FileBytes& file)
    : file_(file), budget_(kBudgetFloor + kBudgetRatio * file.bytes.size()) {
  const DirectoryPlace place = find_directory(file);
  Cursor entries(file, "the zip file's directory", file.bytes.subspan(place.offset, place.size));
  members_.reserve(place.entries);
  for (std::size_t i = 0; i < place.entries; ++i) {
    members_.push_back(read_entry(file, place.offset, entries));
    members_.back().index = i;
  }
  if (entries.left() != 0) refuse_directory(file);
  check_apart(file, members_);
  std::sort(members_.begin(), members_.end(),
            [](const ZipMember& a, const ZipMember& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(members_.begin(), members_.end(),
                         [](const ZipMember& a, const ZipMember& b) { return a.name == b.name; });
  if (twice != members_.end()) {
    refuse(file, "found two members {} in the zip file, allowed: one", in_quotes(twice->name));
  }
}

const ZipMember* ZipArchive::find(std::string_view name) const {
  const auto found =
      std::lower_bound(members_.begin(), members_.end(), name,
                       [](const ZipMember& member, std::string_view n) { return member.name < n; });
  return found != members_.end() && found->name == name ? &*found : nullptr;
}

std::span<const std::byte> ZipArchive::data_of(const ZipMember& member,
                                               std::vector<Buffer>& buffers) {
  if (!member.is_deflated) return member.packed;
  if (member.size / kMaxRatio > member.packed.size() || member.size > budget_) {
    refuse(file_,
           "found that the member {} of the zip file inflates from {} bytes to {}, out of "
           "proportion for weights",
           in_quotes(member.name), member.packed.size(), member.size);
  }
  budget_ -= member.size;
  buffers.push_back(std::make_unique_for_overwrite<std::byte[]>(member.size));
  const std::span<std::byte> data(buffers.back().get(), member.size);
  if (libzip_ == nullptr) libzip_.reset(open_with_libzip(file_.bytes));
  if (libzip_ == nullptr || !inflate(libzip_.get(), member, data)) {
    refuse(file_, "found damaged data in the member {} of the zip file", in_quotes(member.name));
  }
  return data;
}

}  // namespace refran::marian
