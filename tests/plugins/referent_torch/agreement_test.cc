// The fast training against libtorch: gradients of autograd, loss curves, and the exchange of
// heads.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <lanes/lanes.h>
#include <referent_model/plain_model.h>
#include <referent_model/training.h>

#include "example_tasks.h"

namespace refran::referent {
namespace {

// Each lane holds another seed, so that one is not taken for another.
constexpr std::size_t kLane = 2;
constexpr std::uint64_t kSeed = 7;

std::unique_ptr<LaneTraining> start_lanes(const Example& example,
                                          const std::vector<double>& start) {
  auto lanes = make_training(example.task, example.spec);
  for (std::size_t lane = 0; lane < lanes->width(); ++lane)
    lanes->start(lane, (lane == kLane ? start : start_of(example, 100 + lane)).data());
  lanes->measure();
  return lanes;
}

std::vector<double> parameters_of(const LaneTraining& lanes, const ModelShape& shape) {
  std::vector<double> parameters(ParameterLayout(shape).size);
  lanes.parameters(kLane, parameters.data());
  return parameters;
}

void advance(LaneTraining& lanes, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step) {
    lanes.update();
    lanes.measure();
  }
}

struct Curves {
  std::vector<double> loss;      // [step]
  std::vector<double> accuracy;  // [step]
};

Curves lane_curves(const Example& example, std::size_t steps) {
  const auto lanes = start_lanes(example, start_of(example, kSeed));
  Curves curves;
  for (std::size_t step = 0; step <= steps; ++step) {
    if (step > 0) advance(*lanes, 1);
    curves.loss.push_back(lanes->loss(kLane));
    curves.accuracy.push_back(lanes->accuracy(kLane));
  }
  return curves;
}

Curves torch_curves(const Example& example, std::size_t steps) {
  Curves curves;
  kTorchTraining.train(example.task, example.spec, start_of(example, kSeed).data(), steps, 1,
                       [&](const TorchStep& now) {
                         curves.loss.push_back(now.loss);
                         curves.accuracy.push_back(now.accuracy);
                         return true;
                       });
  return curves;
}

double norm(const std::vector<double>& vector) {
  double sum = 0;
  for (const double value : vector) sum += value * value;
  return std::sqrt(sum);
}

double largest(const std::vector<double>& vector) {
  double most = 0;
  for (const double value : vector) most = std::max(most, std::abs(value));
  return most;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  std::ranges::transform(a, b, result.begin(), std::minus());
  return result;
}

class AgreementTest : public testing::TestWithParam<Example> {};

TEST_P(AgreementTest, GradientsOfFloat64AreThoseOfAutogradAlongARun) {
  const Example& example = GetParam();
  const auto lanes = start_lanes(example, start_of(example, kSeed));
  std::size_t now = 0;
  for (const std::size_t step : {0U, 1U, 10U, 50U, 200U}) {
    advance(*lanes, step - now);
    now = step;
    const std::vector<double> parameters = parameters_of(*lanes, example.spec.shape);
    std::vector<double> exact(parameters.size());
    const double loss =
        kTorchTraining.gradient(example.task, example.spec, parameters.data(), exact.data());
    EXPECT_NEAR(lanes->loss(kLane), loss, 1e-9 * loss) << step;
    std::vector<double> gradient(parameters.size());
    lanes->gradient(kLane, gradient.data());
    const std::vector<double> error = difference(gradient, exact);
    EXPECT_LT(norm(error), 1e-9 * norm(exact)) << step;
    EXPECT_LT(largest(error), 1e-9 * largest(exact)) << step;
  }
}

// Adam makes rounding grow: starts that differ by 1e-16 end up to 4e-7 apart, in libtorch alone.
TEST_P(AgreementTest, CurvesOfFloat64AreTheSameOver50Steps) {
  const Example& example = GetParam();
  const Curves lanes = lane_curves(example, 50);
  const Curves torch = torch_curves(example, 50);
  ASSERT_EQ(lanes.loss.size(), torch.loss.size());
  for (std::size_t step = 0; step < torch.loss.size(); ++step) {
    EXPECT_NEAR(lanes.loss[step], torch.loss[step], 1e-6) << step;
    EXPECT_DOUBLE_EQ(lanes.accuracy[step], torch.accuracy[step]) << step;
  }
}

TEST_P(AgreementTest, CurvesOfFloat32AreTheSameOver10Steps) {
  Example example = GetParam();
  example.spec.precision = Precision::float32;
  const Curves lanes = lane_curves(example, 10);
  const Curves torch = torch_curves(example, 10);
  ASSERT_EQ(lanes.loss.size(), torch.loss.size());
  for (std::size_t step = 0; step < torch.loss.size(); ++step)
    EXPECT_NEAR(lanes.loss[step], torch.loss[step], 1e-5 * torch.loss[step]) << step;
}

// The kernel shares exponentials between sentences, so that layer 1's scores far from each other
// are where float32's range could end.
TEST_P(AgreementTest, GradientsOfFloat32StayRightHoweverFarScoresAreApart) {
  Example example = GetParam();
  example.spec.precision = Precision::float32;
  const ParameterLayout layout(example.spec.shape);
  const std::size_t layer1_size = (layout.value - layout.key) / kLayers;
  for (const double factor : {4, 8, 12, 14, 16, 18, 20, 22, 24, 28, 32}) {
    std::vector<double> start = start_of(example, kSeed);
    for (std::size_t i = 0; i < layer1_size; ++i) {
      start[layout.query + i] *= factor;
      start[layout.key + i] *= factor;
    }
    const auto lanes = start_lanes(example, start);
    const std::vector<double> parameters = parameters_of(*lanes, example.spec.shape);
    std::vector<double> gradient(parameters.size());
    lanes->gradient(kLane, gradient.data());
    TrainingSpec float64 = example.spec;
    float64.precision = Precision::float64;
    std::vector<double> exact(parameters.size());
    const double loss =
        kTorchTraining.gradient(example.task, float64, parameters.data(), exact.data());
    EXPECT_NEAR(lanes->loss(kLane), loss, 1e-4 * loss) << factor;
    EXPECT_LT(norm(difference(gradient, exact)), 1e-3 * norm(exact)) << factor;
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, AgreementTest, testing::ValuesIn(examples()),
                         [](const auto& example) { return example.param.name; });

// The start with heads 0 and 1 of a layer in each other's place.
std::vector<double> with_heads_swapped(const ModelShape& shape, std::size_t layer,
                                       std::vector<double> parameters) {
  const ParameterLayout layout(shape);
  const auto swap = [&](std::size_t begin, std::size_t head_size) {
    const auto first =
        parameters.begin() + static_cast<std::ptrdiff_t>(begin + layer * shape.heads * head_size);
    const auto second = first + static_cast<std::ptrdiff_t>(head_size);
    std::swap_ranges(first, second, second);
  };
  swap(layout.query, shape.model_dim * shape.key_dim);
  swap(layout.key, shape.model_dim * shape.key_dim);
  swap(layout.value, shape.model_dim * shape.value_dim);
  swap(layout.output, shape.value_dim * shape.model_dim);
  return parameters;
}

struct Outcome {
  std::vector<double> loss;                       // [step]
  std::vector<std::vector<double>> it_attention;  // [layer · heads + head], all sentences in a row
};

// What is left of a whole training in float64.
Outcome outcome_of(const Example& example, const std::vector<double>& start) {
  using Number = lanes::PlainLanes<double, 1>;
  const ModelShape& shape = example.spec.shape;
  const auto lanes = start_lanes(example, start);
  Outcome outcome;
  for (std::size_t step = 0; step < 500; ++step) {
    outcome.loss.push_back(lanes->loss(kLane));
    advance(*lanes, 1);
  }
  outcome.loss.push_back(lanes->loss(kLane));
  std::vector<Number> numbers;
  for (const double parameter : parameters_of(*lanes, shape))
    numbers.push_back(Number::of(parameter));
  const PlainModel<Number> model(shape, example.task.it, numbers.data());
  outcome.it_attention.resize(shape.all_heads());
  for (const Sentence& sentence : example.task.training) {
    const auto activations = model.forward(sentence, AttentionKind::learned);
    for (std::size_t head = 0; head < shape.heads; ++head) {
      for (std::size_t p = 0; p < shape.positions; ++p) {
        const std::size_t row = head * shape.positions + example.task.it;
        outcome.it_attention[head].push_back(
            activations.attention1[row * shape.positions + p].v[0]);
        outcome.it_attention[shape.heads + head].push_back(
            activations.attention2[head * shape.positions + p].v[0]);
      }
    }
  }
  return outcome;
}

class SwappedHeadsTest : public testing::TestWithParam<std::size_t> {};

TEST_P(SwappedHeadsTest, SwapWhatTheyBecome) {
  const std::size_t layer = GetParam();
  const Example example = examples().front();
  const ModelShape& shape = example.spec.shape;
  const std::vector<double> start = start_of(example, kSeed);
  const Outcome as_is = outcome_of(example, start);
  const Outcome swapped = outcome_of(example, with_heads_swapped(shape, layer, start));
  EXPECT_LT(largest(difference(swapped.loss, as_is.loss)), 1e-9);

  std::vector<std::vector<double>> expected = as_is.it_attention;
  std::swap(expected[layer * shape.heads], expected[layer * shape.heads + 1]);
  for (std::size_t head = 0; head < shape.all_heads(); ++head) {
    EXPECT_LT(largest(difference(swapped.it_attention[head], expected[head])), 1e-9) << head;
  }
  // They have become different things, or the exchange would not show.
  EXPECT_GT(largest(difference(expected[layer * shape.heads], expected[layer * shape.heads + 1])),
            0.1);
}

INSTANTIATE_TEST_SUITE_P(Layers, SwappedHeadsTest, testing::Values(0, 1),
                         [](const auto& layer) { return "L" + std::to_string(layer.param + 1); });

}  // namespace
}  // namespace refran::referent
