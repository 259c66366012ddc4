// What NumPy says of small models (tests/fixtures/referent/make.py), read from JSON.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <referent_model/measurements.h>

namespace refran::referent {

// The numbers of nested lists in row-major order; null is NaN.
inline void flatten(const nlohmann::json& json, std::vector<double>& numbers) {
  if (json.is_array()) {
    for (const nlohmann::json& entry : json) flatten(entry, numbers);
  } else {
    numbers.push_back(json.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                     : json.get<double>());
  }
}

inline std::vector<double> numbers_of(const nlohmann::json& json) {
  std::vector<double> numbers;
  flatten(json, numbers);
  return numbers;
}

// A list of one.
template <class T>
std::vector<T> just(const T& value) {
  return std::vector<T>(1, value);
}

struct Fixture {
  nlohmann::json json;
  Task task;
  TrainingSpec spec;
  std::vector<double> parameters;
  std::vector<std::size_t> resampled;
};

inline Fixture read_fixture(const std::string& name) {
  std::ifstream file(std::string(REFRAN_SOURCE_DIR) + "/tests/fixtures/referent/" + name + ".json");
  Fixture fixture;
  file >> fixture.json;
  const nlohmann::json& task = fixture.json.at("task");
  TaskSpec spec;
  spec.sentence_template = task.at("template");
  for (std::size_t noun = 0; noun < 2; ++noun) {
    spec.nouns[noun] = task.at("nouns").at(noun);
    spec.adjectives[noun] = task.at("adjectives").at(noun);
  }
  EXPECT_TRUE(problems_of(spec).empty());
  fixture.task = make_task(spec);
  const nlohmann::json& shape = fixture.json.at("shape");
  fixture.spec.shape = {.words = fixture.task.vocabulary.size(),
                        .positions = fixture.task.positions,
                        .heads = shape.at("heads"),
                        .model_dim = shape.at("model_dim"),
                        .key_dim = shape.at("key_dim"),
                        .value_dim = shape.at("value_dim"),
                        .has_positions = shape.at("has_positions")};
  fixture.spec.attention = fixture.json.at("attention_kind") == "uniform" ? AttentionKind::uniform
                                                                          : AttentionKind::learned;
  fixture.spec.precision = Precision::float64;
  fixture.parameters = numbers_of(fixture.json.at("parameters"));
  fixture.resampled = fixture.json.at("resampled").get<std::vector<std::size_t>>();
  return fixture;
}

inline constexpr double kDouble = 1e-12;
inline constexpr double kFloat = 1e-5;

inline double tolerance_of(Precision precision) {
  return precision == Precision::float64 ? kDouble : kFloat;
}

// Every number as in the JSON, to `tolerance` relative to the number, or to 1 where it is smaller.
template <class Numbers>
void expect_near(const Numbers& actual, const nlohmann::json& json, double tolerance,
                 const std::string& what) {
  const std::vector<double> expected = numbers_of(json);
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto number = static_cast<double>(actual[i]);
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(number)) << what << " " << i;
    } else {
      ASSERT_NEAR(number, expected[i], tolerance * std::max(1.0, std::fabs(expected[i])))
          << what << " " << i;
    }
  }
}

// Equal numbers, NaN being equal to NaN.
template <class Numbers>
void expect_same(const Numbers& actual, const Numbers& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != expected[i] && actual[i] != actual[i]) continue;
    ASSERT_EQ(actual[i], expected[i]) << what << " " << i;
  }
}

inline void expect_same_maps(const AttentionMaps& actual, const AttentionMaps& expected) {
  expect_same(actual.it_attention.values(), expected.it_attention.values(), "it_attention");
  expect_same(actual.layer1_attention.values(), expected.layer1_attention.values(), "layer1");
}

inline void expect_same_measures(const AttentionMeasures& actual,
                                 const AttentionMeasures& expected) {
  expect_same_maps(actual, expected);
  expect_same(actual.role_attention.values(), expected.role_attention.values(), "role_attention");
  expect_same(actual.part_attention.values(), expected.part_attention.values(), "part_attention");
  expect_same(actual.confidence.values(), expected.confidence.values(), "confidence");
  expect_same(actual.entropy.values(), expected.entropy.values(), "entropy");
  expect_same(actual.direct_logit.values(), expected.direct_logit.values(), "direct_logit");
  expect_same(actual.logit_difference, expected.logit_difference, "logit_difference");
  expect_same(actual.named, expected.named, "named");
}

inline void expect_same_measures(const AblationMeasures& actual, const AblationMeasures& expected) {
  expect_same(actual.loss.values(), expected.loss.values(), "loss");
  expect_same(actual.accuracy.values(), expected.accuracy.values(), "accuracy");
  expect_same(actual.logit_difference.values(), expected.logit_difference.values(), "difference");
  expect_same(actual.loss_by_referent.values(), expected.loss_by_referent.values(), "losses");
  expect_same(actual.accuracy_by_referent.values(), expected.accuracy_by_referent.values(),
              "accuracies");
  expect_same(actual.named.values(), expected.named.values(), "named");
}

// Random models of the fixture's shape, and sentences that stand in for others.
struct Seeds {
  std::vector<std::vector<double>> parameters;
  std::vector<std::vector<std::size_t>> resampled;
};

inline Seeds random_seeds(const Fixture& fixture, std::size_t count) {
  Seeds seeds;
  const std::size_t sentences = fixture.task.training.size();
  for (std::size_t seed = 0; seed < count; ++seed) {
    seeds.parameters.push_back(random_start(fixture.spec.shape, seed, 1));
    std::vector<std::size_t> others(sentences);
    for (std::size_t s = 0; s < sentences; ++s) others[s] = (5 * s + seed) % sentences;
    seeds.resampled.push_back(others);
  }
  return seeds;
}

}  // namespace refran::referent
