// Heads switched off: against NumPy, and against models whose weights say the same.
#include <string>

#include <gtest/gtest.h>
#include <referent_model/shapley.h>

#include "fixture.h"

namespace refran::referent {
namespace {

class AblationTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Fixtures, AblationTest,
                         testing::Values("small", "uneven", "frozen", "page"),
                         [](const auto& test) { return test.param; });

AblationMeasures ablation_of(const Fixture& fixture, const std::vector<double>& parameters) {
  return measure_ablation(fixture.task, fixture.spec, just(parameters), just(fixture.resampled))[0];
}

void expect_ablation(const Fixture& fixture) {
  const AblationMeasures found = ablation_of(fixture, fixture.parameters);
  const nlohmann::json& expected = fixture.json.at("ablation");
  const double tolerance = tolerance_of(fixture.spec.precision);
  const auto expect = [&](const std::string& name, const auto& values, double allowed) {
    expect_near(values, expected.at(name), allowed, name);
  };
  expect("loss", found.loss.values(), tolerance);
  expect("accuracy", found.accuracy.values(), kDouble);
  expect("logit_difference", found.logit_difference.values(), tolerance);
  expect("loss_by_referent", found.loss_by_referent.values(), tolerance);
  expect("accuracy_by_referent", found.accuracy_by_referent.values(), kDouble);
  expect("named", found.named.values(), 0);

  const auto values = found.logit_difference.row(0);
  expect_near(shapley_values(values), fixture.json.at("shapley"), tolerance, "shapley");
  const Array<double, 2> pairs = shapley_interactions(values);
  expect_near(pairs.values(), fixture.json.at("interaction"), tolerance, "interaction");
}

TEST_P(AblationTest, IsNumPysInFloat64) { expect_ablation(read_fixture(GetParam())); }

TEST_P(AblationTest, IsNumPysInFloat32) {
  Fixture fixture = read_fixture(GetParam());
  fixture.spec.precision = Precision::float32;
  expect_ablation(fixture);
}

TEST_P(AblationTest, WithNoHeadOffIsTheWholeModelBitForBit) {
  Fixture fixture = read_fixture(GetParam());
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    fixture.spec.precision = precision;
    const AblationMeasures found = ablation_of(fixture, fixture.parameters);
    const std::vector one = just(fixture.parameters);
    const Score score = measure_score(fixture.task, fixture.spec, fixture.task.training, one)[0];
    const AttentionMeasures whole = measure_attention(fixture.task, fixture.spec, one, false)[0];
    for (std::size_t mode = 0; mode < kAblationModes; ++mode) {
      EXPECT_EQ(found.loss(mode, 0), score.loss);
      EXPECT_EQ(found.accuracy(mode, 0), score.accuracy);
      EXPECT_EQ(found.accuracy_by_referent(mode, 0, 0), score.accuracy_by_referent[0]);
      const auto named = found.named.row(mode, 0);
      EXPECT_EQ(std::vector<std::int32_t>(named.begin(), named.end()), whole.named);
    }
  }
}

// A copy of the parameters with W_O of every head in `subset` set to zero.
std::vector<double> without_outputs(const Fixture& fixture, std::size_t subset) {
  const ModelShape& shape = fixture.spec.shape;
  const std::size_t size = shape.value_dim * shape.model_dim;
  std::vector<double> parameters = fixture.parameters;
  for (std::size_t head = 0; head < shape.all_heads(); ++head) {
    if ((subset >> head & 1) == 0) continue;
    const std::size_t begin = ParameterLayout(shape).output + head * size;
    for (std::size_t i = 0; i < size; ++i) parameters[begin + i] = 0;
  }
  return parameters;
}

TEST_P(AblationTest, SwitchingOffIsZeroingTheHeadsSliceOfTheOutputProjectionBitForBit) {
  Fixture fixture = read_fixture(GetParam());
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    fixture.spec.precision = precision;
    const AblationMeasures found = ablation_of(fixture, fixture.parameters);
    std::vector<std::vector<double>> zeroed;
    for (std::size_t subset = 0; subset < found.loss.extent(1); ++subset)
      zeroed.push_back(without_outputs(fixture, subset));
    const auto scores = measure_score(fixture.task, fixture.spec, fixture.task.training, zeroed);
    for (std::size_t subset = 0; subset < zeroed.size(); ++subset) {
      EXPECT_EQ(found.loss(0, subset), scores[subset].loss) << subset;
      EXPECT_EQ(found.accuracy(0, subset), scores[subset].accuracy) << subset;
    }
  }
}

