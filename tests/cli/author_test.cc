// The commands for authors of plugins.
#include <algorithm>

#include <fmt/format.h>

#include "program.h"
#include "text_file.h"

namespace refran::tests {
namespace {

constexpr int kNotDone = 4;

class CheckPluginTest : public ProgramTest {
 protected:
  void document(const std::string& plugin) const {
    const Outcome tables = refran({"describe", plugin, "--markdown", "--plugin-path", kPlugins});
    ASSERT_EQ(tables.exit_code, 0) << tables.error;
    write("README.md",
          "<!-- refran describe -->\n" + tables.output + "<!-- /refran describe -->\n");
  }
  static Outcome check(const std::string& plugin, const fs::path& file) {
    return refran({"check-plugin", plugin, file, "--plugin-path", kPlugins});
  }
};

TEST_F(CheckPluginTest, AWellBehavedPluginIsDone) {
  document("shapes");
  const fs::path file = experiment("shapes");
  const Outcome outcome = check("shapes", file);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.output,
            fmt::format("ok      is documented: question, fields, outputs, tables in its README\n"
                        "ok      runs {} and writes what it declares\n"
                        "ok      gives the same on 1 and 2 threads\n"
                        "ok      gives a seed the same alone and in a group\n"
                        "ok      gives the same after a kill and resume\n"
                        "shapes is done\n",
                        file.string()));
}

TEST_F(CheckPluginTest, APluginThatDependsOnThreadsIsNotDone) {
  document("depends-on-threads");
  const fs::path file = experiment("depends-on-threads");
  const Outcome outcome = check("depends-on-threads", file);
  EXPECT_EQ(outcome.exit_code, kNotDone);
  EXPECT_EQ(outcome.output,
            fmt::format("ok      is documented: question, fields, outputs, tables in its README\n"
                        "ok      runs {} and writes what it declares\n"
                        "NOT OK  gives the same on 1 and 2 threads\n"
                        "        value: was 1, is 2\n"
                        "ok      gives a seed the same alone and in a group\n"
                        "ok      gives the same after a kill and resume\n"
                        "depends-on-threads is not done yet\n",
                        file.string()));
}

TEST_F(CheckPluginTest, WhatDoesNotRunIsNotDone) {
  const fs::path file = experiment("forgets-output");
  const Outcome outcome = check("forgets-output", file);
  EXPECT_EQ(outcome.exit_code, kNotDone);
  const std::string start = fmt::format(
      "NOT OK  is documented: question, fields, outputs, tables in its README\n"
      "        no README.md with the marks <!-- refran describe --> and <!-- /refran describe -->\n"
      "NOT OK  runs {} and writes what it declares\n"
      "        exit code 4: failed: plugin error: output 'other' is declared, but was not "
      "written\n",
      file.string());
  EXPECT_TRUE(outcome.output.starts_with(start)) << outcome.output;
  EXPECT_TRUE(outcome.output.ends_with("\nforgets-output is not done yet\n")) << outcome.output;
}

TEST_F(CheckPluginTest, ItNeedsAnExperimentFile) {
  const Outcome outcome = program({fmt::format("--chdir={}", folder().string()), REFRAN_PROGRAM,
                                   "check-plugin", "slow", "--plugin-path", kPlugins});
  EXPECT_EQ(outcome.exit_code, kBadInput);
  EXPECT_EQ(
      outcome.error,
      fmt::format(
          "there is no slow.yaml here, in experiments/ or beside {}; name the experiment file\n",
          fs::weakly_canonical(kPlugins / "slow.so").string()));
}

class NewPluginTest : public ProgramTest {
 protected:
  Outcome new_plugin(const Words& words, const std::string& where = "") const {
    Words all{fmt::format("--chdir={}", (folder() / where).string()), REFRAN_PROGRAM, "new-plugin"};
    all.insert(all.end(), words.begin(), words.end());
    return program(all);
  }
  // All files below the folder, sorted, relative to it.
  Words files() const {
    Words all;
    for (const auto& entry : fs::recursive_directory_iterator(folder())) {
      if (entry.is_regular_file()) all.push_back(entry.path().lexically_relative(folder()));
    }
    std::sort(all.begin(), all.end());
    return all;
  }
};

TEST_F(NewPluginTest, WritesAProjectOfItsOwn) {
  const Outcome outcome = new_plugin({"word-order"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_EQ(files(), (Words{"word-order/CMakeLists.txt", "word-order/README.md",
                            "word-order/word-order.yaml", "word-order/word_order.cc"}));
  std::string listed;
  for (const std::string& file : files()) {
    EXPECT_NE(outcome.output.find((folder() / file).string() + "\n"), std::string::npos)
        << outcome.output;
    const std::string text = runner::read_text_file(folder() / file);
    EXPECT_EQ(text.find('@'), std::string::npos) << text;
  }
}

TEST_F(NewPluginTest, InsideTheTreeItWritesIntoItsFolders) {
  write("framework/sdk/include/refran/plugin.h", "");
  write("viz/x", "");
  EXPECT_EQ(new_plugin({"word-order"}, "viz").exit_code, 0);
  EXPECT_EQ(files(), (Words{"experiments/word-order.yaml", "framework/sdk/include/refran/plugin.h",
                            "plugins/word_order/CMakeLists.txt", "plugins/word_order/README.md",
                            "plugins/word_order/word_order.cc", "viz/x"}));
}

TEST_F(NewPluginTest, RefusesANameThatCannotBeOne) {
  for (const char* const name : {"Word-Order", "1st", "word_order", "word-", "wörd", ""}) {
    const Outcome outcome = new_plugin({name});
    EXPECT_EQ(outcome.exit_code, kBadInput);
    EXPECT_EQ(
        outcome.error,
        fmt::format(
            "'{}' cannot be a plugin's name: small letters, digits and hyphens, a letter first\n",
            name));
  }
  EXPECT_TRUE(fs::is_empty(folder()));
}

TEST_F(NewPluginTest, RefusesToWriteOverAFile) {
  const fs::path file = write("mine/word_order.cc", "mine");
  const Outcome outcome = new_plugin({"word-order", "--out", folder() / "mine"});
  EXPECT_EQ(outcome.exit_code, kBadInput);
  EXPECT_EQ(outcome.error, file.string() + ": is there already; nothing was written\n");
  EXPECT_EQ(files(), Words{"mine/word_order.cc"});
  EXPECT_EQ(runner::read_text_file(file), "mine");
}

}  // namespace
}  // namespace refran::tests
