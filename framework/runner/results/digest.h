// SHA-256, and the digests of datasets as results/README.md defines them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <refran/schema.h>

namespace refran::runner {

using Sha256 = std::array<std::uint8_t, 32>;

// A hash being computed over bytes as they come.
class Hasher {
 public:
  Hasher();
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  void add_u64(std::uint64_t value);  // little-endian
  Sha256 finish();                    // once

 private:
  struct Close {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Close> context_;
};

std::string to_hex(const Sha256& digest);
// Throws std::runtime_error where the text is not 64 hexadecimal digits.
Sha256 from_hex(std::string_view hex);

Sha256 sha256_of_text(std::string_view text);
// Throws ConfigError where the file cannot be read.
Sha256 sha256_of_file(const std::filesystem::path& file);

// The digest of one run's dataset from the SHA-256 of its values.
Sha256 dataset_digest(std::string_view path, Element element,
                      std::span<const std::uint64_t> extents, const Sha256& values);

// The bytes of values as digests and segments hold them: NaNs replaced by the canonical one in
// place; of texts, each behind its length as a 32-bit little-endian integer.
void canonicalise(Element element, std::span<std::byte> values);
std::string encode_texts(std::span<const std::string> texts);

}  // namespace refran::runner
