// The search for high logits: against the standard library's.
#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <marian/kernel/kernels.h>

#include <refran/random.h>

namespace refran::marian {
namespace {

class NextAboveTest : public testing::TestWithParam<const kernel::Kernels*> {
 protected:
  static void expect_found(const std::vector<float>& values, float least) {
    for (std::size_t begin = 0; begin <= values.size(); ++begin) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto found = std::find_if(from, values.end(), [&](float v) { return v > least; });
      EXPECT_EQ(GetParam()->next_above(values.data(), begin, values.size(), least),
                static_cast<std::size_t>(found - values.begin()));
    }
  }
};

TEST_P(NextAboveTest, FindsWhatALoopFinds) {
  Stream stream{3, "next_above"};
  for (const unsigned count : {0U, 1U, 7U, 8U, 9U, 16U, 61U}) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(stream.normal());
    for (const float least : {-9.0F, 0.5F, 1.5F, 9.0F}) expect_found(values, least);
  }
}

TEST_P(NextAboveTest, PassesOverEqualOnesAndThoseThatAreNoNumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values = {kNan, 2, -kInfinity, 1,         kNan, 2, 0,          2,
                                     2,    2, 2,          kInfinity, 2,    2, -kInfinity, 3};
  for (const float least : {2.0F, -kInfinity, kInfinity, kNan}) expect_found(values, least);
}

INSTANTIATE_TEST_SUITE_P(Kernels, NextAboveTest,
                         testing::Values(&kernel::kPlainKernels, &kernel::best_kernels()),
                         [](const auto& given) { return given.index == 0 ? "plain" : "best"; });

}  // namespace
}  // namespace refran::marian
