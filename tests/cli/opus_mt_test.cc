// opus-mt-probe through the program: every attention weight of what was translated, forced targets,
// heads switched off, ablation studies, and what is refused before anything is run.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "program.h"
#include "result_file.h"

namespace refran::tests {
namespace {

using runner::DatasetInfo;
using runner::ResultFile;

const fs::path kFixtures = fs::path(REFRAN_SOURCE_DIR) / "tests/fixtures/marian";
const fs::path kModel = fs::path(REFRAN_SOURCE_DIR) / "experiments/models/random-tiny";
// Of that model.
constexpr std::size_t kLayers = 2;
constexpr std::size_t kHeads = 4;

const std::string kSentences = "sentences: [Unha tía miña, O can durmía diante da porta.]";
const std::string kForced = "sentences: [Unha tía miña], target: [My aunt lives near the sea.]";
const std::string kGreedy = "decoding: {strategy: greedy, max_length: 24}";

using Numbers = std::vector<double>;

const DatasetInfo& dataset(const ResultFile& file, const std::string& path) {
  const DatasetInfo* const found = file.find(path);
  if (found == nullptr) throw std::runtime_error("no dataset " + path);
  return *found;
}

std::uint64_t cells(const DatasetInfo& dataset) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : dataset.extents) count *= extent;
  return count;
}

Numbers numbers(const ResultFile& file, const std::string& path) {
  return file.read_numbers(dataset(file, path), 0, cells(dataset(file, path)));
}

Words texts(const ResultFile& file, const std::string& path) {
  return file.read_texts(dataset(file, path), 0, cells(dataset(file, path)));
}

std::vector<std::uint64_t> extents(const ResultFile& file, const std::string& path) {
  return dataset(file, path).extents;
}

// A text in YAML's single quotes.
std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? "''" : std::string(1, letter);
  return result + "'";
}

// The part of [layer, …] that is one layer's.
Numbers layer_of(const Numbers& all, std::size_t layer) {
  const auto size = static_cast<std::ptrdiff_t>(all.size() / kLayers);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(layer) * size;
  return {first, first + size};
}

// Of one condition, over the pairs that heads are chosen on.
double sum_of_half(const Numbers& row) { return row[0] + row[2]; }

class OpusMtTest : public ProgramTest {
 protected:
  fs::path probe(const std::string& config, const std::string& more = "") const {
    return experiment("opus-mt-probe",
                      fmt::format("config: {{model: {}, {}}}\n{}", kModel.string(), config, more));
  }
  ResultFile result(const std::string& config, const Words& more = {}) const {
    const fs::path file = result_of(probe(config), more);
    checked_digest(file);  // rows sum to one, extents and labels fit
    return ResultFile(file);
  }
  // Sentence pairs, and the same in a config.
  std::string pairs(const std::string& more) const {
    const fs::path file = write("pairs.tsv",
                                "Unha tía miña\tMy aunt lives near the sea.\n"
                                "O can durmía.\tThe dog was sleeping.\n"
                                "Onte choveu.\tYesterday it rained.\n"
                                "Quero aprender.\tI want to learn.\n");
    return fmt::format("ablation: {{pairs: {}, {}}}", file.string(), more);
  }
  // [condition][pair]
  std::vector<Numbers> log_probabilities(const ResultFile& file) const {
    const Numbers all = numbers(file, "ablation_log_probability");
    const std::size_t count = extents(file, "ablation_log_probability")[1];
    std::vector<Numbers> rows;
    for (auto row = all.begin(); row != all.end(); row += static_cast<std::ptrdiff_t>(count))
      rows.emplace_back(row, row + static_cast<std::ptrdiff_t>(count));
    return rows;
  }
};

