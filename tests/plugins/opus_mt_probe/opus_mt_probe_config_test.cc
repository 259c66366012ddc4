// What opus-mt-probe refuses, against the small model that its experiments use.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <opus_mt_probe/config.h>

namespace refran::opus_mt_probe {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

const fs::path kModel = fs::path(REFRAN_SOURCE_DIR) / "experiments/models/random-tiny";
// Of that model: 2 layers of 4 heads on both sides, beam search with 4 beams.
constexpr std::size_t kPositions = 512;

Config small_config() {
  Config config;
  config.model = kModel;
  config.sentences = {"Unha tía miña", "O can durmía"};
  return config;
}

Problems checked(const Config& config) {
  Problems problems;
  config.check(problems);
  return problems;
}

Texts problems_of(const Config& config) {
  const Problems problems = checked(config);
  Texts texts;
  for (const auto& [field, problem] : problems.problems()) texts.push_back(field + ": " + problem);
  return texts;
}

class ProbeConfigTest : public ::testing::Test {
 protected:
  ~ProbeConfigTest() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories(folder_);
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_ = fs::path(::testing::TempDir()) /
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ProbeConfigTest, HandsTheTokenizerItsOptions) {
  Config config = small_config();
  EXPECT_FALSE(config.tokenizer_options().special_tokens_as_text);
  EXPECT_FALSE(config.tokenizer_options().normalize_punctuation);
  EXPECT_FALSE(config.tokenizer_options().clean_up_spaces.has_value());
  config.special_tokens_as_text = true;
  config.normalize_punctuation = true;
  config.clean_up_spaces = true;
  EXPECT_TRUE(config.tokenizer_options().special_tokens_as_text);
  EXPECT_TRUE(config.tokenizer_options().normalize_punctuation);
  EXPECT_EQ(config.tokenizer_options().clean_up_spaces, true);
}

TEST_F(ProbeConfigTest, RegistersTheFilesOfTheModel) {
  const Problems problems = checked(small_config());
  EXPECT_TRUE(problems.problems().empty());
  Texts names;
  for (const fs::path& file : problems.inputs()) names.push_back(file.filename().string());
  for (const char* name :
       {"config.json", "model.safetensors", "source.spm", "target.spm", "vocab.json"})
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
}

TEST_F(ProbeConfigTest, RefusesAConfigWithoutText) {
  Config config = small_config();
  config.sentences = {};
  EXPECT_EQ(problems_of(config), Texts{"sentences: found no text, allowed: at least one sentence, "
                                       "or a file of them in 'text'"});
  config.text = write("empty.txt", "");
  EXPECT_EQ(problems_of(config),
            Texts{"text: found no text, allowed: a file with a sentence in every line"});
}

TEST_F(ProbeConfigTest, RefusesASentenceWithoutText) {
  Config config = small_config();
  config.sentences = {"Unha tía", " \t "};
  EXPECT_EQ(problems_of(config), Texts{"sentences[1]: found no text, allowed: a sentence"});
  config.sentences = {};
  config.text = write("text.txt", "Unha tía\n\nO can\n");
  EXPECT_EQ(problems_of(config), Texts{"text: found no text in line 2, allowed: a sentence"});
}

TEST_F(ProbeConfigTest, RefusesASentenceBeyondTheModelsPositions) {
  Config config = small_config();
  const Texts many(kPositions + 10, "1");  // a token or more each
  config.sentences.push_back(fmt::format("{}", fmt::join(many, " ")));
  const marian::Tokenizer tokenizer(marian::read_model_folder(kModel));
  const std::size_t tokens = tokenizer.encode_source(config.sentences[2]).ids.size();
  EXPECT_EQ(problems_of(config),
            Texts{fmt::format("sentences[2]: found {} tokens, allowed: at most {}, the positions "
                              "that the model has",
                              tokens, kPositions)});
  const fs::path pairs = write("pairs.tsv", "Unha tía\taunt\nO can\t" + config.sentences[2] + "\n");
  config.sentences.pop_back();
  config.ablation.pairs = pairs;
  EXPECT_EQ(problems_of(config).size(), 1U);
  EXPECT_TRUE(problems_of(config).front().ends_with(
      fmt::format(" tokens as the translation of line 2, allowed: at most {}, the positions that "
                  "the model has",
                  kPositions)))
      << problems_of(config).front();
}

TEST_F(ProbeConfigTest, RefusesTextsThatAreNoText) {
  Config config = small_config();
  config.sentences = {};
  config.text = write("text.txt",
                      "Unha t\xED"
                      "a\n");
  EXPECT_EQ(problems_of(config),
            Texts{"text: found bytes that are not UTF-8 in line 1, allowed: UTF-8"});
  config.text = write("zero.txt", std::string("O\nca\0n\n", 7));
  EXPECT_EQ(problems_of(config), Texts{"text: found a zero byte in line 2, allowed: text"});
}

TEST_F(ProbeConfigTest, RefusesAListAndAFile) {
  Config config = small_config();
  config.text = write("text.txt", "Unha tía\n");
  config.target = {"aunt", "dog"};
  config.target_text = config.text;
  EXPECT_EQ(problems_of(config),
            (Texts{"text: found a file beside 'sentences', allowed: one of the two",
                   "target_text: found a file beside 'target', allowed: one of the two"}));
}

TEST_F(ProbeConfigTest, RefusesTargetsForSomeOfTheSentences) {
  Config config = small_config();
  config.target = {"aunt"};
  EXPECT_EQ(problems_of(config),
            Texts{"target: found 1 for 2 sentences, allowed: one translation per sentence"});
  config.target = {};
  config.target_text = write("target.txt", "a\nb\nc\n");
  EXPECT_EQ(problems_of(config),
            Texts{"target_text: found 3 for 2 sentences, allowed: one translation per sentence"});
}

TEST_F(ProbeConfigTest, RefusesHeadsThatTheModelDoesNotHave) {
  Config config = small_config();
  config.gates = {{"cross", 3, 1, "zero"},
                  {"encoder_self", 1, 5, "zero"},
                  {"cross", 2, 4, "mean"},
                  {"cross", 2, 4, "zero"}};
  config.supervised_heads = {"L2H4", "L6H1"};
  EXPECT_EQ(problems_of(config),
            (Texts{"gates[0]: found cross L3H1, allowed: L1H1 to L2H4, what the model has",
                   "gates[1]: found encoder_self L1H5, allowed: L1H1 to L2H4, what the model has",
                   "gates[3]: found cross L2H4 a second time, allowed: every head once",
                   "supervised_heads[1]: found cross L6H1, allowed: L1H1 to L2H4, what the model "
                   "has"}));
}

TEST_F(ProbeConfigTest, RefusesASupervisedHeadThatIsNone) {
  Config config = small_config();
  config.supervised_heads = {"6-1"};
  EXPECT_EQ(problems_of(config), Texts{"supervised_heads[0]: found '6-1', allowed: a layer and a "
                                       "head of cross-attention, as L6H1"});
}

TEST_F(ProbeConfigTest, RefusesToKeepWhatIsNotThere) {
  Config config = small_config();
  config.keep.kinds = {"cross", "encoder_self", "cross"};
  EXPECT_EQ(problems_of(config),
            Texts{"keep.kinds[2]: found 'cross' a second time, allowed: every kind once"});
  config.keep.kinds = {"cross"};
  config.keep.encoder_layers = {0, 1};
  config.keep.decoder_heads = {2, 1, 5};
  EXPECT_EQ(problems_of(config),
            (Texts{"keep.encoder_layers[0]: found 0, allowed: 1 to 2, what the model has",
                   "keep.decoder_heads[1]: found 1 after 2, allowed: in order, each once",
                   "keep.decoder_heads[2]: found 5, allowed: 1 to 4, what the model has"}));
}

TEST_F(ProbeConfigTest, RefusesDecodingThatCannotBe) {
  Config config = small_config();
  config.decoding.strategy = "greedy";
  config.decoding.beam_size = 4;
  EXPECT_EQ(problems_of(config),
            Texts{"decoding.beam_size: found 4 with strategy greedy, allowed: 1"});
  config.decoding.strategy = "beam";
  config.decoding.beam_size = 1;
  config.decoding.max_length = static_cast<std::int32_t>(kPositions + 2);
  config.decoding.min_length = 1000;
  EXPECT_EQ(problems_of(config),
            (Texts{"decoding.beam_size: found 1 with strategy beam, allowed: at least 2",
                   fmt::format("decoding.max_length: found {}, allowed: at most {}, since the "
                               "model has {} positions",
                               kPositions + 2, kPositions + 1, kPositions),
                   fmt::format("decoding.min_length: found 1000, allowed: less than max_length, {}",
                               kPositions + 2)}));
}

TEST_F(ProbeConfigTest, RefusesLimitsThatNativeMarianDoesNotHave) {
  Config config = small_config();
  config.model = fs::path(REFRAN_SOURCE_DIR) / "tests/fixtures/marian/native";
  EXPECT_EQ(problems_of(config), Texts{});
  config.decoding.max_length = 48;
  config.decoding.early_stopping = true;
  EXPECT_EQ(problems_of(config),
            (Texts{"decoding.max_length: found 48, allowed: auto, since native Marian writes at "
                   "most 3 times the tokens of the source",
                   "decoding.early_stopping: found true, allowed: auto, since native Marian goes "
                   "on until all hypotheses have ended"}));
}

TEST_F(ProbeConfigTest, RefusesMoreRunnersUpThanTokens) {
  Config config = small_config();
  config.runners_up = 100000;
  const std::size_t tokens = marian::read_model_folder(kModel).config.target_vocabulary;
  EXPECT_EQ(problems_of(config),
            Texts{fmt::format("runners_up: found 100000, allowed: fewer than the model's {} tokens",
                              tokens)});
}

TEST_F(ProbeConfigTest, RefusesPairsThatMakeNoStudy) {
  Config config = small_config();
  config.ablation.kinds = {"cross", "cross"};
  config.ablation.pairs = write("one.tsv", "tía\taunt\n");
  EXPECT_EQ(problems_of(config),
            (Texts{"ablation.kinds[1]: found 'cross' a second time, allowed: every kind once",
                   "ablation.pairs: found 1 in the file, allowed: at least 2, since heads are "
                   "chosen on one half and scored on the other"}));
  config.ablation.kinds = {"cross"};
  config.ablation.pairs = write("spaces.tsv", "tía aunt\n");
  EXPECT_EQ(problems_of(config),
            Texts{"ablation.pairs: found 0 tabs in line 1, allowed: one, between a sentence and "
                  "its translation"});
  config.ablation.pairs = write("empty.tsv", "\taunt\ntía\taunt\n");
  EXPECT_EQ(problems_of(config), Texts{"ablation.pairs: found no text as the source of line 1, "
                                       "allowed: a sentence"});
}

TEST_F(ProbeConfigTest, RefusesAFolderThatHoldsNoModel) {
  Config config = small_config();
  write("text.txt", "Unha tía\n");
  config.model = folder();
  std::string error;
  try {
    marian::read_model_folder(folder());
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  EXPECT_TRUE(error.starts_with(folder().string())) << error;
  EXPECT_EQ(problems_of(config), Texts{"model: " + error});
}

TEST(ProbeDecodingTest, TakesFromTheModelWhatIsNotSaid) {
  marian::Decoding own;
  own.beam_size = 6;
  own.max_length = 512;
  own.length_penalty = 0.6;
  DecodingConfig given;
  EXPECT_EQ(given.on_top_of(own).beam_size, 6U);
  EXPECT_EQ(given.on_top_of(own).max_length, 512U);
  EXPECT_EQ(given.on_top_of(own).length_penalty, 0.6);
  given.beam_size = 2;
  given.max_length = 100;
  given.early_stopping = true;
  EXPECT_EQ(given.on_top_of(own).beam_size, 2U);
  EXPECT_EQ(given.on_top_of(own).max_length, 100U);
  EXPECT_TRUE(given.on_top_of(own).early_stopping);
  given.beam_size.reset();
  given.strategy = "greedy";
  EXPECT_EQ(given.on_top_of(own).beam_size, 1U);
}

TEST(ProbeSelectionTest, CountsFromOneAndAutoIsAll) {
  EXPECT_EQ(indices_of(std::nullopt, 3), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(indices_of(Selection({1, 3}), 3), (std::vector<std::size_t>{0, 2}));
}

}  // namespace
}  // namespace refran::opus_mt_probe
