// `refran verify` and `refran check`: a result is held to the numbers its config gives, and to its
// own digests.
#include <signal.h>

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "process.h"
#include "program.h"

namespace refran::tests {
namespace {

constexpr int kNotPassed = 4;

class VerifyTest : public ProgramTest {
 protected:
  static Outcome verify(const fs::path& result, const Words& more = {}) {
    Words words{"verify", result, "--plugin-path", kPlugins};
    words.insert(words.end(), more.begin(), more.end());
    return refran(words);
  }

  // The values and all digests are then those of another result; the seal tells.
  static void edit(const fs::path& result, const std::string& dataset, int run = 0) {
    const Outcome outcome =
        program({"/usr/bin/python3", REFRAN_SOURCE_DIR "/tests/cli/edit_result.py", result, dataset,
                 std::to_string(run)});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  }

  static void edit_environment(const fs::path& result, const std::string& from,
                               const std::string& to) {
    const std::string script =
        "import h5py, re, sys\nwith h5py.File(sys.argv[1], 'r+') as f:\n"
        "  text = f['provenance/environment'].asstr()[()]\n"
        "  f['provenance/environment'][()] = re.sub(sys.argv[2], sys.argv[3], text)\n";
    const Outcome outcome = program({"/usr/bin/python3", "-c", script, result, from, to});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  }

  static void declare(const fs::path& result, const std::string& level, double tolerance) {
    const std::string script =
        "import h5py, sys\nwith h5py.File(sys.argv[1], 'r+') as f:\n"
        "  f.attrs['reproducibility'] = sys.argv[2]\n"
        "  f.attrs['tolerance'] = float(sys.argv[3])\n";
    const Outcome outcome =
        program({"/usr/bin/python3", "-c", script, result, level, std::to_string(tolerance)});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  }

  fs::path grid() const {
    return experiment("shapes", "sweep:\n  config.heads: [1, 2]\n  seed: {from: 1, count: 5}\n");
  }
};

std::string broken_seal(const fs::path& result) {
  return result.string() + ": the seal is broken: a label, an attribute or a text was changed\n";
}

TEST_F(VerifyTest, AResultIsReproducedBitForBit) {
  const fs::path single = result_of(experiment("shapes", "seed: 7\n"));
  Outcome outcome = verify(single);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, single.string() + ": identical\n");

  const fs::path sweep = result_of(grid());
  outcome = verify(sweep.parent_path());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, sweep.string() + ": identical\n");
}

TEST_F(VerifyTest, TheFirstValueThatDiffersIsNamed) {
  const fs::path result = result_of(experiment("shapes", "seed: 7\n"));
  edit(result, "word");
  edit(result, "position");
  // The edit has made the digests fit, but the seal over them is broken.
  EXPECT_EQ(refran({"check", result}).output, broken_seal(result));
  const Outcome outcome = verify(result);
  EXPECT_EQ(outcome.exit_code, kNotPassed);
  EXPECT_EQ(outcome.output,
            fmt::format("{0}"
                        "position[token=start]: was 0, is -1; 1 of 2 values differs, by 1\n"
                        "word[token=start]: was 'edited', is ''; 1 of 2 values differs\n"
                        "nothing has changed in the recorded environment\n"
                        "{1}: NOT identical, though it declares 'bitwise'\n",
                        broken_seal(result), result.string()));
}

TEST_F(VerifyTest, TheRunOfASweepIsNamed) {
  const fs::path result = result_of(grid());
  edit(result, "count", 7);
  const Outcome outcome = verify(result);
  EXPECT_EQ(outcome.exit_code, kNotPassed);
  EXPECT_EQ(outcome.output,
            fmt::format("{0}"
                        "count[config.heads=2, seed=3]: was 3, is 2; 1 of 10 values differs, by 1\n"
                        "nothing has changed in the recorded environment\n"
                        "{1}: NOT identical, though it declares 'bitwise'\n",
                        broken_seal(result), result.string()));
}

