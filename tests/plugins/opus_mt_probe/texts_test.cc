// Files of sentences and of sentence pairs.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opus_mt_probe/texts.h>

#include <refran/error.h>
#include "thrown.h"

namespace refran::opus_mt_probe {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class ProbeTextsTest : public ::testing::Test {
 protected:
  fs::path write(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    return file_;
  }
  void TearDown() override { fs::remove(file_); }

 private:
  fs::path file_ = fs::path(::testing::TempDir()) /
                   ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

std::string failure_of(const fs::path& file) {
  return tests::thrown<Error>([&] { read_pairs(file); });
}

TEST_F(ProbeTextsTest, LinesAreReadWithoutTheirEnds) {
  EXPECT_EQ(read_lines(write("a b\r\nc\n")), (Texts{"a b", "c"}));
  EXPECT_EQ(read_lines(write("a\n\nc")), (Texts{"a", "", "c"}));
  EXPECT_EQ(read_lines(write("")), Texts{});
}

TEST_F(ProbeTextsTest, APairHasATabBetweenItsSentences) {
  const std::vector<SentencePair> pairs = read_pairs(write("tía\taunt\ntío\tuncle\n"));
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[1].source, "tío");
  EXPECT_EQ(pairs[1].reference, "uncle");
}

TEST_F(ProbeTextsTest, ALineWithoutOneTabIsRefused) {
  EXPECT_EQ(failure_of(write("tía\taunt\ntío uncle\n")),
            "found 0 tabs in line 2, allowed: one, between a sentence and its translation");
  EXPECT_EQ(failure_of(write("tía\taunt\ttag\n")),
            "found 2 tabs in line 1, allowed: one, between a sentence and its translation");
}

TEST_F(ProbeTextsTest, AFileThatIsNotThereIsSaidToBe) {
  EXPECT_EQ(failure_of("/nowhere/pairs.tsv"),
            "/nowhere/pairs.tsv cannot be read: No such file or directory");
}

TEST(ProbeUtf8Test, TellsUtf8FromOtherBytes) {
  EXPECT_TRUE(is_utf8("tía «é» 😀"));
  EXPECT_TRUE(is_utf8(""));
  EXPECT_FALSE(
      is_utf8("t\xED"
              "a"));
  EXPECT_FALSE(is_utf8("t\xC3"));
}

}  // namespace
}  // namespace refran::opus_mt_probe
