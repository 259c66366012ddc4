// Words of sentences: the page's, and the corners of Unicode.
#include <string>
#include <vector>

#include <arithmetic/words.h>
#include <gtest/gtest.h>

#include <refran/error.h>
#include "thrown.h"

namespace refran::arithmetic {
namespace {

using Words = std::vector<std::string>;

Words kept(std::string_view text) { return words_of(text, Case::keep); }

std::string words_error(std::string_view text) {
  return tests::thrown<Error>([&] { words_of(text, Case::keep); });
}

TEST(WordsTest, ReadsThePagesSentence) {
  const Words expected = {"Unha", "tía",   "miña", "que",     "todo",  "o",    "solucionaba",
                          "con",  "ditos", "e",    "refráns", "dicía", "algo", "así",
                          "como", "un",    "é",    "escravo", "do",    "que",  "di",
                          "e",    "dono",  "do",   "que",     "cala"};
  EXPECT_EQ(kept("Unha tía miña, que todo o solucionaba con ditos e refráns, dicía algo así como "
                 "«un é escravo do que di e dono do que cala»."),
            expected);
  EXPECT_EQ(types_of(expected).size(), 22U);  // que stands there three times, e and do twice
}

TEST(WordsTest, TypesKeepTheOrderOfFirstAppearance) {
  EXPECT_EQ(types_of({"do", "que", "di", "do", "que"}), (Words{"do", "que", "di"}));
}

TEST(WordsTest, ComposesWhatIsSpelledWithCombiningMarks) {
  EXPECT_EQ(kept("ti\u0301a min\u0303a"), (Words{"t\u00EDa", "mi\u00F1a"}));
}

TEST(WordsTest, FoldsCaseWhereAsked) {
  EXPECT_EQ(kept("UNHA Tía É"), (Words{"UNHA", "Tía", "É"}));
  EXPECT_EQ(words_of("UNHA Tía É", Case::fold), (Words{"unha", "tía", "é"}));
}

TEST(WordsTest, DropsPunctuationThatStandsAlone) {
  EXPECT_EQ(kept("un – e — dous … ( tres ) ¿catro?!"), (Words{"un", "e", "dous", "tres", "catro"}));
}

TEST(WordsTest, KeepsApostrophesAndHyphensInsideAWord) {
  EXPECT_EQ(kept("d'auga dálle-lo l’home col·lega"),
            (Words{"d'auga", "dálle-lo", "l’home", "col·lega"}));
  EXPECT_EQ(kept("'auga' -lo 'o' l’"), (Words{"auga", "lo", "o", "l"}));
}

TEST(WordsTest, SplitsAtOtherPunctuationInsideAWord) {
  EXPECT_EQ(kept("un,dous;tres/catro un—dous a''b"),
            (Words{"un", "dous", "tres", "catro", "un", "dous", "a", "b"}));
}

TEST(WordsTest, KeepsNumbersTogether) {
  EXPECT_EQ(kept("3,5 1.000 2. e 7,"), (Words{"3,5", "1.000", "2", "e", "7"}));
}

TEST(WordsTest, SplitsAtEveryKindOfWhiteSpace) {
  EXPECT_EQ(kept(" a\tb\nc\r\nd\u00A0e\u2003f\u2028g\u3000h "),
            (Words{"a", "b", "c", "d", "e", "f", "g", "h"}));
}

TEST(WordsTest, KeepsSymbolsAndLettersOfAnyScript) {
  EXPECT_EQ(kept("5 € + ναι 水 🙂"), (Words{"5", "€", "+", "ναι", "水", "🙂"}));
}

TEST(WordsTest, FindsNoWordsInPunctuationAndSpace) {
  EXPECT_EQ(kept(""), Words{});
  EXPECT_EQ(kept(" .,; «» – \n"), Words{});
}

TEST(WordsTest, SaysWhichByteIsNotUtf8) {
  EXPECT_EQ(words_error("t\xEDo"), "the text is not UTF-8: byte 2 is 0xED");
  EXPECT_EQ(words_error("ab\x80"), "the text is not UTF-8: byte 3 is 0x80");
  EXPECT_EQ(words_error("\xC0\x80"), "the text is not UTF-8: byte 1 is 0xC0");        // overlong
  EXPECT_EQ(words_error("a \xED\xA0\x80"), "the text is not UTF-8: byte 3 is 0xED");  // a surrogate
  EXPECT_EQ(words_error("\xF4\x90\x80\x80"), "the text is not UTF-8: byte 1 is 0xF4");  // too high
  EXPECT_EQ(words_error("ti\xC3"), "the text is not UTF-8: byte 3 is 0xC3");            // cut off
}

}  // namespace
}  // namespace refran::arithmetic
