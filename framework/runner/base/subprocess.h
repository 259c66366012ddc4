// Runs a program to its end and keeps what it prints.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace refran::runner {

struct Outcome {
  int exit_code = 0;  // 128 + signal where one ended it
  std::string output;
  std::string error;
};

Outcome run_program(const std::vector<std::string>& arguments);

// Starts the program as a group of processes of its own, and kills the group (SIGKILL) as soon as
// `is_time` says so, which is asked every millisecond. False where the program ended before.
bool run_and_kill(const std::vector<std::string>& arguments, const std::function<bool()>& is_time);

}  // namespace refran::runner
