#include "commands.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

#include "catalog.h"
#include "describe.h"
#include "diagnostics.h"
#include "inspect.h"
#include "result_file.h"
#include "stop.h"
#include "summary.h"
#include "verify.h"
#include "worker.h"

namespace refran::cli {
namespace {

using namespace refran::runner;

constexpr int kRunsFailed = 4;  // or a check did not pass
constexpr int kStopped = 130;

// `config.words[0].text=tía`: a key, then '='. A path that looks like that is written with a './'.
bool is_override(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return word.find_first_of("/ ") > equals;
}

// One request for each file, with the overrides of all.
std::vector<RunRequest> requests_of(const Options& options) {
  RunRequest common = options.request;
  std::vector<RunRequest> requests;
  for (const std::string& word : options.words) {
    if (is_override(word)) common.overrides.push_back(word);
  }
  for (const std::string& word : options.words) {
    if (is_override(word)) continue;
    requests.push_back(common);
    requests.back().file = word;
  }
  if (requests.empty()) throw ConfigError("no experiment file was given, only overrides");
  return requests;
}

// Validates every file before the first is run, and reports the problems of all.
std::vector<std::size_t> validate_all(const std::vector<RunRequest>& requests) {
  std::vector<std::size_t> sizes;
  std::string problems;
  for (const RunRequest& request : requests) {
    try {
      sizes.push_back(runner::validate(request));
    } catch (const ConfigError& error) {
      if (requests.size() == 1) throw;
      problems += problems.empty() ? error.what() : fmt::format("\n{}", error.what());
    }
  }
  if (!problems.empty()) throw ConfigError(problems);
  return sizes;
}

// Standard output is for result paths alone; what plugins and libraries print goes to standard
// error.
int redirect_standard_output() {
  std::fflush(stdout);
  const int original = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return original;
}

void print_line(int descriptor, const std::string& text) {
  const std::string line = text + "\n";
  if (::write(descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::runtime_error("standard output cannot be written");
  }
}

}  // namespace

int run(const Options& options) {
  const std::vector<RunRequest> requests = requests_of(options);
  if (options.dry_run) {
    for (const RunRequest& request : requests) fmt::print("{}", dry_run(request));
    return 0;
  }
  if (requests.size() > 1) validate_all(requests);
  listen_for_stop_signals();
  const int output = redirect_standard_output();
  int exit_code = 0;
  for (const RunRequest& request : requests) {
    const RunReport report = run_experiment(request);
    if (!report.result.empty()) print_line(output, report.result.string());
    if (report.stopped) return kStopped;
    if (report.failed > 0) exit_code = kRunsFailed;
  }
  return exit_code;
}

int validate(const Options& options) {
  const std::vector<RunRequest> requests = requests_of(options);
  const std::vector<std::size_t> sizes = validate_all(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    fmt::print("{}: valid, {} run{}\n", requests[i].file.string(), sizes[i],
               sizes[i] == 1 ? "" : "s");
  }
  return 0;
}

int list(const Options& options) {
  const Catalog catalog(options.request.plugin_folders);
  const std::vector<PluginFile> plugins = catalog.list();
  std::size_t width = 0;
  for (const PluginFile& plugin : plugins) width = std::max(width, plugin.description.name.size());
  for (const PluginFile& plugin : plugins) {
    const Description& about = plugin.description;
    if (options.names_only) {
      if (plugin.problem.empty()) fmt::print("{}\n", about.name);
    } else if (!plugin.problem.empty()) {
      fmt::print("{:<{}}  cannot be used: {}\n", about.name, width, plugin.problem);
    } else {
      fmt::print("{:<{}}  {}{}\n", about.name, width, about.question,
                 plugin.lacks_part() ? " (its second library is not built: it needs torch)" : "");
    }
  }
  if (plugins.empty() && !options.names_only) {
    fmt::print(stderr, "no plugins in {}\n", catalog.folders().front().string());
  }
  return 0;
}

int describe(const Options& options) {
  const PluginFile plugin = Catalog(options.request.plugin_folders).find(options.plugin);
  if (options.markdown) {
    fmt::print("{}", describe_markdown(plugin.description));
  } else if (options.json_schema) {
    fmt::print("{}", json_schema_text(plugin.description));
  } else {
    fmt::print("{}", describe_text(plugin.description));
  }
  return 0;
}

int show(const Options& options) {
  fmt::print("{}", show_result(ResultFile(result_path(options.result))));
  return 0;
}

int check(const Options& options) {
  const std::filesystem::path file = result_path(options.result);
  const std::vector<std::string> problems = check_result(file);
  for (const std::string& problem : problems) {
    const bool names_file = problem.starts_with(file.string());
    fmt::print("{}{}{}\n", names_file ? "" : file.string(), names_file ? "" : ": ", problem);
  }
  if (!problems.empty()) return kRunsFailed;
  fmt::print("{}: valid, digest {}\n", file.string(), ResultFile(file).attribute("digest"));
  return 0;
}

int verify(const Options& options) {
  const std::filesystem::path file = result_path(options.result);
  const Verification verified = verify_result(file, options.request.plugin_folders);
  for (const std::string& text : verified.environment) fmt::print("changed since then: {}\n", text);
  for (const std::string& text : verified.differences) fmt::print("{}\n", text);
  if (verified.differences.empty()) {
    const bool is_close = verified.level == "close";
    fmt::print("{}: reproduced, {}\n", file.string(),
               is_close ? "within its tolerance" : "bit for bit");
    return 0;
  }
  if (verified.may_differ) {
    fmt::print("{}: not the same; it promises equal bytes only on the same machine and build\n",
               file.string());
    return 0;
  }
  fmt::print("{}: NOT reproduced, though it declares '{}'\n", file.string(), verified.level);
  return kRunsFailed;
}

int export_result(const Options& options) {
  const ResultFile result(result_path(options.result));
  const std::filesystem::path folder =
      options.folder.empty() ? std::filesystem::path(result.attribute("run_id") + "-csv")
                             : options.folder;
  for (const std::filesystem::path& file : export_csv(result, folder))
    fmt::print("{}\n", file.string());
  return 0;
}

int summary(const Options& options) {
  const ResultFile result(result_path(options.result));
  fmt::print("{}", options.csv ? summary_csv(result) : summary_text(result));
  return 0;
}

int sidecar(const Options& options) {
  write_sidecar(options.result);
  return 0;
}

int worker(int argc, char** argv) {
  constexpr int kArguments = 7;  // program, "worker", and the fields of WorkerOptions
  if (argc != kArguments) throw ConfigError("`refran worker` is started by `refran run` alone");
  listen_for_stop_signals();
  WorkerOptions options{argv[2], argv[3], argv[4], argv[5], std::atoi(argv[6])};
  const int output = redirect_standard_output();
  return run_worker(options, STDIN_FILENO, output);
}

}  // namespace refran::cli
