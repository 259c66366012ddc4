// What the shared encoder config refuses, and that it encodes what it accepts.
#include <filesystem>
#include <string>
#include <vector>

#include <encoder_config/encoder_config.h>
#include <gtest/gtest.h>

namespace refran::plugins {
namespace {

EncoderConfig short_config() {
  EncoderConfig config;
  config.points = {{"Unha", {-3, 0.5}}, {"tía", {0, 3}}, {"miña", {4, 1}}};
  return config;
}

// "field: text" for every problem.
std::vector<std::string> problems_of(const EncoderConfig& config, const std::string& text,
                                     const std::string& prefix = "") {
  Problems problems;
  const std::vector<Sentence> sentences = {{"sentence", text}};
  config.check(prefix, sentences, problems);
  std::vector<std::string> texts;
  for (const auto& [field, problem] : problems.problems()) texts.push_back(field + ": " + problem);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(EncoderConfigTest, AcceptsASentenceWhoseWordsHavePoints) {
  EXPECT_EQ(problems_of(short_config(), "Unha tía miña, tía."), Texts{});
}

TEST(EncoderConfigTest, EncodesRepeatsWithOnePointAndSharesOfTheirOwn) {
  const EncodedSentence sentence = short_config().encode("tía miña tía");
  EXPECT_EQ(sentence.words, (Texts{"tía", "miña", "tía"}));
  EXPECT_EQ(sentence.embedding(0, 1), 3);
  EXPECT_EQ(sentence.embedding(2, 1), 3);
  EXPECT_EQ(sentence.share(3, 1), 0.125);
  EXPECT_EQ(sentence.share(3, 3), 0.5);
  EXPECT_EQ(sentence.summary(3, 0), 1);  // (0 + 4 / 2) / 2
}

TEST(EncoderConfigTest, FindsPointsInEveryUnicodeFormAndFoldedCase) {
  EncoderConfig config = short_config();
  config.letters = "fold";
  EXPECT_EQ(config.encode("UNHA ti\u0301a").embedding(0, 0), -3);
  config.points = {{"ti\u0301a", {0, 3}}};
  config.letters = "keep";
  EXPECT_EQ(config.encode("t\u00EDa").embedding(0, 1), 3);
}

TEST(EncoderConfigTest, RefusesASentenceWithoutWords) {
  EXPECT_EQ(problems_of(short_config(), " «…» "),
            Texts{"sentence: found no words in ' «…» ', allowed: a sentence of at least one"});
}

TEST(EncoderConfigTest, RefusesWordsWithoutAPoint) {
  EXPECT_EQ(problems_of(short_config(), "unha tía súa", "encoder."),
            Texts{"sentence: found words without a point ('unha', 'súa'), allowed: words listed in "
                  "'encoder.points'"});
}

TEST(EncoderConfigTest, RefusesAPointOfAnotherDimension) {
  EncoderConfig config = short_config();
  config.points[1].second = {1, 2, 3};
  config.points[2].second = {1};
  EXPECT_EQ(problems_of(config, "Unha"),
            (Texts{"points.tía: found 3 numbers for 'tía', allowed: 2, as for 'Unha'",
                   "points.miña: found 1 number for 'miña', allowed: 2, as for 'Unha'"}));
}

TEST(EncoderConfigTest, RefusesAPointWithoutNumbers) {
  EncoderConfig config = short_config();
  config.points[0].second = {};
  EXPECT_EQ(problems_of(config, "Unha"),
            Texts{"points.Unha: found no numbers for 'Unha', allowed: one per dimension"});
}

TEST(EncoderConfigTest, RefusesTwoPointsForOneWord) {
  EncoderConfig config = short_config();
  config.points.push_back({"unha", {1, 1}});
  EXPECT_EQ(problems_of(config, "Unha unha"), Texts{});
  config.letters = "fold";
  EXPECT_EQ(problems_of(config, "Unha unha"),
            Texts{"points.unha: found a second point for 'unha' (the first is that of 'Unha'), "
                  "allowed: one point per word"});
}

TEST(EncoderConfigTest, RefusesAConfigWithoutPoints) {
  EXPECT_EQ(
      problems_of(EncoderConfig{}, "Unha"),
      Texts{"points: found no points, allowed: the point of every word here, or a file of them "
            "in 'vectors'"});
}

TEST(EncoderConfigTest, RefusesPointsInTwoPlaces) {
  EncoderConfig config = short_config();
  config.vectors = "points.txt";
  EXPECT_EQ(problems_of(config, "Unha"),
            Texts{"vectors: found a file of points beside 'points', allowed: one of the two"});
}

TEST(EncoderConfigTest, RefusesAListOfRatesThatDoesNotFitTheSentence) {
  EncoderConfig config = short_config();
  config.rate.is_list = true;
  config.rate.values = {0.5, 0.25};
  EXPECT_EQ(problems_of(config, "Unha tía"), Texts{});
  EXPECT_EQ(problems_of(config, "Unha tía miña"),
            Texts{"rate: found 2 rates for 3 words ('Unha tía miña'), allowed: one number, or one "
                  "per word"});
}

TEST(EncoderConfigTest, SaysWhatIsWrongInAVectorsFile) {
  EncoderConfig config;
  config.vectors = "no/such/file.txt";
  EXPECT_EQ(problems_of(config, "Unha"), Texts{"vectors: no/such/file.txt: cannot be opened"});
}

TEST(EncoderConfigTest, ReadsPointsFromAVectorsFile) {
  EncoderConfig config;
  config.vectors = std::filesystem::path(REFRAN_SOURCE_DIR) / "experiments/data/galician-words.txt";
  EXPECT_EQ(problems_of(config, "Unha tía miña"), Texts{});
  EXPECT_EQ(config.dims(), 2U);
  const EncodedSentence inlined = short_config().encode("Unha tía miña");
  const EncodedSentence read = config.encode("Unha tía miña");
  EXPECT_EQ(read.summary(3, 0), inlined.summary(3, 0));
  EXPECT_EQ(read.summary(3, 1), inlined.summary(3, 1));
}

TEST(EncoderConfigTest, LabelsBeginWithTheStart) {
  EXPECT_EQ(with_start({"tía", "miña"}), (Texts{"start", "tía", "miña"}));
}

}  // namespace
}  // namespace refran::plugins
