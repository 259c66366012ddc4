// Sweeps whose seeds are trained together, interrupted in every way: the same command goes on and
// ends with the digests of a sweep that nothing interrupted.
#include <signal.h>

#include <fmt/format.h>

#include "process.h"
#include "program.h"

namespace refran::tests {
namespace {

class InterruptedGroupsTest : public ProgramTest {
 protected:
  // Twelve seeds; the milliseconds a step takes are no part of what comes of it.
  fs::path sweep(int milliseconds) const {
    return experiment("slow", fmt::format("config: {{steps: 12, milliseconds: {}, width: 3}}\n"
                                          "sweep:\n  seed: {{from: 1, count: 12}}\n",
                                          milliseconds));
  }
  Words sweep_words() const { return run_words(sweep(6), {"-j", "2", "--group-size", "3"}); }

  std::string uninterrupted_digest() const {
    const Outcome outcome = refran({"run", sweep(0), "--out", folder() / "uninterrupted",
                                    "--plugin-path", kPlugins, "--group-size", "1"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    return checked_digest(first_line(outcome.output));
  }

  // The folder of a sweep that got this signal when some runs were done, and others not.
  fs::path interrupted(int signal, bool whole_group) const {
    Process process(sweep_words());
    EXPECT_TRUE(wait_until([&] { return committed_runs("slow") > 0; }));
    whole_group ? process.signal_group(signal) : process.signal(signal);
    EXPECT_EQ(process.wait().exit_code, signal == SIGKILL ? 128 + SIGKILL : kStopped);
    EXPECT_TRUE(wait_until([&] { return !process.has_group(); }));
    EXPECT_GT(committed_runs("slow"), 0U);
    EXPECT_LT(committed_runs("slow"), 12U);
    const auto folders = run_folders("slow");
    EXPECT_EQ(folders.size(), 1U);
    return folders.front();
  }

  void expect_to_go_on(const fs::path& begun, const std::string& digest) const {
    const Outcome rest = runner::run_program(sweep_words());
    EXPECT_EQ(rest.exit_code, 0) << rest.error;
    EXPECT_EQ(rest.output, (begun / "run.h5").string() + "\n");
    EXPECT_EQ(first_line(rest.error), "going on with " + begun.string());
    EXPECT_EQ(checked_digest(begun / "run.h5"), digest);
  }
};

TEST_F(InterruptedGroupsTest, GoOnAfterCtrlC) {
  expect_to_go_on(interrupted(SIGINT, true), uninterrupted_digest());
}

TEST_F(InterruptedGroupsTest, GoOnAfterASchedulersSignal) {
  expect_to_go_on(interrupted(SIGTERM, false), uninterrupted_digest());
}

TEST_F(InterruptedGroupsTest, GoOnAfterAKill) {
  expect_to_go_on(interrupted(SIGKILL, true), uninterrupted_digest());
}

TEST_F(InterruptedGroupsTest, GoOnAfterAKillThatLeavesTheWorkersBehind) {
  expect_to_go_on(interrupted(SIGKILL, false), uninterrupted_digest());
}

// Every byte is tried in the tests of segments; here some, through the program.
TEST_F(InterruptedGroupsTest, GoOnFromSegmentsThatAreCut) {
  const std::string digest = uninterrupted_digest();
  const fs::path begun = interrupted(SIGKILL, true);
  const fs::path kept = folder() / "kept";
  fs::copy(begun, kept, fs::copy_options::recursive);
  constexpr std::uintmax_t kCuts = 8;
  for (const auto& segment : fs::directory_iterator(kept / "segments")) {
    const std::uintmax_t size = segment.file_size();
    if (size == 0) continue;
    for (std::uintmax_t cut = 0; cut < kCuts; ++cut) {
      fs::remove_all(begun);
      fs::copy(kept, begun, fs::copy_options::recursive);
      const std::uintmax_t length = size * cut / (kCuts - 1) - (cut == kCuts - 1 ? 1 : 0);
      fs::resize_file(begun / "segments" / segment.path().filename(), length);
      SCOPED_TRACE(fmt::format("cut at byte {} of {}", length, size));
      expect_to_go_on(begun, digest);
    }
  }
}

}  // namespace
}  // namespace refran::tests
