// What refran says of plugins that cannot be found, cannot be used, or break their rules.
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "program.h"
#include "text_file.h"

namespace refran::tests {
namespace {

constexpr int kBadPlugin = 3;

fs::path built_in_plugins() {
  return fs::weakly_canonical(fs::path(REFRAN_PROGRAM).parent_path() / "../lib/refran/plugins");
}

class PluginErrorsTest : public ProgramTest {
 protected:
  // A folder of its own for a copy of a plugin's library and sidecar.
  fs::path copy_of(const std::string& stem, const std::string& name = "copy") const {
    const fs::path copy = folder() / name;
    fs::create_directories(copy);
    for (const char* const suffix : {".so", ".json"}) {
      fs::copy_file(kPlugins / (stem + suffix), copy / (stem + suffix));
    }
    return copy;
  }

  // Runs the plugin of that name from the folder alone; it has to be refused before anything is
  // written.
  std::string refusal(const std::string& plugin, const fs::path& plugins, int exit_code) const {
    const Outcome outcome =
        refran({"run", experiment(plugin), "--out", out(), "--plugin-path", plugins});
    EXPECT_EQ(outcome.exit_code, exit_code);
    EXPECT_EQ(outcome.output, "");
    EXPECT_FALSE(fs::exists(out()));
    return outcome.error;
  }

