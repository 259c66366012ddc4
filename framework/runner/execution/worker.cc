#include "worker.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "batch.h"
#include "build_id.h"
#include "pipe.h"
#include "stop.h"

namespace refran::runner {
namespace {

class PipeMonitor : public Monitor {
 public:
  explicit PipeMonitor(int output) : output_(output) {}

  void log(std::size_t run, std::string_view text, bool warning) override {
    write_line(output_, fmt::format("log {} {:d} {}", run, warning, escape_line(text)));
  }
  void progress(double done, double total) override {
    // A plugin may report every step; the parent looks some times a second.
    const auto now = std::chrono::steady_clock::now();
    if (now - last_progress_ < std::chrono::milliseconds(200)) return;
    last_progress_ = now;
    write_line(output_, fmt::format("progress {} {}", done, total));
  }
  bool stop_requested() override { return runner::stop_requested(); }
  void committed(std::size_t run, std::string_view failure) override {
    write_line(output_, fmt::format("committed {} {}", run, escape_line(failure)));
  }

 private:
  int output_;
  std::chrono::steady_clock::time_point last_progress_;
};

void check_build(const WorkerOptions& options) {
  if (build_id_of(options.library) == options.build_id) return;
  throw PluginLoadError(fmt::format("{}: was rebuilt while the sweep runs; start the sweep again",
                                    options.library.string()));
}

void work(const WorkerOptions& options, int input, int output) {
  check_build(options);
  const Plugin& plugin = load_plugin(options.library);
  const Plan plan(read_spec(options.config, {}, {}), plugin.description(), {});
  SegmentWriter writer(options.segment);
  PipeMonitor monitor(output);
  BatchRunner batches(plan, plugin, writer, monitor, options.segment.parent_path(),
                      options.threads);

  LineReader reader(input);
  while (!stop_requested()) {
    const std::optional<std::string> line = reader.read();
    if (!line) break;
    std::istringstream words(*line);
    std::string kind;
    words >> kind;
    std::vector<std::size_t> runs;
    for (std::size_t run = 0; words >> run;) runs.push_back(run);
    if (kind == "group") {
      batches.execute(runs);
    } else {
      for (const std::size_t run : runs) batches.execute({&run, 1});
    }
    write_line(output, "done");
  }
  writer.sync();
}

}  // namespace

std::string escape_line(std::string_view text) {
  std::string line;
  for (const char character : text) {
    if (character == '\n') {
      line += "\\n";
    } else if (character == '\\') {
      line += "\\\\";
    } else {
      line += character;
    }
  }
  return line;
}

std::string unescape_line(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
    } else {
      plain += text[++i] == 'n' ? '\n' : text[i];
    }
  }
  return plain;
}

int run_worker(const WorkerOptions& options, int input, int output) {
  // Not a wish to stop: a plugin that does not listen would work on for nobody. What is committed
  // survives.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != options.parent) return 1;  // it was gone before the signal was asked for
  // UCX, which Debian 13's torch brings along, would hold up a crash to print its own backtrace.
  setenv("UCX_HANDLE_ERRORS", "none", 0);
  try {
    work(options, input, output);
    return 0;
  } catch (const std::exception& error) {
    write_line(output, fmt::format("broken {}", escape_line(error.what())));
    return 1;
  }
}

}  // namespace refran::runner
