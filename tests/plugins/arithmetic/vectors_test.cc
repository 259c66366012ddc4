// Vectors files: what is read, and what is said about what cannot be.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <arithmetic/vectors.h>
#include <arithmetic/words.h>
#include <gtest/gtest.h>

#include <refran/error.h>
#include "thrown.h"

namespace refran::arithmetic {
namespace {

std::string vectors_error(std::string_view text) {
  return tests::thrown<Error>([&] { parse_vectors(text, "points.txt"); });
}

TEST(VectorsTest, ReadsAWordAndItsNumbersPerLine) {
  const NamedVectors expected = {{"tía", {0, 3}}, {"miña", {4.5, -1e-3}}};
  EXPECT_EQ(parse_vectors("tía 0 3\nmiña\t4.5  -1e-3\n", "points.txt"), expected);
}

TEST(VectorsTest, SkipsCommentsAndBlankLines) {
  const NamedVectors expected = {{"o", {1}}, {"e", {2}}};
  EXPECT_EQ(parse_vectors("# all words\n\n  o 1 # the\n \t\n#e 3\ne 2", "points.txt"), expected);
}

TEST(VectorsTest, ReadsWhatAWindowsEditorWrites) {
  const NamedVectors expected = {{"o", {1}}, {"e", {2}}};
  EXPECT_EQ(parse_vectors("\xEF\xBB\xBFo 1\r\ne 2\r\n", "points.txt"), expected);
}

TEST(VectorsTest, ComposesWords) {
  EXPECT_EQ(parse_vectors("ti\u0301a 1", "points.txt").front().first, "t\u00EDa");
}

TEST(VectorsTest, FindsAWord) {
  const NamedVectors vectors = {{"o", {1}}, {"e", {2}}};
  EXPECT_EQ(*find_vector(vectors, "e"), std::vector<double>{2});
  EXPECT_EQ(find_vector(vectors, "é"), nullptr);
}

TEST(VectorsTest, RefusesWhatIsNoNumber) {
  EXPECT_EQ(vectors_error("o 1\ne 1,5"),
            "points.txt:2: '1,5' is no number; numbers are written as in 1.5 or -2e-3");
  EXPECT_EQ(vectors_error("o 1x"),
            "points.txt:1: '1x' is no number; numbers are written as in 1.5 or -2e-3");
  EXPECT_EQ(vectors_error("o 0x10"),
            "points.txt:1: '0x10' is no number; numbers are written as in 1.5 or -2e-3");
}

TEST(VectorsTest, RefusesWhatIsNotFinite) {
  EXPECT_EQ(vectors_error("o 1 nan"), "points.txt:1: 'nan' is not a finite number");
  EXPECT_EQ(vectors_error("o -inf"), "points.txt:1: '-inf' is not a finite number");
  EXPECT_EQ(vectors_error("o 1e999"), "points.txt:1: '1e999' is too large or too small");
}

TEST(VectorsTest, RefusesAnotherDimension) {
  EXPECT_EQ(vectors_error("# a\no 1 2\ne 1"),
            "points.txt:3: 'e' has 1 numbers, 'o' above has 2; all words have the same number");
}

TEST(VectorsTest, RefusesAWordTwice) {
  EXPECT_EQ(vectors_error("o 1\ne 2\n\no 1"),
            "points.txt:4: 'o' is listed a second time; it is on line 1 too");
}

TEST(VectorsTest, RefusesAWordWithoutNumbers) {
  EXPECT_EQ(vectors_error("tía"), "points.txt:1: 'tía' has no numbers");
}

TEST(VectorsTest, RefusesWhatIsNotUtf8) {
  EXPECT_EQ(vectors_error("o 1\nt\xEDo 1"), "points.txt:2: the text is not UTF-8: byte 2 is 0xED");
}

TEST(VectorsTest, RefusesAFileWithoutVectors) {
  constexpr const char* kText = "points.txt: no vectors in it; a line is a word and its numbers";
  EXPECT_EQ(vectors_error(""), kText);
  EXPECT_EQ(vectors_error("# nothing\n\n"), kText);
}

TEST(VectorsTest, RefusesAFileThatIsNotThere) {
  EXPECT_EQ(tests::thrown<Error>([] { read_vectors("no/such/file.txt"); }),
            "no/such/file.txt: cannot be opened");
}

TEST(VectorsTest, TheShippedFileHasADistinctPointForEveryWordOfThePagesSentence) {
  const NamedVectors vectors = read_vectors(std::filesystem::path(REFRAN_SOURCE_DIR) /
                                            "experiments/data/galician-words.txt");
  const std::vector<std::string> words = words_of(
      "Unha tía miña, que todo o solucionaba con ditos e refráns, dicía algo así como «un é "
      "escravo do que di e dono do que cala».",
      Case::keep);
  for (const std::string& word : words) EXPECT_NE(find_vector(vectors, word), nullptr) << word;
  std::set<std::vector<double>> points;
  for (const auto& [word, point] : vectors) EXPECT_TRUE(points.insert(point).second) << word;
}

}  // namespace
}  // namespace refran::arithmetic
