// The main job: an experiment file, run into a result file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace refran::runner {

struct RunRequest {
  std::filesystem::path file;
  std::vector<std::string> overrides;  // "config.steps=100"
  std::vector<std::string> sweeps;     // "config.heads=[1, 2]"
  std::vector<std::filesystem::path> plugin_folders;
  std::filesystem::path out = "results";
  int jobs = 0;                  // worker processes; 0 = as many as there are cores
  int threads = 0;               // per run; 0 = cores / workers
  std::size_t group_size = 0;    // most members of a group of seeds; 0 = the runner chooses
  std::filesystem::path resume;  // a folder to go on with, or empty
  bool retry_failed = false;
  bool is_kept = true;  // whether results outlast the command; else nobody is sent to look at them
};

struct RunReport {
  std::filesystem::path result;  // empty where no result was written
  std::size_t failed = 0;        // runs
  bool stopped = false;
};

// What --dry-run prints: one line a run.
std::string dry_run(const RunRequest& request);

// Validates the file, including everything its plugin can check; returns how many runs it stands
// for.
std::size_t validate(const RunRequest& request);

// Runs it. Everything that can be known to be wrong is found before a folder exists.
RunReport run_experiment(const RunRequest& request);

}  // namespace refran::runner
