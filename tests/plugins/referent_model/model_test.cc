// The layout of parameters and the random start.
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <referent_model/model.h>

namespace refran::referent {
namespace {

ModelShape page_shape() { return {.words = 20, .positions = 10}; }

using Numbers = std::vector<double>;

Numbers part(const Numbers& all, std::size_t begin, std::size_t count) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

struct Moments {
  double mean;
  double deviation;
};

Moments moments(const Numbers& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(values.size());
  return {sum / count, std::sqrt(squares / count)};
}

TEST(ModelTest, ThePagesModelHas2080Parameters) {
  const ParameterLayout layout(page_shape());
  EXPECT_EQ(layout.word_embedding, 0u);
  EXPECT_EQ(layout.position_embedding, 20u * 16);
  EXPECT_EQ(layout.query, 30u * 16);
  EXPECT_EQ(layout.key, layout.query + 4 * 16 * 2);
  EXPECT_EQ(layout.value, layout.key + 4 * 16 * 2);
  EXPECT_EQ(layout.output, layout.value + 4 * 16 * 8);
  EXPECT_EQ(layout.unembedding, layout.output + 4 * 16 * 8);
  EXPECT_EQ(layout.size, 2080u);
}

TEST(ModelTest, WithoutPositionsTheLayoutHasNone) {
  ModelShape shape = page_shape();
  shape.has_positions = false;
  const ParameterLayout layout(shape);
  EXPECT_EQ(layout.query, layout.position_embedding);
  EXPECT_EQ(layout.size, 2080u - 160);
}

TEST(RandomStartTest, DependsOnTheSeedAlone) {
  EXPECT_EQ(random_start(page_shape(), 7, 1), random_start(page_shape(), 7, 1));
  EXPECT_NE(random_start(page_shape(), 7, 1), random_start(page_shape(), 8, 1));
}

TEST(RandomStartTest, AWordMoreLeavesTheOthersAsTheyWere) {
  ModelShape more = page_shape();
  ++more.words;
  const Numbers few = random_start(page_shape(), 1, 1);
  const Numbers many = random_start(more, 1, 1);
  const ParameterLayout before(page_shape());
  const ParameterLayout after(more);
  EXPECT_EQ(part(few, 0, 20 * 16), part(many, 0, 20 * 16));
  EXPECT_EQ(part(few, before.position_embedding, before.unembedding - before.position_embedding),
            part(many, after.position_embedding, after.unembedding - after.position_embedding));
  // unembedding is [model_dim, word]: its columns.
  for (std::size_t d = 0; d < 16; ++d) {
    EXPECT_EQ(part(few, before.unembedding + d * 20, 20),
              part(many, after.unembedding + d * 21, 20))
        << d;
  }
}

TEST(RandomStartTest, APositionMoreLeavesTheOthersAsTheyWere) {
  ModelShape more = page_shape();
  ++more.positions;
  const Numbers few = random_start(page_shape(), 1, 1);
  const Numbers many = random_start(more, 1, 1);
  const ParameterLayout before(page_shape());
  const ParameterLayout after(more);
  EXPECT_EQ(part(few, 0, before.query), part(many, 0, before.query));
  EXPECT_EQ(part(few, before.query, before.size - before.query),
            part(many, after.query, after.size - after.query));
}

TEST(RandomStartTest, AHeadMoreLeavesTheOthersAsTheyWereButForTheScaleOfTheirOutput) {
  ModelShape more = page_shape();
  more.heads = 3;
  const Numbers few = random_start(page_shape(), 1, 1);
  const Numbers many = random_start(more, 1, 1);
  const ParameterLayout before(page_shape());
  const ParameterLayout after(more);
  EXPECT_EQ(part(few, 0, before.query), part(many, 0, after.query));
  EXPECT_EQ(part(few, before.unembedding, 320), part(many, after.unembedding, 320));
  const auto heads = [](const Numbers& all, std::size_t begin, std::size_t layer, std::size_t count,
                        std::size_t size) {
    return part(all, begin + layer * count * size, 2 * size);  // the first two of the layer
  };
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    for (const auto& [old_begin, new_begin, size] :
         std::vector<std::array<std::size_t, 3>>{{before.query, after.query, 32},
                                                 {before.key, after.key, 32},
                                                 {before.value, after.value, 128}}) {
      EXPECT_EQ(heads(few, old_begin, layer, 2, size), heads(many, new_begin, layer, 3, size));
    }
    const Numbers old_output = heads(few, before.output, layer, 2, 128);
    const Numbers new_output = heads(many, after.output, layer, 3, 128);
    for (std::size_t i = 0; i < old_output.size(); ++i)
      EXPECT_NEAR(new_output[i], old_output[i] * std::sqrt(2.0 / 3), 1e-15);
  }
}

TEST(RandomStartTest, HasTheDeviationsItStates) {
  ModelShape shape = page_shape();
  shape.words = 400;
  shape.model_dim = 64;
  shape.key_dim = 32;
  shape.value_dim = 48;
  const Numbers all = random_start(shape, 3, 0.5);
  const ParameterLayout layout(shape);
  const auto expect = [&](std::size_t begin, std::size_t end, double deviation) {
    const Moments found = moments(part(all, begin, end - begin));
    const double root = std::sqrt(static_cast<double>(end - begin));
    EXPECT_NEAR(found.mean, 0, 5 * deviation / root);
    EXPECT_NEAR(found.deviation, deviation, 5 * deviation / root);
  };
  expect(layout.word_embedding, layout.position_embedding, 0.5);
  expect(layout.position_embedding, layout.query, 0.5);
  expect(layout.query, layout.key, 0.5 / 8);
  expect(layout.key, layout.value, 0.5 / 8);
  expect(layout.value, layout.output, 0.5 / 8);
  expect(layout.output, layout.unembedding, 0.5 / std::sqrt(2.0 * 48));
  expect(layout.unembedding, layout.size, 0.5 / 8);
}

TEST(RandomStartTest, NoTwoWeightsShareTheirNumbers) {
  const Numbers all = random_start(page_shape(), 1, 1);
  const ParameterLayout layout(page_shape());
  std::map<double, std::size_t> seen;
  // Scaled back to deviation 1, so that equal draws would be equal numbers up to rounding.
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double scale = i < layout.query ? 1 : 4;
    const auto [place, is_new] = seen.emplace(std::round(all[i] * scale * 1e12), i);
    EXPECT_TRUE(is_new) << "parameters " << place->second << " and " << i;
  }
}

}  // namespace
}  // namespace refran::referent
