// Several launches at once, several files in one launch, and where results are found.
#include <signal.h>

#include <memory>
#include <set>

#include <fmt/format.h>

#include "process.h"
#include "program.h"

namespace refran::tests {
namespace {

using LaunchTest = ProgramTest;

TEST_F(LaunchTest, TwentyLaunchesAtOnceHaveTwentyFolders) {
  const Words words = run_words(experiment("appends", "config: {count: 3}\n"));
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < 20; ++i) processes.push_back(std::make_unique<Process>(words));
  std::set<std::string> results;
  for (const auto& process : processes) {
    const Outcome outcome = process->wait();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    EXPECT_EQ(outcome.error, "");
    results.insert(first_line(outcome.output));
  }
  EXPECT_EQ(results.size(), 20U);
  EXPECT_EQ(run_folders("appends").size(), 20U);
  std::set<std::string> digests;
  for (const std::string& result : results) digests.insert(checked_digest(result));
  EXPECT_EQ(digests.size(), 1U);
  EXPECT_EQ(results.count(fs::canonical(out() / "appends" / "latest.h5")), 1U);
}

TEST_F(LaunchTest, OneOfTwoLaunchesGoesOnWithAnUnfinishedSweepTheOtherStartsItsOwn) {
  const Words words = run_words(
      experiment("slow",
                 "config: {steps: 20, milliseconds: 5}\nsweep:\n  seed: {from: 1, count: 6}\n"),
      {"-j", "1", "--group-size", "1"});
  {
    Process process(words);
    ASSERT_TRUE(wait_until([&] { return committed_runs("slow") > 0; }));
    process.signal_group(SIGKILL);
    process.wait();
    ASSERT_TRUE(wait_until([&] { return !process.has_group(); }));
  }
  ASSERT_EQ(run_folders("slow").size(), 1U);
  const std::string begun = run_folders("slow").front();

  Process one(words);
  Process other(words);
  const Outcome first = one.wait();
  const Outcome second = other.wait();
  EXPECT_EQ(first.exit_code, 0) << first.error;
  EXPECT_EQ(second.exit_code, 0) << second.error;
  EXPECT_NE(first.output, second.output);
  const std::string line = fmt::format("going on with {}\n", begun);
  EXPECT_NE(first.error.starts_with(line), second.error.starts_with(line))
      << first.error << second.error;
  EXPECT_EQ(checked_digest(first_line(first.output)), checked_digest(first_line(second.output)));
}

TEST_F(LaunchTest, StandardOutputHoldsResultPathsAlone) {
  const fs::path file = experiment("prints");
  const Outcome single = run(file);
  EXPECT_EQ(single.exit_code, 0);
  const fs::path result = first_line(single.output);
  EXPECT_EQ(single.output, result.string() + "\n");
  EXPECT_TRUE(fs::is_regular_file(result));
  EXPECT_NE(single.error.find("by printf\n"), std::string::npos);
  EXPECT_NE(single.error.find("by a stream\n"), std::string::npos);

  const Outcome sweep = run(file, {"--sweep", "seed=[1, 2, 3]"});
  EXPECT_EQ(sweep.exit_code, 0);
  EXPECT_EQ(sweep.output, first_line(sweep.output) + "\n");
  EXPECT_TRUE(fs::is_regular_file(first_line(sweep.output)));
}

TEST_F(LaunchTest, EveryFileGivesOneLineOfOutput) {
  const fs::path one = experiment("appends", "config: {count: 3}\n");
  const fs::path two = experiment("shapes");
  const Outcome outcome = run(one, {two});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  const std::string first = first_line(outcome.output);
  const std::string second = first_line(outcome.output.substr(first.size() + 1));
  EXPECT_EQ(outcome.output, first + "\n" + second + "\n");
  EXPECT_EQ(fs::canonical(out() / "appends/latest.h5"), first);
  EXPECT_EQ(fs::canonical(out() / "shapes/latest.h5"), second);
}

TEST_F(LaunchTest, NothingIsRunWhereOneOfTheFilesIsWrong) {
  const fs::path wrong = write("wrong.yaml", "experiment: appends\nconfig: {count: none}\n");
  const Outcome outcome =
      run(experiment("appends", "config: {count: 3}\n"), {experiment("shapes"), wrong});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(
      outcome.error,
      fmt::format("{}:2:17: config.count: found a text 'none', allowed: an integer of at least 1\n",
                  wrong.string()));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(LaunchTest, LatestLeadsToTheNewestResult) {
  const fs::path file = experiment("appends", "config: {count: 3}\n");
  const fs::path first = result_of(file);
  EXPECT_EQ(fs::canonical(out() / "appends/latest.h5"), first);
  const fs::path second = result_of(file, {"config.count=4"});
  EXPECT_EQ(fs::canonical(out() / "appends/latest.h5"), second);
  EXPECT_EQ(fs::read_symlink(out() / "appends/latest.h5"),
            second.parent_path().filename() / "run.h5");
}

TEST_F(LaunchTest, AResultsConfigRunsAgainToTheSameBytes) {
  const fs::path result =
      result_of(experiment("shapes", "config: {heads: 3}\nsweep:\n  seed: [1, 2]\n"));
  const fs::path again = result_of(result.parent_path() / "config.yaml");
  EXPECT_EQ(checked_digest(again), checked_digest(result));
}

}  // namespace
}  // namespace refran::tests