TEST_F(OpusMtTest, KeepsEveryKindOfAttentionWithItsTokens) {
  const ResultFile file = result(kSentences + ", " + kGreedy);
  const Numbers source_length = numbers(file, "source_length");
  const Numbers target_length = numbers(file, "target_length");
  ASSERT_EQ(source_length.size(), 2U);
  EXPECT_EQ(texts(file, "source_text"), (Words{"Unha tía miña", "O can durmía diante da porta."}));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string item = fmt::format("sentence/{}/", i);
    const auto source = static_cast<std::uint64_t>(source_length[i]);
    const auto target = static_cast<std::uint64_t>(target_length[i]);
    using Extents = std::vector<std::uint64_t>;
    EXPECT_EQ(extents(file, item + "encoder_self_attention"),
              (Extents{kLayers, kHeads, source, source}));
    EXPECT_EQ(extents(file, item + "decoder_self_attention"),
              (Extents{kLayers, kHeads, target, target}));
    EXPECT_EQ(extents(file, item + "cross_attention"), (Extents{kLayers, kHeads, target, source}));
    EXPECT_EQ(extents(file, item + "runner_up_token"), (Extents{target, 3}));
    EXPECT_EQ(extents(file, item + "cross_entropy"), (Extents{kLayers, kHeads}));
    const DatasetInfo& cross = dataset(file, item + "cross_attention");
    EXPECT_EQ(cross.dims, (Words{"decoder_layer", "decoder_head", "target_query", "source_key"}));
    EXPECT_EQ(file.labels(cross, 0), (Words{"L1", "L2"}));
    EXPECT_EQ(file.labels(cross, 1), (Words{"H1", "H2", "H3", "H4"}));
    EXPECT_EQ(file.labels(cross, 2), texts(file, item + "input_token"));
    EXPECT_EQ(file.labels(cross, 3).back(), "</s>");
  }
}

TEST_F(OpusMtTest, EveryStepReadsWhatTheOneBeforeWrote) {
  const ResultFile file = result(kSentences + ", " + kGreedy);
  for (const std::string item : {"sentence/0/", "sentence/1/"}) {
    const Words input = texts(file, item + "input_token");
    const Words predicted = texts(file, item + "predicted_token");
    EXPECT_EQ(input.front(), "<pad>");
    EXPECT_EQ(Words(input.begin() + 1, input.end()), Words(predicted.begin(), predicted.end() - 1));
    const Numbers input_word = numbers(file, item + "input_word_of");
    const Numbers predicted_word = numbers(file, item + "predicted_word_of");
    EXPECT_EQ(input_word.front(), -1);
    EXPECT_EQ(Numbers(input_word.begin() + 1, input_word.end()),
              Numbers(predicted_word.begin(), predicted_word.end() - 1));
    EXPECT_EQ(texts(file, item + "target_word").size(), predicted_word.back() + 1);
    EXPECT_EQ(texts(file, item + "source_word").size(),
              numbers(file, item + "source_word_of").back() + 1);
  }
  EXPECT_EQ(texts(file, "sentence/0/source_word"), (Words{"Unha", "tía", "miña", "</s>"}));
}

