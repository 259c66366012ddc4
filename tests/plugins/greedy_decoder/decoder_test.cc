// The decoder's loop and its three strategies, on small vocabularies and on the shipped ones.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <arithmetic/attention.h>
#include <arithmetic/decoder.h>
#include <arithmetic/encoder.h>
#include <arithmetic/matrix.h>
#include <arithmetic/vectors.h>
#include <arithmetic/words.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

namespace refran::arithmetic {
namespace {

constexpr double kRoundingOfSteps = 1e-13;

using Texts = std::vector<std::string>;
using Indices = std::vector<std::size_t>;

Vocabulary vocabulary_of(const Texts& words, const std::vector<std::vector<double>>& embeddings,
                         const std::vector<std::vector<double>>& steps) {
  const std::size_t dims = embeddings.front().size();
  const auto end = static_cast<std::size_t>(std::ranges::find(words, "</s>") - words.begin());
  return {words, matrix(embeddings, dims), matrix(steps, dims), end};
}

// Any vocabulary of `count` words in 2 dimensions; the last one ends the sentence.
Vocabulary any_vocabulary(std::size_t count, Stream& stream) {
  Vocabulary vocabulary{{}, Array<double, 2>({count, 2}), Array<double, 2>({count, 2}), count - 1};
  for (std::size_t word = 0; word < count; ++word) {
    vocabulary.words.push_back(word + 1 == count ? "</s>"
                                                 : std::string(1, static_cast<char>('a' + word)));
    for (std::size_t dim = 0; dim < 2; ++dim) {
      vocabulary.embedding(word, dim) = stream.uniform(-2, 2);
      if (word + 1 < count) vocabulary.step(word, dim) = stream.uniform(-1, 1);
    }
  }
  return vocabulary;
}

std::vector<double> any_state(Stream& stream) {
  return {stream.uniform(-2, 2), stream.uniform(-2, 2)};
}

Decoding greedy(const Vocabulary& vocabulary, const std::vector<double>& start,
                const Limits& limits) {
  std::vector<Tie> ties;
  return decode_greedily(vocabulary, start, limits, ties);
}

// yes pulls to the right, no to the left; one of each moves the state to where the sentence ends.
const Vocabulary kYesNo =
    vocabulary_of({"yes", "no", "</s>"}, {{1, 0}, {-1, 0}, {0, 1}}, {{-1, 2}, {1, 2}, {0, 0}});

TEST(DecoderTest, WritesTheMostLikelyWordUntilTheEnd) {
  const Decoding decoding = greedy(kYesNo, {1, 0}, {});
  EXPECT_EQ(decoding.chosen, (Indices{0, 2}));
  EXPECT_EQ(decoding.runner_up, (Indices{2, 0}));
  EXPECT_TRUE(decoding.ended);
  EXPECT_EQ(text_of(kYesNo, decoding.chosen), "yes");
}

TEST(DecoderTest, KeepsStatesLogitsAndProbabilitiesOfEveryStep) {
  const Decoding decoding = greedy(kYesNo, {1, 0}, {});
  ASSERT_EQ(decoding.state.extents(), (Extents<2>{2, 2}));
  EXPECT_TRUE(std::ranges::equal(decoding.state.row(0), std::vector<double>{1, 0}));
  EXPECT_TRUE(std::ranges::equal(decoding.state.row(1), std::vector<double>{0, 2}));
  ASSERT_EQ(decoding.logit.extents(), (Extents<2>{2, 3}));
  EXPECT_TRUE(std::ranges::equal(decoding.logit.row(0), std::vector<double>{1, -1, 0}));
  EXPECT_TRUE(std::ranges::equal(decoding.logit.row(1), std::vector<double>{0, 0, 2}));
  // By hand: e / (e + 1/e + 1) and e² / (e² + 2).
  const double e = std::exp(1.0);
  EXPECT_NEAR(decoding.probability(0, 0), e / (e + 1 / e + 1), kRoundingOfSteps);
  EXPECT_NEAR(decoding.probability(1, 2), e * e / (e * e + 2), kRoundingOfSteps);
  EXPECT_NEAR(decoding.log_probability,
              std::log(decoding.probability(0, 0) * decoding.probability(1, 2)), kRoundingOfSteps);
}

TEST(DecoderTest, StopsAtMaxSteps) {
  const Vocabulary endless = vocabulary_of({"on", "</s>"}, {{1}, {-1}}, {{0}, {0}});
  const Decoding decoding = greedy(endless, {1}, {1, 3});
  EXPECT_EQ(decoding.chosen, (Indices{0, 0, 0}));
  EXPECT_FALSE(decoding.ended);
  EXPECT_EQ(decoding.state.extent(0), 4U);
  EXPECT_EQ(text_of(endless, decoding.chosen), "on on on");
}

TEST(DecoderTest, TakesTheFirstOfEqualWordsAndNotesTheTie) {
  std::vector<Tie> ties;
  const Decoding decoding = decode_greedily(kYesNo, std::vector<double>{0, 0}, {}, ties);
  EXPECT_EQ(decoding.chosen.front(), 0U);
  ASSERT_EQ(ties.size(), 1U);
  EXPECT_EQ(ties.front().step, 0U);
  EXPECT_EQ(ties.front().texts, (Texts{"yes", "no", "</s>"}));
}

TEST(DecoderTest, TemperatureChangesProbabilitiesNotTheGreedySentence) {
  const Decoding sharp = greedy(kYesNo, {1, 0}, {0.5, 8});
  const Decoding flat = greedy(kYesNo, {1, 0}, {2, 8});
  EXPECT_EQ(sharp.chosen, flat.chosen);
  EXPECT_GT(sharp.probability(0, 0), flat.probability(0, 0));
  EXPECT_GT(sharp.log_probability, flat.log_probability);
}

TEST(SampleTest, DrawsWordsAsOftenAsTheirProbabilitySays) {
  Stream stream(1, "sample");
  const Limits one_step{1, 1};
  std::vector<double> count(3);
  constexpr int kDraws = 20000;
  Decoding decoding;
  for (int draw = 0; draw < kDraws; ++draw) {
    decoding = decode_by_sampling(kYesNo, std::vector<double>{0.5, 0.5}, one_step, stream);
    ++count[decoding.chosen.front()];
  }
  // Four standard deviations of a share among 20000 draws are at most 0.0142.
  for (std::size_t word = 0; word < 3; ++word) {
    EXPECT_NEAR(count[word] / kDraws, decoding.probability(0, word), 0.0142);
  }
}

TEST(SampleTest, TheSameSeedDrawsTheSameSentence) {
  Stream any(2, "vocabulary");
  const Vocabulary vocabulary = any_vocabulary(6, any);
  std::set<Indices> sentences;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Stream first(seed, "sample");
    Stream second(seed, "sample");
    const std::vector<double> start = {0.5, -0.5};
    const Decoding decoding = decode_by_sampling(vocabulary, start, {}, first);
    EXPECT_EQ(decoding.chosen, decode_by_sampling(vocabulary, start, {}, second).chosen);
    sentences.insert(decoding.chosen);
  }
  EXPECT_GT(sentences.size(), 5U);
}

TEST(SampleTest, TheRunnerUpIsTheMostLikelyOtherWord) {
  Stream any(3, "vocabulary");
  Stream stream(3, "sample");
  for (int trial = 0; trial < 20; ++trial) {
    const Vocabulary vocabulary = any_vocabulary(5, any);
    const Decoding decoding = decode_by_sampling(vocabulary, any_state(any), {}, stream);
    for (std::size_t step = 0; step < decoding.chosen.size(); ++step) {
      ASSERT_NE(decoding.runner_up[step], decoding.chosen[step]);
      for (std::size_t word = 0; word < 5; ++word) {
        if (word == decoding.chosen[step]) continue;
        EXPECT_LE(decoding.logit(step, word), decoding.logit(step, decoding.runner_up[step]));
      }
    }
  }
}

TEST(BeamTest, ABeamOfOneIsGreedy) {
  Stream any(4, "beam");
  for (int trial = 0; trial < 100; ++trial) {
    const Vocabulary vocabulary = any_vocabulary(5, any);
    const std::vector<double> start = any_state(any);
    std::vector<Tie> ties;
    const std::vector<Hypothesis> found = beam_search(vocabulary, start, {1, 6}, 1, ties);
    const Decoding decoding = greedy(vocabulary, start, {1, 6});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().chosen, decoding.chosen);
    EXPECT_EQ(found.front().ended, decoding.ended);
    EXPECT_NEAR(found.front().log_probability, decoding.log_probability, kRoundingOfSteps);
  }
}

