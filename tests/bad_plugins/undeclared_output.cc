// Writes an output that it has not declared.
#include <refran/plugin.h>

namespace {

struct Config {
  void describe(refran::Fields&) {}
};

constexpr refran::Output<double, 0> kValue{.name = "value", .unit = "1", .doc = "A number"};
constexpr refran::Output<float, 1> kSecret{
    .name = "secret", .dims = {"step"}, .unit = "1", .doc = "Not declared"};

void run(const Config&, refran::Run& run) {
  run.put(kValue, 1.0);
  run.put(kSecret, std::vector<float>{1, 2});
}

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "What if it keeps more than it says?",
                           .run = run,
                           .outputs = {kValue}})
