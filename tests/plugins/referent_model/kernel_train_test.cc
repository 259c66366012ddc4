// Training on lanes: no lane sees another, the way out of float32's range, and extents that are
// compiled in.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <referent_model/kernel/step.h>
#include <referent_model/lane_programs.h>

#include "kernel_examples.h"

namespace refran::referent {
namespace {

using Start = std::vector<double>;

// All that a lane shows, at every step.
struct LaneCourse {
  Start numbers;

  friend bool operator==(const LaneCourse& a, const LaneCourse& b) {
    return a.numbers.size() == b.numbers.size() &&
           std::memcmp(a.numbers.data(), b.numbers.data(), a.numbers.size() * sizeof(double)) == 0;
  }
};

void append(const LaneTraining& training, std::size_t lane, const ModelShape& shape,
            LaneCourse& course) {
  Start& numbers = course.numbers;
  numbers.push_back(training.loss(lane));
  numbers.push_back(training.accuracy(lane));
  Start values(ParameterLayout(shape).size);
  training.parameters(lane, values.data());
  numbers.insert(numbers.end(), values.begin(), values.end());
  training.gradient(lane, values.data());
  numbers.insert(numbers.end(), values.begin(), values.end());
}

// `starts` [lane]; returns [lane].
std::vector<LaneCourse> courses(const KernelExample& example, Processor processor,
                                const std::vector<Start>& starts, std::size_t steps) {
  const auto training = make_training(example.task, example.spec, processor);
  EXPECT_EQ(training->width(), starts.size());
  for (std::size_t lane = 0; lane < starts.size(); ++lane)
    training->start(lane, starts[lane].data());
  std::vector<LaneCourse> result(starts.size());
  for (std::size_t step = 0; step <= steps; ++step) {
    if (step > 0) training->update();
    training->measure();
    for (std::size_t lane = 0; lane < starts.size(); ++lane)
      append(*training, lane, example.spec.shape, result[lane]);
  }
  return result;
}

std::size_t width_of(Precision precision) { return precision == Precision::float32 ? 8 : 4; }

std::vector<Start> starts_of(const KernelExample& example) {
  std::vector<Start> starts;
  for (std::size_t lane = 0; lane < width_of(example.spec.precision); ++lane)
    starts.push_back(random_start(example.spec.shape, lane, 0.5));
  return starts;
}

class LaneIndependenceTest : public testing::TestWithParam<std::tuple<Processor, Precision>> {
 protected:
  LaneIndependenceTest() { example_.spec.precision = std::get<1>(GetParam()); }

