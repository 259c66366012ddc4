#include "pool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "pipe.h"
#include "stop.h"
#include "storage_error.h"
#include "worker.h"

extern char** environ;

namespace refran::runner {
namespace {

constexpr int kPollMilliseconds = 100;
// Runs of their own are sent some at a time, so that a worker with short runs does not wait for its
// parent.
constexpr std::size_t kMostSingles = 16;
constexpr std::size_t kLargestGroup = 64;
// Groups are whole multiples of this per thread: plugins do as many side by side.
constexpr std::size_t kGroupUnit = 8;

// A pipe whose ends are closed on exec.
struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw StorageError(fmt::format("no pipe to a worker: {}", std::strerror(errno)));
    read = ends[0];
    write = ends[1];
  }
};

// Starts the program with these ends as its standard input and output. Not a fork: a fork after
// loading torch hangs.
pid_t spawn(const std::vector<std::string>& arguments, int input, int output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv.front(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw StorageError(
        fmt::format("{}: cannot be started: {}", arguments.front(), std::strerror(error)));
  return pid;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("crashed: {} (signal {})", sigdescr_np(signal), signal);
  }
  return fmt::format("ended its process with exit code {}", WEXITSTATUS(status));
}

}  // namespace

struct Pool::Worker {
  pid_t pid;
  int input;
  int output;
  std::filesystem::path segment;
  LineReader lines;
  std::vector<std::size_t> at_work;  // runs given and not committed, in order
  bool is_group = false;
  bool has_batch = false;
  double partial = 0;  // how much of the run or group at work is done

  Worker(pid_t process, int to, int from, std::filesystem::path file)
      : pid(process), input(to), output(from), segment(std::move(file)), lines(from) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (input >= 0) close(input);
    close(output);
  }
};

std::size_t batch_size(std::size_t left, const PoolOptions& options, bool has_group) {
  if (options.group_size > 0) return options.group_size;
  const std::size_t share = left / (static_cast<std::size_t>(options.workers) * 4) + 1;
  if (!has_group) return std::min(share, kMostSingles);
  const std::size_t unit = kGroupUnit * static_cast<std::size_t>(options.threads);
  return std::min((share + unit - 1) / unit * unit, std::max(kLargestGroup, unit));
}

Pool::Pool(const Plan& plan, PoolOptions options, Progress& progress)
    : plan_(plan), options_(std::move(options)), progress_(progress) {}

Pool::~Pool() { stop_workers(); }

std::deque<Pool::Batch> Pool::batches_of(const std::vector<std::size_t>& pending) const {
  const bool has_group = plan_.description().has_group;
  std::deque<Batch> batches;
  std::size_t most = 0;
  std::size_t last_group = 0;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const std::size_t group = plan_.seed_group(pending[i]);
    const bool fits = !batches.empty() && batches.back().runs.size() < most &&
                      (!has_group || group == last_group);
    if (!fits) {
      batches.push_back({{}, has_group});
      most = batch_size(pending.size() - i, options_, has_group);
    }
    batches.back().runs.push_back(pending[i]);
    last_group = group;
  }
  return batches;
}

Pool::Worker& Pool::start_worker() {
  const Pipe to;
  const Pipe from;
  const auto segment = options_.segments / fmt::format("{}-{:03}.seg", options_.launch, started_++);
  const std::vector<std::string> arguments{options_.program.string(),
                                           "worker",
                                           options_.config.string(),
                                           options_.library.string(),
                                           options_.build_id,
                                           segment.string(),
                                           std::to_string(options_.threads),
                                           std::to_string(getpid())};
  const pid_t pid = spawn(arguments, to.read, from.write);
  close(to.read);
  close(from.write);
  return workers_.emplace_back(pid, to.write, from.read, segment);
}

void Pool::give(Worker& worker, Batch batch) {
  std::string line = batch.is_group ? "group" : "single";
  for (const std::size_t run : batch.runs) line += fmt::format(" {}", run);
  worker.is_group = batch.is_group && batch.runs.size() > 1;
  worker.at_work = std::move(batch.runs);
  worker.has_batch = true;
  write_line(worker.input,
             line);  // where the worker is gone, its end is handled when its output ends
}

void Pool::run(const std::vector<std::size_t>& pending) {
  queue_ = batches_of(pending);
  const auto wanted = std::min(static_cast<std::size_t>(options_.workers), queue_.size());
  while (workers_.size() < wanted) start_worker();
  for (;;) {
    for (Worker& worker : workers_) {
      if (worker.has_batch || queue_.empty() || stop_requested()) continue;
      give(worker, std::move(queue_.front()));
      queue_.pop_front();
    }
    const bool busy =
        std::any_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.has_batch; });
    if (!busy && (queue_.empty() || stop_requested())) break;
    if (stop_requested()) {
      for (const Worker& worker : workers_) kill(worker.pid, SIGTERM);
    }
    wait_for_lines();
    progress_.show();
  }
  stop_workers();
  if (!broken_.empty()) throw StorageError(broken_);
}

