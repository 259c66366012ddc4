// Every file of the corpus of model configs is read as its fuzz target reads it: good ones are
// accepted, bad ones refused, and none breaks the reader.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "fuzz/configs.h"

namespace refran::marian {
namespace {

constexpr std::array<std::string_view, 6> kGood{"config",    "config_2020", "generation",
                                                "tokenizer", "decoder",     "model"};

TEST(ModelConfigCorpusTest, IsReadThroughWithoutADefect) {
  const std::filesystem::path corpus =
      std::filesystem::path(REFRAN_SOURCE_DIR) / "tests/fuzz/corpus/fuzz_model_config";
  std::size_t good = 0;
  std::size_t all = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    const bool is_accepted = fuzz::accepts_config(bytes);
    const std::string name = entry.path().filename().string();
    if (std::find(kGood.begin(), kGood.end(), name) != kGood.end()) {
      EXPECT_TRUE(is_accepted) << name;
      ++good;
    }
    if (name.starts_with("yaml_") || name.starts_with("json_")) {
      EXPECT_FALSE(is_accepted) << name;
    }
    ++all;
  }
  EXPECT_EQ(good, kGood.size());
  EXPECT_GE(all, 11U);
}

}  // namespace
}  // namespace refran::marian
