// The product of rows and weights, against sums written out in the order that kernel/matmul.h
// promises: its bytes are the same for any number of rows, part of the outs, place of the weights
// and kind of lanes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <marian/aligned.h>
#include <marian/kernel/kernels.h>

namespace refran::marian {
namespace {

constexpr std::size_t kChunk = 256;

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// Chunk after chunk from its first term on, then the bias.
float sum_in_order(const float* x, const float* weight, std::size_t in, float bias) {
  float total = 0;
  for (std::size_t begin = 0; begin < in; begin += kChunk) {
    float sum = 0;
    for (std::size_t i = begin; i < in && i < begin + kChunk; ++i)
      sum = std::fma(x[i], weight[i], sum);
    total += sum;
  }
  return total + bias;
}

struct Shape {
  std::size_t rows;
  std::size_t in;
  std::size_t outs;
  std::size_t offset;  // the floats that the weights lie behind the beginning of a cache line
};

class MatmulTest : public testing::TestWithParam<Shape> {
 protected:
  MatmulTest() {
    const auto [rows, in, outs, offset] = GetParam();
    std::ranges::copy(numbers_, weight_.begin() + static_cast<std::ptrdiff_t>(offset));
  }

  // Rows as a product of them reads them.
  static Rows packed(const kernel::Kernels& kernels, const float* x, std::size_t in) {
    const std::size_t rows = GetParam().rows;
    Rows packed(kernel::packed_size(rows, in));
    for (std::size_t eight = 0; 8 * eight < rows; ++eight)
      kernels.pack({.x = x, .rows = rows, .in = in, .packed = packed.data()}, eight);
    return packed;
  }
  // Calls matmul(product, begin, end) for two parts of the outs.
  void multiply(const kernel::Kernels& kernels, Rows& y, std::size_t stride, const auto& matmul) {
    const auto [rows, in, outs, offset] = GetParam();
    const Rows packed_x = packed(kernels, x_.data(), in);
    const kernel::Matmul product{.x = rows > kernel::kFewRows ? packed_x.data() : x_.data(),
                                 .rows = rows,
                                 .in = in,
                                 .weight = weight_.data() + offset,
                                 .bias = bias_.data(),
                                 .y = y.data(),
                                 .y_stride = stride,
                                 .next = numbers_.data()};
    matmul(product, std::size_t{0}, outs / 2);
    matmul(product, outs / 2, outs);
  }

  void expect_sums_in_order(const kernel::Kernels& kernels) {
    const auto [rows, in, outs, offset] = GetParam();
    constexpr float kUntouched = 7;
    const std::size_t stride = outs + 3;
    Rows y(rows * stride, kUntouched);
    multiply(kernels, y, stride, kernels.matmul);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t out = 0; out < outs; ++out) {
        const float expected =
            sum_in_order(x_.data() + row * in, numbers_.data() + out * in, in, bias_[out]);
        ASSERT_EQ(y[row * stride + out], expected) << "row " << row << ", out " << out;
      }
      for (std::size_t out = outs; out < stride; ++out)
        ASSERT_EQ(y[row * stride + out], kUntouched) << "row " << row << ", out " << out;
    }
  }
  void expect_activated_as_packed(const kernel::Kernels& kernels) {
    const std::size_t outs = GetParam().outs;
    Rows y(GetParam().rows * outs);
    multiply(kernels, y, outs, kernels.matmul);
    kernels.activate(Activation::swish, y.data(), y.size());
    Rows activated(kernel::packed_size(GetParam().rows, outs));
    multiply(kernels, activated, outs, [&](const kernel::Matmul& product, auto... part) {
      kernels.matmul_activated(product, Activation::swish, part...);
    });
    EXPECT_EQ(activated, packed(kernels, y.data(), outs));
  }

 private:
  std::vector<float> x_ = random_floats(GetParam().rows * GetParam().in, 1);
  std::vector<float> numbers_ = random_floats(GetParam().outs * GetParam().in, 2);
  std::vector<float> bias_ = random_floats(GetParam().outs, 3);
  Rows weight_ = Rows(GetParam().offset + GetParam().outs * GetParam().in);
};

TEST_P(MatmulTest, SumsInTheOrderPromised) { expect_sums_in_order(kernel::best_kernels()); }

TEST_P(MatmulTest, PlainLanesSumInTheOrderPromised) { expect_sums_in_order(kernel::kPlainKernels); }

class PackedMatmulTest : public MatmulTest {};

TEST_P(PackedMatmulTest, ActivatesAndPacksAsTheStepsDoOneByOne) {
  expect_activated_as_packed(kernel::best_kernels());
  expect_activated_as_packed(kernel::kPlainKernels);
}

std::string name_of_shape(const testing::TestParamInfo<Shape>& given) {
  const Shape& shape = given.param;
  return std::to_string(shape.rows) + "x" + std::to_string(shape.in) + "to" +
         std::to_string(shape.outs) + "at" + std::to_string(shape.offset);
}

// No row to more than a block of them, in groups of one to three registers; ins that end within a
// register, a cache line, a chunk; outs that end within a tile and a block.
const auto kFewRows = testing::Values(Shape{0, 32, 32, 0}, Shape{1, 1, 1, 0}, Shape{1, 64, 32, 1},
                                      Shape{2, 512, 48, 3}, Shape{3, 272, 66, 0},
                                      Shape{4, 528, 130, 7}, Shape{4, 100, 64, 0});
const auto kManyRows = testing::Values(
    Shape{5, 256, 33, 5}, Shape{6, 257, 64, 0}, Shape{7, 31, 15, 2}, Shape{8, 600, 80, 0},
    Shape{11, 48, 140, 9}, Shape{19, 300, 50, 1}, Shape{24, 70, 49, 0}, Shape{32, 512, 64, 0},
    Shape{37, 258, 13, 3}, Shape{191, 20, 17, 1}, Shape{193, 260, 70, 4}, Shape{216, 9, 30, 0},
    Shape{400, 16, 130, 0});

INSTANTIATE_TEST_SUITE_P(FewRows, MatmulTest, kFewRows, name_of_shape);
INSTANTIATE_TEST_SUITE_P(ManyRows, MatmulTest, kManyRows, name_of_shape);
INSTANTIATE_TEST_SUITE_P(ManyRows, PackedMatmulTest, kManyRows, name_of_shape);

}  // namespace
}  // namespace refran::marian
