// Gives one dimension two lengths.
#include <refran/plugin.h>

namespace {

struct Config {
  void describe(refran::Fields&) {}
};

constexpr refran::Output<double, 1> kKey{
    .name = "key", .dims = {"word"}, .unit = "1", .doc = "Keys"};
constexpr refran::Output<double, 1> kValue{
    .name = "value", .dims = {"word"}, .unit = "1", .doc = "Values"};

void run(const Config&, refran::Run& run) {
  run.put(kKey, std::vector<double>{1, 2, 3});
  run.put(kValue, std::vector<double>{1, 2});
}

}  // namespace

REFRAN_EXPERIMENT(Config,
                  {.question = "What if words are lost?", .run = run, .outputs = {kKey, kValue}})
