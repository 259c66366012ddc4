// The page's section 1: an encoder reads a sentence word by word into one summary vector, and how
// much of each word is left in it.
#include <arithmetic/attention.h>
#include <encoder_config/encoder_config.h>

#include <refran/plugin.h>

namespace {

using refran::Output;
namespace arithmetic = refran::arithmetic;
namespace plugins = refran::plugins;

struct Config : plugins::EncoderConfig {
  std::string sentence;

  void describe(refran::Fields& field) {
    field("sentence", sentence,
          "The sentence to read; white space and punctuation separate its words")
        .required();
    EncoderConfig::describe(field);
  }
};

constexpr Output<double, 2> kEmbedding{.name = "embedding",
                                       .dims = {"word", "dim"},
                                       .unit = "1",
                                       .doc = "The point of every word of the sentence"};
constexpr Output<double, 1> kRate{
    .name = "rate",
    .dims = {"word"},
    .unit = "1",
    .doc = "The share of the way each word moves the summary toward its point"};
constexpr Output<double, 2> kSummary{
    .name = "summary",
    .dims = {"step", "dim"},
    .unit = "1",
    .doc = "The summary before the first word (step 0) and after every word"};
constexpr Output<double, 2> kShare{
    .name = "share",
    .dims = {"step", "part"},
    .unit = "1",
    .doc = "How much of the start and of every word is in the summary after every step",
    .rows_sum_to_one = true};
constexpr Output<double, 0> kFirstWordShare{
    .name = "first_word_share",
    .unit = "1",
    .doc = "How much of the first word is left in the last summary"};
constexpr Output<double, 0> kLastWordShare{
    .name = "last_word_share",
    .unit = "1",
    .doc = "How much of the last word is in the last summary"};
constexpr Output<double, 0> kPartsHeld{
    .name = "parts_held",
    .unit = "1",
    .doc = "How many parts the last summary holds in effect: exp of the entropy of its shares"};

void check(const Config& config, refran::Problems& problems) {
  const std::vector<plugins::Sentence> sentences = {{"sentence", config.sentence}};
  config.check("", sentences, problems);
}

void encode(const Config& config, refran::Run& run) {
  const plugins::EncodedSentence sentence = config.encode(config.sentence);
  run.labels("word", sentence.words);
  run.labels("step", plugins::with_start(sentence.words));
  run.labels("part", plugins::with_start(sentence.words));

  run.put(kEmbedding, sentence.embedding);
  run.put(kRate, sentence.rate);
  run.put(kSummary, sentence.summary);
  run.put(kShare, sentence.share);

  const std::span<const double> last = sentence.share.row(sentence.words.size());
  run.put(kFirstWordShare, last[1]);
  run.put(kLastWordShare, last.back());
  run.put(kPartsHeld, refran::math::exp(arithmetic::entropy(last)));
}

}  // namespace

REFRAN_EXPERIMENT(Config,
                  {.question = "How much of each word is left in an encoder's one summary vector?",
                   .run = encode,
                   .check = check,
                   .outputs = {kEmbedding, kRate, kSummary, kShare, kFirstWordShare, kLastWordShare,
                               kPartsHeld}})
