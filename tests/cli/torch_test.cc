// A plugin whose second library links torch: a program of its own, since opening torch takes most
// of a second.
#include <cmath>

#include <fmt/format.h>

#include "program.h"
#include "result_file.h"

namespace refran::tests {
namespace {

class TorchTest : public ProgramTest {
 protected:
  static std::vector<double> sums(const fs::path& result) {
    const runner::ResultFile file(result);
    const runner::DatasetInfo* const sum = file.find("sum");
    return file.read_numbers(*sum, 0, sum->extents.empty() ? 1 : sum->extents[0]);
  }
};

TEST_F(TorchTest, TheSecondLibraryComputes) {
  EXPECT_EQ(sums(result_of(experiment("torch-part", "seed: 41\n"))), std::vector<double>{42});
}

TEST_F(TorchTest, AMemberThatCrashesWhileTorchIsLoadedIsTheOnlyOneLost) {
  const fs::path file =
      experiment("torch-part", "config: {crash_at_seed: 2}\nsweep:\n  seed: [1, 2, 3]\n");
  const Outcome outcome = run(file, {"-j", "1", "--group-size", "3"});
  EXPECT_EQ(outcome.exit_code, 4);
  const fs::path result = first_line(outcome.output);
  EXPECT_EQ(without_rates(outcome.error),
            fmt::format("a group of runs crashed: Segmentation fault (signal 11); those not done "
                        "are done again one by "
                        "one: 3\n"
                        "failed: seed=2: crashed: Segmentation fault (signal 11)\n"
                        "3/3 runs, R/s, T, 1 failed\n"
                        "1 of 3 runs failed, see `refran show {}`:\n"
                        "  seed=2: crashed: Segmentation fault (signal 11)\n",
                        result.parent_path().string()));
  checked_digest(result);
  const std::vector<double> found = sums(result);
  EXPECT_EQ(found[0], 2);
  EXPECT_TRUE(std::isnan(found[1]));
  EXPECT_EQ(found[2], 4);
}

TEST_F(TorchTest, ListDescribeAndValidateDoNotOpenTorch) {
  const fs::path file = experiment("torch-part");
  for (const Words& words :
       {Words{"list"}, Words{"describe", "torch-part"}, Words{"validate", file}}) {
    Words traced{"LD_DEBUG=files", REFRAN_PROGRAM};
    traced.insert(traced.end(), words.begin(), words.end());
    traced.insert(traced.end(), {"--plugin-path", kPlugins});
    const Outcome outcome = program(traced);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.error.find("libtorch"), std::string::npos) << words.front();
    EXPECT_EQ(outcome.error.find("torch_part_part"), std::string::npos) << words.front();
  }
}

}  // namespace
}  // namespace refran::tests
