#include "check_plugin.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "catalog.h"
#include "compare.h"
#include "describe.h"
#include "diagnostics.h"
#include "plan.h"
#include "plugin_loader.h"
#include "result_file.h"
#include "segment.h"
#include "spec.h"
#include "subprocess.h"
#include "temporary_folder.h"
#include "text_file.h"

namespace refran::runner {
namespace {

namespace fs = std::filesystem;

// Sweeps over so many seeds are long enough to be killed in their midst when a run takes a
// millisecond, and short enough when it takes a minute.
constexpr int kFewSeeds = 4;
constexpr int kManySeeds = 1000;
constexpr std::chrono::milliseconds kQuickRun{500};

class Checker {
 public:
  Checker(PluginFile plugin, fs::path file, const std::vector<fs::path>& plugin_folders)
      : plugin_(std::move(plugin)), file_(std::move(file)) {
    for (const fs::path& folder : plugin_folders) {
      options_.push_back("--plugin-path");
      options_.push_back(folder.string());
    }
    const Description& about = plugin_.description;
    if (about.reproducibility == Reproducibility::close) tolerance_ = about.tolerance;
  }

  PluginCheck documented() const;
  PluginCheck runs();
  PluginCheck same_on_two_threads();
  PluginCheck same_alone_and_together();
  PluginCheck same_after_a_kill();

 private:
  std::vector<std::string> arguments(const std::string& out,
                                     const std::vector<std::string>& more) const;
  std::optional<fs::path> run(const std::string& out, const std::vector<std::string>& more,
                              PluginCheck& check);
  void compare(const fs::path& expected, const fs::path& found, PluginCheck& check) const;

