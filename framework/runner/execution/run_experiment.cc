#include "run_experiment.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "batch.h"
#include "catalog.h"
#include "diagnostics.h"
#include "plan_difference.h"
#include "plugin_loader.h"
#include "pool.h"
#include "progress.h"
#include "provenance.h"
#include "result_layout.h"
#include "result_writer.h"
#include "run_folder.h"
#include "stop.h"
#include "storage_error.h"
#include "text_file.h"
#include "utc.h"
#include "yaml.h"

namespace refran::runner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGoesOn =
    "the runs that are done are kept, the same command goes on from here";

template <class... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  fmt::print(stderr, "{}\n", fmt::format(text, std::forward<Arguments>(arguments)...));
}

// A run in this process tells the terminal directly.
class LocalMonitor : public Monitor {
 public:
  explicit LocalMonitor(Progress& progress) : progress_(progress) {}

  void log(std::size_t, std::string_view text, bool warning) override {
    progress_.print(fmt::format("{}{}", warning ? "warning: " : "", text));
  }
  void progress(double done, double total) override {
    progress_.set_partial(total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0);
    progress_.show();
  }
  bool stop_requested() override { return runner::stop_requested(); }
  void committed(std::size_t, std::string_view failure) override {
    progress_.run_ended(!failure.empty());
    if (!failure.empty()) progress_.print(fmt::format("failed: {}", failure));
  }

 private:
  Progress& progress_;
};

struct PlannedExperiment {
  PluginFile plugin;
  std::unique_ptr<Plan> plan;
};

// A name that the result file would have twice is found before the runs, not after them.
void check_names(const Plan& plan) {
  Diagnostics diagnostics;
  for (const std::string& text : name_clashes(plan.spec().axes, plan.description().outputs)) {
    diagnostics.add(plan.spec().axes.front().origin, "sweep", text);
  }
  diagnostics.throw_if_any();
}

PlannedExperiment plan_experiment(const RunRequest& request) {
  Spec spec = read_spec(request.file, request.overrides, request.sweeps);
  PlannedExperiment planned;
  try {
    planned.plugin = Catalog(request.plugin_folders).find(spec.experiment);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", spec.experiment_origin.to_string(), error.what()));
  }
  CheckConfig check;
  if (planned.plugin.description.has_check) {
    const Plugin& plugin = load_plugin(planned.plugin.library);
    check = [&plugin](const Value& config, Problems& problems) {
      const std::unique_ptr<void, void (*)(void*)> bound(plugin.table().bind(config),
                                                         plugin.table().destroy);
      plugin.table().check(bound.get(), problems);
    };
  }
  planned.plan = std::make_unique<Plan>(std::move(spec), planned.plugin.description, check);
  check_names(*planned.plan);
  return planned;
}

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// How the machine is shared out.
struct Shares {
  int workers;
  int threads;
};

Shares shares_of(const RunRequest& request, std::size_t runs) {
  const int wanted = request.jobs > 0 ? request.jobs : cores();
  const int workers =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(wanted), runs));
  return {workers, request.threads > 0 ? request.threads : std::max(1, cores() / workers)};
}

RunFolder open_folder(const RunRequest& request, const fs::path& experiment_folder,
                      const std::string& plan, const std::vector<InputFile>& inputs) {
  if (!request.resume.empty()) {
    RunFolder folder = RunFolder::open(request.resume);
    const std::string difference = plan_difference(folder.plan(), plan, inputs);
    if (!difference.empty()) {
      throw ConfigError(fmt::format("{}: is the folder of another plan: {}",
                                    request.resume.string(), difference));
    }
    say("going on with {}", folder.path().string());
    return folder;
  }
  if (auto folder = RunFolder::find_resumable(experiment_folder, plan, request.retry_failed)) {
    say("going on with {}", folder->path().string());
    return std::move(*folder);
  }
  return RunFolder::create(experiment_folder, plan);
}

std::vector<std::size_t> pending_runs(const Plan& plan, const SegmentSet& done, bool retry_failed) {
  std::vector<std::size_t> pending;
  for (std::size_t run = 0; run < plan.size(); ++run) {
    const auto known = done.runs().find(run);
    if (known == done.runs().end() || (retry_failed && known->second.status == RunStatus::failed)) {
      pending.push_back(run);
    }
  }
  return pending;
}

void run_here(const Plan& plan, const PluginFile& file, const RunFolder& folder, int threads,
              Progress& progress) {
  SegmentWriter writer(folder.segments() / fmt::format("{}-000.seg", folder.new_launch()));
  LocalMonitor monitor(progress);
  BatchRunner batch(plan, load_plugin(file.library), writer, monitor, folder.path(), threads);
  const std::size_t run = 0;
  batch.execute({&run, 1});
}

void run_in_pool(const Plan& plan, const PluginFile& file, const RunRequest& request,
                 const RunFolder& folder, const std::vector<std::size_t>& pending,
                 Progress& progress) {
  const Shares shares = shares_of(request, pending.size());
  Pool pool(plan,
            {program_file(), file.library, file.build_id, folder.config(), folder.segments(),
             folder.new_launch(), shares.workers, shares.threads, request.group_size},
            progress);
  pool.run(pending);
  if (pool.warnings() > 0)
    progress.print(fmt::format("{} warnings were logged: see run_log", pool.warnings()));
}

