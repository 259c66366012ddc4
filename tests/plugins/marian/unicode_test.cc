// UTF-8, malformed and not, as Python's decoder and str.strip take it.
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <marian/text/unicode.h>

namespace refran::marian {
namespace {

// A text of R for every U+FFFD.
std::string replaced(std::string_view text) {
  std::string shown;
  std::string valid = valid_utf8(text);
  for (std::string_view rest = valid; !rest.empty();) {
    const CodePoint point = first_code_point(rest);
    EXPECT_FALSE(point.malformed);
    shown += point.value == 0xFFFD ? std::string_view("R") : rest.substr(0, point.bytes);
    rest.remove_prefix(point.bytes);
  }
  return shown;
}

TEST(UnicodeTest, KeepsWhatIsValid) {
  for (const std::string_view text : {"", "a\x7F", "ñ", "\u0800▁\uFFFF", "\U00010000\U0010FFFF"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(UnicodeTest, ReplacesMalformedPartsAsPython) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"a\xFF"
       "b",
       "aRb"},
      {"\xE2\x96", "R"},             // cut short
      {"\xE2\x96z", "Rz"},           // a letter in its place
      {"\xC0\x80", "RR"},            // overlong
      {"\xE0\x9F\xBF", "RRR"},       // overlong
      {"\xF0\x80\x80", "RRR"},       // overlong
      {"\xED\xA0\x80", "RRR"},       // a surrogate
      {"\xF0\x9F\x98", "R"},         // three of four bytes
      {"\xF4\x90\x80\x80", "RRRR"},  // beyond U+10FFFF
      {"\x80\xE2\x82\xAC\xF8", "R€R"},
      {"\xC3\xC3\xB1", "Rñ"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(replaced(text), expected);
}

TEST(UnicodeTest, WritesCodePoints) {
  EXPECT_EQ(utf8('a'), "a");
  EXPECT_EQ(utf8(0x2581), "▁");
  EXPECT_EQ(utf8(0x1F600), "😀");
}

TEST(UnicodeTest, StripsWhiteSpaceAsPython) {
  EXPECT_EQ(strip(" \t\r\n\x1C\u0085\u00A0a \u3000b\u2028\u1680\u202F"), "a \u3000b");
  EXPECT_EQ(strip("\u200B\uFEFF▁"), "\u200B\uFEFF▁");
  EXPECT_EQ(strip(" \u2003 "), "");
  EXPECT_EQ(strip(""), "");
}

TEST(UnicodeTest, QuotesForMessages) {
  EXPECT_EQ(quoted_text("▁señor"), "'▁señor'");
  EXPECT_EQ(quoted_text("a\n\xFF\u0085"), "'a\\x0a\\xff\\xc2\\x85'");
  EXPECT_EQ(quoted_text(std::string(41, 'a')), "'" + std::string(40, 'a') + "…'");
  EXPECT_EQ(quoted_text(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
}

}  // namespace
}  // namespace refran::marian
