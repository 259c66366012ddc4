// The page's sections 3 and 4: every output word asks all source words with a query, and what it
// gets, beside what the encoder's last summary alone would give it.
#include <algorithm>

#include <arithmetic/attention_field.h>
#include <fmt/format.h>

#include <refran/plugin.h>
#include "config.h"
#include "outputs.h"

namespace refran::attention_query {
namespace {

bool has_field(const Config& config) { return config.has_field(); }

void check(const Config& config, Problems& problems) { config.check(problems); }

std::vector<std::string> coordinates(const std::vector<double>& points) {
  std::vector<std::string> texts;
  for (const double point : points) texts.push_back(fmt::format("{:.6g}", point));
  return texts;
}

void note_if_auto(const char* bound, std::optional<double> given, double taken, Run& run) {
  if (!given) run.note(fmt::format("field.{}", bound), fmt::format("{}", taken));
}

void put_field(const Config& config, const Array<double, 2>& keys, const Array<double, 2>& values,
               Run& run) {
  const auto count = static_cast<std::size_t>(config.field.resolution);
  const Range x_range = config.x_range();
  const Range y_range = config.y_range();
  note_if_auto("x_min", config.field.x_min, x_range.low, run);
  note_if_auto("x_max", config.field.x_max, x_range.high, run);
  note_if_auto("y_min", config.field.y_min, y_range.low, run);
  note_if_auto("y_max", config.field.y_max, y_range.high, run);
  const std::vector<double> x = arithmetic::evenly_spaced(x_range.low, x_range.high, count);
  const std::vector<double> y = arithmetic::evenly_spaced(y_range.low, y_range.high, count);
  run.announce(count * count * (keys.extent(0) + values.extent(1)) * sizeof(double));

  const arithmetic::AttentionField field =
      arithmetic::attention_field(x, y, keys, values, config.scoring_rule());
  run.labels("query_x", coordinates(x));
  run.labels("query_y", coordinates(y));
  run.put(kFieldX, x);
  run.put(kFieldY, y);
  run.put(kFieldWeight, field.weight);
  run.put(kFieldOutput, field.output);
}

// Without attention, a written word gets the source words in the proportions of the last box. With
// attention it weighs all boxes, so it gets of each source word the sum over boxes of weight times
// share. `weight` is [query, key].
void put_comparison(const Config& config, const Array<double, 2>& weight, Run& run) {
  const std::size_t words = config.source.size();
  const Array<double, 2> share =
      arithmetic::shares(config.encoder.rates(words), config.encoder.start_at());
  // A box is the summary after a word: every step but the first.
  Array<double, 2> box_share({words, words + 1});
  std::ranges::copy(share.values().subspan(words + 1), box_share.values().begin());
  Array<double, 2> weight_by_word({weight.extent(0), words + 1});
  for (std::size_t query = 0; query < weight.extent(0); ++query) {
    std::ranges::copy(arithmetic::weighted_average(weight.row(query), box_share),
                      weight_by_word.row(query).begin());
  }
  run.put(kBoxShare, box_share);
  run.put(kWeightByBox, weight);
  run.put(kWeightByWord, weight_by_word);
}

void put_labels(const Config& config, Run& run) {
  std::vector<std::string> source;
  std::vector<std::string> output;
  for (const SourceWord& word : config.source) source.push_back(word.word);
  for (const OutputWord& word : config.queries) output.push_back(word.word);
  run.labels("key", source);
  run.labels("box", source);
  run.labels("word", plugins::with_start(source));
  run.labels("query", output);
  if (!config.value_dims.empty()) run.labels("value_dim", config.value_dims);
}

void attend(const Config& config, Run& run) {
  const Array<double, 2> keys = config.key_matrix();
  const Array<double, 2> values = config.value_matrix();
  const Array<double, 2> queries = config.query_matrix();
  const arithmetic::Attention attention =
      arithmetic::attend(queries, keys, values, config.scoring_rule());
  put_labels(config, run);
  run.put(kKeyVector, keys);
  run.put(kValue, values);
  run.put(kQueryVector, queries);
  run.put(kScore, attention.score);
  run.put(kWeight, attention.weight);
  run.put(kOutput, attention.output);
  run.put(kEntropy, attention.entropy);

  std::vector<std::string> strongest;
  for (std::size_t query = 0; query < config.queries.size(); ++query) {
    const std::span<const double> weight = attention.weight.row(query);
    const auto key = static_cast<std::size_t>(std::ranges::max_element(weight) - weight.begin());
    strongest.push_back(config.source[key].word);
  }
  run.put(kStrongestKey, strongest);
  put_comparison(config, attention.weight, run);
  if (config.has_field()) put_field(config, keys, values, run);
}

}  // namespace
}  // namespace refran::attention_query

namespace attention = refran::attention_query;

REFRAN_EXPERIMENT(
    attention::Config,
    {.question = "Which source words does an output word look at, and what does it get?",
     .run = attention::attend,
     .check = attention::check,
     .outputs = {attention::kKeyVector,
                 attention::kValue,
                 attention::kQueryVector,
                 attention::kScore,
                 attention::kWeight,
                 attention::kOutput,
                 attention::kEntropy,
                 attention::kStrongestKey,
                 attention::kBoxShare,
                 attention::kWeightByBox,
                 attention::kWeightByWord,
                 {attention::kFieldX, attention::kFieldCondition, attention::has_field},
                 {attention::kFieldY, attention::kFieldCondition, attention::has_field},
                 {attention::kFieldWeight, attention::kFieldCondition, attention::has_field},
                 {attention::kFieldOutput, attention::kFieldCondition, attention::has_field}}})
