// Where heads look and what they contribute: against NumPy, and what must hold for any model.
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "fixture.h"

namespace refran::referent {
namespace {

class AttentionMeasuresTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Fixtures, AttentionMeasuresTest,
                         testing::Values("small", "uneven", "frozen", "page"),
                         [](const auto& test) { return test.param; });

std::vector<AttentionMeasures> attention_of(const Fixture& fixture, bool with_layer1 = false) {
  return measure_attention(fixture.task, fixture.spec, just(fixture.parameters), with_layer1);
}

void expect_attention(const Fixture& fixture) {
  const AttentionMeasures found = attention_of(fixture, true)[0];
  const nlohmann::json& expected = fixture.json.at("attention");
  const double tolerance = tolerance_of(fixture.spec.precision);
  const auto expect = [&](const std::string& name, const auto& values) {
    expect_near(values, expected.at(name), tolerance, name);
  };
  expect("role_attention", found.role_attention.values());
  expect("part_attention", found.part_attention.values());
  expect("confidence", found.confidence.values());
  expect("entropy", found.entropy.values());
  expect("direct_logit", found.direct_logit.values());
  expect("logit_difference", found.logit_difference);
  expect("named", found.named);

  // Stored as float32 in either precision.
  std::vector<float> from_it;
  const nlohmann::json& kept = fixture.json.at("kept_sentences");
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto s = kept[i].get<std::size_t>();
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      for (std::size_t head = 0; head < fixture.spec.shape.heads; ++head) {
        const auto row = found.it_attention.row(s, layer, head);
        from_it.insert(from_it.end(), row.begin(), row.end());
      }
    }
    std::vector<float> layer1;
    for (std::size_t head = 0; head < fixture.spec.shape.heads; ++head) {
      for (std::size_t query = 0; query < fixture.task.positions; ++query) {
        const auto row = found.layer1_attention.row(s, head, query);
        layer1.insert(layer1.end(), row.begin(), row.end());
      }
    }
    expect_near(layer1, fixture.json.at("activations").at(i).at("attention1"), kFloat, "layer1");
  }
  expect_near(from_it, expected.at("it_attention"), kFloat, "it_attention");
}

TEST_P(AttentionMeasuresTest, IsNumPysInFloat64) { expect_attention(read_fixture(GetParam())); }

TEST_P(AttentionMeasuresTest, IsNumPysInFloat32) {
  Fixture fixture = read_fixture(GetParam());
  fixture.spec.precision = Precision::float32;
  expect_attention(fixture);
}

TEST_P(AttentionMeasuresTest, ComponentsSumToTheLogitDifference) {
  const Fixture fixture = read_fixture(GetParam());
  const AttentionMeasures found = attention_of(fixture)[0];
  std::array<double, 2> sum{};
  std::array<double, 2> count{};
  for (std::size_t s = 0; s < fixture.task.training.size(); ++s) {
    sum[fixture.task.training[s].referent] += found.logit_difference[s];
    count[fixture.task.training[s].referent] += 1;
  }
  for (std::size_t referent = 0; referent < 2; ++referent) {
    const auto parts = found.direct_logit.row(referent);
    EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), sum[referent] / count[referent],
                1e-12);
  }
}

TEST_P(AttentionMeasuresTest, ScoresAreThoseOfThePasses) {
  Fixture fixture = read_fixture(GetParam());
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    fixture.spec.precision = precision;
    const std::vector<Score> scores =
        measure_score(fixture.task, fixture.spec, fixture.task.training, just(fixture.parameters));
    ASSERT_EQ(scores.size(), 1u);
    const nlohmann::json& expected = fixture.json.at("attention");
    const double tolerance = tolerance_of(precision);
    expect_near(just(scores[0].loss), expected.at("loss"), tolerance, "loss");
    expect_near(just(scores[0].accuracy), expected.at("accuracy"), kDouble, "accuracy");
    expect_near(scores[0].accuracy_by_referent, expected.at("accuracy_by_referent"), kDouble,
                "accuracy_by_referent");
  }
}

TEST_P(AttentionMeasuresTest, ASeedsBytesDoNotDependOnTheOthers) {
  Fixture fixture = read_fixture(GetParam());
  const Seeds seeds = random_seeds(fixture, 20);
  const std::span<const std::vector<double>> all = seeds.parameters;
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    fixture.spec.precision = precision;
    std::vector<AttentionMeasures> alone;
    std::vector<Score> scores_alone;
    for (std::size_t seed = 0; seed < 20; ++seed) {
      alone.push_back(measure_attention(fixture.task, fixture.spec, all.subspan(seed, 1), true)[0]);
      scores_alone.push_back(measure_score(fixture.task, fixture.spec, fixture.task.training,
                                           all.subspan(seed, 1))[0]);
    }
    for (const std::size_t count : {3u, 8u, 9u, 20u}) {
      const auto together = measure_attention(fixture.task, fixture.spec, all.first(count), true);
      const auto scores =
          measure_score(fixture.task, fixture.spec, fixture.task.training, all.first(count));
      ASSERT_EQ(together.size(), count);
      ASSERT_EQ(scores.size(), count);
      for (std::size_t seed = 0; seed < count; ++seed) {
        expect_same_measures(together[seed], alone[seed]);
        EXPECT_EQ(scores[seed].loss, scores_alone[seed].loss);
        EXPECT_EQ(scores[seed].accuracy, scores_alone[seed].accuracy);
      }
    }
  }
}

