// The libtorch implementation against the model's plain definition and the formulas of Adam.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <lanes/lanes.h>
#include <referent_model/plain_model.h>

#include "example_tasks.h"

namespace refran::referent {
namespace {

using Number = lanes::PlainLanes<double, 1>;

struct Score {
  double loss = 0;
  double accuracy = 0;
};

// Over the training sentences, by the plain model.
Score plain_score(const Example& example, const std::vector<double>& parameters) {
  std::vector<Number> numbers;
  for (const double parameter : parameters) numbers.push_back(Number::of(parameter));
  const PlainModel<Number> model(example.spec.shape, example.task.it, numbers.data());
  const std::size_t words = example.spec.shape.words;
  Score score;
  for (const Sentence& sentence : example.task.training) {
    const auto logit = model.forward(sentence, example.spec.attention).logit;
    score.loss += cross_entropy(logit.data(), words, sentence.target).v[0];
    score.accuracy += is_right(logit.data(), words, sentence.target).v[0];
  }
  const auto sentences = static_cast<double>(example.task.training.size());
  return {score.loss / sentences, score.accuracy / sentences};
}

std::vector<double> torch_gradient(const Example& example, const std::vector<double>& parameters) {
  std::vector<double> gradient(parameters.size());
  kTorchTraining.gradient(example.task, example.spec, parameters.data(), gradient.data());
  return gradient;
}

struct Trained {
  std::vector<double> loss;                     // [step]
  std::vector<double> accuracy;                 // [step]
  std::vector<std::vector<double>> parameters;  // [step]
};

Trained train(const Example& example, std::size_t steps) {
  Trained trained;
  kTorchTraining.train(example.task, example.spec, start_of(example, 1).data(), steps, 1,
                       [&](const TorchStep& now) {
                         EXPECT_EQ(now.step, trained.loss.size());
                         trained.loss.push_back(now.loss);
                         trained.accuracy.push_back(now.accuracy);
                         trained.parameters.push_back(now.parameters());
                         return true;
                       });
  return trained;
}

Example page() { return examples().front(); }

class TorchModelTest : public testing::TestWithParam<Example> {};

TEST_P(TorchModelTest, HasTheLossAndAccuracyOfThePlainModel) {
  const Example& example = GetParam();
  const Trained trained = train(example, 20);
  for (const std::size_t step : {0U, 20U}) {
    const Score plain = plain_score(example, trained.parameters[step]);
    EXPECT_NEAR(trained.loss[step], plain.loss, 1e-12) << step;
    EXPECT_DOUBLE_EQ(trained.accuracy[step], plain.accuracy) << step;
  }
}

TEST_P(TorchModelTest, HasTheSlopeOfThePlainLossAsGradient) {
  const Example& example = GetParam();
  const std::vector<double> start = start_of(example, 1);
  const std::vector<double> gradient = torch_gradient(example, start);
  const ParameterLayout layout(example.spec.shape);
  const double difference = 1e-5;
  for (const std::size_t begin : {layout.word_embedding, layout.position_embedding, layout.query,
                                  layout.key, layout.value, layout.output, layout.unembedding}) {
    for (const std::size_t entry : {begin, begin + 31}) {
      std::vector<double> above = start;
      std::vector<double> below = start;
      above[entry] += difference;
      below[entry] -= difference;
      const double slope =
          (plain_score(example, above).loss - plain_score(example, below).loss) / (2 * difference);
      EXPECT_NEAR(gradient[entry], slope, 1e-8) << entry;
    }
  }
}

// Adam as published, over the gradients of autograd; they are checked above.
TEST_P(TorchModelTest, UpdatesAsAdamWithDecoupledDecay) {
  const Example& example = GetParam();
  const AdamOptions& adam = example.spec.adam;
  const std::size_t steps = 5;
  const Trained trained = train(example, steps);
  std::vector<double> mean(trained.parameters[0].size());
  std::vector<double> square(mean.size());
  for (std::size_t step = 1; step <= steps; ++step) {
    const std::vector<double>& before = trained.parameters[step - 1];
    const std::vector<double> gradient = torch_gradient(example, before);
    const auto power = static_cast<double>(step);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] = adam.beta1 * mean[i] + (1 - adam.beta1) * gradient[i];
      square[i] = adam.beta2 * square[i] + (1 - adam.beta2) * gradient[i] * gradient[i];
      const double direction =
          mean[i] / (1 - std::pow(adam.beta1, power)) /
          (std::sqrt(square[i] / (1 - std::pow(adam.beta2, power))) + adam.epsilon);
      const double after =
          before[i] - adam.learning_rate * (direction + adam.weight_decay * before[i]);
      ASSERT_NEAR(trained.parameters[step][i], after, 1e-12) << step << ", " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, TorchModelTest, testing::ValuesIn(examples()),
                         [](const auto& example) { return example.param.name; });

TEST(TorchTrainingTest, BeginsAtTheRandomStartAndLearnsThePageTask) {
  const Example example = page();
  const Trained trained = train(example, 200);
  ASSERT_EQ(trained.loss.size(), 201U);
  EXPECT_EQ(trained.parameters[0], start_of(example, 1));
  EXPECT_LT(trained.accuracy[0], 0.5);
  EXPECT_EQ(trained.accuracy[200], 1.0);
  EXPECT_LT(trained.loss[200], 0.1);
}

TEST(TorchTrainingTest, GivesTheSameInFloat32ToItsPrecision) {
  Example example = page();
  const Trained exact = train(example, 5);
  example.spec.precision = Precision::float32;
  const Trained rounded = train(example, 5);
  for (std::size_t step = 0; step <= 5; ++step) {
    EXPECT_NE(rounded.loss[step], exact.loss[step]);
    EXPECT_NEAR(rounded.loss[step], exact.loss[step], 1e-5 * exact.loss[step]) << step;
    for (const double parameter : rounded.parameters[step])
      ASSERT_EQ(parameter, static_cast<double>(static_cast<float>(parameter)));
  }
}

TEST(TorchTrainingTest, StopsWhenTheObserverHasSeenEnough) {
  const Example example = page();
  std::size_t seen = 0;
  kTorchTraining.train(example.task, example.spec, start_of(example, 1).data(), 500, 1,
                       [&](const TorchStep&) { return ++seen < 3; });
  EXPECT_EQ(seen, 3U);
}

TEST(TorchTrainingTest, ShowsALossThatIsNoNumber) {
  Example example = page();
  example.spec.adam.learning_rate = 1e200;
  EXPECT_TRUE(std::isnan(train(example, 2).loss[2]));
}

TEST(TorchTrainingTest, LeavesQueriesAndKeysAloneWhereAttentionIsUniform) {
  Example example = page();
  example.spec.attention = AttentionKind::uniform;
  const ParameterLayout layout(example.spec.shape);
  const Trained trained = train(example, 3);
  const auto part = [&](std::size_t step, std::size_t begin, std::size_t end) {
    const auto first = trained.parameters[step].begin();
    return std::vector<double>(first + static_cast<std::ptrdiff_t>(begin),
                               first + static_cast<std::ptrdiff_t>(end));
  };
  EXPECT_EQ(part(3, layout.query, layout.value), part(0, layout.query, layout.value));
  EXPECT_NE(part(3, layout.value, layout.size), part(0, layout.value, layout.size));
}

}  // namespace
}  // namespace refran::referent