// All sentences that end within `steps` words, by brute force; the best log-probability.
double best_of_all(const Vocabulary& vocabulary, const std::vector<double>& state,
                   std::size_t steps) {
  if (steps == 0) return -std::numeric_limits<double>::infinity();
  const std::vector<double> log_probability =
      log_softmax(scores(state, vocabulary.embedding, Scoring::dot));
  double best = log_probability[vocabulary.end];
  for (std::size_t word = 0; word < vocabulary.end; ++word) {
    std::vector<double> next = state;
    for (std::size_t dim = 0; dim < next.size(); ++dim) next[dim] += vocabulary.step(word, dim);
    best = std::max(best, log_probability[word] + best_of_all(vocabulary, next, steps - 1));
  }
  return best;
}

TEST(BeamTest, ABeamThatKeepsEverythingFindsTheLikeliestSentence) {
  Stream any(5, "beam");
  for (int trial = 0; trial < 30; ++trial) {
    const Vocabulary vocabulary = any_vocabulary(4, any);
    const std::vector<double> start = any_state(any);
    std::vector<Tie> ties;
    const std::vector<Hypothesis> found = beam_search(vocabulary, start, {1, 5}, 1000, ties);
    EXPECT_NEAR(found.front().log_probability, best_of_all(vocabulary, start, 5), kRoundingOfSteps);
    EXPECT_TRUE(
        std::ranges::is_sorted(found, std::ranges::greater{}, &Hypothesis::log_probability));
    EXPECT_TRUE(std::ranges::all_of(found, &Hypothesis::ended));
  }
}

