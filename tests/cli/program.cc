#include "program.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <regex>
#include <thread>

#include "result_file.h"
#include "segment.h"

namespace refran::tests {

fs::path ProgramTest::write(const std::string& name, const std::string& text) const {
  const fs::path file = folder() / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
  return file;
}

fs::path ProgramTest::experiment(const std::string& plugin, const std::string& more) const {
  return write(plugin + ".yaml", "experiment: " + plugin + "\n" + more);
}

Words ProgramTest::run_words(const fs::path& file, const Words& more) const {
  Words words{REFRAN_PROGRAM, "run", file, "--out", out(), "--plugin-path", kPlugins};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Outcome ProgramTest::run(const fs::path& file, const Words& more) const {
  return runner::run_program(run_words(file, more));
}

fs::path ProgramTest::result_of(const fs::path& file, const Words& more) const {
  const Outcome outcome = run(file, more);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  return first_line(outcome.output);
}

std::vector<fs::path> ProgramTest::run_folders(const std::string& plugin) const {
  std::vector<fs::path> folders;
  std::error_code ignored;  // there may be none yet
  for (const auto& entry : fs::directory_iterator(out() / plugin, ignored)) {
    if (entry.is_directory() && !entry.is_symlink()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::size_t ProgramTest::committed_runs(const std::string& plugin) const {
  std::size_t count = 0;
  for (const fs::path& folder : run_folders(plugin)) {
    try {
      count += runner::SegmentSet(folder / "segments").runs().size();
    } catch (const runner::StorageError&) {  // the sweep has just ended and removed them
    } catch (const fs::filesystem_error&) {
    }
  }
  return count;
}

Outcome refran(const Words& words) {
  Words all{REFRAN_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  return runner::run_program(all);
}

Outcome program(const Words& words) {
  Words all{"/usr/bin/env"};
  all.insert(all.end(), words.begin(), words.end());
  return runner::run_program(all);
}

std::string checked_digest(const fs::path& result) {
  const std::vector<std::string> problems = runner::check_result(result);
  EXPECT_TRUE(problems.empty()) << result << ": " << problems.front();
  return runner::ResultFile(result).attribute("digest");
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string without_rates(const std::string& text) {
  static const std::regex rate("[0-9][0-9.e+-]*/s");
  static const std::regex duration("[0-9]+(:[0-9][0-9])+");
  return std::regex_replace(std::regex_replace(text, rate, "R/s"), duration, "T");
}

bool wait_until(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool is_root() { return geteuid() == 0; }

}  // namespace refran::tests
