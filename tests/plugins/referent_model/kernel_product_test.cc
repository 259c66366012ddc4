// The kernel's products of matrices against three loops. The numbers are small integers, so every
// sum is exact in whatever order it is taken.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <lanes/lanes.h>
#include <referent_model/kernel/product.h>

#include <refran/random.h>

namespace refran::referent::kernel {
namespace {

using Number = lanes::PlainLanes<double, 1>;

struct KnownExtents {
  static constexpr bool kIsKnown = true;
};
struct UnknownExtents {
  static constexpr bool kIsKnown = false;
};

// A matrix of small integers in memory of its own: its rows, or its columns, one behind the other,
// with a gap after each.
class Stored {
 public:
  Stored(std::size_t rows, std::size_t columns, bool is_across, Stream& stream)
      : row_(is_across ? 1 : columns + 2),
        column_(is_across ? rows + 3 : 1),
        memory_((rows - 1) * row_ + (columns - 1) * column_ + 4) {
    for (Number& number : memory_) number = Number::of(static_cast<double>(stream.below(9)) - 4);
  }

  Matrix<Number> view() { return {memory_.data(), row_, column_}; }
  Matrix<const Number> view() const { return {memory_.data(), row_, column_}; }
  double& at(std::size_t i, std::size_t j) { return memory_[i * row_ + j * column_].v[0]; }
  double at(std::size_t i, std::size_t j) const { return memory_[i * row_ + j * column_].v[0]; }

  // The whole memory, gaps and all.
  std::vector<double> numbers() const {
    std::vector<double> numbers;
    for (const Number& number : memory_) numbers.push_back(number.v[0]);
    return numbers;
  }

 private:
  std::size_t row_;
  std::size_t column_;
  std::vector<Number> memory_;
};

struct Shape {
  std::size_t rows;
  std::size_t inner;
  std::size_t columns;
};

// By three loops: added to what is in `result`, or in place of it.
void multiply_plainly(const Shape& shape, const Stored& a, const Stored& b, Stored& result,
                      bool adds) {
  for (std::size_t i = 0; i < shape.rows; ++i) {
    for (std::size_t j = 0; j < shape.columns; ++j) {
      double sum = adds ? result.at(i, j) : 0;
      for (std::size_t k = 0; k < shape.inner; ++k) sum += a.at(i, k) * b.at(k, j);
      result.at(i, j) = sum;
    }
  }
}

// A product in place of what is there, one added to it, and one added to another matrix.
template <class N>
void expect_products(const Shape& shape, Stream& stream) {
  const auto [rows, inner, columns] = shape;
  for (unsigned layout = 0; layout < 8; ++layout) {
    const Stored a(rows, inner, (layout & 1) != 0, stream);
    const Stored b(inner, columns, (layout & 2) != 0, stream);
    const Stored given(rows, columns, (layout & 4) != 0, stream);
    const auto where = ::testing::Message()
                       << rows << " x " << inner << " x " << columns << ", layout " << layout;
    Stored expected = given;
    Stored result = given;
    multiply_plainly(shape, a, b, expected, true);
    add_product<Number>(N{}, rows, inner, columns, a.view(), b.view(), result.view());
    ASSERT_EQ(result.numbers(), expected.numbers()) << where;

    Stored elsewhere(rows, columns, (layout & 1) != 0, stream);
    multiply_onto<Number>(N{}, rows, inner, columns, given.view(), a.view(), b.view(),
                          elsewhere.view());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j)
        ASSERT_EQ(elsewhere.at(i, j), expected.at(i, j)) << where << " at " << i << ", " << j;
    }

    multiply_plainly(shape, a, b, expected, false);
    multiply<Number>(N{}, rows, inner, columns, a.view(), b.view(), result.view());
    ASSERT_EQ(result.numbers(), expected.numbers()) << where;
  }
}

// Beyond all sizes of tiles, and so that every remainder of them occurs.
constexpr std::size_t kMostRows = 14;
constexpr std::size_t kMostInner = 9;
constexpr std::size_t kMostColumns = 9;

