// Every file of the fuzz targets' corpora for vocabularies and the tokenizer, in normal builds too.
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "fuzz/texts.h"

namespace refran::marian {
namespace {

const std::filesystem::path kCorpora = REFRAN_SOURCE_DIR "/tests/fuzz/corpus";

TEST(TextCorporaTest, ReadsGoodVocabulariesAndRefusesOthers) {
  const std::set<std::string> good = {"json", "yaml", "yaml_bytes", "yaml_json", "list"};
  std::set<std::string> read;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpora / "fuzz_vocabulary")) {
    if (fuzz::read_vocabulary(text_of_file(entry.path()))) {
      read.insert(entry.path().filename().string());
    }
  }
  for (const std::string& name : good) EXPECT_TRUE(read.contains(name)) << name;
  for (const std::string name : {"json_twice", "json_nested", "yaml_surrogates"}) {
    EXPECT_FALSE(read.contains(name)) << name;
  }
}

TEST(TextCorporaTest, TokenizesEveryTextAndEveryListOfIds) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpora / "fuzz_tokenizer")) {
    fuzz::use_tokenizer(text_of_file(entry.path()));
    ++files;
  }
  EXPECT_GE(files, 6U);
}

}  // namespace
}  // namespace refran::marian
