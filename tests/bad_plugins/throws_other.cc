// Throws what is no std::exception in run.
#include <refran/plugin.h>

namespace {

struct Config {
  void describe(refran::Fields&) {}
};

constexpr refran::Output<double, 0> kValue{.name = "value", .unit = "1", .doc = "Never written"};

void run(const Config&, refran::Run&) { throw 42; }

}  // namespace

REFRAN_EXPERIMENT(Config,
                  {.question = "What if run throws a number?", .run = run, .outputs = {kValue}})
