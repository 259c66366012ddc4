// What is measured of a head's weights, what batches hold, which conditions a study has.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opus_mt_probe/ablation.h>
#include <opus_mt_probe/batches.h>
#include <opus_mt_probe/mean_outputs.h>
#include <opus_mt_probe/recording.h>

namespace refran::opus_mt_probe {
namespace {

using Texts = std::vector<std::string>;

Array<float, 2> matrix(std::size_t keys, const std::vector<float>& values) {
  Array<float, 2> result({values.size() / keys, keys});
  std::ranges::copy(values, result.values().begin());
  return result;
}

TEST(ProbeMeasuresTest, EntropyIsZeroForOneTokenAndTheLogarithmForAll) {
  EXPECT_EQ(mean_entropy(matrix(3, {0, 1, 0})), 0);
  EXPECT_NEAR(mean_entropy(matrix(4, {0.25F, 0.25F, 0.25F, 0.25F})), std::log(4.0), 1e-15);
  // Its mean over two queries.
  EXPECT_NEAR(mean_entropy(matrix(2, {0.5F, 0.5F, 1, 0})), std::log(2.0) / 2, 1e-15);
}

TEST(ProbeMeasuresTest, ConfidenceLeavesOutTheEndOfTheSentenceAsAQuery) {
  const Array<float, 2> weight = matrix(2, {0.75F, 0.25F, 0.5F, 0.5F, 0, 1});
  constexpr std::int32_t kEnd = 0;
  EXPECT_EQ(mean_confidence(weight, {7, 8, kEnd}, kEnd), 0.625);
  EXPECT_EQ(mean_confidence(weight, {7, 8, 9}, kEnd), 0.75);
  EXPECT_TRUE(std::isnan(mean_confidence(weight, {kEnd, kEnd, kEnd}, kEnd)));
}

TEST(ProbeBatchesTest, KeepTheOrderAndStayBelowTheMemory) {
  const auto sizes = [](const std::vector<std::uint64_t>& bytes) {
    std::vector<std::size_t> counts;
    std::size_t next = 0;
    for (const Batch& batch : batches(bytes)) {
      EXPECT_EQ(batch.first, next);
      next += batch.count;
      counts.push_back(batch.count);
    }
    EXPECT_EQ(next, bytes.size());
    return counts;
  };
  constexpr std::uint64_t kMiB = 1 << 20;
  EXPECT_EQ(sizes({}), std::vector<std::size_t>{});
  EXPECT_EQ(sizes(std::vector<std::uint64_t>(70, kMiB)), (std::vector<std::size_t>{32, 32, 6}));
  EXPECT_EQ(sizes({200 * kMiB, 200 * kMiB, 200 * kMiB}), (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(sizes({9000 * kMiB, 9000 * kMiB}), (std::vector<std::size_t>{1, 1}));
}

TEST(ProbeMeanOutputsTest, AverageAllQueriesOfAllTranslations) {
  const auto translation = [](const std::vector<float>& rows) {
    marian::Translation result;
    result.cross.output = Array<float, 4>({1, 2, rows.size() / 2, 1});
    std::ranges::copy(rows, result.cross.output.values().begin());
    return result;
  };
  const marian::HeadId head{AttentionKind::cross, 0, 1};
  MeanOutputs means;
  means.of(head);
  means.add(translation({9, 9, 1, 2}));  // the second head's rows are 1 and 2
  means.add(translation({9, 6}));
  EXPECT_EQ(means.mean(head), std::vector<float>{3});
}

marian::ModelConfig two_layers_of_two_heads() {
  marian::ModelConfig model;
  model.encoder_layers = 1;
  model.decoder_layers = 2;
  model.encoder_heads = 2;
  model.decoder_heads = 2;
  return model;
}

Texts labels_of(const std::vector<Condition>& conditions) {
  Texts labels;
  for (const Condition& condition : conditions) labels.push_back(condition.label);
  return labels;
}

TEST(ProbeConditionsTest, HeadsGoByKindLayerAndHead) {
  const auto heads = heads_of({"cross", "encoder_self"}, two_layers_of_two_heads());
  EXPECT_EQ(labels_of(fixed_conditions(heads, false)),
            (Texts{"none", "encoder_self L1H1", "encoder_self L1H2", "cross L1H1", "cross L1H2",
                   "cross L2H1", "cross L2H2"}));
}

TEST(ProbeConditionsTest, ASingleConditionSwitchesItsHeadOffAlone) {
  const auto heads = heads_of({"decoder_self"}, two_layers_of_two_heads());
  const std::vector<Condition> conditions = fixed_conditions(heads, false);
  EXPECT_TRUE(conditions.front().off.empty());
  EXPECT_FALSE(conditions.front().head);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    EXPECT_EQ(conditions[i + 1].off, std::vector<marian::HeadId>{heads[i]});
    EXPECT_EQ(conditions[i + 1].head, heads[i]);
  }
}

TEST(ProbeConditionsTest, AllButOneLeavesTheOtherLayersOn) {
  const auto heads = heads_of({"decoder_self", "cross"}, two_layers_of_two_heads());
  const std::vector<Condition> conditions = fixed_conditions(heads, true);
  ASSERT_EQ(labels_of(conditions)[8], "all but cross L2H2");
  const marian::HeadId other{AttentionKind::cross, 1, 0};
  EXPECT_EQ(conditions[8].off, std::vector<marian::HeadId>{other});
}

TEST(ProbeHeadsTest, AreNamedFromOne) {
  EXPECT_EQ(supervised_head("L6H1"), (marian::HeadId{AttentionKind::cross, 5, 0}));
  EXPECT_EQ(supervised_head("L12H16"), (marian::HeadId{AttentionKind::cross, 11, 15}));
  for (const char* text : {"", "L6", "6H1", "L0H1", "L1H0", "L6H1 ", "l6h1", "L-1H1", "L1H1H1",
                           "L99999999999999999999H1"})
    EXPECT_FALSE(supervised_head(text)) << text;
}

}  // namespace
}  // namespace refran::opus_mt_probe
