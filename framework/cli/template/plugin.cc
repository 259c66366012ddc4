// How evenly a query attends to random keys: the entropy of its attention, by the sharpness of the
// softmax.
#include <refran/plugin.h>

namespace {

struct Config {
  int keys = 8;
  int queries = 3;
  double temperature = 1.0;

  void describe(refran::Fields& field) {
    field("keys", keys, "Number of random keys").range(1, 10'000);
    field("queries", queries, "Number of random queries").range(1, 10'000);
    field("temperature", temperature, "What scores are divided by before the softmax")
        .at_least(0.01);
  }
};

constexpr refran::Output<double, 2> kWeight{.name = "weight",
                                            .dims = {"query", "key"},
                                            .unit = "1",
                                            .doc = "Attention of every query to every key",
                                            .rows_sum_to_one = true};
constexpr refran::Output<double, 1> kEntropy{.name = "entropy",
                                             .dims = {"query"},
                                             .unit = "nat",
                                             .doc = "Entropy of every query's attention"};

void attend(const Config& config, refran::Run& run) {
  refran::Stream scores = run.stream("scores");
  refran::Array<double, 2> weight(
      {static_cast<std::size_t>(config.queries), static_cast<std::size_t>(config.keys)});
  for (std::size_t query = 0; query < weight.extent(0); ++query) {
    double total = 0;
    for (double& value : weight.row(query))
      total += value = refran::math::exp(scores.normal() / config.temperature);
    double entropy = 0;
    for (double& value : weight.row(query)) {
      value /= total;
      if (value > 0) entropy -= value * refran::math::log(value);
    }
    run.append(kEntropy, entropy);
  }
  run.put(kWeight, weight);
}

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "How evenly does a query attend to random keys?",
                           .run = attend,
                           .outputs = {kWeight, kEntropy}})
