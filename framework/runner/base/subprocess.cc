#include "subprocess.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "storage_error.h"
#include "temporary_folder.h"
#include "text_file.h"

extern char** environ;

namespace refran::runner {
namespace {

pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& output,
            const std::filesystem::path& error) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT,
                                   0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error.c_str(), O_WRONLY | O_CREAT,
                                   0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = 0;
  const int failure = posix_spawn(&pid, argv.front(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    throw StorageError(
        fmt::format("{}: cannot be started: {}", arguments.front(), std::strerror(failure)));
  }
  return pid;
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const pid_t pid = start(arguments, folder.path() / "output", folder.path() / "error");
  int status = 0;
  waitpid(pid, &status, 0);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
          read_text_file(folder.path() / "output"), read_text_file(folder.path() / "error")};
}

bool run_and_kill(const std::vector<std::string>& arguments, const std::function<bool()>& is_time) {
  const pid_t pid = start(arguments, "/dev/null", "/dev/null");
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (is_time()) {
      kill(-pid, SIGKILL);
      waitpid(pid, &status, 0);
      return WIFSIGNALED(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace refran::runner
