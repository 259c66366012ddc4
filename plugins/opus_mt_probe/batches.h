// Sentences are translated some at a time, in their order: a sentence's numbers are the same bytes
// in any batch, so its size is a matter of speed and memory alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace refran::opus_mt_probe {

struct Batch {
  std::size_t first = 0;
  std::size_t count = 0;
};

// Neighbours, so many at a time that the model is kept busy, but fewer where what is expected to be
// kept of them, `bytes` [sentence], would fill the memory.
inline std::vector<Batch> batches(std::span<const std::uint64_t> bytes) {
  constexpr std::size_t kMost = 32;
  constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;
  std::vector<Batch> result;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool is_full =
        result.empty() || result.back().count == kMost || sum + bytes[i] > kMostBytes;
    if (is_full) {
      result.push_back({i, 0});
      sum = 0;
    }
    ++result.back().count;
    sum += bytes[i];
  }
  return result;
}

}  // namespace refran::opus_mt_probe
