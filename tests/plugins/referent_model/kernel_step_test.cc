// The way forward through the groups and back, against the plain model: logits sentence by
// sentence, and gradients by central differences of the plain loss.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <referent_model/kernel/step.h>

#include <refran/random.h>
#include "kernel_workbench.h"

namespace refran::referent::kernel {
namespace {

class ForwardTest : public testing::TestWithParam<KernelExample> {};

TEST_P(ForwardTest, LogitsLossesAndAnswersAreThePlainModels) {
  const KernelExample& example = GetParam();
  const std::vector<double> parameters = start_of(example, 5);
  const std::vector<Number> numbers = all_lanes<Number>(parameters);
  const PlainModel<Number> model(example.spec.shape, example.task.it, numbers.data());
  const std::size_t words = example.spec.shape.words;
  const auto of = static_cast<double>(example.task.training.size());
  Workbench bench(example, parameters);
  bench.form();
  for (const Group& group : bench.task().groups) {
    const auto context = bench.at(group);
    forward(context);
    Number loss = Number::of(0);
    Number right = Number::of(0);
    answer(context, example.task.training.size(), loss, right);
    double plain_loss = 0;
    double plain_right = 0;
    const std::vector<Sentence> sentences = sentences_of(example, bench.task(), group);
    ASSERT_EQ(sentences.size(), group.target.size());
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      const auto whole = model.forward(sentences[s], example.spec.attention);
      const std::size_t at = s * bench.n().ask() + bench.n().keys();
      const double plain = cross_entropy(whole.logit.data(), words, sentences[s].target).v[0];
      double sum = 0;
      for (std::size_t w = 0; w < words; ++w) sum += std::exp(whole.logit[w].v[0]);
      for (std::size_t w = 0; w < words; ++w) {
        const double logit = whole.logit[w].v[0];
        EXPECT_NEAR(bench.space().ask[at + w].v[0], logit, 1e-12 * (1 + std::fabs(logit)));
        const double gradient = (std::exp(logit) / sum - (w == sentences[s].target ? 1 : 0)) / of;
        EXPECT_NEAR(bench.space().ask_gradient[at + w].v[0], gradient, 1e-12);
      }
      plain_loss += plain;
      plain_right += is_right(whole.logit.data(), words, sentences[s].target).v[0];
    }
    EXPECT_NEAR(loss.v[0], plain_loss, 1e-12 * (1 + plain_loss));
    EXPECT_EQ(right.v[0], plain_right);
  }
}

TEST_P(ForwardTest, AStepsLossAndAccuracyAreThePlainModels) {
  const KernelExample& example = GetParam();
  const std::vector<double> parameters = start_of(example, 6);
  const KernelTask task(example.task);
  Step<Number, AnyDims> step(example.spec.shape, task, example.spec.attention);
  const std::vector<Number> numbers = all_lanes<Number>(parameters);
  std::vector<Number> gradient(numbers.size());
  const StepResult<Number> result = step.run(numbers.data(), gradient.data());
  const PlainAnswers plain = plain_answers(example, parameters);
  EXPECT_NEAR(result.loss.v[0], plain.loss, 1e-12 * (1 + plain.loss));
  EXPECT_DOUBLE_EQ(result.right.v[0], plain.accuracy);
}

INSTANTIATE_TEST_SUITE_P(Examples, ForwardTest, testing::ValuesIn(kernel_examples_and_page()),
                         example_name);

// Parameters [begin, end) that make up one of the model's arrays.
struct Part {
  std::string name;
  std::size_t begin;
  std::size_t end;
};

std::vector<Part> parts_of(const ModelShape& shape) {
  const ParameterLayout layout(shape);
  return {{"word_embedding", layout.word_embedding, layout.position_embedding},
          {"position_embedding", layout.position_embedding, layout.query},
          {"query of layer 1", layout.query, (layout.query + layout.key) / 2},
          {"query of layer 2", (layout.query + layout.key) / 2, layout.key},
          {"key of layer 1", layout.key, (layout.key + layout.value) / 2},
          {"key of layer 2", (layout.key + layout.value) / 2, layout.value},
          {"value of layer 1", layout.value, (layout.value + layout.output) / 2},
          {"value of layer 2", (layout.value + layout.output) / 2, layout.output},
          {"output of layer 1", layout.output, (layout.output + layout.unembedding) / 2},
          {"output of layer 2", (layout.output + layout.unembedding) / 2, layout.unembedding},
          {"unembedding", layout.unembedding, layout.size}};
}

class BackwardTest : public testing::TestWithParam<KernelExample> {
 protected:
  BackwardTest()
      : parameters_(start_of(GetParam(), 5)),
        task_(GetParam().task),
        step_(GetParam().spec.shape, task_, GetParam().spec.attention) {}

