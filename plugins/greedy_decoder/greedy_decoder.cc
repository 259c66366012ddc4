// The page's section 2: a decoder starts from the encoder's summary of a Galician input and writes
// English, one word per step.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <refran/plugin.h>
#include "config.h"
#include "outputs.h"

namespace refran::greedy_decoder {
namespace {

bool is_beam(const Config& config) { return config.strategy == "beam"; }

void check(const Config& config, Problems& problems) { config.check(problems); }

// Writes one input's sentence by the config's strategy, from the encoder's last summary `start`
// [dim].
arithmetic::Decoding translate(const Config& config, const arithmetic::Vocabulary& vocabulary,
                               std::span<const double> start, std::size_t input, Run& run) {
  const arithmetic::Limits limits = config.limits();
  std::vector<arithmetic::Tie> ties;
  arithmetic::Decoding decoding;
  if (config.strategy == "sample") {
    // A stream of its own for every input, so that adding one changes no other.
    Stream stream = run.stream(fmt::format("sample/{}", input));
    decoding = arithmetic::decode_by_sampling(vocabulary, start, limits, stream);
  } else if (is_beam(config)) {
    const auto beam_size = static_cast<std::size_t>(config.beam_size);
    const std::vector<arithmetic::Hypothesis> found =
        arithmetic::beam_search(vocabulary, start, limits, beam_size, ties);
    decoding = arithmetic::decode_given(vocabulary, start, limits, found.front().chosen);
    std::vector<std::string> texts;
    std::vector<double> log_probabilities;
    for (const arithmetic::Hypothesis& hypothesis : found) {
      texts.push_back(arithmetic::text_of(vocabulary, hypothesis.chosen));
      log_probabilities.push_back(hypothesis.log_probability);
    }
    run.item(input).put(kHypothesis, texts);
    run.item(input).put(kHypothesisLogProbability, log_probabilities);
  } else {
    decoding = arithmetic::decode_greedily(vocabulary, start, limits, ties);
  }
  for (const arithmetic::Tie& tie : ties) {
    run.warn(fmt::format("'{}', step {}: '{}' are equally likely; the first is taken",
                         config.inputs[input], tie.step + 1, fmt::join(tie.texts, "' and '")));
  }
  return decoding;
}

// Puts the steps of one input.
void put_steps(const plugins::EncodedSentence& source, const arithmetic::Vocabulary& vocabulary,
               const arithmetic::Decoding& decoding, Item item) {
  std::vector<std::string> chosen;
  std::vector<std::string> runner_up;
  std::vector<double> chosen_probability;
  std::vector<double> runner_up_probability;
  for (std::size_t step = 0; step < decoding.chosen.size(); ++step) {
    chosen.push_back(vocabulary.words[decoding.chosen[step]]);
    runner_up.push_back(vocabulary.words[decoding.runner_up[step]]);
    chosen_probability.push_back(decoding.probability(step, decoding.chosen[step]));
    runner_up_probability.push_back(decoding.probability(step, decoding.runner_up[step]));
  }
  std::vector<std::string> positions = plugins::with_start(chosen);
  positions.resize(decoding.state.extent(0));  // the word that ends the sentence moves nothing
  item.labels("source_step", plugins::with_start(source.words));
  item.labels("position", std::move(positions));
  item.labels("step", chosen);
  item.labels("candidate", vocabulary.words);

  item.put(kSourceSummary, source.summary);
  item.put(kState, decoding.state);
  item.put(kLogit, decoding.logit);
  item.put(kProbability, decoding.probability);
  item.put(kChosen, chosen);
  item.put(kChosenProbability, chosen_probability);
  item.put(kRunnerUp, runner_up);
  item.put(kRunnerUpProbability, runner_up_probability);
}

void write_translations(const Config& config, Run& run) {
  const arithmetic::Vocabulary vocabulary = config.candidates();
  run.labels("candidate", vocabulary.words);
  run.labels("source", config.inputs);
  run.put(kOutputEmbedding, vocabulary.embedding);
  run.put(kStepVector, vocabulary.step);

  run.items(kList, config.inputs);
  std::vector<std::string> sentences;
  std::vector<std::int32_t> lengths;
  std::vector<std::int32_t> ended;
  std::vector<double> log_probabilities;
  for (std::size_t input = 0; input < config.inputs.size(); ++input) {
    const plugins::EncodedSentence source = config.encoder.encode(config.inputs[input]);
    const std::span<const double> start = source.summary.row(source.words.size());
    const arithmetic::Decoding decoding = translate(config, vocabulary, start, input, run);
    put_steps(source, vocabulary, decoding, run.item(input));
    sentences.push_back(arithmetic::text_of(vocabulary, decoding.chosen));
    lengths.push_back(static_cast<std::int32_t>(decoding.chosen.size() - (decoding.ended ? 1 : 0)));
    ended.push_back(decoding.ended ? 1 : 0);
    log_probabilities.push_back(decoding.log_probability);
    run.log(fmt::format("{} → {}", config.inputs[input], sentences.back()));
  }
  run.put(kSentence, sentences);
  run.put(kLength, lengths);
  run.put(kEnded, ended);
  run.put(kLogProbability, log_probabilities);
}

}  // namespace
}  // namespace refran::greedy_decoder

using refran::greedy_decoder::Config;
namespace decoder = refran::greedy_decoder;

REFRAN_EXPERIMENT(
    Config,
    {.question = "What does a decoder write that starts from one summary vector, word by word?",
     .run = decoder::write_translations,
     .check = decoder::check,
     .outputs = {decoder::kOutputEmbedding,
                 decoder::kStepVector,
                 decoder::kSentence,
                 decoder::kLength,
                 decoder::kEnded,
                 decoder::kLogProbability,
                 decoder::kSourceSummary,
                 decoder::kState,
                 decoder::kLogit,
                 decoder::kProbability,
                 decoder::kChosen,
                 decoder::kChosenProbability,
                 decoder::kRunnerUp,
                 decoder::kRunnerUpProbability,
                 {decoder::kHypothesis, "strategy is beam", decoder::is_beam},
                 {decoder::kHypothesisLogProbability, "strategy is beam", decoder::is_beam}}})