TEST_F(VerifyTest, ASampleRunsNothingElse) {
  const fs::path result = result_of(grid());
  Outcome outcome = verify(result, {"--sample", "4"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, result.string() + ": identical, 4 of 10 runs done again\n");
  EXPECT_EQ(without_rates(outcome.error),
            "4 warnings were logged: see run_log\n4/4 runs, R/s, T\n");

  edit(result, "config.heads=2/weight", 0);  // its run 5, of the sample 0, 3, 5, 9
  outcome = verify(result, {"--sample", "4"});
  EXPECT_EQ(outcome.exit_code, kNotPassed);
  const std::string first_words =
      broken_seal(result) + "config.heads=2/weight[seed=1, head=0]: was ";
  EXPECT_EQ(outcome.output.substr(0, first_words.size()), first_words);
  EXPECT_TRUE(outcome.output.ends_with(
      fmt::format("; 1 of 4 values differs, by 1\n"
                  "nothing has changed in the recorded environment\n"
                  "{}: NOT identical, 4 of 10 runs done again, though it declares 'bitwise'\n",
                  result.string())))
      << outcome.output;
  outcome = verify(result, {"--sample", "2"});  // which it is not in
  EXPECT_EQ(outcome.output,
            fmt::format("{0}{1}: identical, 2 of 10 runs done again; but the file was changed "
                        "since it was written\n",
                        broken_seal(result), result.string()));
}

TEST_F(VerifyTest, ASampleOfAZipOrOfSeedsAloneIsDoneToo) {
  const fs::path zip = result_of(experiment(
      "shapes", "sweep:\n  zip: {size: {config.heads: [1, 2, 3], config.steps: [3, 2, 1]}}\n"));
  EXPECT_EQ(verify(zip, {"--sample", "2"}).output,
            zip.string() + ": identical, 2 of 3 runs done again\n");
  const fs::path seeds = result_of(experiment("shapes", "sweep:\n  seed: [1, 2, 3]\n"));
  EXPECT_EQ(verify(seeds, {"--sample", "1"}).output,
            seeds.string() + ": identical, 1 of 3 runs done again\n");
  EXPECT_EQ(verify(seeds, {"--sample", "3"}).output, seeds.string() + ": identical\n");
  const Outcome none = verify(seeds, {"--sample", "0"});
  EXPECT_EQ(none.exit_code, kBadInput);
}

TEST_F(VerifyTest, RunsThatFailAgainAreIdentical) {
  const Outcome made =
      run(experiment("exits", "sweep:\n  seed: {from: 1, count: 5}\n"), {"-j", "1"});
  EXPECT_EQ(made.exit_code, kNotPassed);
  const fs::path result = first_line(made.output);
  const Outcome outcome = verify(result);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, result.string() + ": identical\n");
  EXPECT_EQ(without_rates(outcome.error),
            "failed: seed=3: ended its process with exit code 7\n5/5 runs, R/s, T, 1 failed\n");
}

TEST_F(VerifyTest, ARunThatNoLongerFailsIsTold) {
  const fs::path way_out = folder() / "repaired";
  const fs::path file = experiment(
      "exits", fmt::format("config: {{unless: {}}}\nsweep:\n  seed: {{from: 1, count: 5}}\n",
                           way_out.string()));
  const fs::path result = first_line(run(file, {"-j", "1"}).output);
  write("repaired", "yes\n");
  const Outcome outcome = verify(result);
  EXPECT_EQ(outcome.exit_code, kNotPassed);
  EXPECT_EQ(outcome.output,
            fmt::format("run_status[seed=3]: was failed: ended its process with exit code 7, is "
                        "complete; 1 of 5 runs\n"
                        "nothing has changed in the recorded environment\n"
                        "{}: NOT identical, though it declares 'bitwise'\n",
                        result.string()));
}

TEST_F(VerifyTest, WhatChangedInTheEnvironmentIsTold) {
  const fs::path result = result_of(experiment("shapes"));
  edit_environment(result, R"("cpu": ".*")", R"("cpu": "an abacus")");
  edit_environment(result, R"("flags": ".*")", R"("flags": "-O7")");
  const Outcome outcome = verify(result);
  EXPECT_EQ(outcome.exit_code, kNotPassed);
  const auto line = [&](std::size_t index) {
    std::size_t at = 0;
    for (; index > 0; --index) at = outcome.output.find('\n', at) + 1;
    return outcome.output.substr(at, outcome.output.find('\n', at) + 1 - at);
  };
  EXPECT_EQ(line(0), broken_seal(result));
  EXPECT_TRUE(line(1).starts_with("changed since then: refran/flags: was -O7, is ")) << line(1);
  EXPECT_TRUE(line(2).starts_with("changed since then: cpu: was an abacus, is ")) << line(2);
  EXPECT_EQ(line(3),
            result.string() + ": identical; but the file was changed since it was written\n");
}

TEST_F(VerifyTest, AResultIsHeldToTheToleranceItDeclares) {
  const fs::path result = result_of(experiment("shapes"));
  edit(result, "count");
  declare(result, "close", 1);
  EXPECT_EQ(verify(result).output,
            broken_seal(result) + result.string() +
                ": identical within 1; but the file was changed since it was written\n");
  declare(result, "close", 0.5);
  EXPECT_EQ(verify(result).output, broken_seal(result) +
                                       "count: was 3, is 2\n"
                                       "nothing has changed in the recorded environment\n" +
                                       result.string() +
                                       ": NOT identical, though it declares 'close'\n");
}

