// `refran diff`: two results by their configs, datasets and provenance.
#include <fmt/format.h>

#include "program.h"

namespace refran::tests {
namespace {

constexpr int kDifferent = 4;
constexpr int kNotRead = 5;

class DiffTest : public ProgramTest {
 protected:
  // What it says below the line with the two paths, which it checks.
  struct Said {
    int exit_code;
    std::string text;
  };
  static Said diff(const fs::path& a, const fs::path& b, const Words& more = {}) {
    Words words{"diff", a, b};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = refran(words);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(first_line(outcome.output), fmt::format("{} / {}", a.string(), b.string()));
    return {outcome.exit_code, outcome.output.substr(first_line(outcome.output).size() + 1)};
  }

  fs::path copy_of(const fs::path& result) const {
    const fs::path copy = folder() / "copy.h5";
    fs::copy_file(result, copy, fs::copy_options::overwrite_existing);
    return copy;
  }

  // Python that changes the copy of a result, `f`.
  fs::path edited(const fs::path& result, const std::string& script) const {
    const fs::path copy = copy_of(result);
    const Outcome outcome =
        program({"/usr/bin/python3", "-c",
                 "import h5py, sys\nwith h5py.File(sys.argv[1], 'r+') as f:\n  " + script, copy});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    return copy;
  }

  fs::path grid() const {
    return experiment("shapes", "sweep:\n  config.heads: [1, 2]\n  seed: [5, 6]\n");
  }
};

TEST_F(DiffTest, TheSameRunMadeTwiceIsEqual) {
  const fs::path first = result_of(grid(), {"-j", "1", "--threads", "1"});
  const fs::path second = result_of(grid(), {"-j", "2", "--threads", "1"});
  ASSERT_NE(first, second);
  const Said said = diff(first, second);
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.text, "equal\n");
}

TEST_F(DiffTest, WhatItWasMadeWithIsToldAndDoesNotCount) {
  const fs::path first = result_of(grid(), {"--threads", "1"});
  const fs::path second = result_of(grid(), {"--threads", "3"});
  const Said said = diff(first, second);
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.text,
            "provenance, which does not count\n"
            "  threads_per_run: 1 / 3\n"
            "equal\n");
}

TEST_F(DiffTest, AnotherConfigIsToldFieldByFieldWithWhatComesOfIt) {
  const fs::path file = experiment("shapes");
  const fs::path first = result_of(file, {"--threads", "1"});
  const fs::path second =
      result_of(file, {"--threads", "1", "config.lengths=[3]", "config.steps=0", "seed=2"});
  const Said said = diff(first, second);
  EXPECT_EQ(said.exit_code, kDifferent);
  EXPECT_EQ(said.text.substr(0, said.text.find("  weight[")),
            "config\n"
            "  seed: 1 / 2\n"
            "  config.steps: 3 / 0\n"
            "  config.lengths: [2, 3] / [3]\n"
            "datasets\n"
            "  count: 2 / 1\n"
            "  loss: float64 [step 3] / missing\n"
            "  label of token[token=1]: 'token of seed 1' / 'token of seed 2'\n"
            "  name of sentence/0: '2 words' / '3 words'\n"
            "  sentence/0/attention: float32 [head 2, query 2, key 2] / float32 [head 2, query 3, "
            "key 3]\n"
            "  sentence/1/attention: float32 [head 2, query 3, key 3] / missing\n");
  EXPECT_TRUE(said.text.ends_with("different\n")) << said.text;
}

TEST_F(DiffTest, NumbersWithinTheToleranceAreEqual) {
  const fs::path result = result_of(experiment("shapes"));
  const fs::path copy = copy_of(result);
  ASSERT_EQ(
      program({"/usr/bin/python3", REFRAN_SOURCE_DIR "/tests/cli/edit_result.py", copy, "position"})
          .exit_code,
      0);
  Said said = diff(result, copy);
  EXPECT_EQ(said.exit_code, kDifferent);
  EXPECT_EQ(said.text,
            "datasets\n"
            "  position[token=start]: -1 / 0; 1 of 2 values differs, by 1\n"
            "different\n");
  said = diff(result, copy, {"--tolerance", "0.5"});
  EXPECT_EQ(said.exit_code, kDifferent);
  said = diff(result, copy, {"--tolerance", "1"});
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.text, "equal within 1\n");
}

TEST_F(DiffTest, SweepsAreComparedRunByRun) {
  const fs::path first = result_of(grid(), {"--threads", "1"});
  const fs::path second = result_of(grid(), {"--threads", "1", "--sweep", "seed=[6, 7]"});
  const Said said = diff(first, second);
  EXPECT_EQ(said.exit_code, kDifferent);
  EXPECT_EQ(said.text,
            "config\n"
            "  sweep.seed: [5, 6] / [6, 7]\n"
            "datasets\n"
            "  run config.heads=1, seed=5: there / missing; 2 of 4 runs\n"
            "  run config.heads=1, seed=7: missing / there; 2 of 4 runs\n"
            "different\n");
}

TEST_F(DiffTest, FoldersAreTakenAsResults) {
  const fs::path result = result_of(experiment("shapes"));
  const Outcome outcome = refran({"diff", result.parent_path(), out() / "shapes"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output,
            fmt::format("{} / {}/shapes/latest.h5\nequal\n", result.string(), out().string()));
  const Outcome missing = refran({"diff", result, folder() / "nothing"});
  EXPECT_EQ(missing.exit_code, kBadInput);
  EXPECT_EQ(missing.error,
            fmt::format("{}/nothing: there is no such file or folder\n", folder().string()));
}

TEST_F(DiffTest, ADigestThatIsNotThatOfTheValuesIsTold) {
  const fs::path result = result_of(experiment("shapes"));
  const Said said = diff(result, edited(result,
                                        "f['digest/count'][()] = b'0' * 64; "
                                        "f['count'].attrs['sha256'] = '0' * 64"));
  EXPECT_EQ(said.exit_code, kDifferent);
  const std::string begin = "datasets\n  digest of count: ";
  EXPECT_EQ(said.text.substr(0, begin.size()), begin);
  EXPECT_EQ(said.text.substr(begin.size() + 12),
            " / 000000000000; the values are equal\ndifferent\n");
}

TEST_F(DiffTest, AFileThatLacksWhatIsNeededIsToldInOneSentence) {
  const fs::path result = result_of(grid());
  const auto error_of = [&](const std::string& script) {
    const fs::path copy = edited(result, script);
    const Outcome outcome = refran({"diff", copy, result});
    EXPECT_EQ(outcome.exit_code, kNotRead);
    return outcome.error.substr(std::min(outcome.error.size(), copy.string().size() + 8));
  };
  EXPECT_EQ(error_of("f.move('config.heads=1', 'config.heads=9')"),
            ": config.heads=9/sentence/0/attention: does not fit the axes of the sweep\n");
  EXPECT_EQ(error_of("del f['run_status']"), ": has no run_status\n");
  EXPECT_EQ(error_of("del f['seed']"), ": has no values of its axis 'seed'\n");
  EXPECT_EQ(error_of("del f['digest/loss']; f['loss'].attrs['sha256'] = '0' * 64"),
            ": loss: has no digest of every run\n");
}

}  // namespace
}  // namespace refran::tests