template <class N>
class ProductTest : public testing::Test {};
using BothExtents = testing::Types<KnownExtents, UnknownExtents>;
TYPED_TEST_SUITE(ProductTest, BothExtents);

TYPED_TEST(ProductTest, IsTheSumOfThreeLoopsForEveryShapeAndLayout) {
  Stream stream(1, "product");
  for (std::size_t rows = 1; rows <= kMostRows; ++rows) {
    for (std::size_t inner = 1; inner <= kMostInner; ++inner) {
      for (std::size_t columns = 1; columns <= kMostColumns; ++columns) {
        expect_products<TypeParam>({rows, inner, columns}, stream);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(ProductTest, OfNothingToSumIsZeroOrWhatWasThere) {
  Stream stream(1, "product");
  const Stored a(3, 1, false, stream);
  const Stored b(1, 5, false, stream);
  Stored result(3, 5, false, stream);
  const Stored before = result;
  add_product<Number>(TypeParam{}, 3, 0, 5, a.view(), b.view(), result.view());
  EXPECT_EQ(result.numbers(), before.numbers());
  multiply<Number>(TypeParam{}, 3, 0, 5, a.view(), b.view(), result.view());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(result.at(i, j), 0);
  }
}

TEST(MatrixTest, TransposedIsTheSameMemorySeenTheOtherWay) {
  Stream stream(1, "transposed");
  Stored stored(2, 3, false, stream);
  const Matrix<Number> across = transposed(stored.view());
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(&across.data[j * across.row + i * across.column].v[0], &stored.at(i, j));
  }
}

TEST(DotTest, IsTheSumOfProductsForEveryCount) {
  Stream stream(1, "dot");
  for (std::size_t count = 0; count <= 18; ++count) {
    const Stored a(1, count + 1, false, stream);
    const Stored b(1, count + 1, false, stream);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += a.at(0, i) * b.at(0, i);
    EXPECT_EQ(dot(a.view().data, b.view().data, count).v[0], sum) << count;
  }
}

TEST(AddScaledTest, AddsToSoManyAndNoMore) {
  Stream stream(1, "add");
  for (std::size_t count = 0; count <= 9; ++count) {
    const Stored from(1, count + 1, false, stream);
    Stored to(1, count + 1, false, stream);
    Stored expected = to;
    for (std::size_t i = 0; i < count; ++i) expected.at(0, i) += 3 * from.at(0, i);
    add_scaled(Number::of(3), from.view().data, to.view().data, count);
    EXPECT_EQ(to.numbers(), expected.numbers()) << count;
  }
}

TEST(AddTest, AddsToSoManyAndNoMore) {
  Stream stream(1, "add");
  for (std::size_t count = 0; count <= 9; ++count) {
    const Stored from(1, count + 1, false, stream);
    Stored to(1, count + 1, false, stream);
    Stored expected = to;
    for (std::size_t i = 0; i < count; ++i) expected.at(0, i) += from.at(0, i);
    add(from.view().data, to.view().data, count);
    EXPECT_EQ(to.numbers(), expected.numbers()) << count;
  }
}

TEST(CopyTest, CopiesSoManyAndNoMore) {
  Stream stream(1, "copy");
  for (std::size_t count = 0; count <= 9; ++count) {
    const Stored from(1, count + 1, false, stream);
    Stored to(1, count + 1, false, stream);
    Stored expected = to;
    for (std::size_t i = 0; i < count; ++i) expected.at(0, i) = from.at(0, i);
    copy(from.view().data, to.view().data, count);
    EXPECT_EQ(to.numbers(), expected.numbers()) << count;
  }
}

TEST(SumOfTest, IsTheSumForEveryCount) {
  Stream stream(1, "sum");
  for (std::size_t count = 0; count <= 18; ++count) {
    const Stored values(1, count + 1, false, stream);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += values.at(0, i);
    EXPECT_EQ(sum_of(values.view().data, count).v[0], sum) << count;
  }
}

}  // namespace
}  // namespace refran::referent::kernel
