#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "text_file.h"

namespace refran::tests {
namespace {

void redirect(int descriptor, const std::string& file, int flags) {
  const int opened = open(file.c_str(), flags | O_CLOEXEC, 0600);
  dup2(opened, descriptor);
}

}  // namespace

Process::Process(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string output = folder_.path() / "output";
  const std::string error = folder_.path() / "error";
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no process can be started");
  if (pid_ == 0) {
    setpgid(0, 0);
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, output, O_WRONLY | O_CREAT);
    redirect(STDERR_FILENO, error, O_WRONLY | O_CREAT);
    execv(argv.front(), argv.data());
    _exit(127);
  }
  setpgid(pid_, pid_);  // here too, so that the group is there when the constructor returns
}

Process::~Process() {
  signal_group(SIGKILL);
  if (!has_ended_) waitpid(pid_, &status_, 0);
}

bool Process::is_running() {
  if (!has_ended_) has_ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return !has_ended_;
}

void Process::signal_group(int signal) const { kill(-pid_, signal); }

void Process::signal(int signal) const {
  if (!has_ended_) kill(pid_, signal);
}

bool Process::has_taken(int signal) const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigPnd:") && !line.starts_with("ShdPnd:")) continue;
    const std::uint64_t pending = std::stoull(line.substr(line.find(':') + 1), nullptr, 16);
    if ((pending >> (signal - 1) & 1) != 0) return false;
  }
  return true;
}

runner::Outcome Process::wait() {
  if (!has_ended_) waitpid(pid_, &status_, 0);
  has_ended_ = true;
  return {WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_),
          runner::read_text_file(folder_.path() / "output"),
          runner::read_text_file(folder_.path() / "error")};
}

// kill(-pid_, 0) would count the dead that nobody has waited for.
bool Process::has_group() const {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string stat = runner::read_text_file(entry.path() / "stat");
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    std::istringstream fields(stat.substr(name_end + 1));
    std::string state;
    pid_t parent = 0;
    pid_t group = 0;
    fields >> state >> parent >> group;
    if (group == pid_ && state != "Z" && state != "X") return true;
  }
  return false;
}

}  // namespace refran::tests
