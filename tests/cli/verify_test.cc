// `refran verify` and `refran check`: a result is held to the numbers its config gives, and to its
// own digests.
#include <fmt/format.h>

#include "program.h"

namespace refran::tests {
namespace {

constexpr int kBadInput = 2;
constexpr int kNotPassed = 4;

class VerifyTest : public ProgramTest {
 protected:
  static Outcome verify(const fs::path& result) {
    return refran({"verify", result, "--plugin-path", kPlugins});
  }

  static void edit(const fs::path& result, const std::string& dataset) {
    const Outcome outcome = program(
        {"/usr/bin/python3", REFRAN_SOURCE_DIR "/tests/cli/edit_result.py", result, dataset});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  }
};

TEST_F(VerifyTest, AResultIsReproducedBitForBit) {
  const fs::path single = result_of(experiment("shapes", "seed: 7\n"));
  Outcome outcome = verify(single);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, single.string() + ": reproduced, bit for bit\n");

  const fs::path sweep =
      result_of(experiment("shapes", "sweep:\n  config.heads: [1, 2]\n  seed: [1, 2]\n"));
  outcome = verify(sweep.parent_path());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, sweep.string() + ": reproduced, bit for bit\n");
}

TEST_F(VerifyTest, AnEditedResultIsTold) {
  const fs::path result = result_of(experiment("shapes", "seed: 7\n"));
  edit(result, "loss");
  // The edit has made the digests fit, but the seal over them is broken.
  EXPECT_EQ(refran({"check", result}).output,
            fmt::format("{}: the seal is broken: a label, an attribute or a text was changed\n",
                        result.string()));
  const Outcome outcome = verify(result);
  EXPECT_EQ(outcome.exit_code, kNotPassed);
  EXPECT_EQ(
      outcome.output,
      fmt::format("loss: differs by up to 1\n{}: NOT reproduced, though it declares 'bitwise'\n",
                  result.string()));
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
