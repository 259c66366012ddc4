// Ctrl-C and a scheduler's signals: what is done stays, the same command goes on, nothing keeps
// running.
#include <signal.h>

#include <fmt/format.h>

#include "process.h"
#include "program.h"

namespace refran::tests {
namespace {

class StopTest : public ProgramTest {
 protected:
  // Runs of a fifth of a second, one after the other.
  Words sweep_words() const {
    const fs::path file = experiment(
        "slow", "config: {steps: 20, milliseconds: 10}\nsweep:\n  seed: {from: 1, count: 6}\n");
    return run_words(file, {"-j", "1", "--group-size", "1"});
  }

  // Runs of ten minutes and more that do not look whether they should stop.
  Words deaf_words() const {
    const fs::path file =
        experiment("slow", "config: {steps: 2, milliseconds: 600000}\nsweep:\n  seed: [1, 2, 3]\n");
    return run_words(file, {"-j", "2", "--group-size", "1"});
  }

  // As many workers have begun.
  std::ptrdiff_t count_segments() const {
    const auto folders = run_folders("slow");
    if (folders.empty() || !fs::exists(folders[0] / "segments")) return 0;
    return std::distance(fs::directory_iterator(folders[0] / "segments"), {});
  }

  // With `resume`, the command that goes on insists on the folder.
  void expect_stop_and_go_on(int signal, bool whole_group, bool resume) const {
    Process process(sweep_words());
    ASSERT_TRUE(wait_until([&] { return committed_runs("slow") > 0; }));
    whole_group ? process.signal_group(signal) : process.signal(signal);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.exit_code, kStopped);
    EXPECT_EQ(outcome.output, "");
    EXPECT_FALSE(process.has_group());
    ASSERT_EQ(run_folders("slow").size(), 1U);
    const fs::path begun = run_folders("slow").front();
    EXPECT_FALSE(fs::exists(begun / "run.h5"));
    const std::size_t done = committed_runs("slow");
    EXPECT_TRUE(outcome.error.ends_with(
        fmt::format("stopped with {} of 6 runs done; the same command goes on from here\n", done)))
        << outcome.error;

    EXPECT_EQ(refran({"show", begun}).error,
              begun.string() + ": is an incomplete run, it has no run.h5 yet\n");

    Words words = sweep_words();
    if (resume) words.insert(words.end(), {"--resume", begun});
    const Outcome rest = runner::run_program(words);
    EXPECT_EQ(rest.exit_code, 0) << rest.error;
    EXPECT_TRUE(rest.error.starts_with(fmt::format("going on with {}\n", begun.string())))
        << rest.error;
    EXPECT_EQ(rest.output, (begun / "run.h5").string() + "\n");
    const fs::path reference = result_of(experiment(
        "slow", "config: {steps: 20, milliseconds: 0}\nsweep:\n  seed: {from: 1, count: 6}\n"));
    EXPECT_EQ(checked_digest(begun / "run.h5"), checked_digest(reference));
  }
};

TEST_F(StopTest, CtrlCKeepsWhatIsDoneAndTheSameCommandGoesOn) {
  expect_stop_and_go_on(SIGINT, true, false);
}

TEST_F(StopTest, ASchedulersSignalDoesTheSame) { expect_stop_and_go_on(SIGTERM, false, true); }

TEST_F(StopTest, ASingleRunThatIsStoppedLeavesNothing) {
  Process process(run_words(experiment("slow", "config: {steps: 1000000, milliseconds: 1}\n")));
  ASSERT_TRUE(wait_until([&] { return !run_folders("slow").empty(); }));
  process.signal_group(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, kStopped);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.error, "stopped before the run was done; nothing is kept\n");
  EXPECT_TRUE(run_folders("slow").empty());
}

// It would work on for nobody: the signal of its parent's end was asked for too late.
TEST_F(StopTest, AWorkerWhoseParentIsGoneBeforeItBeginsEnds) {
  constexpr const char* kAnother = "1";
  const Outcome outcome =
      program({REFRAN_PROGRAM, "worker", "config", "library", "build", "segment", "1", kAnother});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.error, "");
}

TEST_F(StopTest, AWorkerThatDoesNotListenEndsWithItsParent) {
  Process process(deaf_words());
  ASSERT_TRUE(wait_until([&] { return count_segments() == 2; }));
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().exit_code, 128 + SIGKILL);
  EXPECT_TRUE(wait_until([&] { return !process.has_group(); }));
}

TEST_F(StopTest, ASecondCtrlCEndsWhatDoesNotListen) {
  Process process(deaf_words());
  ASSERT_TRUE(wait_until([&] { return count_segments() > 0; }));
  process.signal_group(SIGINT);
  ASSERT_TRUE(wait_until([&] { return process.has_taken(SIGINT); }));
  EXPECT_TRUE(process.is_running());
  process.signal_group(SIGINT);
  EXPECT_EQ(process.wait().exit_code, 128 + SIGINT);
  EXPECT_TRUE(wait_until([&] { return !process.has_group(); }));
}

}  // namespace
}  // namespace refran::tests
