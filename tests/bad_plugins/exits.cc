// Ends its process for one seed, as a library's fatal error does; until somebody makes a file.
#include <cstdlib>
#include <filesystem>

#include <refran/plugin.h>

namespace {

struct Config {
  int code = 7;
  std::int64_t at_seed = 3;
  std::filesystem::path unless;

  void describe(refran::Fields& field) {
    field("code", code, "Exit code").range(0, 255);
    field("at_seed", at_seed, "The seed that ends the process");
    field("unless", unless, "A file whose presence keeps it from doing so");
  }
};

constexpr refran::Output<double, 0> kValue{.name = "value", .unit = "1", .doc = "A random number"};

void run(const Config& config, refran::Run& run) {
  const bool is_the_seed = static_cast<std::int64_t>(run.seed()) == config.at_seed;
  if (is_the_seed && !std::filesystem::exists(config.unless)) std::exit(config.code);
  run.put(kValue, run.stream("value").uniform());
}

}  // namespace

REFRAN_EXPERIMENT(Config,
                  {.question = "What if it ends the process?", .run = run, .outputs = {kValue}})
