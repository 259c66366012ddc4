// A program that runs beside the test, which may send it signals, as a terminal or a scheduler
// does.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "subprocess.h"
#include "temporary_folder.h"

namespace refran::tests {

class Process {
 public:
  // Starts the first word with the others as arguments, as a group of processes of its own.
  explicit Process(std::vector<std::string> words);
  ~Process();  // kills what is left of the group
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool is_running();
  // To the whole group, as a Ctrl-C in a terminal.
  void signal_group(int signal) const;
  // To the program alone, as a scheduler's.
  void signal(int signal) const;
  // Whether no such signal is waiting to be delivered to the program.
  bool has_taken(int signal) const;
  // Waits for the program's end.
  runner::Outcome wait();
  // Whether any process of the group is left alive.
  bool has_group() const;

 private:
  runner::TemporaryFolder folder_;
  pid_t pid_ = 0;
  bool has_ended_ = false;
  int status_ = 0;
};

}  // namespace refran::tests