void execute(const Plan& plan, const PluginFile& file, const RunRequest& request,
             const RunFolder& folder) {
  std::vector<std::size_t> pending;
  {
    const SegmentSet done(folder.segments());
    pending = pending_runs(plan, done, request.retry_failed);
  }
  if (pending.empty()) return;
  Progress progress(plan.size(), plan.size() - pending.size(), isatty(STDERR_FILENO) == 1);
  if (plan.size() == 1) {
    run_here(plan, file, folder, shares_of(request, 1).threads, progress);
  } else {
    run_in_pool(plan, file, request, folder, pending, progress);
    progress.finish();
  }
}

std::size_t count_failed(const SegmentSet& segments) {
  return static_cast<std::size_t>(
      std::count_if(segments.runs().begin(), segments.runs().end(),
                    [](const auto& entry) { return entry.second.status == RunStatus::failed; }));
}

// The result file, beside its final place. A half-written one is removed.
fs::path write_partial(const RunFolder& folder, const Plan& plan, const SegmentSet& segments,
                       const ResultInfo& info) {
  fs::path partial = folder.result().string() + ".partial";
  try {
    write_result(partial, plan, segments, info);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove(partial, ignored);
    throw StorageError(fmt::format("{}; {}", error.what(), kGoesOn));
  }
  return partial;
}

ResultInfo begin_result(const RunRequest& request, const PlannedExperiment& planned,
                        const RunFolder& folder, const std::vector<InputFile>& inputs) {
  const Plan& plan = *planned.plan;
  ResultInfo info;
  info.started = utc_now();
  info.run_id = folder.id();
  info.config = to_yaml(plan.resolved(true));
  info.compress_floats = plan.spec().compress;
  info.inputs = inputs_json(inputs, plan.spec().base);
  const Shares shares = shares_of(request, plan.size());
  info.environment = environment_json(planned.plugin, shares.workers, shares.threads);
  return info;
}

// What is done stays done when it cannot go on; a folder in which nothing is done does not stay
// behind.
void execute_or_discard(const RunRequest& request, const PlannedExperiment& planned,
                        const std::string& config, RunFolder& folder) {
  const auto is_empty = [&folder] { return SegmentSet(folder.segments()).runs().empty(); };
  try {
    write_file_atomically(folder.config(), config);
    execute(*planned.plan, planned.plugin, request, folder);
  } catch (const StorageError& error) {
    if (!is_empty()) throw StorageError(fmt::format("{}; {}", error.what(), kGoesOn));
    folder.discard();
    throw;
  } catch (...) {
    if (is_empty()) folder.discard();
    throw;
  }
}

// Which runs failed, and why; of a single run that has been said.
void say_failures(const Plan& plan, const SegmentSet& segments, std::size_t failed,
                  const fs::path& folder) {
  constexpr std::size_t kMostShown = 10;
  say("{} of {} run{} failed, see `refran show {}`{}", failed, plan.size(),
      plan.size() == 1 ? "" : "s", folder.string(), plan.size() == 1 ? "" : ":");
  if (plan.size() == 1) return;
  std::size_t shown = 0;
  for (const auto& [index, run] : segments.runs()) {
    if (run.status != RunStatus::failed || ++shown > kMostShown) continue;
    say("  {}: {}", plan.label(index), run.failure);
  }
  if (failed > kMostShown) say("  and {} more", failed - kMostShown);
}

RunReport report_stopped(RunFolder& folder, std::size_t done, std::size_t runs, bool is_kept) {
  RunReport report;
  report.stopped = true;
  if (done == 0) folder.discard();
  if (!is_kept) return report;
  if (done == 0) {
    say("stopped before {} was done; nothing is kept", runs == 1 ? "the run" : "any run");
  } else {
    say("stopped with {} of {} runs done; the same command goes on from here", done, runs);
  }
  return report;
}

}  // namespace

std::string dry_run(const RunRequest& request) {
  const PlannedExperiment planned = plan_experiment(request);
  std::string text;
  for (std::size_t run = 0; run < planned.plan->size(); ++run) {
    const std::string label = planned.plan->label(run);
    text += fmt::format("{}{}{}\n", run, label.empty() ? "" : " ", label);
  }
  return text;
}

std::size_t validate(const RunRequest& request) { return plan_experiment(request).plan->size(); }

RunReport run_experiment(const RunRequest& request) {
  const PlannedExperiment planned = plan_experiment(request);
  const Plan& plan = *planned.plan;
  const Plugin& plugin = load_plugin(planned.plugin.library);
  // What keeps it from working is said before a folder exists.
  if (plan.needs_part()) plugin.require_part();
  const std::vector<InputFile> inputs = hash_inputs(plan.inputs());

  RunFolder folder = open_folder(request, request.out / planned.plugin.description.name,
                                 plan_text(plan, planned.plugin, inputs), inputs);
  ResultInfo info = begin_result(request, planned, folder, inputs);
  execute_or_discard(request, planned, info.config, folder);

  const SegmentSet segments(folder.segments());
  if (segments.runs().size() < plan.size())
    return report_stopped(folder, segments.runs().size(), plan.size(), request.is_kept);
  info.ended = utc_now();
  const fs::path partial = write_partial(folder, plan, segments, info);
  RunReport report;
  report.failed = count_failed(segments);
  folder.finish(partial, report.failed<plan.size(), report.failed> 0);
  report.result = folder.result();
  if (report.failed > 0 && request.is_kept)
    say_failures(plan, segments, report.failed, folder.path());
  return report;
}

}  // namespace refran::runner