  // Runs a plugin whose run fails, and expects a result that says so; returns the failure.
  std::string failure(const std::string& plugin) const {
    const Outcome outcome = run(experiment(plugin));
    EXPECT_EQ(outcome.exit_code, kFailed);
    const fs::path result = first_line(outcome.output);
    EXPECT_FALSE(checked_digest(result).empty());
    EXPECT_FALSE(fs::exists(out() / plugin / "latest.h5"));
    const std::string end =
        fmt::format("1 of 1 run failed, see `refran show {}`\n", result.parent_path().string());
    EXPECT_TRUE(outcome.error.ends_with(end)) << outcome.error;
    return outcome.error.substr(0, outcome.error.size() - end.size());
  }
};

TEST_F(PluginErrorsTest, AnUnknownExperimentIsToldWithTheNearestAndTheFoldersSearched) {
  std::string known = refran({"list", "--names", "--plugin-path", kPlugins}).output;
  known.pop_back();
  known = std::regex_replace(known, std::regex("\n"), ", ");
  const fs::path file = experiment("shaeps");
  EXPECT_EQ(
      refusal("shaeps", kPlugins, kBadInput),
      fmt::format("{}:1:13: experiment: there is no plugin 'shaeps', known are: {}; looked in {}, "
                  "{}; did you mean "
                  "'shapes'?\n",
                  file.string(), known, fs::weakly_canonical(kPlugins).string(),
                  built_in_plugins().string()));
}

TEST_F(PluginErrorsTest, TwoPluginsOfOneNameAreRefused) {
  const fs::path copy = copy_of("shapes");
  const fs::path file = experiment("shapes");
  const Outcome outcome = run(file, {"--plugin-path", copy});
  EXPECT_EQ(outcome.exit_code, kBadInput);
  EXPECT_EQ(
      outcome.error,
      fmt::format("{}:1:13: experiment: there are two plugins of the name 'shapes': {} and {}; "
                  "remove one, or its folder "
                  "from the search path\n",
                  file.string(), (fs::weakly_canonical(kPlugins) / "shapes.so").string(),
                  (copy / "shapes.so").string()));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(PluginErrorsTest, ATextFileIsNoPlugin) {
  const std::string file = fs::weakly_canonical(kNotPlugins / "text_file.so");
  EXPECT_EQ(refusal("text-file", kNotPlugins, kBadPlugin),
            fmt::format("{0}: cannot be opened as a plugin: {0}: file too short\n", file));
}

TEST_F(PluginErrorsTest, ALibraryWithoutTheSymbolIsNoPlugin) {
  EXPECT_EQ(refusal("no-symbol", kNotPlugins, kBadPlugin),
            fmt::format("{}: is no refran plugin: it lacks the symbol refran_handshake, which "
                        "REFRAN_EXPERIMENT defines\n",
                        fs::weakly_canonical(kNotPlugins / "no_symbol.so").string()));
}

TEST_F(PluginErrorsTest, APluginOfAnotherInterfaceHasToBeRebuilt) {
  EXPECT_EQ(refusal("other-interface", kNotPlugins, kBadPlugin),
            fmt::format("{}: built for plugin interface 999, this refran has 2; rebuild the plugin "
                        "against this refran\n",
                        fs::weakly_canonical(kNotPlugins / "other_interface.so").string()));
}

TEST_F(PluginErrorsTest, AnUnresolvedSymbolShowsBeforeTheRun) {
  const std::string file = fs::weakly_canonical(kNotPlugins / "unresolved_symbol.so");
  EXPECT_EQ(refusal("unresolved-symbol", kNotPlugins, kBadPlugin),
            fmt::format(
                "{0}: cannot be opened as a plugin: {0}: undefined symbol: _Z15nobody_has_thisv\n",
                file));
}

TEST_F(PluginErrorsTest, AStaleSidecarSaysRebuild) {
  const fs::path copy = copy_of("shapes");
  std::string sidecar = runner::read_text_file(copy / "shapes.json");
  sidecar = std::regex_replace(sidecar, std::regex("\"build_id\": \"[0-9a-f]{4}"),
                               "\"build_id\": \"0000");
  std::ofstream(copy / "shapes.json") << sidecar;
  EXPECT_EQ(refusal("shapes", copy, kBadPlugin),
            fmt::format("{}/shapes.so: shapes.json beside it was written for another build of it; "
                        "rebuild the plugin\n",
                        copy.string()));
}

TEST_F(PluginErrorsTest, AMissingSidecarSaysRebuild) {
  const fs::path copy = copy_of("shapes");
  fs::remove(copy / "shapes.json");
  EXPECT_EQ(refusal("shapes", copy, kBadPlugin),
            fmt::format("{}/shapes.so: has no shapes.json beside it; rebuild the plugin "
                        "(refran_add_plugin writes both)\n",
                        copy.string()));
}

TEST_F(PluginErrorsTest, ADamagedSidecarSaysRebuild) {
  const fs::path copy = copy_of("shapes");
  fs::resize_file(copy / "shapes.json", 100);
  EXPECT_EQ(refusal("shapes", copy, kBadPlugin),
            fmt::format("{}/shapes.so: shapes.json beside it is damaged; rebuild the plugin\n",
                        copy.string()));
}

TEST_F(PluginErrorsTest, ListGoesOnPastPluginsThatCannotBeUsed) {
  const fs::path copy = copy_of("shapes");
  fs::remove(copy / "shapes.json");
  std::ofstream(copy / "other.so") << "no library";
  const Outcome outcome = refran({"list", "--plugin-path", copy});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("toy-encoder"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find(
                fmt::format("cannot be used: {}/other.so: is no shared library\n", copy.string())),
            std::string::npos)
      << outcome.output;
}

TEST_F(PluginErrorsTest, AMissingSecondLibraryIsToldBeforeTheRun) {
  EXPECT_EQ(refusal("missing-part", kPlugins, kBadPlugin),
            fmt::format("missing-part: its second library {} is missing; rebuild the plugin with "
                        "what that library needs "
                        "(a build without torch leaves it out)\n",
                        fs::weakly_canonical(kPlugins / "missing_part_part.so").string()));
}

TEST_F(PluginErrorsTest, AnExceptionFailsTheRunWithItsText) {
  EXPECT_EQ(failure("throws"), "failed: the oven is cold\n");
}

TEST_F(PluginErrorsTest, WhatIsNoExceptionFailsTheRunToo) {
  EXPECT_EQ(failure("throws-other"),
            "failed: the plugin threw something that is no std::exception\n");
}

TEST_F(PluginErrorsTest, AnUndeclaredOutputIsThePluginsError) {
  EXPECT_EQ(failure("undeclared-output"),
            "failed: plugin error: output 'secret' (float32, 1 dimensions) is written, but not "
            "declared in "
            "REFRAN_EXPERIMENT's .outputs\n");
}

TEST_F(PluginErrorsTest, AWrongExtentIsThePluginsError) {
  EXPECT_EQ(failure("wrong-extent"),
            "failed: plugin error: dimension 'word' has length 2 in output 'value', but 3 in "
            "'key'; it has "
            "one length per run\n");
}

TEST_F(PluginErrorsTest, AForgottenOutputIsThePluginsError) {
  EXPECT_EQ(failure("forgets-output"),
            "failed: plugin error: output 'other' is declared, but was not written\n");
}

}  // namespace
}  // namespace refran::tests
