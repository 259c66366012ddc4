// Takes its time: appends step after step, sleeps between them, and stops when it is asked to.
#include <chrono>
#include <thread>

#include <refran/plugin.h>

namespace {

struct Config {
  int steps = 10;
  int milliseconds = 10;
  int width = 1;

  void describe(refran::Fields& field) {
    field("steps", steps, "Entries to append").at_least(1);
    field("milliseconds", milliseconds, "Sleep before every step").unit("ms").at_least(0);
    field("width", width, "Numbers per entry").at_least(1);
  }
};

constexpr refran::Output<double, 2> kNoise{
    .name = "noise", .dims = {"step", "column"}, .unit = "1", .doc = "Random numbers"};

void step(const Config& config, refran::Run& run, refran::Stream& stream) {
  std::vector<double> entry(static_cast<std::size_t>(config.width));
  for (double& number : entry) number = stream.uniform();
  run.append(kNoise, entry);
}

void sleep(const Config& config) {
  std::this_thread::sleep_for(std::chrono::milliseconds(config.milliseconds));
}

void run(const Config& config, refran::Run& run) {
  refran::Stream stream = run.stream("noise");
  for (int done = 0; done < config.steps && !run.stop_requested(); ++done) {
    sleep(config);
    step(config, run, stream);
    run.progress(done + 1, config.steps);
  }
}

void run_group(const Config& config, refran::Group& group) {
  std::vector<refran::Stream> streams;
  for (refran::Run& member : group.members()) streams.push_back(member.stream("noise"));
  for (int done = 0; done < config.steps && !group.stop_requested(); ++done) {
    sleep(config);
    for (std::size_t i = 0; i < streams.size(); ++i) step(config, group.members()[i], streams[i]);
    group.progress(done + 1, config.steps);
  }
}

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "What if it takes long?",
                           .run = run,
                           .run_group = run_group,
                           .outputs = {kNoise}})
