#include <cmath>

#include <Random123/philox.h>

#include <refran/math.h>
#include <refran/random.h>

namespace refran {
namespace {

// FNV-1a: names are short and few, so a plain 64-bit hash keeps them apart.
std::uint64_t hash(std::string_view name) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char character : name) {
    value = (value ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
  }
  return value;
}

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

Stream::Stream(std::uint64_t seed, std::string_view name)
    : key_{low(seed), high(seed)}, name_hash_(hash(name)) {}

void Stream::refill() {
  const r123::Philox4x32::ctr_type counter = {
      {low(position_), high(position_), low(name_hash_), high(name_hash_)}};
  const r123::Philox4x32::key_type key = {{key_[0], key_[1]}};
  const r123::Philox4x32::ctr_type words = r123::Philox4x32()(counter, key);
  for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = words[i];
  ++position_;
  used_ = 0;
}

std::uint32_t Stream::bits32() {
  if (used_ == block_.size()) refill();
  return block_[used_++];
}

std::uint64_t Stream::bits64() {
  const std::uint64_t first = bits32();
  return first | (static_cast<std::uint64_t>(bits32()) << 32);
}

double Stream::uniform() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }

std::uint64_t Stream::below(std::uint64_t bound) {
  // Values below 2^64 mod bound would make small results likelier, so they are drawn again.
  const std::uint64_t rejected = (0 - bound) % bound;
  std::uint64_t value = bits64();
  while (value < rejected) value = bits64();
  return value % bound;
}

double Stream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double u = 0;
  double v = 0;
  double square = 0;
  do {
    u = uniform(-1, 1);
    v = uniform(-1, 1);
    square = u * u + v * v;
  } while (square >= 1 || square == 0);
  const double scale = std::sqrt(-2 * math::log(square) / square);
  spare_ = v * scale;
  has_spare_ = true;
  return u * scale;
}

std::size_t Stream::choice(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  const double drawn = uniform() * total;
  double sum = 0;
  std::size_t last =
      0;  // the last index with a weight, for a sum that rounding leaves below `drawn`
  for (std::size_t index = 0; index < weights.size(); ++index) {
    if (weights[index] <= 0) continue;
    sum += weights[index];
    last = index;
    if (drawn < sum) return index;
  }
  return last;
}

}  // namespace refran
