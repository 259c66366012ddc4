// The model as its definition reads against NumPy, sentence by sentence.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <referent_model/plain_model.h>

#include "fixture.h"
#include "kernel_examples.h"

namespace refran::referent {
namespace {

class PlainModelTest : public testing::TestWithParam<std::string> {};

template <class T>
void expect_activations(const Fixture& fixture, double tolerance) {
  using Lanes = lanes::PlainLanes<T, 1>;
  std::vector<Lanes> parameters;
  for (const double value : fixture.parameters)
    parameters.push_back(Lanes::of(static_cast<T>(value)));
  const PlainModel<Lanes> model(fixture.spec.shape, fixture.task.it, parameters.data());
  const nlohmann::json& kept = fixture.json.at("kept_sentences");
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Sentence& sentence = fixture.task.training[kept[i].get<std::size_t>()];
    const auto whole = model.forward(sentence, fixture.spec.attention);
    const nlohmann::json& expected = fixture.json.at("activations").at(i);
    const auto expect = [&](const std::string& name, const std::vector<Lanes>& values) {
      expect_near(first_lane(values), expected.at(name), tolerance, name);
    };
    expect("embedding", whole.embedding);
    expect("attention1", whole.attention1);
    expect("output1", whole.output1);
    expect("hidden", whole.hidden);
    expect("attention2", whole.attention2);
    expect("output2", whole.output2);
    expect("final", whole.final);
    expect("logit", whole.logit);
  }
}

TEST_P(PlainModelTest, EveryActivationIsNumPys) {
  const Fixture fixture = read_fixture(GetParam());
  expect_activations<double>(fixture, kDouble);
  expect_activations<float>(fixture, kFloat);
}

TEST_P(PlainModelTest, TheTaskIsNumPys) {
  const Fixture fixture = read_fixture(GetParam());
  const nlohmann::json& sentences = fixture.json.at("sentences");
  ASSERT_EQ(fixture.task.training.size(), sentences.size());
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    EXPECT_EQ(fixture.task.training[s].word, sentences[s].get<std::vector<std::size_t>>());
    EXPECT_EQ(fixture.task.training[s].referent, fixture.json.at("referents")[s]);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, PlainModelTest,
                         testing::Values("small", "uneven", "frozen", "page"),
                         [](const auto& test) { return test.param; });

using One = lanes::PlainLanes<double, 1>;

std::vector<One> ones(const std::vector<double>& values) {
  std::vector<One> result;
  for (const double value : values) result.push_back(One::of(value));
  return result;
}

TEST(AnswerTest, CrossEntropyIsMinusTheLogOfTheTargetsProbability) {
  const std::vector<One> logit = ones({0, std::log(2.0), std::log(5.0)});
  EXPECT_NEAR(cross_entropy(logit.data(), 3, 1).v[0], std::log(4.0), 1e-14);
  const std::vector<One> large = ones({1000, 0, -1000});
  EXPECT_NEAR(cross_entropy(large.data(), 3, 0).v[0], 0, 1e-14);
  EXPECT_NEAR(cross_entropy(large.data(), 3, 2).v[0], 2000, 1e-10);
}

TEST(AnswerTest, IsRightOnlyWhereTheTargetAloneIsMostLikely) {
  const std::vector<One> logit = ones({1, 3, 2});
  EXPECT_EQ(is_right(logit.data(), 3, 1).v[0], 1);
  EXPECT_EQ(is_right(logit.data(), 3, 0).v[0], 0);
  EXPECT_EQ(is_right(logit.data(), 3, 2).v[0], 0);
  const std::vector<One> tie = ones({3, 3, 2});
  EXPECT_EQ(is_right(tie.data(), 3, 0).v[0], 0);
  EXPECT_EQ(is_right(tie.data(), 3, 1).v[0], 0);
}

}  // namespace
}  // namespace refran::referent
