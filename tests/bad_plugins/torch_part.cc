// Has a second library that links torch. Crashes for one seed, while torch is loaded.
#include "torch_part.h"

#include <csignal>
#include <cstdlib>

#include <refran/plugin.h>

namespace {

struct Config {
  std::int64_t crash_at_seed = 0;

  void describe(refran::Fields& field) {
    field("crash_at_seed", crash_at_seed, "The seed that crashes; 0 = none");
  }
};

constexpr refran::Output<double, 0> kSum{
    .name = "sum", .unit = "1", .doc = "The sum of the seed and 1, by torch"};

void run(const Config& config, refran::Run& run) {
  const auto seed = static_cast<double>(run.seed());
  const std::array<double, 2> numbers = {seed, 1};
  run.put(kSum, run.part<torch_part::Interface>().sum(numbers, run.threads()));
  if (static_cast<std::int64_t>(run.seed()) == config.crash_at_seed) std::raise(SIGSEGV);
}

void run_group(const Config& config, refran::Group& group) {
  for (refran::Run& member : group.members()) run(config, member);
}

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "What if it needs torch?",
                           .run = run,
                           .run_group = run_group,
                           .outputs = {kSum},
                           .reproducibility = refran::Reproducibility::same_machine,
                           .part = "torch_part_part"})
