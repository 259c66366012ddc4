// What a search makes of log-probabilities where tokens are banned: those of the others sum to 1,
// however likely the banned ones were.
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <marian/kernel/kernels.h>
#include <marian/network/search.h>

namespace refran::marian {
namespace {

// How many nat the banned tokens' logits lie above the others' highest.
class BannedTokensTest : public testing::TestWithParam<float> {};

TEST_P(BannedTokensTest, TheOthersAreNormalizedAmongThemselves) {
  constexpr std::int32_t kEnd = 0;
  constexpr std::int32_t kPad = 9;
  ModelConfig config;
  config.target_vocabulary = 10;
  config.eos_id = kEnd;
  config.decoder_start_id = config.pad_id = kPad;
  Decoding decoding;
  decoding.beam_size = 2;
  decoding.min_length = decoding.max_length = 5;
  decoding.banned_ids = {kPad, kPad};
  decoding.renormalize = true;
  Search search(config, decoding, 3);
  std::vector<float> logits = {0, 0.5F, -1, 2, 1, 0, -3, 0.25F, 1.5F, 0};
  double sum = 0;
  for (std::size_t token = 1; token < 9; ++token)
    sum += std::exp(static_cast<double>(logits[token]));
  logits[kEnd] = logits[kPad] = 2 + GetParam();
  const std::vector<std::shared_ptr<Node>> nodes = {std::make_shared<Node>()};
  search.advance(kernel::kPlainKernels, nodes, logits.data());
  ASSERT_EQ(search.live().size(), 2);
  EXPECT_EQ(search.live()[0].chosen, 3);
  EXPECT_NEAR(search.live()[0].sum, 2 - std::log(sum), 1e-6);
  EXPECT_EQ(search.live()[1].chosen, 8);
  EXPECT_NEAR(search.live()[1].sum, 1.5 - std::log(sum), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Above, BannedTokensTest, testing::Values(-9.0F, -1.0F, 3.0F, 30.0F));

}  // namespace
}  // namespace refran::marian