void Pool::wait_for_lines() {
  std::vector<pollfd> ends;
  std::vector<Worker*> owners;
  for (Worker& worker : workers_) {
    ends.push_back({worker.output, POLLIN, 0});
    owners.push_back(&worker);
  }
  if (poll(ends.data(), ends.size(), kPollMilliseconds) <= 0) return;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].revents == 0) continue;
    const bool is_open = owners[i]->lines.fill();
    while (const auto line = owners[i]->lines.next()) handle_line(*owners[i], *line);
    if (!is_open) handle_end(*owners[i]);
  }
  double partial = 0;
  for (const Worker& worker : workers_) partial += worker.partial;
  progress_.set_partial(partial);
}

void Pool::handle_line(Worker& worker, const std::string& line) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  if (kind == "done") {
    worker.has_batch = false;
    worker.at_work.clear();
    worker.partial = 0;
  } else if (kind == "progress") {
    double done = 0;
    double total = 1;
    words >> done >> total;
    const double runs = worker.is_group ? static_cast<double>(worker.at_work.size()) : 1;
    worker.partial = total > 0 ? std::clamp(done / total, 0.0, 1.0) * runs : 0;
  } else if (kind == "log") {
    std::size_t run = 0;
    int warning = 0;
    words >> run >> warning;
    warnings_ += warning != 0 ? 1U : 0U;
  } else if (kind == "committed") {
    std::size_t run = 0;
    words >> run;
    words.get();
    std::string failure;
    std::getline(words, failure);
    std::erase(worker.at_work, run);
    worker.partial = 0;
    end_run(run, unescape_line(failure));
  } else if (kind == "broken") {
    words.get();
    std::getline(words, broken_);
    broken_ = unescape_line(broken_);
  }
}

void Pool::end_run(std::size_t run, const std::string& failure) {
  progress_.run_ended(!failure.empty());
  if (failure.empty()) return;
  ++failures_;
  progress_.print(fmt::format("failed: {}: {}", plan_.label(run), failure));
}

void Pool::handle_end(Worker& worker) {
  int status = 0;
  waitpid(worker.pid, &status, 0);
  // A plugin may end the process in any way, with exit code 0 too.
  if (worker.has_batch && broken_.empty()) handle_crash(worker, how_it_ended(status));
  workers_.remove_if([&](const Worker& other) { return &other == &worker; });
  if (!broken_.empty()) throw StorageError(broken_);
  if (!queue_.empty() && !stop_requested()) start_worker();
}

void Pool::handle_crash(Worker& worker, const std::string& how) {
  // What was committed just before the crash may not have been told.
  const SegmentSet segments(worker.segment);
  std::vector<std::size_t> unfinished;
  for (const std::size_t run : worker.at_work) {
    const auto committed = segments.runs().find(run);
    if (committed == segments.runs().end()) {
      unfinished.push_back(run);
    } else {
      end_run(run, committed->second.failure);
    }
  }
  if (unfinished.empty() || stop_requested()) return;
  if (worker.is_group) {
    progress_.print(fmt::format("a group of runs {}; those not done are done again one by one: {}",
                                how, unfinished.size()));
    for (auto run = unfinished.rbegin(); run != unfinished.rend(); ++run)
      queue_.push_front({{*run}, false});
    return;
  }
  fail(unfinished.front(), how);
  unfinished.erase(unfinished.begin());
  if (!unfinished.empty()) queue_.push_front({std::move(unfinished), false});
}

void Pool::fail(std::size_t run, const std::string& how) {
  if (crashes_ == nullptr) {
    crashes_ = std::make_unique<SegmentWriter>(options_.segments /
                                               fmt::format("{}-crashes.seg", options_.launch));
  }
  RunRecord record;
  record.run = run;
  record.status = RunStatus::failed;
  record.failure = how;
  crashes_->commit(record);
  end_run(run, how);
}

void Pool::stop_workers() {
  for (Worker& worker : workers_) {
    if (worker.has_batch) kill(worker.pid, SIGTERM);
    close(worker.input);
    worker.input = -1;
  }
  for (Worker& worker : workers_) {
    while (worker.lines.fill()) {
      while (const auto line = worker.lines.next()) handle_line(worker, *line);
    }
    int status = 0;
    waitpid(worker.pid, &status, 0);
  }
  workers_.clear();
}

}  // namespace refran::runner
