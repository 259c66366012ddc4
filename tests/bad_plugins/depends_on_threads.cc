// Breaks its promise of the same bytes on any number of threads.
#include <refran/plugin.h>

namespace {

struct Config {
  void describe(refran::Fields&) {}
};

constexpr refran::Output<double, 0> kValue{
    .name = "value", .unit = "1", .doc = "The number of threads"};

void run(const Config&, refran::Run& run) { run.put(kValue, static_cast<double>(run.threads())); }

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "What if threads matter?", .run = run, .outputs = {kValue}})
