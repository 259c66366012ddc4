// Adam on lanes against the algorithm as the papers write it.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <lanes/lanes.h>
#include <referent_model/kernel/adam.h>

#include <refran/random.h>

namespace refran::referent::kernel {
namespace {

using Pair = lanes::PlainLanes<double, 2>;

constexpr std::size_t kCount = 7;

// One parameter by Kingma and Ba's algorithm 1, with Loshchilov and Hutter's decay.
struct PaperAdam {
  AdamOptions options;
  double mean = 0;
  double square = 0;
  int step = 0;

  double next(double parameter, double gradient) {
    ++step;
    mean = options.beta1 * mean + (1 - options.beta1) * gradient;
    square = options.beta2 * square + (1 - options.beta2) * gradient * gradient;
    const double mean_hat = mean / (1 - std::pow(options.beta1, step));
    const double square_hat = square / (1 - std::pow(options.beta2, step));
    return parameter - options.learning_rate * options.weight_decay * parameter -
           options.learning_rate * mean_hat / (std::sqrt(square_hat) + options.epsilon);
  }
};

// Both lanes of every parameter, each with gradients of its own, for 20 steps.
void expect_the_papers_steps(const AdamOptions& options) {
  Stream stream(3, "adam");
  std::vector<Pair> parameters(kCount);
  for (Pair& pair : parameters) pair = {{stream.normal(), stream.normal()}};
  std::vector<Pair> mean(kCount, Pair::of(0));
  std::vector<Pair> square(kCount, Pair::of(0));
  std::vector<Pair> expected = parameters;
  std::vector<PaperAdam> paper(2 * kCount, PaperAdam{options});
  AdamClock clock;
  for (int step = 1; step <= 20; ++step) {
    std::vector<Pair> gradient(kCount);
    for (Pair& pair : gradient) pair = {{stream.normal(), 1e-3 * stream.normal()}};
    clock.tick(options);
    adam_step(options, clock, kCount, gradient.data(), mean.data(), square.data(),
              parameters.data());
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t lane = 0; lane < 2; ++lane) {
        double& value = expected[i].v[lane];
        value = paper[2 * i + lane].next(value, gradient[i].v[lane]);
        ASSERT_NEAR(parameters[i].v[lane], value, 1e-13 * (1 + std::fabs(value)))
            << "parameter " << i << ", lane " << lane << ", step " << step;
      }
    }
  }
}

TEST(AdamTest, TakesThePapersSteps) {
  expect_the_papers_steps({});
  expect_the_papers_steps(
      {.learning_rate = 0.2, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 0.01, .weight_decay = 0});
  expect_the_papers_steps(
      {.learning_rate = 0.1, .beta1 = 0, .beta2 = 0, .epsilon = 1e-8, .weight_decay = 0});
}

TEST(AdamTest, TakesThePapersStepsWithWeightDecay) {
  expect_the_papers_steps({.weight_decay = 0.1});
  expect_the_papers_steps({.learning_rate = 0.5, .weight_decay = 1.5});
}

// Without the corrections it would be (1 - beta1) / √(1 - beta2) times as long.
TEST(AdamTest, TheFirstStepIsAsLongAsTheLearningRateWhateverTheGradientsSize) {
  const AdamOptions options{.epsilon = 1e-30};
  std::vector<Pair> gradient = {{{1e-6, -1e6}}};
  std::vector<Pair> mean(1, Pair::of(0));
  std::vector<Pair> square(1, Pair::of(0));
  std::vector<Pair> parameters = {{{5, 5}}};
  AdamClock clock;
  clock.tick(options);
  adam_step(options, clock, 1, gradient.data(), mean.data(), square.data(), parameters.data());
  EXPECT_NEAR(parameters[0].v[0], 5 - 0.03, 1e-14);
  EXPECT_NEAR(parameters[0].v[1], 5 + 0.03, 1e-14);
}

TEST(AdamTest, WithoutAGradientAParameterOnlyDecays) {
  const AdamOptions options{.learning_rate = 0.5, .weight_decay = 0.25};
  const std::vector<Pair> gradient(1, Pair::of(0));
  std::vector<Pair> mean(1, Pair::of(0));
  std::vector<Pair> square(1, Pair::of(0));
  std::vector<Pair> parameters = {{{8, -16}}};
  AdamClock clock;
  for (int step = 0; step < 2; ++step) {
    clock.tick(options);
    adam_step(options, clock, 1, gradient.data(), mean.data(), square.data(), parameters.data());
  }
  EXPECT_EQ(parameters[0].v[0], 8 * 0.875 * 0.875);
  EXPECT_EQ(parameters[0].v[1], -16 * 0.875 * 0.875);
}

TEST(AdamTest, TheClockHoldsThePowersOfTheDecays) {
  const AdamOptions options{.beta1 = 0.5, .beta2 = 0.75};
  AdamClock clock;
  EXPECT_EQ(clock.beta1_power, 1);
  for (int step = 0; step < 3; ++step) clock.tick(options);
  EXPECT_EQ(clock.beta1_power, 0.125);
  EXPECT_EQ(clock.beta2_power, 0.421875);
}

}  // namespace
}  // namespace refran::referent::kernel
