// The AVX2 kernel against its plain twin: the same bytes, step by step.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <referent_model/lane_programs.h>

#include "kernel_examples.h"

namespace refran::referent {
namespace {

// The page's model and its compiled-in extents too.
std::vector<KernelExample> examples() {
  std::vector<KernelExample> examples = kernel_examples();
  examples.push_back(page_example());
  const std::vector<std::string> pool = {"dog", "cat", "fox", "horse"};
  examples.push_back(kernel_example(
      "OnePoolOfFour",
      make_task(
          {.sentence_template = "the {chaser} didn't catch the {chased} because it was {adjective}",
           .nouns = {{{"chaser", pool}, {"chased", pool}}},
           .adjectives = {{{"slow", "tired", "lame", "clumsy"},
                           {"fast", "quick", "nimble", "agile"}}},
           .held_out = {}})));
  KernelExample decay = kernel_example("WeightDecay", small_task());
  decay.spec.adam.weight_decay = 0.1;
  examples.push_back(decay);
  return examples;
}

class KernelBytesTest : public testing::TestWithParam<KernelExample> {
 protected:
  void SetUp() override {
    if (!has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  }
};

std::unique_ptr<LaneTraining> started(const KernelExample& example, Processor processor) {
  auto training = make_training(example.task, example.spec, processor);
  for (std::size_t lane = 0; lane < training->width(); ++lane)
    training->start(lane, random_start(example.spec.shape, lane, 0.5).data());
  return training;
}

// Everything a training shows, of all lanes.
std::vector<double> shown_by(const LaneTraining& training, const ModelShape& shape) {
  std::vector<double> shown;
  std::vector<double> values(ParameterLayout(shape).size);
  for (std::size_t lane = 0; lane < training.width(); ++lane) {
    shown.push_back(training.loss(lane));
    shown.push_back(training.accuracy(lane));
    training.parameters(lane, values.data());
    shown.insert(shown.end(), values.begin(), values.end());
    training.gradient(lane, values.data());
    shown.insert(shown.end(), values.begin(), values.end());
  }
  return shown;
}

void expect_same_bytes(const KernelExample& example, std::size_t steps) {
  const auto avx2 = started(example, Processor::avx2);
  const auto plain = started(example, Processor::plain);
  for (std::size_t step = 0; step <= steps; ++step) {
    for (const auto& training : {avx2.get(), plain.get()}) {
      if (step > 0) training->update();
      training->measure();
    }
    const std::vector<double> expected = shown_by(*plain, example.spec.shape);
    const std::vector<double> actual = shown_by(*avx2, example.spec.shape);
    ASSERT_EQ(std::memcmp(actual.data(), expected.data(), expected.size() * sizeof(double)), 0)
        << "step " << step;
  }
}

TEST_P(KernelBytesTest, PlainLanesOfFloatsTrainToTheBytesOfAvx2) {
  KernelExample example = GetParam();
  example.spec.precision = Precision::float32;
  expect_same_bytes(example, 15);
}

TEST_P(KernelBytesTest, PlainLanesOfDoublesTrainToTheBytesOfAvx2) {
  expect_same_bytes(GetParam(), 5);
}

INSTANTIATE_TEST_SUITE_P(Examples, KernelBytesTest, testing::ValuesIn(examples()), example_name);

}  // namespace
}  // namespace refran::referent
