#include "digest.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "diagnostics.h"

namespace refran::runner {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
static_assert(std::endian::native == std::endian::little, "digests and segments are little-endian");

template <class Pointer>
EVP_MD_CTX* context_of(const Pointer& pointer) {
  return static_cast<EVP_MD_CTX*>(pointer.get());
}

void require(int openssl_result) {
  if (openssl_result != 1) throw std::runtime_error("SHA-256 is not available in this OpenSSL");
}

// Looking an algorithm up by name is the costly part, so it is done once.
const EVP_MD* algorithm() {
  static const EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kSha256;
}

template <class T>
void canonicalise_nans(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    if (!std::isnan(value)) continue;
    value = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
}

}  // namespace

void Hasher::Close::operator()(void* context) const {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context));
}

Hasher::Hasher() : context_(EVP_MD_CTX_new()) {
  require(EVP_DigestInit_ex(context_of(context_), algorithm(), nullptr));
}

void Hasher::add(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_of(context_), bytes.data(), bytes.size()));
}

void Hasher::add(std::string_view text) { add(std::as_bytes(std::span(text))); }

void Hasher::add_u64(std::uint64_t value) { add(std::as_bytes(std::span(&value, 1))); }

Sha256 Hasher::finish() {
  Sha256 digest;
  require(EVP_DigestFinal_ex(context_of(context_), digest.data(), nullptr));
  return digest;
}

// Files of large sweeps have millions of bytes of these.
std::string to_hex(const Sha256& digest) {
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    hex += kHexDigits[byte >> 4];
    hex += kHexDigits[byte & 15];
  }
  return hex;
}

Sha256 from_hex(std::string_view hex) {
  Sha256 digest;
  if (hex.size() != 2 * digest.size() ||
      hex.find_first_not_of(kHexDigits) != std::string_view::npos) {
    throw std::runtime_error(fmt::format("'{}' is not a SHA-256 digest", hex));
  }
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(kHexDigits.find(hex[2 * i]) * 16 +
                                          kHexDigits.find(hex[2 * i + 1]));
  }
  return digest;
}

Sha256 sha256_of_text(std::string_view text) {
  Hasher hasher;
  hasher.add(text);
  return hasher.finish();
}

Sha256 sha256_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Hasher hasher;
  std::vector<char> buffer(1 << 20);
  while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         stream.gcount() > 0) {
    hasher.add(std::string_view(buffer.data(), static_cast<std::size_t>(stream.gcount())));
  }
  if (!stream.eof()) throw ConfigError(fmt::format("{}: cannot be read", file.string()));
  return hasher.finish();
}

Sha256 dataset_digest(std::string_view path, Element element,
                      std::span<const std::uint64_t> extents, const Sha256& values) {
  Hasher hasher;
  hasher.add(path);
  hasher.add(std::string_view("\0", 1));
  hasher.add(name_of(element));
  hasher.add(std::string_view("\0", 1));
  hasher.add_u64(extents.size());
  for (const std::uint64_t extent : extents) hasher.add_u64(extent);
  hasher.add(std::as_bytes(std::span(values)));
  return hasher.finish();
}

void canonicalise(Element element, std::span<std::byte> values) {
  if (element == Element::float32) canonicalise_nans<float>(values);
  if (element == Element::float64) canonicalise_nans<double>(values);
}

std::string encode_texts(std::span<const std::string> texts) {
  std::string bytes;
  for (const std::string& text : texts) {
    const auto length = static_cast<std::uint32_t>(text.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
    bytes += text;
  }
  return bytes;
}

}  // namespace refran::runner
