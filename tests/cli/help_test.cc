// What helps at the command line: --help of every command, and completion in bash.
#include <algorithm>

#include <fmt/format.h>

#include "program.h"

namespace refran::tests {
namespace {

struct Command {
  std::string name;
  Words mentions;
};

std::ostream& operator<<(std::ostream& stream, const Command& command) {
  return stream << command.name;
}

class HelpTest : public ::testing::TestWithParam<Command> {};

TEST_P(HelpTest, NamesEveryOption) {
  const Outcome outcome = refran({GetParam().name, "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.error, "");
  for (const std::string& word : GetParam().mentions) {
    EXPECT_NE(outcome.output.find(word), std::string::npos) << word << "\n" << outcome.output;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Commands, HelpTest,
    ::testing::Values(
        Command{"run",
                {"FILE", "KEY=VALUE", "--sweep", "--jobs", "--threads", "--group-size", "--out",
                 "--resume", "--retry-failed", "--dry-run", "--plugin-path"}},
        Command{"list", {"--plugin-path", "--names"}},
        Command{"describe", {"plugin", "--markdown", "--json-schema", "--plugin-path"}},
        Command{"validate", {"FILE", "--sweep", "--plugin-path"}}, Command{"show", {"RUN"}},
        Command{"check", {"RUN"}},
        Command{"verify", {"RUN", "--sample", "--plugin-path", "loss[seed=3, step=17]: was"}},
        Command{"diff", {"RUN", "--tolerance", "Exit code 0 where configs and datasets are equal"}},
        Command{"export", {"RUN", "--csv", "--out"}}, Command{"summary", {"RUN", "--csv"}},
        Command{"new-plugin", {"plugin", "--out"}},
        Command{"check-plugin", {"plugin", "FILE", "--plugin-path"}}),
    [](const auto& command) {
      std::string name = command.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(ProgramHelpTest, NamesEveryCommandAndTheExitCodes) {
  const Outcome outcome = refran({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* const word : {"run", "list", "describe", "validate", "show", "check", "verify",
                                 "diff", "export", "summary", "new-plugin", "check-plugin",
                                 "--version", "Exit codes: 0 all well, 2 wrong input"}) {
    EXPECT_NE(outcome.output.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(outcome.output.find("sidecar"), std::string::npos);
}

TEST(ProgramHelpTest, AWrongOptionIsWrongInput) {
  EXPECT_EQ(refran({"run", "--no-such-option", "x.yaml"}).exit_code, 2);
  EXPECT_EQ(refran({}).exit_code, 2);
  EXPECT_EQ(refran({"--version"}).exit_code, 0);
}

class CompletionTest : public ProgramTest {
 protected:
  // What bash offers for the last of the words, in alphabetical order.
  std::string completions(const std::string& words) const {
    const std::string script = fmt::format(
        "cd '{}' && source '{}/framework/cli/completion.bash' && COMP_WORDS=({} {}) && "
        "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) "
        "&& _refran 2>/dev/null; printf '%s\\n' \"${{COMPREPLY[@]}}\" | sort | paste -sd ' '",
        folder().string(), REFRAN_SOURCE_DIR, REFRAN_PROGRAM, words);
    std::string output =
        program({"LC_ALL=C", fmt::format("REFRAN_PLUGIN_PATH={}", kPlugins.string()), "bash",
                 "--norc", "-c", script})
            .output;
    while (!output.empty() && output.back() == '\n') output.pop_back();
    return output;
  }
};

TEST_F(CompletionTest, CompletesCommands) {
  EXPECT_EQ(completions("de"), "describe");
  EXPECT_EQ(completions("di"), "diff");
  EXPECT_EQ(completions("ch"), "check check-plugin");
}

TEST_F(CompletionTest, CompletesOptionsOfTheCommand) {
  EXPECT_EQ(completions("describe --ma"), "--markdown");
  EXPECT_EQ(completions("run --re"), "--resume --retry-failed");
  EXPECT_EQ(completions("verify --s"), "--sample");
  EXPECT_EQ(completions("diff a.h5 b.h5 --t"), "--tolerance");
}

TEST_F(CompletionTest, CompletesPlugins) {
  EXPECT_EQ(completions("describe toy"), "toy-encoder");
  EXPECT_EQ(completions("check-plugin sha"), "shapes");
}

TEST_F(CompletionTest, CompletesExperimentFilesAndResults) {
  write("one.yaml", "");
  write("one.txt", "");
  write("one.h5", "");
  write("onefolder/two.yaml", "");
  EXPECT_EQ(completions("run on"), "one.yaml onefolder/");
  EXPECT_EQ(completions("show on"), "one.h5 onefolder/");
  EXPECT_EQ(completions("diff one.h5 on"), "one.h5 onefolder/");
}

}  // namespace
}  // namespace refran::tests
