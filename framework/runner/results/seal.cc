#include "seal.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace refran::runner {
namespace {

template <class T>
std::string bytes_of(T value) {
  static_assert(sizeof(T) == 8);
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

std::string encode(const hdf5::Attribute& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    return encode_texts(*texts);
  if (const auto* small = std::get_if<std::int32_t>(&value)) return bytes_of(std::int64_t{*small});
  if (const auto* large = std::get_if<std::uint64_t>(&value)) return bytes_of(*large);
  return bytes_of(std::get<double>(value));
}

}  // namespace

void Seal::add_attribute(const std::string& path, const std::string& name,
                         const hdf5::Attribute& value) {
  entries_.emplace_back(path + '\0' + name, sha256_of_text(encode(value)));
}

void Seal::add_values(const std::string& path, const Sha256& values) {
  entries_.emplace_back(path + '\0', values);
}

std::string Seal::finish() {
  std::sort(entries_.begin(), entries_.end());
  Hasher hasher;
  for (const auto& [name, digest] : entries_) {
    hasher.add(name);
    hasher.add(std::string_view("\0", 1));
    hasher.add(std::as_bytes(std::span(digest)));
  }
  return to_hex(hasher.finish());
}

}  // namespace refran::runner
