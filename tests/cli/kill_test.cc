// SIGKILL at any time: nothing half-written is ever taken for a result, and the same command ends
// with the same bytes.
#include <signal.h>

#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "process.h"
#include "program.h"

namespace refran::tests {
namespace {

using Clock = std::chrono::steady_clock;
using Duration = std::chrono::duration<double>;

class KillTest : public ProgramTest {
 protected:
  // Kills the command at a random time before `longest` is over; false where it had ended by then.
  static bool killed(const Words& words, Duration longest, std::mt19937& random) {
    std::uniform_real_distribution<double> share(0, 1);
    const Duration moment = longest * share(random);
    Process process(words);
    std::this_thread::sleep_for(moment);
    if (!process.is_running()) return false;
    process.signal_group(SIGKILL);
    process.wait();
    EXPECT_TRUE(wait_until([&] { return !process.has_group(); }));
    return true;
  }

  // Every file that a reader would take for a result is valid; those seen before are not looked at
  // again.
  void check_new_results(const std::string& digest, std::set<fs::path>& seen) const {
    for (const fs::path& folder : run_folders("slow")) {
      const fs::path result = folder / "run.h5";
      if (fs::exists(result) && seen.insert(result).second) {
        EXPECT_EQ(checked_digest(result), digest);
      }
    }
  }

  void kill_many_times(const fs::path& file, const Words& more) const {
    const auto start = Clock::now();
    const std::string digest = checked_digest(result_of(file, more));
    Duration longest = Clock::now() - start;
    std::mt19937 random(1);
    std::set<fs::path> seen;
    int kills = 0;
    for (int attempt = 0; attempt < 30; ++attempt) {
      const bool was_killed = killed(run_words(file, more), longest, random);
      if (was_killed) ++kills;
      longest *= was_killed ? 1.1 : 0.7;  // so that it is killed most of the time, at its end too
      check_new_results(digest, seen);
    }
    EXPECT_GE(kills, 10);
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
  kill_many_times(experiment("slow", "config: {steps: 500, milliseconds: 0, width: 500}\n"), {});
}

}  // namespace
}  // namespace refran::tests