TEST_F(VerifyTest, WhatPromisesTheSameOnTheSameMachineMayDifferOnAnother) {
  const fs::path result = result_of(experiment("shapes"));
  edit(result, "count");
  declare(result, "same machine", 0);
  EXPECT_TRUE(
      verify(result).output.ends_with(": NOT identical, though it declares 'same machine'\n"));
  edit_environment(result, R"("cpu": ".*")", R"("cpu": "an abacus")");
  const Outcome outcome = verify(result);
  EXPECT_TRUE(outcome.output.ends_with(
      "\ncount: was 3, is 2\n" + result.string() +
      ": not identical; it promises equal bytes only on the same machine and build\n"))
      << outcome.output;
}

TEST_F(VerifyTest, AnInputThatIsAnotherIsTold) {
  write("words.txt", "a 1 2\nb 3 4\n");
  const fs::path result = result_of(
      experiment("toy-encoder", "config: {sentence: a b, vectors: words.txt, rate: 0.5}\n"));
  write("words.txt", "a 1 2\nb 3 5\n");
  const Outcome outcome = verify(result);
  EXPECT_EQ(outcome.exit_code, kNotPassed);
  EXPECT_TRUE(outcome.output.starts_with("changed since then: input words.txt: was sha256 "))
      << outcome.output;
}

TEST_F(VerifyTest, WhatThePluginPrintsIsNoPartOfTheAnswer) {
  const fs::path result = result_of(experiment("prints"));
  const Outcome outcome = verify(result);
  EXPECT_EQ(outcome.output, result.string() + ": identical\n");
}

TEST_F(VerifyTest, CtrlCEndsItWithoutAnAnswer) {
  const fs::path result = result_of(
      experiment("slow", "config: {steps: 20, milliseconds: 0}\nsweep:\n  seed: [1, 2, 3, 4]\n"));
  const std::string script =
      "import h5py, sys\nwith h5py.File(sys.argv[1], 'r+') as f:\n"
      "  text = f['provenance/config'].asstr()[()]\n"
      "  f['provenance/config'][()] = text.replace('milliseconds: 0', 'milliseconds: 200')\n";
  ASSERT_EQ(program({"/usr/bin/python3", "-c", script, result}).exit_code, 0);
  Process process({REFRAN_PROGRAM, "verify", result, "--plugin-path", kPlugins});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  process.signal_group(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, kStopped);
  EXPECT_EQ(outcome.output, "");
  EXPECT_TRUE(
      outcome.error.ends_with("stopped before the runs were done again; nothing was compared\n"))
      << outcome.error;
}

TEST_F(VerifyTest, CheckTellsDigestsThatDoNotFit) {
  const fs::path result = result_of(experiment("shapes", "seed: 7\n"));
  const Outcome good = refran({"check", result});
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.output,
            fmt::format("{}: valid, digest {}\n", result.string(), checked_digest(result)));

  for (const fs::path& run : {result.parent_path(), out() / "shapes", out() / "shapes/latest.h5"}) {
    EXPECT_EQ(refran({"check", run}).exit_code, 0) << run;
  }

  const std::string script =
      "import h5py, sys\nwith h5py.File(sys.argv[1], 'r+') as f: f['loss'][0] += 1\n";
  ASSERT_EQ(program({"/usr/bin/python3", "-c", script, result}).exit_code, 0);
  const Outcome bad = refran({"check", result});
  EXPECT_EQ(bad.exit_code, kNotPassed);
  EXPECT_EQ(bad.output,
            fmt::format("{}: loss: holds other values than its digest says\n", result.string()));
}

TEST_F(VerifyTest, AFileThatIsNoResultIsToldInOneSentence) {
  const std::string text = write("text.h5", "no HDF5");
  const Outcome outcome = refran({"check", text});
  EXPECT_EQ(outcome.exit_code, kNotPassed);
  EXPECT_EQ(outcome.output, text + ": is not an HDF5 file\n");
  const std::string nothing = folder() / "nothing";
  for (const char* const command : {"show", "check", "verify", "summary"}) {
    const Outcome missing = refran({command, nothing});
    EXPECT_EQ(missing.exit_code, kBadInput) << command;
    EXPECT_EQ(missing.error, nothing + ": there is no such file or folder\n") << command;
  }
}

}  // namespace
}  // namespace refran::tests
