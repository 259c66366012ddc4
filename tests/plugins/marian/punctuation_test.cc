// The normaliser of punctuation against sacremoses and by hand.
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <marian/text/punctuation.h>
#include <nlohmann/json.hpp>

namespace refran::marian {
namespace {

const std::filesystem::path kFixtures = REFRAN_SOURCE_DIR "/tests/fixtures/marian";

TEST(PunctuationTest, NormalizesAsSacremosesInEveryLanguage) {
  std::ifstream file(kFixtures / "punctuation.json");
  const nlohmann::json cases = nlohmann::json::parse(file);
  ASSERT_GT(cases.size(), 900U);
  for (const auto& [language, text, expected] :
       cases.get<std::vector<std::tuple<std::string, std::string, std::string>>>()) {
    EXPECT_EQ(normalize_punctuation(text, language), expected)
        << fmt::format("language '{}', text '{}'", language, text);
  }
}

TEST(PunctuationTest, ClosesUpSpaces) {
  EXPECT_EQ(normalize_punctuation("a( b )c", "gl"), "a (b) c");
  EXPECT_EQ(normalize_punctuation("(b) , c :  d ;", "gl"), "(b), c: d;");
  EXPECT_EQ(normalize_punctuation("5 % , x %", "gl"), "5% , x %");
  EXPECT_EQ(normalize_punctuation("one\r\ntwo", "gl"), "one\ntwo");
}

TEST(PunctuationTest, WritesPlainQuotesAndDashes) {
  EXPECT_EQ(normalize_punctuation("„a“ ‘b’ ‚c´ `d`", "gl"), "\"a\" 'b' 'c' 'd'");
  EXPECT_EQ(normalize_punctuation("a''b", "gl"), "a \" b");
  EXPECT_EQ(normalize_punctuation("a–b—c…", "gl"), "a-b - c...");
  EXPECT_EQ(normalize_punctuation("«\u00A0a\u00A0» «b»", "gl"), "\"a\" \"b\"");
}

TEST(PunctuationTest, PlacesQuotesBesideCommasByLanguage) {
  EXPECT_EQ(normalize_punctuation("\"a\", \"b\".", "en"), "\"a,\" \"b.\"");
  EXPECT_EQ(normalize_punctuation("\"a,\" \"b.\" c", "de"), "\"a\", \"b\". c");
  EXPECT_EQ(normalize_punctuation("\"b.\"", "de"), "\"b.\"");
  EXPECT_EQ(normalize_punctuation("\"a,\" \"b.\" c", "gl"), "\"a,\" \"b.\" c");
}

TEST(PunctuationTest, MarksThousandsByLanguage) {
  EXPECT_EQ(normalize_punctuation("12\u00A0345", "fr"), "12,345");
  EXPECT_EQ(normalize_punctuation("12\u00A0345", "gl"), "12.345");
  EXPECT_EQ(normalize_punctuation("1\u00A02\u00A03", "gl"), "1.2\u00A03");
  EXPECT_EQ(normalize_punctuation("12\u00A0345\u00A0678", "gl"), "12.345.678");
}

TEST(PunctuationTest, LeavesMalformedBytesAsTheyAre) {
  EXPECT_EQ(normalize_punctuation("\xFF\xC3 (\xE2\x82)", "en"), "\xFF\xC3 (\xE2\x82)");
}

}  // namespace
}  // namespace refran::marian
