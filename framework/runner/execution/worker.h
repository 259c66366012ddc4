// A worker process of a sweep (`refran worker`): does the runs its parent names, one batch after
// the other, into a segment file of its own. Lines go both ways:
//
//   to the worker    "group 3 4 5", "single 6 7"; the end of input ends it
//   to the parent    "progress DONE TOTAL", "log RUN WARNING TEXT", "committed RUN FAILURE",
//   "done";
//                    "broken TEXT" where the worker cannot go on
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace refran::runner {

struct WorkerOptions {
  std::filesystem::path config;   // the frozen, resolved config of the sweep
  std::filesystem::path library;  // of the plugin
  std::string build_id;           // the library's when the sweep was planned
  std::filesystem::path segment;  // the file to make
  int threads = 1;
  pid_t parent = 0;  // that started it, and without which nobody waits for the results
};

// Reads batches from `input` and reports to `output` (file descriptors) until the input ends or a
// stop is requested. Returns the exit code: not 0 where it can store nothing any more, or could not
// begin.
int run_worker(const WorkerOptions& options, int input, int output);

// Texts in these lines, in which a line feed would end the line.
std::string escape_line(std::string_view text);
std::string unescape_line(std::string_view text);

}  // namespace refran::runner
