// The commands of the program. Each prints what it has to say and returns the exit code.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "run_experiment.h"

namespace refran::cli {

// What the command line said; a command reads what concerns it.
struct Options {
  runner::RunRequest request;
  std::vector<std::string> words;  // experiment files and key=value overrides, mixed
  bool dry_run = false;
  std::string plugin;
  std::filesystem::path experiment_file;
  std::filesystem::path result;
  std::filesystem::path other_result;
  std::size_t sample = 0;
  double tolerance = 0;
  std::filesystem::path folder;
  bool markdown = false;
  bool json_schema = false;
  bool csv = false;
  bool names_only = false;
  int exit_code = 0;
};

int run(const Options& options);
int validate(const Options& options);
int list(const Options& options);
int describe(const Options& options);
int show(const Options& options);
int check(const Options& options);
int verify(const Options& options);
int diff(const Options& options);
int export_result(const Options& options);
int summary(const Options& options);
int new_plugin(const Options& options);
int check_plugin(const Options& options);

// Not for people: the build calls one, a sweep the other.
int sidecar(const Options& options);
int worker(int argc, char** argv);

}  // namespace refran::cli
