// The files that fuzzing began with and found, read again: none may crash a reader.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/readers.h"

namespace refran::marian {
namespace {

class CorpusTest : public testing::TestWithParam<fuzz::Target> {};

INSTANTIATE_TEST_SUITE_P(Targets, CorpusTest, testing::ValuesIn(fuzz::kTargets),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(CorpusTest, IsReadToAResultOrAnError) {
  const auto folder =
      std::filesystem::path(REFRAN_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam().name;
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    SCOPED_TRACE(entry.path().filename().string());
    bool is_good = false;
    ASSERT_NO_THROW(is_good = fuzz::accepts(GetParam().read, std::as_bytes(std::span(bytes))));
    ++(is_good ? accepted : refused);
  }
  EXPECT_GE(accepted, 2U);
  EXPECT_GE(refused, 2U);
}

}  // namespace
}  // namespace refran::marian
