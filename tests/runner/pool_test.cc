#include "pool.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace refran::runner {
namespace {

// Of all batches of so many runs, in order.
std::vector<std::size_t> sizes_of(std::size_t runs, const PoolOptions& options, bool has_group) {
  std::vector<std::size_t> sizes;
  while (runs > 0) {
    sizes.push_back(std::min(runs, batch_size(runs, options, has_group)));
    runs -= sizes.back();
  }
  return sizes;
}

PoolOptions two_workers() {
  PoolOptions options;
  options.workers = 2;
  return options;
}

TEST(PoolTest, BatchesBecomeSmallerTowardsTheEnd) {
  EXPECT_EQ(
      sizes_of(400, two_workers(), true),
      (std::vector<std::size_t>{56, 48, 40, 40, 32, 24, 24, 24, 16, 16, 16, 16, 8, 8, 8, 8, 8, 8}));
  EXPECT_EQ(sizes_of(40, two_workers(), false),
            (std::vector<std::size_t>{6, 5, 4, 4, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(PoolTest, BatchesHaveALargestSize) {
  EXPECT_EQ(batch_size(100000, two_workers(), true), 64U);
  EXPECT_EQ(batch_size(100000, two_workers(), false), 16U);
}

TEST(PoolTest, AGroupIsEnoughForAllThreadsOfAWorker) {
  PoolOptions options;
  options.threads = 3;
  EXPECT_EQ(sizes_of(60, options, true), (std::vector<std::size_t>{24, 24, 12}));
  options.threads = 16;
  EXPECT_EQ(batch_size(1, options, true), 128U);
}

TEST(PoolTest, AGivenGroupSizeIsKept) {
  PoolOptions options = two_workers();
  options.group_size = 5;
  EXPECT_EQ(sizes_of(12, options, true), (std::vector<std::size_t>{5, 5, 2}));
}

}  // namespace
}  // namespace refran::runner