TEST(BeamTest, ReplayingItsWordsGivesItsProbability) {
  Stream any(6, "beam");
  const Vocabulary vocabulary = any_vocabulary(5, any);
  std::vector<Tie> ties;
  const std::vector<double> start = any_state(any);
  const Hypothesis best = beam_search(vocabulary, start, {}, 3, ties).front();
  const Decoding decoding = decode_given(vocabulary, start, {}, best.chosen);
  EXPECT_EQ(decoding.chosen, best.chosen);
  EXPECT_EQ(decoding.log_probability, best.log_probability);
}

TEST(BeamTest, ReturnsWhatWasCutOffWhereNothingEnded) {
  const Vocabulary endless = vocabulary_of({"on", "</s>"}, {{1}, {-1}}, {{0}, {0}});
  std::vector<Tie> ties;
  const std::vector<Hypothesis> found =
      beam_search(endless, std::vector<double>{9}, {1, 3}, 1, ties);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found.front().ended);
  EXPECT_EQ(found.front().chosen, (Indices{0, 0, 0}));
}

TEST(BeamTest, NotesATieAtTheEdgeOfTheBeam) {
  std::vector<Tie> ties;
  const std::vector<Hypothesis> found =
      beam_search(kYesNo, std::vector<double>{0, 0}, {1, 2}, 1, ties);
  EXPECT_EQ(found.front().chosen.front(), 0U);
  ASSERT_EQ(ties.size(), 1U);
  EXPECT_EQ(ties.front().texts, (Texts{"yes", "no"}));
}

