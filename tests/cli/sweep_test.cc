// Sweeps: the grid, crashes that cost one run, the same bytes however the work is shared out, and
// going on.
#include <fstream>

#include <fmt/format.h>

#include "program.h"
#include "result_file.h"

namespace refran::tests {
namespace {

class SweepTest : public ProgramTest {
 protected:
  // The digest of each run's part of a dataset, in grid order.
  static Words digests(const fs::path& result, const std::string& dataset) {
    const runner::ResultFile file(result);
    const runner::DatasetInfo* const info = file.find(dataset);
    return info == nullptr ? Words{} : file.run_digests(*info);
  }

  static Words texts(const fs::path& result, const std::string& dataset) {
    const runner::ResultFile file(result);
    const runner::DatasetInfo* const info = file.find(dataset);
    return info == nullptr ? Words{} : file.read_texts(*info, 0, info->extents.at(0));
  }

  struct Losses {
    fs::path result;
    std::string said;  // on standard error, but for rates
  };

  // Runs a sweep that loses some runs.
  Losses losses(const fs::path& file, const Words& more) const {
    const Outcome outcome = run(file, more);
    EXPECT_EQ(outcome.exit_code, kFailed) << outcome.error;
    const fs::path result = first_line(outcome.output);
    checked_digest(result);
    return {result, without_rates(outcome.error)};
  }

  fs::path crashing(const std::string& config) const {
    return experiment("segfaults",
                      "config: {" + config + "}\nsweep:\n  seed: {from: 1, count: 5}\n");
  }

