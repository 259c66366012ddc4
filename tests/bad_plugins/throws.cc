// Throws a std::exception in run.
#include <stdexcept>

#include <refran/plugin.h>

namespace {

struct Config {
  void describe(refran::Fields&) {}
};

constexpr refran::Output<double, 0> kValue{.name = "value", .unit = "1", .doc = "Never written"};

void run(const Config&, refran::Run&) { throw std::runtime_error("the oven is cold"); }

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "What if run throws?", .run = run, .outputs = {kValue}})