// Why a word's step vector is not its output embedding: a state that moves halfway toward the
// embedding it was scored against goes on writing the first word. Its own logit e·s and the square
// of its length are both at least what another word of that length has, and so is their mean.
TEST(DecoderTest, MovingHalfwayTowardTheScoredVectorRepeatsTheFirstWord) {
  Stream stream(7, "halfway");
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::vector<double>> embeddings;  // of one length, as the argument asks
    for (int word = 0; word < 6; ++word) {
      std::vector<double> embedding = {stream.normal(), stream.normal(), stream.normal()};
      const double length = std::sqrt(dot(embedding, embedding));
      for (double& coordinate : embedding) coordinate *= 2 / length;
      embeddings.push_back(embedding);
    }
    const Array<double, 2> embedding = matrix(embeddings, 3);
    std::vector<double> state = {stream.normal(), stream.normal(), stream.normal()};
    std::set<std::ptrdiff_t> written;
    for (int step = 0; step < 10; ++step) {
      const std::vector<double> logit = scores(state, embedding, Scoring::dot);
      const std::ptrdiff_t word = std::ranges::max_element(logit) - logit.begin();
      written.insert(word);
      for (std::size_t dim = 0; dim < 3; ++dim) {
        state[dim] += 0.5 * (embedding(static_cast<std::size_t>(word), dim) - state[dim]);
      }
    }
    EXPECT_EQ(written.size(), 1U);
  }
}

TEST(DecoderTest, AShortEmbeddingIsTheExceptionToThatRule) {
  // From (1, -1) the short word leads 1 to 0; halfway toward it, at (1, -0.5), the long one does.
  const Array<double, 2> embedding = matrix({{1, 0}, {3, 3}}, 2);
  EXPECT_EQ(scores(std::vector<double>{1, -1}, embedding, Scoring::dot),
            (std::vector<double>{1, 0}));
  EXPECT_EQ(scores(std::vector<double>{1, -0.5}, embedding, Scoring::dot),
            (std::vector<double>{1, 1.5}));
}

// The shipped experiments -----------------------------------------------------------------------

const std::filesystem::path kExperiments = std::filesystem::path(REFRAN_SOURCE_DIR) / "experiments";

YAML::Node shipped(const std::string& name) {
  return YAML::LoadFile((kExperiments / (name + ".yaml")).string())["config"];
}

Vocabulary shipped_vocabulary(const YAML::Node& config) {
  Texts words;
  std::vector<std::vector<double>> embeddings;
  std::vector<std::vector<double>> steps;
  for (const YAML::Node& candidate : config["vocabulary"]) {
    words.push_back(candidate["word"].as<std::string>());
    embeddings.push_back(candidate["embedding"].as<std::vector<double>>());
    steps.push_back(candidate["step"] ? candidate["step"].as<std::vector<double>>()
                                      : std::vector<double>(embeddings.back().size()));
  }
  return vocabulary_of(words, embeddings, steps);
}

NamedVectors inline_points(const YAML::Node& points) {
  NamedVectors vectors;
  for (const auto& entry : points) {
    vectors.emplace_back(entry.first.as<std::string>(), entry.second.as<std::vector<double>>());
  }
  return vectors;
}

NamedVectors shared_points() { return read_vectors(kExperiments / "data/galician-words.txt"); }

// The encoder's last summary of an input, with the default rate and start.
std::vector<double> summary_of(const std::string& input) {
  std::vector<std::vector<double>> points;
  for (const std::string& word : words_of(input, Case::keep)) {
    points.push_back(*find_vector(shared_points(), word));
  }
  const std::vector<double> rate(points.size(), 0.5);
  const Array<double, 2> summary = summaries(matrix(points, 2), rate, Start::origin);
  return {summary.row(points.size()).begin(), summary.row(points.size()).end()};
}

TEST(ShippedDecoderTest, GreedyWritesTheThreeTranslations) {
  const YAML::Node config = shipped("greedy-decoder");
  const Vocabulary vocabulary = shipped_vocabulary(config);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"Unha tía miña", "my aunt"}, {"tía túa", "your aunt"}, {"tío meu", "my uncle"}};
  ASSERT_EQ(config["inputs"].as<Texts>().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(config["inputs"][i].as<std::string>(), expected[i].first);
    std::vector<Tie> ties;
    const Decoding decoding = decode_greedily(vocabulary, summary_of(expected[i].first), {}, ties);
    EXPECT_EQ(text_of(vocabulary, decoding.chosen), expected[i].second);
    EXPECT_TRUE(decoding.ended);
    EXPECT_EQ(ties.size(), 0U);
  }
}