TEST_P(AblationTest, WithAllHeadsOffTheResidualStreamAloneAnswers) {
  const Fixture fixture = read_fixture(GetParam());
  const AblationMeasures found = ablation_of(fixture, fixture.parameters);
  const std::size_t all = found.loss.extent(1) - 1;
  // Only the embedding of "it" is left, which says the same of every sentence: the logits of
  // embedding · unembedding.
  const ModelShape& shape = fixture.spec.shape;
  const ParameterLayout layout(shape);
  const std::vector<double>& p = fixture.parameters;
  const std::size_t it = fixture.task.training[0].word[fixture.task.it];
  std::vector<double> logit(shape.words);
  for (std::size_t w = 0; w < shape.words; ++w) {
    for (std::size_t d = 0; d < shape.model_dim; ++d) {
      double x = p[layout.word_embedding + it * shape.model_dim + d];
      if (shape.has_positions)
        x += p[layout.position_embedding + fixture.task.it * shape.model_dim + d];
      logit[w] += x * p[layout.unembedding + d * shape.words + w];
    }
  }
  double difference = 0;
  for (const Sentence& sentence : fixture.task.training)
    difference += logit[sentence.target] - logit[sentence.distractor];
  difference /= static_cast<double>(fixture.task.training.size());
  EXPECT_NEAR(found.logit_difference(0, all), difference, 1e-12);
}

TEST_P(AblationTest, ResampledFromTheSameSentenceIsTheWholeModelBitForBit) {
  Fixture fixture = read_fixture(GetParam());
  for (std::size_t s = 0; s < fixture.resampled.size(); ++s) fixture.resampled[s] = s;
  const AblationMeasures found = ablation_of(fixture, fixture.parameters);
  const auto mode = static_cast<std::size_t>(AblationMode::resample);
  for (std::size_t subset = 0; subset < found.loss.extent(1); ++subset)
    EXPECT_EQ(found.loss(mode, subset), found.loss(mode, 0));
}

TEST(AblationModesTest, UniformChangesNothingWhereAttentionIsUniform) {
  const Fixture fixture = read_fixture("frozen");
  const AblationMeasures found = ablation_of(fixture, fixture.parameters);
  const auto mode = static_cast<std::size_t>(AblationMode::uniform);
  for (std::size_t subset = 0; subset < found.loss.extent(1); ++subset)
    EXPECT_EQ(found.loss(mode, subset), found.loss(mode, 0));
}

TEST(AblationModesTest, ModesDifferWhereHeadsAreOff) {
  const Fixture fixture = read_fixture("page");
  const AblationMeasures found = ablation_of(fixture, fixture.parameters);
  for (std::size_t mode = 1; mode < kAblationModes; ++mode) {
    for (std::size_t subset = 1; subset < 16; ++subset)
      EXPECT_NE(found.loss(mode, subset), found.loss(mode - 1, subset));
  }
}

TEST_P(AblationTest, ASeedsBytesDoNotDependOnTheOthers) {
  Fixture fixture = read_fixture(GetParam());
  const Seeds seeds = random_seeds(fixture, 20);
  const std::span<const std::vector<double>> all = seeds.parameters;
  const std::span<const std::vector<std::size_t>> others = seeds.resampled;
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    fixture.spec.precision = precision;
    std::vector<AblationMeasures> alone;
    for (std::size_t seed = 0; seed < 20; ++seed) {
      alone.push_back(measure_ablation(fixture.task, fixture.spec, all.subspan(seed, 1),
                                       others.subspan(seed, 1))[0]);
    }
    for (const std::size_t count : {3u, 8u, 9u, 20u}) {
      const auto together =
          measure_ablation(fixture.task, fixture.spec, all.first(count), others.first(count));
      ASSERT_EQ(together.size(), count);
      for (std::size_t seed = 0; seed < count; ++seed)
        expect_same_measures(together[seed], alone[seed]);
    }
  }
}

TEST_P(AblationTest, TheBytesAreThoseOfPlainLanes) {
  Fixture fixture = read_fixture(GetParam());
  const Seeds seeds = random_seeds(fixture, 3);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    fixture.spec.precision = precision;
    const auto best =
        measure_ablation(fixture.task, fixture.spec, seeds.parameters, seeds.resampled);
    const auto plain = measure_ablation(fixture.task, fixture.spec, seeds.parameters,
                                        seeds.resampled, Processor::plain);
    for (std::size_t seed = 0; seed < 3; ++seed) expect_same_measures(best[seed], plain[seed]);
  }
}

TEST(AblationErrorsTest, RefusesResampledSentencesThatDoNotFit) {
  const Fixture fixture = read_fixture("small");
  const auto text = [&](const std::vector<std::vector<std::size_t>>& resampled) -> std::string {
    try {
      measure_ablation(fixture.task, fixture.spec, just(fixture.parameters), resampled);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(text({}), "found resampled sentences for another number of seeds");
  EXPECT_EQ(text({{0, 1}}), "found resampled sentences that are not those of the training");
  EXPECT_EQ(text({{0, 1, 2, 3, 4, 5, 6, 8}}),
            "found resampled sentences that are not those of the training");
  EXPECT_EQ(text({fixture.resampled}), "");
}

}  // namespace
}  // namespace refran::referent
