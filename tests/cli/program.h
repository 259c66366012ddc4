// Runs refran as a user does, in a folder of the test's own.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "subprocess.h"
#include "temporary_folder.h"

namespace refran::tests {

using runner::Outcome;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

// Exit codes that several files of tests expect.
inline constexpr int kBadInput = 2;
inline constexpr int kFailed = 4;
inline constexpr int kStopped = 130;

inline const fs::path kPlugins = REFRAN_TEST_PLUGINS;
inline const fs::path kNotPlugins = kPlugins.parent_path() / "test-not-plugins";

class ProgramTest : public ::testing::Test {
 protected:
  const fs::path& folder() const { return folder_.path(); }
  fs::path out() const { return folder() / "results"; }
  fs::path write(const std::string& name, const std::string& text) const;
  // An experiment file of a plugin: its text is `experiment: NAME`, and `more` below.
  fs::path experiment(const std::string& plugin, const std::string& more = "") const;

  // The words of `refran run FILE …` with results into out() and the fixture plugins found.
  Words run_words(const fs::path& file, const Words& more = {}) const;
  Outcome run(const fs::path& file, const Words& more = {}) const;
  // The same, which has to succeed; returns the path of the result.
  fs::path result_of(const fs::path& file, const Words& more = {}) const;

  // The run folders of an experiment, by name.
  std::vector<fs::path> run_folders(const std::string& plugin) const;
  // How many runs are committed in the segments of all of them.
  std::size_t committed_runs(const std::string& plugin) const;

 private:
  runner::TemporaryFolder folder_;
};

Outcome refran(const Words& words);
// A program found in PATH.
Outcome program(const Words& words);

// Checks the file as `refran check` does and returns its digest.
std::string checked_digest(const fs::path& result);

// The first line, without its line feed.
std::string first_line(const std::string& text);
// `12.3/s` and `0:07` of progress lines become `R/s` and `T`.
std::string without_rates(const std::string& text);

// Waits, up to a minute, until it is so; false where it never was.
bool wait_until(const std::function<bool()>& is_so);

bool is_root();

}  // namespace refran::tests