  void SetUp() override {
    if (processor() == Processor::avx2 && !has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  }

  static Processor processor() { return std::get<0>(GetParam()); }

  // Every lane but `changed` shows what it would if all were as in `starts`.
  void expect_the_others_unmoved(const std::vector<Start>& starts,
                                 const std::vector<Start>& with_change, std::size_t changed) {
    const auto before = courses(example_, processor(), starts, 4);
    const auto after = courses(example_, processor(), with_change, 4);
    for (std::size_t lane = 0; lane < starts.size(); ++lane) {
      if (lane == changed) {
        EXPECT_FALSE(before[lane] == after[lane]);
      } else {
        EXPECT_TRUE(before[lane] == after[lane]) << "lane " << lane;
      }
    }
  }

  KernelExample example_ = kernel_example("Default", small_task());
};

TEST_P(LaneIndependenceTest, ALaneShowsTheSameBesideOtherSeeds) {
  const std::vector<Start> starts = starts_of(example_);
  for (std::size_t changed = 0; changed < starts.size(); ++changed) {
    std::vector<Start> others = starts;
    others[changed] = random_start(example_.spec.shape, 99, 0.5);
    expect_the_others_unmoved(starts, others, changed);
  }
}

TEST_P(LaneIndependenceTest, ALaneShowsTheSameInAnotherPlace) {
  const std::vector<Start> starts = starts_of(example_);
  const std::vector<Start> reversed(starts.rbegin(), starts.rend());
  const auto before = courses(example_, processor(), starts, 4);
  const auto after = courses(example_, processor(), reversed, 4);
  for (std::size_t lane = 0; lane < starts.size(); ++lane)
    EXPECT_TRUE(before[lane] == after[starts.size() - 1 - lane]) << "lane " << lane;
}

TEST_P(LaneIndependenceTest, ALaneShowsTheSameBesideOneThatIsNoNumber) {
  const std::vector<Start> starts = starts_of(example_);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e30}) {
    std::vector<Start> others = starts;
    others[1].assign(starts[1].size(), bad);
    expect_the_others_unmoved(starts, others, 1);
  }
}

TEST_P(LaneIndependenceTest, AStartForgetsTheTrainingBefore) {
  const std::vector<Start> starts = starts_of(example_);
  const auto expected = courses(example_, processor(), starts, 0);
  const auto training = make_training(example_.task, example_.spec, processor());
  for (int round = 0; round < 2; ++round) {
    for (std::size_t lane = 0; lane < starts.size(); ++lane)
      training->start(lane, starts[lane].data());
    training->measure();
    LaneCourse course;
    append(*training, 2, example_.spec.shape, course);
    EXPECT_TRUE(course == expected[2]) << round;
    training->update();
    append(*training, 2, example_.spec.shape, course);
    EXPECT_FALSE(course == expected[2]) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, LaneIndependenceTest,
    testing::Combine(testing::Values(Processor::avx2, Processor::plain),
                     testing::Values(Precision::float32, Precision::float64)),
    [](const auto& test) {
      return std::string(std::get<0>(test.param) == Processor::avx2 ? "Avx2" : "Plain") +
             (std::get<1>(test.param) == Precision::float32 ? "Float" : "Double");
    });

// Scores of layer 1 far from each other: its queries and keys times a factor.
class WideTest : public testing::Test {
 protected:
  struct Exact {
    double spread = 0;
    std::vector<double> gradient;
  };

  // In double, of a start rounded to float.
  Exact exact(const Start& start) const {
    const kernel::KernelTask task(example_.task);
    kernel::Step<Number, kernel::AnyDims> step(example_.spec.shape, task, example_.spec.attention);
    const std::vector<Number> numbers = all_lanes<Number>(start);
    std::vector<Number> gradient(numbers.size());
    const double spread = step.run(numbers.data(), gradient.data()).spread.v[0];
    return {spread, first_lane(gradient)};
  }

  Start scaled(double factor) const {
    const ParameterLayout layout(example_.spec.shape);
    const std::size_t layer1_size = (layout.value - layout.key) / kLayers;
    Start start = random_start(example_.spec.shape, 7, 0.5);
    for (std::size_t i = 0; i < layer1_size; ++i) {
      start[layout.query + i] *= factor;
      start[layout.key + i] *= factor;
    }
    for (double& weight : start) weight = static_cast<double>(static_cast<float>(weight));
    return start;
  }
  // The best scores of layer 1 lie so many nat above those that are always there.
  Start with_spread(double spread) const {
    const Start start = scaled(std::sqrt(spread / exact(scaled(1)).spread));
    EXPECT_NEAR(exact(start).spread, spread, 1e-3 * spread);
    return start;
  }

  // The example's training with this start in lane 5, among ordinary ones.
  std::unique_ptr<LaneTraining> measured(Precision precision, const Start& start) {
    example_.spec.precision = precision;
    auto training = make_training(example_.task, example_.spec);
    const std::vector<Start> starts = starts_of(example_);
    for (std::size_t lane = 0; lane < starts.size(); ++lane)
      training->start(lane, (lane == lane_of(precision) ? start : starts[lane]).data());
    training->measure();
    return training;
  }
  static std::size_t lane_of(Precision precision) {
    return precision == Precision::float32 ? 5 : 2;
  }

  KernelExample example_ = page_example();
};

TEST_F(WideTest, UpToTheLimitFloatsDo) {
  for (const double spread : {30.0, 60.0, 90.0, 119.0}) {
    const Start start = with_spread(spread);
    const double expected = plain_answers(example_, start).loss;
    EXPECT_NEAR(measured(Precision::float32, start)->loss(5), expected, 1e-4 * expected) << spread;
  }
}

TEST_F(WideTest, BeyondItLossAndGradientAreThoseOfDouble) {
  for (const double spread : {121.0, 250.0, 500.0, 1000.0}) {
    const Start start = with_spread(spread);
    const auto training = measured(Precision::float32, start);
    const PlainAnswers expected = plain_answers(example_, start);
    EXPECT_NEAR(training->loss(5), expected.loss, 1e-5 * expected.loss) << spread;
    EXPECT_NEAR(training->accuracy(5), expected.accuracy, 1e-6) << spread;
    std::vector<double> gradient(start.size());
    training->gradient(5, gradient.data());
    const std::vector<double> exact_gradient = exact(start).gradient;
    for (std::size_t i = 0; i < gradient.size(); ++i)
      ASSERT_EQ(gradient[i], static_cast<double>(static_cast<float>(exact_gradient[i]))) << i;
  }
}

TEST_F(WideTest, TheOtherLanesAreUnmoved) {
  example_.spec.precision = Precision::float32;
  const std::vector<Start> starts = starts_of(example_);
  std::vector<Start> with_wide = starts;
  with_wide[5] = with_spread(200);
  const auto before = courses(example_, Processor::best, starts, 3);
  const auto after = courses(example_, Processor::best, with_wide, 3);
  for (std::size_t lane = 0; lane < starts.size(); ++lane)
    EXPECT_EQ(before[lane] == after[lane], lane != 5) << "lane " << lane;
}

TEST_F(WideTest, Avx2GivesTheBytesOfPlainLanes) {
  if (!has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  example_.spec.precision = Precision::float32;
  std::vector<Start> starts = starts_of(example_);
  starts[2] = with_spread(200);
  starts[5] = with_spread(1000);
  EXPECT_TRUE(courses(example_, Processor::avx2, starts, 3) ==
              courses(example_, Processor::plain, starts, 3));
}

// Lanes in both halves, each of which is a set of lanes of doubles.
TEST_F(WideTest, EveryLaneThatIsWideIsMeasuredAgain) {
  example_.spec.precision = Precision::float32;
  std::vector<Start> starts = starts_of(example_);
  starts[0] = starts[3] = starts[6] = with_spread(300);
  const auto training = make_training(example_.task, example_.spec);
  for (std::size_t lane = 0; lane < starts.size(); ++lane)
    training->start(lane, starts[lane].data());
  training->measure();
  const double expected = plain_answers(example_, starts[0]).loss;
  for (const std::size_t lane : {0U, 3U, 6U})
    EXPECT_NEAR(training->loss(lane), expected, 1e-5 * expected) << lane;
}

TEST_F(WideTest, WhereDoubleDoesNotDoEitherTheLossIsNoNumber) {
  const Start start = with_spread(1300);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const auto training = measured(precision, start);
    EXPECT_TRUE(std::isnan(training->loss(lane_of(precision))));
    EXPECT_TRUE(std::isfinite(training->loss(0)));
  }
}

TEST_F(WideTest, DoublesDoUpToTheirOwnLimit) {
  for (const double spread : {130.0, 600.0, 1190.0}) {
    const Start start = with_spread(spread);
    const double expected = plain_answers(example_, start).loss;
    EXPECT_NEAR(measured(Precision::float64, start)->loss(2), expected, 1e-9 * expected) << spread;
  }
}

// One lane of float: the bytes are those of any other lane.
using Float = lanes::PlainLanes<float, 1>;

// The step's loss and gradient.
template <class Dims>
std::vector<float> step_of(const KernelExample& example, const Start& start) {
  const kernel::KernelTask task(example.task);
  EXPECT_TRUE(Dims::fits(example.spec.shape, task));
  kernel::Step<Float, Dims> step(example.spec.shape, task, example.spec.attention);
  const std::vector<Float> numbers = all_lanes<Float>(start);
  std::vector<Float> gradient(numbers.size());
  const auto result = step.run(numbers.data(), gradient.data());
  std::vector<float> all = {result.loss.v[0], result.right.v[0], result.spread.v[0]};
  for (const Float& value : gradient) all.push_back(value.v[0]);
  return all;
}

template <class Dims>
void expect_general_bytes(const KernelExample& example) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Start start = random_start(example.spec.shape, seed, 1);
    const std::vector<float> known = step_of<Dims>(example, start);
    const std::vector<float> general = step_of<kernel::AnyDims>(example, start);
    EXPECT_EQ(std::memcmp(known.data(), general.data(), known.size() * sizeof(float)), 0)
        << example.name;
    for (const float number : known) ASSERT_TRUE(std::isfinite(number));
  }
}