TEST(ShippedDecoderTest, EveryWordIsWrittenFromSomeState) {
  // A word is writable where its embedding is a corner of the convex hull of all; the search below
  // asks for more: that it is ahead of all others by 0.5 at a state no farther out than the points.
  const Vocabulary vocabulary = shipped_vocabulary(shipped("greedy-decoder"));
  std::set<std::string> writable;
  for (const double x : {-4, -3, -2, -1, 0, 1, 2, 3, 4}) {
    for (const double y : {-4, -3, -2, -1, 0, 1, 2, 3, 4}) {
      const std::vector<double> logit =
          scores(std::vector<double>{x, y}, vocabulary.embedding, Scoring::dot);
      const auto best = static_cast<std::size_t>(std::ranges::max_element(logit) - logit.begin());
      const bool is_ahead = std::ranges::count_if(logit, [&](double other) {
                              return other > logit[best] - 0.5;
                            }) == 1;
      if (is_ahead) writable.insert(vocabulary.words[best]);
    }
  }
  for (const std::string& word : vocabulary.words) EXPECT_TRUE(writable.contains(word)) << word;
}

TEST(ShippedDecoderTest, BeamFindsWhatGreedyMisses) {
  const YAML::Node config = shipped("greedy-decoder-beam");
  const Vocabulary vocabulary = shipped_vocabulary(config);
  const std::string input = config["inputs"][3].as<std::string>();
  EXPECT_EQ(input, "Unha tía");
  const Decoding decoding = greedy(vocabulary, summary_of(input), {});
  EXPECT_EQ(text_of(vocabulary, decoding.chosen), "aunt your");
  std::vector<Tie> ties;
  const std::vector<Hypothesis> found =
      beam_search(vocabulary, summary_of(input), {}, config["beam_size"].as<std::size_t>(), ties);
  EXPECT_EQ(text_of(vocabulary, found.front().chosen), "an aunt");
  EXPECT_GT(found.front().log_probability, decoding.log_probability + std::log(2.0));
}

TEST(ShippedDecoderTest, BeamAgreesWithGreedyOnTheOtherInputs) {
  const YAML::Node config = shipped("greedy-decoder-beam");
  const Vocabulary vocabulary = shipped_vocabulary(config);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> start = summary_of(config["inputs"][i].as<std::string>());
    std::vector<Tie> ties;
    EXPECT_EQ(beam_search(vocabulary, start, {}, 3, ties).front().chosen,
              greedy(vocabulary, start, {}).chosen);
  }
}

TEST(ShippedDecoderTest, AllExperimentsShareVocabularyAndPoints) {
  const Vocabulary expected = shipped_vocabulary(shipped("greedy-decoder"));
  for (const char* name : {"greedy-decoder-sample", "greedy-decoder-beam"}) {
    const Vocabulary vocabulary = shipped_vocabulary(shipped(name));
    EXPECT_EQ(vocabulary.words, expected.words);
    EXPECT_TRUE(std::ranges::equal(vocabulary.embedding.values(), expected.embedding.values()));
    EXPECT_TRUE(std::ranges::equal(vocabulary.step.values(), expected.step.values()));
  }
  const NamedVectors shared = shared_points();
  for (const YAML::Node& points :
       {shipped("greedy-decoder")["encoder"]["points"], shipped("toy-encoder-short")["points"]}) {
    for (const auto& [word, point] : inline_points(points)) {
      ASSERT_NE(find_vector(shared, word), nullptr) << word;
      EXPECT_EQ(*find_vector(shared, word), point) << word;
    }
  }
}

}  // namespace
}  // namespace refran::arithmetic