  PluginFile plugin_;
  fs::path file_;
  std::vector<std::string> options_;
  double tolerance_ = 0;
  TemporaryFolder folder_;
  fs::path first_result_;
  std::chrono::milliseconds run_time_{0};
};

void check_fields(const std::vector<Field>& fields, const std::string& prefix, PluginCheck& check) {
  for (const Field& field : fields) {
    const std::string name = prefix + field.name;
    if (!field.name.empty() && field.doc.empty())
      check.problems.push_back(fmt::format("config field {} has no words", name));
    check_fields(field.fields, field.name.empty() ? prefix : name + ".", check);
  }
}

// The README of a plugin, where there is one to be found from its experiment file.
fs::path readme_of(const fs::path& file, const std::string& name) {
  const fs::path folder = fs::absolute(file).parent_path();
  for (const fs::path& readme :
       {folder / "README.md", folder.parent_path() / "plugins" / file_stem(name) / "README.md"}) {
    if (read_text_file(readme).find("<!-- refran describe -->") != std::string::npos) return readme;
  }
  return {};
}

PluginCheck Checker::documented() const {
  PluginCheck check{"is documented: question, fields, outputs, tables in its README", {}};
  const Description& about = plugin_.description;
  if (about.question.empty()) check.problems.emplace_back("it asks no question (.question)");
  check_fields(about.fields, "config.", check);
  for (const OutputInfo& output : about.outputs) {
    if (output.doc.empty())
      check.problems.push_back(fmt::format("output {} has no words (.doc)", output.name));
    if (output.unit.empty())
      check.problems.push_back(fmt::format("output {} has no unit; \"1\" means none", output.name));
  }
  const fs::path readme = readme_of(file_, about.name);
  if (readme.empty()) {
    check.problems.emplace_back(
        "no README.md with the marks <!-- refran describe --> and <!-- /refran describe -->");
  } else if (read_text_file(readme).find(describe_markdown(about)) == std::string::npos) {
    check.problems.push_back(fmt::format(
        "{}: the tables between its marks are not those of `refran describe {} --markdown`",
        readme.string(), about.name));
  }
  return check;
}

std::vector<std::string> Checker::arguments(const std::string& out,
                                            const std::vector<std::string>& more) const {
  std::vector<std::string> words{program_file().string(), "run", file_.string(), "--out",
                                 (folder_.path() / out).string()};
  words.insert(words.end(), options_.begin(), options_.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::optional<fs::path> Checker::run(const std::string& out, const std::vector<std::string>& more,
                                     PluginCheck& check) {
  const Outcome outcome = run_program(arguments(out, more));
  std::string path = outcome.output.substr(0, outcome.output.find('\n'));
  if (outcome.exit_code == 0 && !path.empty()) return path;
  std::string why = outcome.error;
  while (!why.empty() && why.back() == '\n') why.pop_back();
  check.problems.push_back(fmt::format("exit code {}: {}", outcome.exit_code, why));
  return std::nullopt;
}

void Checker::compare(const fs::path& expected, const fs::path& found, PluginCheck& check) const {
  for (const Difference& difference :
       dataset_differences(ResultFile(expected), ResultFile(found), tolerance_)) {
    check.problems.push_back(as_change(difference));
  }
}

PluginCheck Checker::runs() {
  PluginCheck check{fmt::format("runs {} and writes what it declares", file_.string()), {}};
  const auto start = std::chrono::steady_clock::now();
  const auto result = run("first", {"--threads", "1", "-j", "1"}, check);
  run_time_ = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  if (!result) return check;
  first_result_ = *result;
  for (std::string& text : check_result(first_result_)) check.problems.push_back(std::move(text));
  return check;
}

PluginCheck Checker::same_on_two_threads() {
  PluginCheck check{"gives the same on 1 and 2 threads", {}};
  if (plugin_.description.reproducibility == Reproducibility::same_machine) {
    check.what = "gives the same when run again";
    if (const auto again = run("again", {"--threads", "1", "-j", "1"}, check))
      compare(first_result_, *again, check);
    return check;
  }
  if (const auto result = run("threads", {"--threads", "2", "-j", "2"}, check))
    compare(first_result_, *result, check);
  return check;
}

PluginCheck Checker::same_alone_and_together() {
  PluginCheck check{"gives a seed the same alone and in a group", {}};
  const std::string sweep = "seed=[1, 2, 3]";
  const auto alone = run("alone", {"--sweep", sweep, "--group-size", "1", "--threads", "1"}, check);
  const auto group =
      run("group", {"--sweep", sweep, "--group-size", "3", "-j", "1", "--threads", "1"}, check);
  if (alone && group) compare(*alone, *group, check);
  return check;
}

PluginCheck Checker::same_after_a_kill() {
  PluginCheck check{"gives the same after a kill and resume", {}};
  const int seeds = run_time_ < kQuickRun ? kManySeeds : kFewSeeds;
  std::string sweep = "seed=[1";
  for (int seed = 2; seed <= seeds; ++seed) sweep += fmt::format(", {}", seed);
  const std::vector<std::string> more{"--sweep", sweep + "]", "-j", "1", "--threads", "1"};
  const fs::path out = folder_.path() / "killed" / plugin_.description.name;
  const auto has_committed = [&out] {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(out, ignored)) {
      if (!SegmentSet(entry.path() / "segments").runs().empty()) return true;
    }
    return false;
  };
  if (!run_and_kill(arguments("killed", more), has_committed)) {
    check.problems.push_back(
        fmt::format("a sweep of {} seeds ended before it could be killed", seeds));
    return check;
  }
  const auto whole = run("whole", more, check);
  const auto resumed = run("killed", more, check);
  if (whole && resumed) compare(*whole, *resumed, check);
  return check;
}

fs::path find_file(const PluginFile& plugin) {
  const std::string name = plugin.description.name + ".yaml";
  for (const fs::path& file :
       {fs::path(name), fs::path("experiments") / name, plugin.library.parent_path() / name}) {
    if (fs::exists(file)) return file;
  }
  throw ConfigError(
      fmt::format("there is no {} here, in experiments/ or beside {}; name the experiment file",
                  name, plugin.library.string()));
}

}  // namespace

bool check_plugin(const std::string& name, const fs::path& file,
                  const std::vector<fs::path>& plugin_folders,
                  const std::function<void(const PluginCheck&)>& report) {
  const PluginFile plugin = Catalog(plugin_folders).find(name);
  Checker checker(plugin, file.empty() ? find_file(plugin) : file, plugin_folders);
  bool passed = true;
  const auto done = [&](const PluginCheck& check) {
    report(check);
    passed = passed && check.problems.empty();
    return check.problems.empty();
  };
  done(checker.documented());
  if (!done(checker.runs())) return false;
  done(checker.same_on_two_threads());
  done(checker.same_alone_and_together());
  done(checker.same_after_a_kill());
  return passed;
}

}  // namespace refran::runner