TEST(KnownExtentsTest, GiveThePageTheBytesOfTheGeneralCase) {
  KernelExample example = page_example();
  expect_general_bytes<kernel::PageDims>(example);
  example.spec.attention = AttentionKind::uniform;
  expect_general_bytes<kernel::PageDims>(example);
}

TEST(KnownExtentsTest, GiveAPageWithHeldOutSentencesTheBytesOfTheGeneralCase) {
  Task task = page_task();
  std::erase_if(task.training, [](const Sentence& sentence) {
    return (sentence.filler[0] + sentence.filler[1] + sentence.filler[2]) % 3 == 2;
  });
  expect_general_bytes<kernel::PageDims>(kernel_example("HeldOut", task));
}

TEST(KnownExtentsTest, GiveOnePoolTheBytesOfTheGeneralCase) {
  const std::vector<std::string> pool = {"dog", "cat", "fox", "horse"};
  const Task task = make_task(
      {.sentence_template = "the {chaser} didn't catch the {chased} because it was {adjective}",
       .nouns = {{{"chaser", pool}, {"chased", pool}}},
       .adjectives = {{{"slow", "tired", "lame", "clumsy"}, {"fast", "quick", "nimble", "agile"}}},
       .held_out = {}});
  expect_general_bytes<kernel::OnePoolDims>(kernel_example("OnePool", task));
}

TEST(KnownExtentsTest, FitNoOtherModelOrTask) {
  const KernelExample page = page_example();
  const kernel::KernelTask task(page.task);
  EXPECT_TRUE(kernel::PageDims::fits(page.spec.shape, task));
  EXPECT_FALSE(kernel::OnePoolDims::fits(page.spec.shape, task));
  EXPECT_TRUE(kernel::AnyDims::fits(page.spec.shape, task));
  for (const auto extent : {&ModelShape::heads, &ModelShape::model_dim, &ModelShape::key_dim,
                            &ModelShape::value_dim, &ModelShape::words}) {
    ModelShape shape = page.spec.shape;
    ++(shape.*extent);
    EXPECT_FALSE(kernel::PageDims::fits(shape, task));
  }
  EXPECT_FALSE(kernel::PageDims::fits(page.spec.shape, kernel::KernelTask(small_task())));
}

}  // namespace
}  // namespace refran::referent