TEST_P(AttentionMeasuresTest, TheBytesAreThoseOfPlainLanes) {
  Fixture fixture = read_fixture(GetParam());
  const Seeds seeds = random_seeds(fixture, 3);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    fixture.spec.precision = precision;
    const auto best = measure_attention(fixture.task, fixture.spec, seeds.parameters, true);
    const auto plain =
        measure_attention(fixture.task, fixture.spec, seeds.parameters, true, Processor::plain);
    for (std::size_t seed = 0; seed < 3; ++seed) expect_same_measures(best[seed], plain[seed]);
  }
}

TEST_P(AttentionMeasuresTest, MapsAreTheSameWithoutTheMeasures) {
  Fixture fixture = read_fixture(GetParam());
  const Seeds seeds = random_seeds(fixture, 11);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    fixture.spec.precision = precision;
    for (const bool with_layer1 : {false, true}) {
      const auto maps = read_attention(fixture.task, fixture.spec, seeds.parameters, with_layer1);
      const auto measures =
          measure_attention(fixture.task, fixture.spec, seeds.parameters, with_layer1);
      ASSERT_EQ(maps.size(), 11U);
      for (std::size_t seed = 0; seed < 11; ++seed) expect_same_maps(maps[seed], measures[seed]);
    }
  }
}

TEST(AttentionTotalsTest, WeightsSumToOneAndLayerTwoAsksFromItAlone) {
  const Fixture fixture = read_fixture("page");
  const AttentionMeasures found = attention_of(fixture)[0];
  for (std::size_t referent = 0; referent < 2; ++referent) {
    for (std::size_t head = 0; head < 2; ++head) {
      for (std::size_t query = 0; query < kRoles; ++query) {
        const auto first = found.role_attention.row(referent, 0, head, query);
        EXPECT_NEAR(std::accumulate(first.begin(), first.end(), 0.0), 1, 1e-12);
        const auto second = found.role_attention.row(referent, 1, head, query);
        if (query == kSelf) {
          EXPECT_NEAR(std::accumulate(second.begin(), second.end(), 0.0), 1, 1e-12);
        } else {
          for (const double weight : second) EXPECT_TRUE(std::isnan(weight));
        }
      }
    }
  }
  EXPECT_EQ(found.layer1_attention.values().size(), 0u);  // not asked for
}

TEST(AttentionTotalsTest, UniformAttentionHasTheEntropyOfAllPositions) {
  const Fixture fixture = read_fixture("frozen");
  const AttentionMeasures found = attention_of(fixture)[0];
  const double positions = static_cast<double>(fixture.task.positions);
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    EXPECT_NEAR(found.entropy(layer, 0), std::log(positions), 1e-12);
    EXPECT_NEAR(found.confidence(layer, 0), 1 / positions, 1e-15);
    EXPECT_NEAR(found.part_attention(0, layer, 0, kReferent), 1 / positions, 1e-15);
    EXPECT_NEAR(found.part_attention(1, layer, 0, kOtherPart), (positions - 4) / positions, 1e-15);
  }
}

TEST(AttentionTotalsTest, ADivergedSeedIsNaNAndLeavesItsNeighboursAlone) {
  Fixture fixture = read_fixture("small");
  Seeds seeds = random_seeds(fixture, 3);
  const auto before = measure_attention(fixture.task, fixture.spec, seeds.parameters, true);
  seeds.parameters[1].assign(seeds.parameters[1].size(), std::nan(""));
  const auto after = measure_attention(fixture.task, fixture.spec, seeds.parameters, true);
  expect_same_measures(after[0], before[0]);
  expect_same_measures(after[2], before[2]);
  EXPECT_TRUE(std::isnan(after[1].confidence(0, 0)));
  EXPECT_TRUE(std::isnan(after[1].entropy(1, 1)));
  EXPECT_TRUE(std::isnan(after[1].logit_difference[0]));
  EXPECT_EQ(after[1].named, std::vector<std::int32_t>(8, 2));
  const auto scores =
      measure_score(fixture.task, fixture.spec, fixture.task.training, seeds.parameters);
  EXPECT_TRUE(std::isnan(scores[1].loss));
  EXPECT_EQ(scores[1].accuracy, 0);
}

TEST(ScoreTest, OfNoSentencesIsNaN) {
  const Fixture fixture = read_fixture("small");
  const std::vector<Score> scores =
      measure_score(fixture.task, fixture.spec, {}, just(fixture.parameters));
  EXPECT_TRUE(std::isnan(scores[0].loss));
  EXPECT_TRUE(std::isnan(scores[0].accuracy));
}

TEST(ScoreTest, OfOneReferentIsNaNForTheOther) {
  const Fixture fixture = read_fixture("small");
  const std::vector<Sentence> one = {fixture.task.training[0]};
  const std::vector<Score> scores =
      measure_score(fixture.task, fixture.spec, one, just(fixture.parameters));
  EXPECT_EQ(scores[0].accuracy_by_referent[0], scores[0].accuracy);
  EXPECT_TRUE(std::isnan(scores[0].accuracy_by_referent[1]));
}

TEST(ScoreTest, RefusesParametersOfAnotherModel) {
  const Fixture fixture = read_fixture("small");
  try {
    measure_score(fixture.task, fixture.spec, fixture.task.training, just(std::vector<double>(7)));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "found parameters of another model's size");
  }
}

}  // namespace
}  // namespace refran::referent
