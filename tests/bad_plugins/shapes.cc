// Well-behaved, and of every shape that outputs have: all element types, conditional, per item with
// extents that differ, extents and labels that differ between runs, rows of NaN; a field spelled
// `auto`, logs, warnings, and a group.
#include <limits>
#include <optional>

#include <refran/plugin.h>

namespace {

using refran::Output;

struct Config {
  int heads = 2;
  int steps = 3;
  std::vector<int> lengths = {2, 3};
  std::optional<double> scale;

  void describe(refran::Fields& field) {
    field("heads", heads, "Length of the dimension head").at_least(1);
    field("steps", steps, "Length of the curve; 0 = none").at_least(0);
    field("lengths", lengths, "Words of every sentence").items(1).at_least(1);
    field("scale", scale, "Factor of the weights; auto: the number of heads");
  }
};

constexpr Output<float, 1> kWeight{
    .name = "weight", .dims = {"head"}, .unit = "1", .doc = "A weight per head"};
constexpr Output<double, 1> kLoss{
    .name = "loss", .dims = {"step"}, .unit = "nat", .doc = "The loss after every step"};
constexpr Output<std::int32_t, 0> kCount{
    .name = "count", .unit = "1", .doc = "Number of sentences"};
constexpr Output<std::int64_t, 1> kPosition{
    .name = "position", .dims = {"token"}, .unit = "1", .doc = "Where every token stands"};
constexpr Output<std::string, 1> kWord{
    .name = "word", .dims = {"token"}, .unit = "1", .doc = "The word of every token"};
constexpr Output<float, 3> kAttention{
    .name = "attention",
    .dims = {"head", "query", "key"},
    .unit = "1",
    .doc = "Attention within a sentence; the first query sees nothing",
    .rows_sum_to_one = true,
    .per_item = "sentence"};

bool has_loss(const Config& config) { return config.steps > 0; }

void put_sentence(std::size_t heads, std::size_t words, refran::Item item) {
  refran::Array<float, 3> attention({heads, words, words}, 1.0F / static_cast<float>(words));
  for (std::size_t head = 0; head < heads; ++head) {
    for (float& cell : attention.row(head, 0)) cell = std::numeric_limits<float>::quiet_NaN();
  }
  std::vector<std::string> keys;
  for (std::size_t word = 0; word < words; ++word) keys.push_back("k" + std::to_string(word));
  item.put(kAttention, attention);
  item.labels("key", keys);
}

void put_all_but_loss(const Config& config, refran::Run& run) {
  const auto heads = static_cast<std::size_t>(config.heads);
  refran::Stream stream = run.stream("weights");
  const double scale = config.scale.value_or(config.heads);
  if (!config.scale) run.note("config.scale", std::to_string(config.heads));
  std::vector<float> weights(heads);
  for (float& weight : weights) weight = static_cast<float>(scale * stream.uniform());
  run.put(kWeight, weights);
  run.put(kCount, static_cast<std::int32_t>(config.lengths.size()));
  run.put(kPosition, std::vector<std::int64_t>{-1, std::numeric_limits<std::int64_t>::max()});
  run.put(kWord, std::vector<std::string>{"", "refrán"});
  run.labels("token", {"start", "token of seed " + std::to_string(run.seed())});
  std::vector<std::string> names;
  for (const int length : config.lengths) names.push_back(std::to_string(length) + " words");
  run.items("sentence", names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    put_sentence(heads, static_cast<std::size_t>(config.lengths[i]), run.item(i));
  }
  run.log("all is well");
  run.warn("but do not rely on it");
}

void run_group(const Config& config, refran::Group& group) {
  std::vector<refran::Stream> streams;
  for (refran::Run& member : group.members()) streams.push_back(member.stream("loss"));
  for (int step = 0; step < config.steps && !group.stop_requested(); ++step) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      group.members()[i].append(kLoss, streams[i].normal());
    }
    group.progress(step + 1, config.steps);
  }
  for (refran::Run& member : group.members()) put_all_but_loss(config, member);
}

void run(const Config& config, refran::Run& run) {
  refran::Group group({run});
  run_group(config, group);
}

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "Which shapes can outputs have?",
                           .run = run,
                           .run_group = run_group,
                           .outputs = {kWeight,
                                       {kLoss, "config.steps is above 0", has_loss},
                                       kCount,
                                       kPosition,
                                       kWord,
                                       kAttention}})
