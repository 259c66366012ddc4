// Gates are those of a model's heads.
#include <string>

#include <gtest/gtest.h>
#include <marian/gates.h>

#include <refran/error.h>
#include "thrown.h"

namespace refran::marian {
namespace {

ModelConfig two_by_four() {
  ModelConfig config;
  config.model_dim = 32;
  config.encoder_layers = 2;
  config.encoder_heads = 4;
  config.decoder_layers = 1;
  config.decoder_heads = 8;
  return config;
}

std::string problem_with(const HeadId& head, const Gate& gate) {
  Gates gates;
  gates.set(head, gate);
  return tests::thrown<Error>([&] { gates.check(two_by_four()); });
}

TEST(GatesTest, AreOfHeadsThatTheModelHas) {
  EXPECT_EQ(problem_with({AttentionKind::encoder_self, 1, 3}, {GateMode::zero, {}}), "");
  EXPECT_EQ(problem_with({AttentionKind::cross, 0, 7}, {GateMode::uniform, {}}), "");
  EXPECT_EQ(problem_with({AttentionKind::encoder_self, 1, 4}, {GateMode::zero, {}}),
            "gate: found head 5 of layer 2, allowed: 4 heads in each of 2 layers");
  EXPECT_EQ(problem_with({AttentionKind::decoder_self, 1, 0}, {GateMode::zero, {}}),
            "gate: found head 1 of layer 2, allowed: 8 heads in each of 1 layers");
}

TEST(GatesTest, HaveMeansOfTheHeadsLength) {
  EXPECT_EQ(problem_with({AttentionKind::cross, 0, 0}, {GateMode::mean, {1, 2, 3, 4}}), "");
  EXPECT_EQ(problem_with({AttentionKind::encoder_self, 0, 1}, {GateMode::mean, {1, 2, 3, 4}}),
            "gate of head 2 of layer 1: found a mean of 4 numbers, allowed: 8");
}

}  // namespace
}  // namespace refran::marian
