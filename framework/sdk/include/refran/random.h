// Named random streams: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
// 3", SC 2011) with the seed as key and the hash of the stream's name in the counter. Adding a
// stream, a run or an axis never changes the numbers of another. The distributions are ours, since
// those of <random> differ between standard libraries.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace refran {

class Stream {
 public:
  Stream(std::uint64_t seed, std::string_view name);

  std::uint32_t bits32();
  std::uint64_t bits64();
  // In [0, 1), a multiple of 2^-53.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // In 0 … bound-1, without bias; bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // Mean 0, standard deviation 1 (Marsaglia's polar method).
  double normal();
  // An index drawn with probability proportional to its weight; weights are ≥ 0 and not all 0.
  std::size_t choice(std::span<const double> weights);

 private:
  void refill();

  std::array<std::uint32_t, 2> key_;
  std::uint64_t name_hash_;
  std::uint64_t position_ = 0;  // blocks drawn so far
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;  // words of block_ already given out
  bool has_spare_ = false;
  double spare_ = 0;
};

}  // namespace refran
