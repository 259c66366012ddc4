#include "commands.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "catalog.h"
#include "describe.h"
#include "diagnostics.h"
#include "inspect.h"
#include "output.h"
#include "result_file.h"
#include "stop.h"
#include "summary.h"
#include "worker.h"

namespace refran::cli {
namespace {

using namespace refran::runner;

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
    if (report.failed > 0) exit_code = kNotPassed;
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
  for (const std::string& problem : problems) fmt::print("{}\n", with_file(file, problem));
  if (!problems.empty()) return kNotPassed;
  fmt::print("{}: valid, digest {}\n", file.string(), ResultFile(file).attribute("digest"));
  return 0;
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
  constexpr int kArguments = 8;  // program, "worker", and the fields of WorkerOptions
  if (argc != kArguments) throw ConfigError("`refran worker` is started by `refran run` alone");
  listen_for_stop_signals();
  WorkerOptions options{argv[2], argv[3], argv[4], argv[5], std::atoi(argv[6]), std::atoi(argv[7])};
  const int output = redirect_standard_output();
  return run_worker(options, STDIN_FILENO, output);
}

}  // namespace refran::cli
