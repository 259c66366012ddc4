// SIGKILL at any time: nothing half-written is ever taken for a result, and the same command ends
// with the same bytes.
#include <signal.h>

#include <chrono>
#include <random>
#include <thread>

#include "process.h"
#include "program.h"

namespace refran::tests {
namespace {

using Clock = std::chrono::steady_clock;

class KillTest : public ProgramTest {
 protected:
  // Kills the command at a random time before `longest` is over; false where it had ended by then.
  static bool killed(const Words& words, Clock::duration longest, std::mt19937& random) {
    std::uniform_real_distribution<double> share(0, 1);
    const auto moment = std::chrono::duration_cast<Clock::duration>(longest * share(random));
    Process process(words);
    std::this_thread::sleep_for(moment);
    if (!process.is_running()) return false;
    process.signal_group(SIGKILL);
    process.wait();
    EXPECT_TRUE(wait_until([&] { return !process.has_group(); }));
    return true;
  }

  // All files that a reader would take for results are valid.
  void check_all_results(const std::string& digest) const {
    for (const fs::path& folder : run_folders("slow")) {
      if (fs::exists(folder / "run.h5")) EXPECT_EQ(checked_digest(folder / "run.h5"), digest);
    }
  }

  void kill_many_times(const fs::path& file, const Words& more) const {
    const auto start = Clock::now();
    const std::string digest = checked_digest(result_of(file, more));
    const auto duration = Clock::now() - start;
    std::mt19937 random(1);
    int kills = 0;
    for (int attempt = 0; attempt < 30; ++attempt) {
      if (killed(run_words(file, more), duration, random)) ++kills;
      check_all_results(digest);
    }
    EXPECT_GE(kills, 5);
    const Outcome last = run(file, more);
    EXPECT_EQ(last.exit_code, 0) << last.error;
    EXPECT_EQ(checked_digest(first_line(last.output)), digest);
    const fs::path folder = fs::path(first_line(last.output)).parent_path();
    EXPECT_FALSE(fs::exists(folder / "segments"));
    EXPECT_FALSE(fs::exists(folder / "run.h5.partial"));
    EXPECT_FALSE(fs::exists(folder / "status.json"));
  }
};

TEST_F(KillTest, ASweepEndsWithTheSameBytesHoweverOftenItIsKilled) {
  kill_many_times(experiment("slow",
                             "config: {steps: 100, milliseconds: 0, width: 100}\n"
                             "sweep:\n  seed: {from: 1, count: 40}\n"),
                  {"-j", "2"});
}

TEST_F(KillTest, ASingleRunDoesToo) {
  kill_many_times(experiment("slow", "config: {steps: 1000, milliseconds: 0, width: 1000}\n"), {});
}

}  // namespace
}  // namespace refran::tests
