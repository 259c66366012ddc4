// Leaves out an output that it has declared.
#include <refran/plugin.h>

namespace {

struct Config {
  void describe(refran::Fields&) {}
};

constexpr refran::Output<double, 0> kValue{.name = "value", .unit = "1", .doc = "A number"};
constexpr refran::Output<double, 0> kOther{.name = "other", .unit = "1", .doc = "Never written"};

void run(const Config&, refran::Run& run) { run.put(kValue, 1.0); }

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "What if it keeps less than it says?",
                           .run = run,
                           .outputs = {kValue, kOther}})
