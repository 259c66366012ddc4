// Appends scalars, as many as it is told: what a loss curve costs.
#include <refran/plugin.h>

namespace {

struct Config {
  int count = 1'000'000;

  void describe(refran::Fields& field) { field("count", count, "Numbers to append").at_least(1); }
};

constexpr refran::Output<double, 1> kValue{
    .name = "value", .dims = {"step"}, .unit = "1", .doc = "0, 1, 2, …"};

void run(const Config& config, refran::Run& run) {
  for (int step = 0; step < config.count; ++step) run.append(kValue, static_cast<double>(step));
}

}  // namespace

REFRAN_EXPERIMENT(Config,
                  {.question = "What does an append cost?", .run = run, .outputs = {kValue}})
