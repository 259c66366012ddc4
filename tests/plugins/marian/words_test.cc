// From pieces to words.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <marian/text/words.h>

namespace refran::marian {
namespace {

using Texts = std::vector<std::string>;
using Indices = std::vector<std::int32_t>;

// Special tokens are written with a "!" before them.
Words words(const Texts& texts) {
  std::vector<Piece> pieces;
  for (const std::string& text : texts) {
    const bool stands_alone = text.starts_with('!');
    pieces.push_back({stands_alone ? text.substr(1) : text, stands_alone});
  }
  return words_of(pieces);
}

TEST(WordsTest, BeginsAWordAtEveryMark) {
  const Words found = words({"▁solucion", "aba", "▁o", "▁problem", "a", "."});
  EXPECT_EQ(found.words, (Texts{"solucionaba", "o", "problema."}));
  EXPECT_EQ(found.word_of, (Indices{0, 0, 1, 2, 2, 2}));
}

TEST(WordsTest, TakesTheFirstPieceForAWordWithOrWithoutMark) {
  const Words found = words({"sol", "▁a"});
  EXPECT_EQ(found.words, (Texts{"sol", "a"}));
  EXPECT_EQ(found.word_of, (Indices{0, 1}));
}

TEST(WordsTest, MakesSpecialTokensWordsOfTheirOwn) {
  const Words found = words({"!>>gl<<", "a", "!<unk>", "b", "!</s>", "!</s>"});
  EXPECT_EQ(found.words, (Texts{">>gl<<", "a", "<unk>", "b", "</s>", "</s>"}));
  EXPECT_EQ(found.word_of, (Indices{0, 1, 2, 3, 4, 5}));
}

TEST(WordsTest, JoinsAMarkOfItsOwnWithWhatFollows) {
  const Words found = words({"▁", "😀😀", "▁", "▁", "▁a", "▁"});
  EXPECT_EQ(found.words, (Texts{"😀😀", "a", ""}));
  EXPECT_EQ(found.word_of, (Indices{0, 0, 1, 1, 1, 2}));
}

TEST(WordsTest, WritesAMarkWithinAPieceAsASpace) {
  EXPECT_EQ(words({"▁por▁favor", "▁"}).words, (Texts{"por favor", ""}));
}

TEST(WordsTest, SpellsBytesWithinAWord) {
  const Words found = words({"▁a", "<0xC3>", "<0xB1>", "o", "▁", "<0xE2>", "<0x82>", "<0xAC>"});
  EXPECT_EQ(found.words, (Texts{"año", "€"}));
  EXPECT_EQ(found.word_of, (Indices{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(WordsTest, LeavesBytesThatSpellNothingAsTheyAreWritten) {
  EXPECT_EQ(words({"<0xC3>", "▁a", "<0xB1>"}).words, (Texts{"<0xC3>", "a<0xB1>"}));
  EXPECT_EQ(words({"<0xE2>", "<0x82>", "<0x41>"}).words, (Texts{"<0xE2><0x82>A"}));
  EXPECT_EQ(words({"<0x00>", "<0x0A>", "<0xC2>", "<0x85>"}).words,
            (Texts{"<0x00><0x0A><0xC2><0x85>"}));
  EXPECT_EQ(words({"<0xc3>", "<0xG1>", "<0x1>"}).words, (Texts{"<0xc3><0xG1><0x1>"}));
}

TEST(WordsTest, FindsNoWordsInNoPieces) {
  EXPECT_TRUE(words({}).words.empty());
  EXPECT_TRUE(words({}).word_of.empty());
}

}  // namespace
}  // namespace refran::marian
