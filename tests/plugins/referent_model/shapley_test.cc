// Shapley values and interactions: against closed forms and means over all orders.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <referent_model/shapley.h>

#include <refran/random.h>

namespace refran::referent {
namespace {

using Values = std::vector<double>;

// A game's values by subset of heads that are off, from its values by heads that are on.
template <class Function>
Values game(std::size_t heads, Function value_of_on) {
  const std::size_t all = (std::size_t{1} << heads) - 1;
  Values value;
  for (std::size_t off = 0; off <= all; ++off) value.push_back(value_of_on(all & ~off));
  return value;
}

Values random_game(std::size_t heads, std::uint64_t seed) {
  Stream stream(seed, "game");
  return game(heads, [&stream](std::size_t) { return stream.uniform(-1, 1); });
}

// The gain of each head, averaged over all orders in which they are switched on.
Values mean_over_orders(const Values& value, std::size_t heads) {
  std::vector<std::size_t> order(heads);
  std::iota(order.begin(), order.end(), 0u);
  Values sum(heads);
  double orders = 0;
  do {
    std::size_t off = value.size() - 1;
    for (const std::size_t head : order) {
      const std::size_t next = off & ~(std::size_t{1} << head);
      sum[head] += value[next] - value[off];
      off = next;
    }
    orders += 1;
  } while (std::ranges::next_permutation(order).found);
  for (double& gain : sum) gain /= orders;
  return sum;
}

TEST(ShapleyTest, IsTheMeanGainOverAllOrders) {
  for (const std::size_t heads : {1u, 2u, 3u, 4u, 6u}) {
    const Values value = random_game(heads, heads);
    const Values expected = mean_over_orders(value, heads);
    const Values found = shapley_values(value);
    ASSERT_EQ(found.size(), heads);
    for (std::size_t head = 0; head < heads; ++head)
      EXPECT_NEAR(found[head], expected[head], 1e-14) << heads << " " << head;
  }
}

TEST(ShapleyTest, SumsToTheWholeOverNothing) {
  for (const std::size_t heads : {1u, 2u, 4u, 8u}) {
    const Values value = random_game(heads, 10 + heads);
    const Values found = shapley_values(value);
    EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), value.front() - value.back(),
                1e-13);
  }
}

TEST(ShapleyTest, OfASumIsEachHeadsTerm) {
  const Values term = {0.5, -2, 0, 3};
  const Values value = game(4, [&](std::size_t on) {
    double sum = 1;
    for (std::size_t head = 0; head < 4; ++head) sum += (on >> head & 1) != 0 ? term[head] : 0;
    return sum;
  });
  const Values found = shapley_values(value);
  for (std::size_t head = 0; head < 4; ++head) EXPECT_NEAR(found[head], term[head], 1e-14);
  const Array<double, 2> pairs = shapley_interactions(value);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (i == j) {
        EXPECT_TRUE(std::isnan(pairs(i, j)));
      } else {
        EXPECT_NEAR(pairs(i, j), 0, 1e-14);
      }
    }
  }
}

// Heads 0 and 1 are worth 1 only together; 2 and 3 are worth 2 as soon as one of them is there.
TEST(ShapleyTest, ToldSynergyFromRedundancy) {
  const Values value = game(
      4, [](std::size_t on) { return ((on & 3) == 3 ? 1.0 : 0.0) + ((on & 12) != 0 ? 2.0 : 0.0); });
  const Values found = shapley_values(value);
  EXPECT_NEAR(found[0], 0.5, 1e-15);
  EXPECT_NEAR(found[1], 0.5, 1e-15);
  EXPECT_NEAR(found[2], 1, 1e-15);
  EXPECT_NEAR(found[3], 1, 1e-15);
  const Array<double, 2> pairs = shapley_interactions(value);
  EXPECT_NEAR(pairs(0, 1), 1, 1e-15);
  EXPECT_NEAR(pairs(2, 3), -2, 1e-15);
  EXPECT_NEAR(pairs(0, 2), 0, 1e-15);
  EXPECT_EQ(pairs(3, 2), pairs(2, 3));
}

// All n heads needed: by symmetry 1/n each, and 1/(n-1) for each pair.
TEST(ShapleyTest, OfAllOrNothingIsShared) {
  for (const std::size_t heads : {2u, 3u, 5u}) {
    const Values value =
        game(heads, [&](std::size_t on) { return on + 1 == std::size_t{1} << heads ? 1.0 : 0.0; });
    const auto count = static_cast<double>(heads);
    EXPECT_NEAR(shapley_values(value)[1], 1 / count, 1e-15);
    EXPECT_NEAR(shapley_interactions(value)(0, 1), 1 / (count - 1), 1e-15);
  }
}

// With the others' order at random and the pair entering as one, the mean of its surplus.
TEST(ShapleyTest, InteractionIsTheMeanSurplusOverOrdersWithThePairAsOne) {
  const Values value = random_game(5, 99);
  const Array<double, 2> pairs = shapley_interactions(value);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = i + 1; j < 5; ++j) {
      // The game in which head i stands for both, less those in which one of them is absent.
      const auto with = [&](bool has_i, bool has_j) {
        return game(4, [&](std::size_t on) {
          std::size_t full = 0;
          std::size_t next = 1;
          for (std::size_t head = 0; head < 5; ++head) {
            if (head == i || head == j) continue;
            if ((on >> next & 1) != 0) full |= std::size_t{1} << head;
            ++next;
          }
          if ((on & 1) != 0) full |= (has_i ? 1u << i : 0u) | (has_j ? 1u << j : 0u);
          return value[31 & ~full];
        });
      };
      const double surplus = mean_over_orders(with(true, true), 4)[0] -
                             mean_over_orders(with(true, false), 4)[0] -
                             mean_over_orders(with(false, true), 4)[0];
      EXPECT_NEAR(pairs(i, j), surplus, 1e-14);
    }
  }
}

TEST(ShapleyTest, RefusesValuesThatAreNoSubsets) {
  for (const std::size_t size : {0u, 1u, 3u, 12u}) {
    try {
      shapley_values(Values(size));
      FAIL() << size;
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "found values of subsets that are not 2^n, n >= 1");
    }
    EXPECT_THROW(shapley_interactions(Values(size)), std::invalid_argument);
  }
}

}  // namespace
}  // namespace refran::referent
