// Declares a second library, which is not built.
#include <refran/plugin.h>

namespace {

struct Config {
  void describe(refran::Fields&) {}
};

constexpr refran::Output<double, 0> kValue{.name = "value", .unit = "1", .doc = "A number"};

void run(const Config&, refran::Run& run) { run.put(kValue, run.part<double>()); }

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "What if half of it is missing?",
                           .run = run,
                           .outputs = {kValue},
                           .part = "missing_part_part"})