  std::vector<double> gradient() {
    const std::vector<Number> numbers = all_lanes<Number>(parameters_);
    std::vector<Number> gradient(numbers.size(), Number::of(1e30));
    step_.run(numbers.data(), gradient.data());
    return first_lane(gradient);
  }

  // How fast the plain loss grows along `direction`.
  double slope(const std::vector<double>& direction) const {
    constexpr double kDistance = 1e-5;
    const auto loss_at = [&](double distance) {
      std::vector<double> moved = parameters_;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += distance * direction[i];
      return plain_answers(GetParam(), moved).loss;
    };
    return (loss_at(kDistance) - loss_at(-kDistance)) / (2 * kDistance);
  }

  std::vector<double> parameters_;
  KernelTask task_;
  Step<Number, AnyDims> step_;
};

// Random directions see every parameter of a part at once, single ones tell which is wrong.
TEST_P(BackwardTest, GradientsAreSlopesOfThePlainLoss) {
  constexpr int kDirections = 2;
  constexpr std::size_t kSingle = 5;
  const std::vector<double> gradient = this->gradient();
  Stream stream(9, "directions");
  for (const Part& part : parts_of(GetParam().spec.shape)) {
    if (part.begin == part.end) continue;  // no positions
    for (int i = 0; i < kDirections; ++i) {
      std::vector<double> direction(parameters_.size());
      double expected = 0;
      for (std::size_t p = part.begin; p < part.end; ++p) {
        direction[p] = stream.normal();
        expected += direction[p] * gradient[p];
      }
      EXPECT_NEAR(slope(direction), expected, 1e-7) << part.name;
    }
    for (std::size_t i = 0; i < kSingle; ++i) {
      const std::size_t p = part.begin + stream.below(part.end - part.begin);
      std::vector<double> direction(parameters_.size());
      direction[p] = 1;
      EXPECT_NEAR(slope(direction), gradient[p], 1e-7) << part.name << " " << p - part.begin;
    }
  }
}

TEST_P(BackwardTest, EveryPartHasAGradientButTheQueriesAndKeysOfUniformAttention) {
  const std::vector<double> gradient = this->gradient();
  for (const Part& part : parts_of(GetParam().spec.shape)) {
    if (part.begin == part.end) continue;
    double largest = 0;
    for (std::size_t p = part.begin; p < part.end; ++p)
      largest = std::max(largest, std::fabs(gradient[p]));
    const bool looks = part.name.starts_with("query") || part.name.starts_with("key");
    if (looks && GetParam().spec.attention == AttentionKind::uniform) {
      EXPECT_EQ(largest, 0) << part.name;
    } else {
      EXPECT_GT(largest, 1e-6) << part.name;
    }
  }
}

// What an earlier step left behind in the arrays does not show.
TEST_P(BackwardTest, AStepsGradientDoesNotDependOnTheStepsBefore) {
  const std::vector<double> first = gradient();
  const std::vector<double> parameters = parameters_;
  parameters_ = start_of(GetParam(), 77);
  EXPECT_NE(gradient(), first);
  parameters_ = parameters;
  EXPECT_EQ(gradient(), first);
}

INSTANTIATE_TEST_SUITE_P(Examples, BackwardTest, testing::ValuesIn(kernel_examples()),
                         example_name);

}  // namespace
}  // namespace refran::referent::kernel
