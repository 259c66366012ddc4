// The network against transformers: every attention weight and logit of given targets, heads that
// are switched off, and what must not change a byte.
#include <atomic>
#include <cmath>
#include <thread>

#include <marian/generation.h>
#include <marian/kernel/kernels.h>
#include <marian/reference_scores.h>

#include "reference.h"

namespace refran::marian {
namespace {

class ForwardTest : public testing::TestWithParam<std::string> {
 protected:
  Reference reference_{GetParam()};
  Team team_{2};

  Translation forced(std::size_t index, const Gates& gates = {}, const Keep& keep = {},
                     std::size_t runners_up = 0) {
    const std::vector<Ids> sources = {reference_.source(index)};
    const std::vector<Ids> targets = {reference_.target(index)};
    return force(reference_.model, sources, targets, gates, {keep, runners_up}, team_).front();
  }
  std::vector<HeadId> all_heads() const {
    const ModelConfig& config = reference_.model.config;
    std::vector<HeadId> heads;
    for (std::size_t layer = 0; layer < config.encoder_layers; ++layer)
      for (std::size_t head = 0; head < config.encoder_heads; ++head)
        heads.push_back({AttentionKind::encoder_self, layer, head});
    for (const AttentionKind kind : {AttentionKind::decoder_self, AttentionKind::cross})
      for (std::size_t layer = 0; layer < config.decoder_layers; ++layer)
        for (std::size_t head = 0; head < config.decoder_heads; ++head)
          heads.push_back({kind, layer, head});
    return heads;
  }
};

TEST_P(ForwardTest, EveryAttentionWeightIsThatOfTransformers) {
  std::size_t compared = 0;
  for (std::size_t index = 0; index < reference_.said["cases"].size(); ++index) {
    const Translation found = forced(index);
    const std::string prefix = "case" + std::to_string(index) + ".";
    for (const std::string name : reference_.said["cases"][index]["tensors"]) {
      if (name == "logits") continue;
      const AttentionRecord& record = name == "encoder_self_attention"   ? found.encoder_self
                                      : name == "decoder_self_attention" ? found.decoder_self
                                                                         : found.cross;
      const std::vector<float> said = reference_.tensor(prefix + name);
      EXPECT_LE(largest_difference(record.weight.values(), said), kClose) << prefix << name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 6U);
}

// All log-probabilities of a step, which with their sum of exponentials being 1 are the logits but
// for a constant.
TEST_P(ForwardTest, LogitsAreThoseOfTransformers) {
  const std::size_t vocabulary = reference_.model.config.target_vocabulary;
  std::size_t compared = 0;
  for (std::size_t index = 0; index < reference_.said["cases"].size(); ++index) {
    const std::string name = "case" + std::to_string(index) + ".logits";
    if (reference_.tensors.find(name) == nullptr) continue;
    const Translation found = forced(index, {}, {}, vocabulary - 1);
    const std::vector<float> logits = reference_.tensor(name);
    for (std::size_t step = 0; step < found.predicted.size(); ++step) {
      const float* said = logits.data() + step * vocabulary;
      const auto token = static_cast<std::size_t>(found.predicted[step]);
      const double offset =
          static_cast<double>(said[token]) - static_cast<double>(found.log_probability[step]);
      for (std::size_t rank = 0; rank + 1 < vocabulary; ++rank) {
        const auto other = static_cast<std::size_t>(found.runner_up(step, rank));
        ASSERT_NEAR(static_cast<double>(found.runner_up_log_probability(step, rank)) + offset,
                    static_cast<double>(said[other]), 2 * kClose);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST_P(ForwardTest, LogProbabilitiesOfTargetsAreThoseOfTransformers) {
  for (std::size_t index = 0; index < reference_.said["cases"].size(); ++index) {
    const Translation found = forced(index);
    const nlohmann::json& said = reference_.said["cases"][index];
    EXPECT_EQ(found.input, said["input_ids"].get<Ids>());
    EXPECT_LE(largest_difference(found.log_probability,
                                 said["log_probability"].get<std::vector<double>>()),
              kClose);
    EXPECT_NEAR(found.score, said["log_probability_sum"].get<double>(),
                kClose * static_cast<double>(found.input.size()));
  }
}

TEST_P(ForwardTest, AHeadSwitchedOffDoesWhatItDoesInTransformers) {
  std::size_t number = 0;
  for (const nlohmann::json& said : reference_.said["ablations"]) {
    const Translation found = forced(said["case"], gates_of(reference_, said, number));
    EXPECT_LE(largest_difference(found.log_probability,
                                 said["log_probability"].get<std::vector<double>>()),
              kClose)
        << said.dump();
    ++number;
  }
  EXPECT_GT(number, 0U);
}

TEST_P(ForwardTest, OpenGatesAreNoGatesBitForBit) {
  Gates open;
  for (const HeadId& head : all_heads()) open.set(head, {});
  const Translation without = forced(0);
  const Translation with = forced(0, open);
  EXPECT_TRUE(same_bytes(without.log_probability, with.log_probability));
  EXPECT_TRUE(same_bytes(without.cross.weight.values(), with.cross.weight.values()));
}

TEST_P(ForwardTest, AGateLeavesTheOtherMapsOfItsLayerAndAllBelow) {
  const Translation open = forced(0);
  const std::size_t layer = reference_.model.config.decoder_layers - 1;
  Gates gates;
  gates.set({AttentionKind::cross, layer, 0}, {GateMode::zero, {}});
  const Translation gated = forced(0, gates);
  EXPECT_TRUE(same_bytes(open.cross.weight.values(), gated.cross.weight.values()));
  EXPECT_TRUE(same_bytes(open.decoder_self.weight.values(), gated.decoder_self.weight.values()));
  EXPECT_FALSE(same_bytes(open.log_probability, gated.log_probability));
}

TEST_P(ForwardTest, SwitchingAllHeadsOffLeavesTheResidualAndTheBias) {
  Gates gates;
  for (const HeadId& head : all_heads()) gates.set(head, {GateMode::zero, {}});
  const Translation off =
      forced(0, gates, {.attention = true, .head_outputs = true, .residual = true});
  for (const float value : off.cross.output.values()) ASSERT_EQ(value, 0.0F);
  // The encoder's first layer, by hand: norm(x + b_o).
  const EncoderLayerWeights& layer = reference_.model.weights.encoder[0];
  const std::size_t dim = reference_.model.config.model_dim;
  Model cut = reference_.model;
  for (EncoderLayerWeights& weights : cut.weights.encoder) {
    static const std::vector<float> zeros(1 << 16);
    weights.self_attention.output.weight = std::span(zeros).first(dim * dim);
  }
  const std::vector<Ids> sources = {reference_.source(0)};
  const Encoded by_zero_matrix =
      encode(cut, sources, {}, {.attention = false, .residual = true}, team_);
  EXPECT_TRUE(same_bytes(by_zero_matrix.residual[0].values(), off.encoder_residual.values()));
  EXPECT_EQ(layer.self_attention.output.bias.size(), dim);
}

TEST_P(ForwardTest, AHeadSwitchedOffIsOneWhoseColumnsOfTheOutputMatrixAreZero) {
  const ModelConfig& config = reference_.model.config;
  const std::size_t dim = config.model_dim;
  const std::size_t head_dim = dim / config.decoder_heads;
  for (const AttentionKind kind : {AttentionKind::decoder_self, AttentionKind::cross}) {
    Gates gates;
    gates.set({kind, 0, 1}, {GateMode::zero, {}});
    Model cut = reference_.model;
    DecoderLayerWeights& layer = cut.weights.decoder[0];
    LinearWeights& output =
        (kind == AttentionKind::cross ? layer.cross_attention : layer.self_attention).output;
    std::vector<float> matrix(output.weight.begin(), output.weight.end());
    for (std::size_t out = 0; out < dim; ++out)
      std::fill_n(matrix.begin() + static_cast<std::ptrdiff_t>(out * dim + head_dim), head_dim,
                  0.0F);
    output.weight = matrix;
    const std::vector<Ids> sources = {reference_.source(0)};
    const std::vector<Ids> targets = {reference_.target(0)};
    const Translation zeroed = force(cut, sources, targets, {}, {}, team_).front();
    EXPECT_TRUE(same_bytes(forced(0, gates).log_probability, zeroed.log_probability));
  }
}

TEST_P(ForwardTest, ThePlainArithmeticGivesTheBytesOfTheFastOne) {
  const Translation fast = forced(2);
  reference_.model.kernels = &kernel::kPlainKernels;
  const Translation plain = forced(2);
  EXPECT_TRUE(same_bytes(fast.log_probability, plain.log_probability));
  EXPECT_TRUE(same_bytes(fast.cross.weight.values(), plain.cross.weight.values()));
  EXPECT_TRUE(same_bytes(fast.encoder_self.weight.values(), plain.encoder_self.weight.values()));
}

TEST_P(ForwardTest, NormsAreWeightsTimesTheSizeOfWhatAValueAdds) {
  const Translation kept = forced(0, {}, {.attention = true, .values = true, .norms = true});
  const AttentionRecord& record = kept.cross;
  const auto [layers, heads, queries, keys] = record.norm.extents();
  const std::size_t dim = reference_.model.config.model_dim;
  const std::size_t head_dim = dim / heads;
  for (std::size_t key = 0; key < keys; ++key) {
    const LinearWeights& output =
        reference_.model.weights.decoder[1 % layers].cross_attention.output;
    double squares = 0;
    for (std::size_t out = 0; out < dim; ++out) {
      double sum = 0;
      for (std::size_t i = 0; i < head_dim; ++i)
        sum += static_cast<double>(output.weight[out * dim + head_dim + i]) *
               static_cast<double>(record.value(1 % layers, 1, key, i));
      squares += sum * sum;
    }
    for (std::size_t query = 0; query < queries; ++query)
      EXPECT_NEAR(
          static_cast<double>(record.norm(1 % layers, 1, query, key)),
          static_cast<double>(record.weight(1 % layers, 1, query, key)) * std::sqrt(squares), 1e-5);
  }
}

TEST_P(ForwardTest, ReferenceScoresFromTheGatedLayerOnAreThoseOfTheWholePass) {
  std::vector<Ids> sources;
  std::vector<Ids> targets;
  for (std::size_t index = 0; index < reference_.said["cases"].size(); ++index) {
    sources.push_back(reference_.source(index));
    targets.push_back(reference_.target(index));
  }
  const ReferenceScores scores(reference_.model, sources, targets, team_);
  std::vector<HeadId> heads = all_heads();
  for (const HeadId& head : heads) {
    for (const GateMode mode : {GateMode::zero, GateMode::uniform, GateMode::mean}) {
      Gates gates;
      gates.set(head, {mode, scores.mean_output(head)});
      const std::vector<double> found = scores.log_probability(gates);
      const std::vector<Translation> whole =
          force(reference_.model, sources, targets, gates, {{.attention = false}, 0}, team_);
      for (std::size_t pair = 0; pair < sources.size(); ++pair)
        EXPECT_EQ(found[pair], whole[pair].score);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ForwardTest, testing::ValuesIn(fixture_models()), name_of_model);

TEST(TeamTest, SharesEveryIndexOnce) {
  Team team(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> calls(17);
    team.share(calls.size(), [&](std::size_t index, std::size_t member) {
      ASSERT_LT(member, team.size());
      ++calls[index];
    });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(TeamTest, EachThreadBeginsWithItsOwnStretch) {
  Team team(2);
  EXPECT_EQ(team.first_of(7, 0), 0);
  EXPECT_EQ(team.first_of(7, 1), 3);
  EXPECT_EQ(team.first_of(7, 2), 7);
  const std::vector<float> memory(1000);
  const std::vector<Ahead> ahead{{memory.data(), 500}, {memory.data() + 500, 499}};
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> begun = 0;
    std::vector<std::size_t> member_of(7);
    team.share(
        7,
        [&](std::size_t index, std::size_t member) {
          member_of[index] = member;
          if (index != 0 && index != 3) return;
          ++begun;  // neither goes on before both are at work
          while (begun < 2) std::this_thread::yield();
        },
        ahead);
    EXPECT_EQ(member_of[0], 0);
    EXPECT_EQ(member_of[3], 1);
  }
}

TEST(TeamTest, PassesOnWhatIsThrown) {
  Team team(3);
  const auto throws = [](std::size_t index, std::size_t) {
    if (index == 5) throw std::runtime_error("five");
  };
  EXPECT_THROW(team.share(9, throws), std::runtime_error);
}

}  // namespace
}  // namespace refran::marian
