// The shipped experiments give the same bytes from every compiler, at any optimisation, on any
// machine: their digests are written down in digests.txt. A change of an experiment's numbers shows
// there, and has to be meant. Those that train are cut short.
#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program.h"

namespace refran::tests {
namespace {

class ReproducibilityTest : public ProgramTest {
 protected:
  // Digests by the name of the experiment file.
  static std::map<std::string, std::string> written_down() {
    std::ifstream file(REFRAN_SOURCE_DIR "/tests/cli/digests.txt");
    std::map<std::string, std::string> digests;
    for (std::string name, digest; file >> name >> digest;) digests[name] = digest;
    return digests;
  }
  std::map<std::string, std::string> computed(const Words& more) const {
    std::map<std::string, std::string> digests;
    for (const auto& entry : fs::directory_iterator(REFRAN_SOURCE_DIR "/experiments")) {
      if (entry.path().extension() != ".yaml") continue;
      const std::string name = entry.path().filename().string();
      Words words = shortening(name);
      words.insert(words.end(), more.begin(), more.end());
      digests[name] = checked_digest(result_of(entry.path(), words));
    }
    return digests;
  }
  // Overrides that leave a moment's work of an experiment.
  static Words shortening(const std::string& name) {
    if (!name.starts_with("referent-")) return {};
    return {"config.steps=8", "config.record.steps=[0, 8]", "seed=[1, 2]"};
  }
};

TEST_F(ReproducibilityTest, ShippedExperimentsHaveTheDigestsWrittenDown) {
  const std::map<std::string, std::string> now = computed({});
  std::string file;
  for (const auto& [name, digest] : now) file += fmt::format("{} {}\n", name, digest);
  EXPECT_EQ(now, written_down()) << "as digests.txt would have it:\n" << file;
}

TEST_F(ReproducibilityTest, ThreadsAndWorkersChangeNoDigest) {
  EXPECT_EQ(computed({"--threads", "3", "-j", "1"}), written_down());
}

}  // namespace
}  // namespace refran::tests