TEST_F(OpusMtTest, SaysWhatAutoBecameAndThatRandomWeightsMeanNothing) {
  const Outcome outcome = run(probe(kSentences + ", decoding: {max_length: 12}"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const ResultFile file(first_line(outcome.output));
  EXPECT_EQ(texts(file, "run_note").front(),
            "keep.encoder_layers: 1 to 2\nkeep.encoder_heads: 1 to 4\n"
            "keep.decoder_layers: 1 to 2\nkeep.decoder_heads: 1 to 4\n"
            "decoding.strategy: beam\ndecoding.beam_size: 4\ndecoding.length_penalty: 1\n"
            "decoding.min_length: 0\ndecoding.early_stopping: false\n");
  const std::string warning =
      "warning: the weights are random: what this model looks at, and what it writes, means "
      "nothing\n";
  EXPECT_NE(outcome.error.find(warning), std::string::npos) << outcome.error;
  EXPECT_NE(texts(file, "run_log").front().find(warning), std::string::npos);
}

TEST_F(OpusMtTest, AForcedTargetLooksWhereTheFreeRunLooked) {
  // A random model's text is seldom read back as the tokens it wrote; this one is.
  const std::string sentence = "sentences: [Inspiroume confianza.], ";
  const ResultFile free = result(sentence + kGreedy);
  const ResultFile forced = result(
      fmt::format("{}target: [{}]", sentence, in_quotes(texts(free, "translation").front())));
  ASSERT_EQ(numbers(forced, "sentence/0/predicted_id"), numbers(free, "sentence/0/predicted_id"));
  for (const char* output : {"encoder_self_attention", "decoder_self_attention", "cross_attention",
                             "log_probability", "runner_up_id", "cross_entropy"}) {
    const std::string path = fmt::format("sentence/0/{}", output);
    EXPECT_EQ(dataset(forced, path).sha256, dataset(free, path).sha256) << path;
  }
}

TEST_F(OpusMtTest, KeepsTheChosenPartAlone) {
  const ResultFile all = result(kForced);
  const ResultFile part = result(kForced +
                                 ", keep: {kinds: [cross], decoder_layers: [2], decoder_heads: [1, "
                                 "3]}, supervised_heads: [L2H1]");
  EXPECT_EQ(part.find("sentence/0/encoder_self_attention"), nullptr);
  EXPECT_EQ(part.find("sentence/0/decoder_self_entropy"), nullptr);
  const DatasetInfo& cross = dataset(part, "sentence/0/cross_attention");
  EXPECT_EQ(part.labels(cross, 0), Words{"L2"});
  EXPECT_EQ(part.labels(cross, 1), (Words{"H1", "H3"}));
  const Numbers layer = layer_of(numbers(all, "sentence/0/cross_attention"), 1);
  const auto size = static_cast<std::ptrdiff_t>(layer.size() / kHeads);
  Numbers expected(layer.begin(), layer.begin() + size);
  expected.insert(expected.end(), layer.begin() + 2 * size, layer.begin() + 3 * size);
  EXPECT_EQ(numbers(part, "sentence/0/cross_attention"), expected);
  EXPECT_EQ(numbers(part, "sentence/0/cross_entropy")[1],
            numbers(all, "sentence/0/cross_entropy")[kHeads + 2]);
  Numbers supervised(kLayers * kHeads, 0);
  EXPECT_EQ(numbers(all, "supervised"), supervised);
  supervised[kHeads] = 1;
  EXPECT_EQ(numbers(part, "supervised"), supervised);
}

TEST_F(OpusMtTest, KeepsNothingOfAttentionWhereNoKindIsNamed) {
  const ResultFile all = result(kForced);
  const ResultFile bare = result(kForced + ", keep: {kinds: []}, runners_up: 0");
  EXPECT_EQ(bare.find("sentence/0/cross_attention"), nullptr);
  EXPECT_EQ(bare.find("sentence/0/runner_up_id"), nullptr);
  EXPECT_EQ(dataset(bare, "sentence/0/log_probability").sha256,
            dataset(all, "sentence/0/log_probability").sha256);
}

// Of every head: output = Σ weight · value, norm = weight · ‖value W_O‖.
TEST_F(OpusMtTest, KeepsWhatHeadsPassOn) {
  const ResultFile file =
      result(kForced + ", keep: {values: true, head_outputs: true, residual: true, norms: true}");
  const std::vector<std::uint64_t> shape = extents(file, "sentence/0/cross_attention");
  const std::uint64_t queries = shape[2];
  const std::uint64_t keys = shape[3];
  const std::uint64_t dims = extents(file, "sentence/0/cross_value")[3];
  const Numbers weight = numbers(file, "sentence/0/cross_attention");
  const Numbers value = numbers(file, "sentence/0/cross_value");
  const Numbers output = numbers(file, "sentence/0/cross_head_output");
  const Numbers norm = numbers(file, "sentence/0/cross_norm_attention");
  for (std::size_t head = 0; head < kLayers * kHeads; ++head) {
    const double scale = norm[head * queries * keys] / weight[head * queries * keys];
    for (std::size_t row = head * queries; row < (head + 1) * queries; ++row) {
      for (std::size_t dim = 0; dim < dims; ++dim) {
        double sum = 0;
        for (std::size_t key = 0; key < keys; ++key)
          sum += weight[row * keys + key] * value[(head * keys + key) * dims + dim];
        ASSERT_NEAR(output[row * dims + dim], sum, 1e-5);
      }
      ASSERT_NEAR(norm[row * keys], weight[row * keys] * scale, 1e-5);
    }
  }
  EXPECT_EQ(file.labels(dataset(file, "sentence/0/encoder_residual"), 0),
            (Words{"embedding", "L1", "L2"}));
  EXPECT_EQ(extents(file, "sentence/0/decoder_residual")[0], kLayers + 1);
}

TEST_F(OpusMtTest, AGateChangesNothingBeforeItsHead) {
  const ResultFile open = result(kForced);
  for (const char* mode : {"zero", "uniform", "mean"}) {
    const ResultFile gated = result(
        fmt::format("{}, gates: [{{kind: cross, layer: 1, head: 2, mode: {}}}]", kForced, mode));
    EXPECT_EQ(dataset(gated, "sentence/0/encoder_self_attention").sha256,
              dataset(open, "sentence/0/encoder_self_attention").sha256);
    for (const std::string path :
         {"sentence/0/decoder_self_attention", "sentence/0/cross_attention"}) {
      const Numbers before = numbers(open, path);
      const Numbers after = numbers(gated, path);
      EXPECT_NE(layer_of(after, 1), layer_of(before, 1)) << mode << " " << path;
      if (path.ends_with("self_attention")) {
        EXPECT_EQ(layer_of(after, 0), layer_of(before, 0)) << mode;
      }
    }
    EXPECT_NE(numbers(gated, "sentence/0/log_probability"),
              numbers(open, "sentence/0/log_probability"));
  }
}

TEST_F(OpusMtTest, ThreadsAndWorkersChangeNoDigest) {
  const fs::path file =
      probe(kSentences + ", " + kGreedy + ", " + pairs("kinds: [cross], translate: true"));
  const std::string expected = checked_digest(result_of(file, {"-j", "1", "--threads", "1"}));
  EXPECT_EQ(checked_digest(result_of(file, {"-j", "1", "--threads", "2"})), expected);
  EXPECT_EQ(checked_digest(result_of(file, {"-j", "1", "--threads", "5"})), expected);
}

TEST_F(OpusMtTest, ARunOfASweepHasTheBytesItHasAlone) {
  const std::string gate = "[{kind: cross, layer: 2, head: 1}]";
  const fs::path swept =
      result_of(probe(kForced, fmt::format("sweep: {{config.gates: [[], {}]}}\n", gate)));
  checked_digest(swept);
  const ResultFile together(swept);
  const ResultFile alone = result(kForced + ", gates: " + gate);
  for (const char* path : {"sentence/0/cross_attention", "sentence/0/log_probability", "score"})
    EXPECT_EQ(together.run_digests(dataset(together, path)).at(1), dataset(alone, path).sha256)
        << path;
}

TEST_F(OpusMtTest, ASentenceHasTheSameBytesAmongOthers) {
  const ResultFile together = result(kSentences + ", " + kGreedy);
  const ResultFile alone = result("sentences: [O can durmía diante da porta.], " + kGreedy);
  for (const char* output : {"encoder_self_attention", "cross_attention", "log_probability"}) {
    const std::string own = fmt::format("sentence/0/{}", output);
    EXPECT_EQ(numbers(together, fmt::format("sentence/1/{}", output)), numbers(alone, own)) << own;
  }
}

TEST_F(OpusMtTest, AnAblationStudyAsksWhatForcedRunsSay) {
  const ResultFile file = result(kForced + ", " + pairs("protocol: single"));
  const std::vector<Numbers> asked = log_probabilities(file);
  ASSERT_EQ(asked.size(), 1 + 3 * kLayers * kHeads);
  const Words labels = file.labels(dataset(file, "ablation_log_probability"), 0);
  EXPECT_EQ(labels[0], "none");
  EXPECT_EQ(labels[1], "encoder_self L1H1");
  EXPECT_EQ(labels.back(), "cross L2H4");
  EXPECT_EQ(numbers(file, "ablation_half"), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(numbers(file, "ablation_layer").front(), -1);
  EXPECT_EQ(numbers(file, "ablation_head").back(), kHeads - 1);
}

// The same pairs as sentences with forced targets: `score` is the sum over the target's tokens.
TEST_F(OpusMtTest, AConditionSaysWhatARunWithItsGateSays) {
  const std::string forced =
      "sentences: [Unha tía miña, O can durmía., Onte choveu., Quero aprender.], "
      "target: [My aunt lives near the sea., The dog was sleeping., Yesterday it rained., "
      "I want to learn.]";
  constexpr double kRounding = 1e-9;
  for (const std::string mode : {"zero", "uniform", "mean"}) {
    const std::vector<Numbers> asked =
        log_probabilities(result(kForced + ", " + pairs("mode: " + mode)));
    const auto expect = [&](const Numbers& row, const std::string& gates) {
      const Numbers score = numbers(result(fmt::format("{}, gates: [{}]", forced, gates)), "score");
      ASSERT_EQ(score.size(), row.size());
      for (std::size_t pair = 0; pair < row.size(); ++pair)
        EXPECT_NEAR(row[pair], score[pair], kRounding) << mode << ", " << gates;
    };
    expect(asked.front(), "");
    expect(asked[1], fmt::format("{{kind: encoder_self, layer: 1, head: 1, mode: {}}}", mode));
    expect(asked.back(), fmt::format("{{kind: cross, layer: 2, head: 4, mode: {}}}", mode));
  }
}

TEST_F(OpusMtTest, GreedyTakesTheHeadThatCostsLeastOnTheFirstHalf) {
  const std::vector<Numbers> single =
      log_probabilities(result(kForced + ", " + pairs("kinds: [cross]")));
  std::size_t cheapest = 1;
  for (std::size_t i = 2; i < single.size(); ++i) {
    if (sum_of_half(single[i]) > sum_of_half(single[cheapest])) cheapest = i;
  }
  const ResultFile file =
      result(kForced + ", " + pairs("kinds: [cross], protocol: greedy, limit: 2"));
  const std::vector<Numbers> greedy = log_probabilities(file);
  ASSERT_EQ(greedy.size(), 3U);
  EXPECT_EQ(greedy[0], single[0]);
  EXPECT_EQ(greedy[1], single[cheapest]);
  const std::size_t layer = (cheapest - 1) / kHeads;
  const std::size_t head = (cheapest - 1) % kHeads;
  const Words labels = file.labels(dataset(file, "ablation_log_probability"), 0);
  EXPECT_EQ(labels[1], fmt::format("greedy 1: + cross L{}H{}", layer + 1, head + 1));
  EXPECT_TRUE(labels[2].starts_with("greedy 2: + cross L")) << labels[2];
  EXPECT_NE(labels[2].substr(12), labels[1].substr(12));
}

TEST_F(OpusMtTest, AStudyTranslatesUnderEveryCondition) {
  const ResultFile file = result("sentences: [Unha tía miña], " + kGreedy + ", " +
                                 pairs("kinds: [cross], protocol: all_but_one, translate: true"));
  const std::size_t conditions = 1 + kLayers * kHeads;
  const Words translations = texts(file, "ablation_translation");
  ASSERT_EQ(translations.size(), 4 * conditions);
  EXPECT_EQ(translations.front(), texts(file, "translation").front());
  const Words labels = file.labels(dataset(file, "ablation_log_probability"), 0);
  EXPECT_EQ(labels[1], "all but cross L1H1");
}

TEST_F(OpusMtTest, ANativePackageIsSearchedByItsOwnRules) {
  const fs::path file =
      experiment("opus-mt-probe", fmt::format("config: {{model: {}, sentences: [Unha tía miña]}}\n",
                                              (kFixtures / "native").string()));
  const ResultFile native(result_of(file));
  const std::string note = texts(native, "run_note").front();
  EXPECT_NE(note.find("decoding.max_length: 3 times the tokens of the source\n"), std::string::npos)
      << note;
  EXPECT_LE(numbers(native, "target_length")[0], 3 * numbers(native, "source_length")[0]);
}

TEST_F(OpusMtTest, ABadConfigIsToldBeforeTheRun) {
  const std::string model = "model: " + kModel.string();
  const auto error_of = [this](const std::string& config) {
    const fs::path file = experiment("opus-mt-probe", "config:\n  " + config + "\n");
    const Outcome outcome = run(file);
    EXPECT_EQ(outcome.exit_code, kBadInput);
    EXPECT_EQ(outcome.output, "");
    EXPECT_TRUE(outcome.error.starts_with(file.string() + ":")) << outcome.error;
    return outcome.error.substr(std::min(outcome.error.size(), file.string().size() + 1));
  };
  EXPECT_EQ(error_of(model),
            "3:3: config.sentences: found no text, allowed: at least one sentence, or a file of "
            "them in 'text'\n");
  EXPECT_EQ(error_of(model + "\n  sentences: [Unha tía, ' ']"),
            "4:25: config.sentences[1]: found no text, allowed: a sentence\n");
  EXPECT_EQ(error_of(fmt::format("{}\n  sentences: ['{}']", model, std::string(600, '1'))),
            "4:15: config.sentences[0]: found 601 tokens, allowed: at most 512, the positions that "
            "the model has\n");
  const fs::path empty = folder() / "empty";
  fs::create_directories(empty);
  EXPECT_EQ(error_of(fmt::format("model: {}\n  sentences: [Unha tía]", empty.string())),
            fmt::format("3:10: config.model: {}: found neither config.json, as in a folder from "
                        "Hugging Face, nor decoder.yml, as in a package of native Marian\n",
                        empty.string()));
  EXPECT_FALSE(fs::exists(out()));
}

}  // namespace
}  // namespace refran::tests
