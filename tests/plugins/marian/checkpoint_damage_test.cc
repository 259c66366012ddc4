// Good files that are cut short or have bits flipped: an error or a whole result, never a crash.
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <marian/checkpoint/storage.h>

#include <refran/random.h>
#include "checkpoint_files.h"
#include "read_through.h"
#include "torch_files.h"

namespace refran::marian {
namespace {

struct GoodFile {
  std::string name;
  std::string bytes;
};

class DamagedFileTest : public testing::TestWithParam<GoodFile> {};

INSTANTIATE_TEST_SUITE_P(Containers, DamagedFileTest,
                         testing::Values(GoodFile{"Safetensors", files::good_safetensors()},
                                         GoodFile{"TorchZip", files::good_torch_zip()},
                                         GoodFile{"TorchLegacy", files::good_torch_legacy()},
                                         GoodFile{"Npz", files::good_npz()}),
                         [](const auto& test) { return test.param.name; });

// A copy of its own, so that the sanitizers see reading beyond the end.
bool is_read(std::string_view bytes) {
  const std::vector<char> copy(bytes.begin(), bytes.end());
  return files::error_of({copy.data(), copy.size()}, files::read_through).empty();
}

TEST_P(DamagedFileTest, IsReadWhole) { EXPECT_TRUE(is_read(GetParam().bytes)); }

TEST_P(DamagedFileTest, IsRefusedWhereverItEndsTooEarly) {
  const std::string_view bytes = GetParam().bytes;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(is_read(bytes.substr(0, size))) << size << " of " << bytes.size() << " bytes";
  }
}

TEST_P(DamagedFileTest, IsRefusedWithABytesMore) { EXPECT_FALSE(is_read(GetParam().bytes + '\0')); }

TEST_P(DamagedFileTest, GivesAnErrorOrAResultForEveryFlippedBit) {
  std::size_t refused = 0;
  std::string bytes = GetParam().bytes;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const char mask = static_cast<char>(1 << bit % 8);
    bytes[bit / 8] ^= mask;
    if (!is_read(bytes)) ++refused;
    bytes[bit / 8] ^= mask;
  }
  EXPECT_GT(refused, bytes.size());  // most of a small file is structure, not weights
}

TEST_P(DamagedFileTest, GivesAnErrorOrAResultForRandomDamage) {
  Stream random(7, GetParam().name);
  std::size_t refused = 0;
  constexpr std::size_t kRounds = 2000;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::string bytes = GetParam().bytes;
    for (std::uint64_t flips = 2 + random.below(8); flips > 0; --flips) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    if (!is_read(bytes)) ++refused;
  }
  EXPECT_GT(refused, kRounds / 2);
}

}  // namespace
}  // namespace refran::marian