  // Seeds 1 … 5, each in a process that had nothing else to do.
  Words solo_digests() const {
    const fs::path file = write("solo.yaml", "experiment: segfaults\n");
    Words all;
    for (int seed = 1; seed <= 5; ++seed) {
      const runner::ResultFile result(result_of(file, {fmt::format("seed={}", seed)}));
      all.push_back(result.find("value")->sha256);
    }
    return all;
  }
};

const std::string kNoDigest(64, '0');

// The last lines of a sweep that lost runs; `list` says which and why.
std::string end_of_sweep(const std::string& count, const fs::path& result,
                         const std::string& list) {
  return fmt::format("{} runs failed, see `refran show {}`:\n{}", count,
                     result.parent_path().string(), list);
}

TEST_F(SweepTest, ACrashCostsTheRunInFlight) {
  const Losses lost = losses(crashing("always: [3]"), {"-j", "1", "--group-size", "1"});
  EXPECT_EQ(lost.said,
            "failed: seed=3: crashed: Segmentation fault (signal 11)\n"
            "5/5 runs, R/s, T, 1 failed\n" +
                end_of_sweep("1 of 5", lost.result,
                             "  seed=3: crashed: Segmentation fault (signal 11)\n"));
  EXPECT_EQ(texts(lost.result, "run_status"),
            (Words{"complete", "complete", "failed", "complete", "complete"}));
  EXPECT_EQ(texts(lost.result, "failure"),
            (Words{"", "", "crashed: Segmentation fault (signal 11)", "", ""}));
  Words expected = solo_digests();
  expected[2] = kNoDigest;
  EXPECT_EQ(digests(lost.result, "value"), expected);
}

TEST_F(SweepTest, ACrashInAGroupFailsTheMemberThatCrashesAgainAlone) {
  const Losses lost = losses(crashing("always: [3]"), {"-j", "1", "--group-size", "5"});
  EXPECT_EQ(lost.said,
            "a group of runs crashed: Segmentation fault (signal 11); those not done are done "
            "again one by one: 5\n"
            "failed: seed=3: crashed: Segmentation fault (signal 11)\n"
            "5/5 runs, R/s, T, 1 failed\n" +
                end_of_sweep("1 of 5", lost.result,
                             "  seed=3: crashed: Segmentation fault (signal 11)\n"));
  Words expected = solo_digests();
  expected[2] = kNoDigest;
  EXPECT_EQ(digests(lost.result, "value"), expected);
}

TEST_F(SweepTest, ACrashInAGroupAloneFailsNoMember) {
  const Outcome outcome = run(crashing("in_group: [3]"), {"-j", "1", "--group-size", "5"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(without_rates(outcome.error),
            "a group of runs crashed: Segmentation fault (signal 11); those not done are done "
            "again one by one: 5\n"
            "5/5 runs, R/s, T\n");
  EXPECT_EQ(digests(first_line(outcome.output), "value"), solo_digests());
}

TEST_F(SweepTest, TheLastMemberOfACrashedGroupGetsItsSecondChanceToo) {
  const Outcome outcome =
      run(crashing("in_group: [5], completes_early: true"), {"-j", "1", "--group-size", "5"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(without_rates(outcome.error),
            "a group of runs crashed: Segmentation fault (signal 11); those not done are done "
            "again one by one: 1\n"
            "5/5 runs, R/s, T\n");
  EXPECT_EQ(digests(first_line(outcome.output), "value"), solo_digests());
}

TEST_F(SweepTest, APluginThatEndsTheProcessFailsOneRun) {
  for (const int code : {0, 5, 7}) {
    const fs::path file = experiment(
        "exits",
        fmt::format("config: {{code: {}}}\nsweep:\n  seed: {{from: 1, count: 5}}\n", code));
    const Losses lost = losses(file, {"-j", "1"});
    EXPECT_EQ(
        lost.said,
        fmt::format("failed: seed=3: ended its process with exit code {}\n"
                    "5/5 runs, R/s, T, 1 failed\n",
                    code) +
            end_of_sweep("1 of 5", lost.result,
                         fmt::format("  seed=3: ended its process with exit code {}\n", code)));
  }
}

TEST_F(SweepTest, AnExceptionFailsOneRunAfterTheOther) {
  const Losses lost = losses(experiment("throws", "sweep:\n  seed: [1, 2]\n"), {"-j", "1"});
  EXPECT_EQ(lost.said,
            "failed: seed=1: the oven is cold\n"
            "failed: seed=2: the oven is cold\n"
            "2/2 runs, R/s, T, 2 failed\n" +
                end_of_sweep("2 of 2", lost.result,
                             "  seed=1: the oven is cold\n  seed=2: the oven is cold\n"));
  EXPECT_FALSE(fs::exists(out() / "throws" / "latest.h5"));
}

TEST_F(SweepTest, WorkersAndGroupsDoNotChangeAByte) {
  const fs::path file = experiment("shapes",
                                   "config: {steps: 50}\nsweep:\n  config.lengths: [[2, 3], [4]]\n "
                                   " seed: {from: 1, count: 9}\n");
  const std::string digest = checked_digest(result_of(file, {"-j", "1", "--group-size", "1"}));
  for (const Words& shares :
       {Words{"-j", "2"}, Words{"-j", "3"}, Words{"-j", "1", "--group-size", "2"},
        Words{"-j", "2", "--group-size", "9"}, Words{"--threads", "3"}}) {
    EXPECT_EQ(checked_digest(result_of(file, shares)), digest) << shares.back();
  }
}

TEST_F(SweepTest, ExtentsThatDifferAlongAnAxisMakeItGroups) {
  const fs::path file = experiment("shapes", "sweep:\n  config.heads: [1, 2, 4]\n  seed: [5, 6]\n");
  const fs::path result = result_of(file);
  checked_digest(result);
  const runner::ResultFile read(result);
  for (const char* const path :
       {"config.heads=1/weight", "config.heads=2/weight", "config.heads=4/sentence/1/attention",
        "loss", "count", "token_label"}) {
    EXPECT_NE(read.find(path), nullptr) << path;
  }
  EXPECT_EQ(read.find("weight"), nullptr);
  EXPECT_EQ(read.find("config.heads=4/weight")->dims, (Words{"seed", "head"}));
  EXPECT_EQ(read.find("loss")->dims, (Words{"config.heads", "seed", "step"}));
}

TEST_F(SweepTest, DryRunPrintsTheGridAndWritesNothing) {
  const fs::path file = experiment("shapes", "sweep:\n  config.heads: [1, 2]\n  seed: [5, 6]\n");
  const Outcome outcome = run(file, {"--dry-run"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.output,
            "0 config.heads=1 seed=5\n"
            "1 config.heads=1 seed=6\n"
            "2 config.heads=2 seed=5\n"
            "3 config.heads=2 seed=6\n");
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(SweepTest, AnOverrideOfASweptKeyTakesThePlaceOfItsAxis) {
  const fs::path file = experiment("shapes", "sweep:\n  config.heads: [1, 2]\n  seed: [5, 6]\n");
  EXPECT_EQ(run(file, {"--dry-run", "config.heads=3"}).output, "0 seed=5\n1 seed=6\n");
  EXPECT_EQ(run(file, {"--dry-run", "config.heads=[3, 4]", "seed=9"}).output,
            "0 config.heads=3\n1 config.heads=4\n");
  EXPECT_EQ(run(file, {"--dry-run", "--sweep", "config.heads=[7, 8]", "seed=9"}).output,
            "0 config.heads=7\n1 config.heads=8\n");
}

TEST_F(SweepTest, FailedRunsCountAsDoneUnlessTheyAreToBeRetried) {
  const fs::path way_out = folder() / "repaired";
  const fs::path file = experiment(
      "exits", fmt::format("config: {{unless: {}}}\nsweep:\n  seed: {{from: 1, count: 5}}\n",
                           way_out.string()));
  const fs::path first = losses(file, {"-j", "1"}).result;
  std::ofstream(way_out) << "yes\n";
  const fs::path clean = result_of(file, {"-j", "1"});
  EXPECT_NE(clean, first);

  const Outcome retried = run(file, {"-j", "1", "--retry-failed"});
  EXPECT_EQ(retried.exit_code, 0);
  EXPECT_EQ(retried.output, first.string() + "\n");
  EXPECT_EQ(without_rates(retried.error),
            fmt::format("going on with {}\n5/5 runs, R/s, T\n", first.parent_path().string()));
  EXPECT_EQ(checked_digest(first), checked_digest(clean));
  EXPECT_FALSE(fs::exists(first.parent_path() / "segments"));
}

TEST_F(SweepTest, ResumeRefusesAnotherPlanWithTheDifference) {
  const fs::path file = experiment("exits", "sweep:\n  seed: {from: 1, count: 5}\n");
  const fs::path result = losses(file, {"-j", "1"}).result;
  const std::string begun = result.parent_path();
  const Outcome outcome = run(file, {"--resume", begun, "config.at_seed=4", "seed=[1, 2]"});
  EXPECT_EQ(outcome.exit_code, kBadInput);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.error,
            fmt::format(
                "{}: is the folder of another plan: config.at_seed was '3', is '4'; sweep.seed was "
                "'[1, 2, 3, 4, 5]', is '[1, 2]'\n",
                begun));
}

TEST_F(SweepTest, ResumeNamesTheInputThatIsAnother) {
  const fs::path vectors = write("words.txt", "a 1 2\nb 3 4\n");
  const fs::path file =
      experiment("toy-encoder", "config: {sentence: a b, vectors: words.txt, rate: 0.5}\n");
  Words words = run_words(file, {"--sweep", "seed=[1, 2]"});
  const fs::path begun = fs::path(first_line(runner::run_program(words).output)).parent_path();
  fs::remove(begun / "run.h5");
  fs::create_directory(begun / "segments");
  std::ofstream(begun / "plan.txt") << "0\nexperiment: toy-encoder\nplugin 0 \ninput 0\n";
  words.insert(words.end(), {"--resume", begun});
  const Outcome outcome = runner::run_program(words);
  EXPECT_EQ(outcome.exit_code, kBadInput);
  EXPECT_TRUE(outcome.error.ends_with(
      fmt::format("; the plugin was rebuilt; the input {} was another\n", vectors.string())))
      << outcome.error;
}

TEST_F(SweepTest, ResumeNeedsAnUnfinishedRun) {
  const fs::path file = experiment("shapes");
  const Outcome nothing = run(file, {"--resume", folder() / "nothing"});
  EXPECT_EQ(nothing.exit_code, kBadInput);
  EXPECT_EQ(nothing.error,
            fmt::format("{}/nothing: is no folder of an unfinished run\n", folder().string()));

  const std::string complete = result_of(file).parent_path();
  const Outcome outcome = run(file, {"--resume", complete});
  EXPECT_EQ(outcome.exit_code, kBadInput);
  EXPECT_EQ(outcome.error, complete + ": is complete, there is nothing to resume\n");
}

TEST_F(SweepTest, ATerminalSeesOneBar) {
  std::string command;
  for (const std::string& word :
       run_words(experiment("slow", "config: {milliseconds: 30}\nsweep:\n  seed: [1, 2]\n"))) {
    command += "'" + word + "' ";
  }
  const Outcome outcome =
      program({"script", "--quiet", "--return", "--command", command, "/dev/null"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("\r\033[K[==============================] 2/2 runs, "),
            std::string::npos)
      << outcome.output;
}

}  // namespace
}  // namespace refran::tests
