// Crashes for some seeds: alone and as members of a group, or as members of a group only.
#include <algorithm>
#include <csignal>

#include <refran/plugin.h>

namespace {

using Seeds = std::vector<std::int64_t>;

struct Config {
  Seeds always;
  Seeds in_group;
  bool completes_early = false;

  void describe(refran::Fields& field) {
    field("always", always, "Seeds that crash alone and in a group");
    field("in_group", in_group, "Seeds that crash in a group only");
    field("completes_early", completes_early, "A group completes its members one by one");
  }
};

constexpr refran::Output<double, 0> kValue{.name = "value", .unit = "1", .doc = "A random number"};

bool is_among(const Seeds& seeds, const refran::Run& run) {
  return std::find(seeds.begin(), seeds.end(), static_cast<std::int64_t>(run.seed())) !=
         seeds.end();
}

[[noreturn]] void crash() {
  std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would turn the crash into an exit
  std::raise(SIGSEGV);
  std::abort();
}

void run(const Config& config, refran::Run& run) {
  run.put(kValue, run.stream("value").uniform());
  if (is_among(config.always, run)) crash();
}

void run_group(const Config& config, refran::Group& group) {
  for (refran::Run& member : group.members()) {
    run(config, member);
    if (is_among(config.in_group, member)) crash();
    if (config.completes_early) member.complete();
  }
}

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "What if it crashes?",
                           .run = run,
                           .run_group = run_group,
                           .outputs = {kValue}})
