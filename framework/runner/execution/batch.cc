#include "batch.h"

#include <deque>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include <refran/error.h>
#include <refran/run.h>
#include "bind.h"
#include "recorder.h"
#include "storage_error.h"

namespace refran::runner {
namespace {

using BoundConfig = std::unique_ptr<void, void (*)(void*)>;

BoundConfig bind(const Plan& plan, const Plugin& plugin, const PlannedRun& run) {
  const Value config = with_absolute_paths(plan.description().fields, run.config, plan.spec().base);
  return {plugin.table().bind(config), plugin.table().destroy};
}

// Calls the plugin; returns why it failed, "" where it did not. That nothing can be stored is not
// the plugin's failure.
std::string failure_of(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const StorageError&) {
    throw;
  } catch (const PluginError& error) {
    return fmt::format("plugin error: {}", error.what());
  } catch (const std::exception& error) {
    return *error.what() == '\0' ? "an exception without a text" : error.what();
  } catch (...) {
    return "the plugin threw something that is no std::exception";
  }
}

}  // namespace

void BatchRunner::execute(std::span<const std::size_t> runs) {
  if (runs.size() > 1 && plan_.description().has_group) {
    execute_group(runs);
    return;
  }
  for (const std::size_t run : runs) {
    if (monitor_.stop_requested()) return;
    execute_single(run);
  }
}

void BatchRunner::execute_single(std::size_t index) {
  const PlannedRun planned = plan_.run(index);
  const BoundConfig config = bind(plan_, plugin_, planned);
  Recorder recorder({&plugin_, config.get(), &writer_, &monitor_, folder_, threads_}, index,
                    planned.seed);
  const std::string failure = failure_of([&] {
    Run run(&recorder);
    plugin_.table().run(config.get(), run);
    recorder.complete();
  });
  if (!failure.empty()) recorder.fail(failure);
}

void BatchRunner::execute_group(std::span<const std::size_t> runs) {
  const BoundConfig config = bind(plan_, plugin_, plan_.run(runs.front()));
  std::deque<Recorder> recorders;
  std::vector<Run> members;
  for (const std::size_t run : runs) {
    recorders.emplace_back(
        BatchContext{&plugin_, config.get(), &writer_, &monitor_, folder_, threads_}, run,
        plan_.run(run).seed);
    members.emplace_back(&recorders.back());
  }
  const std::string group_failure = failure_of([&] {
    Group group(std::move(members));
    plugin_.table().run_group(config.get(), group);
  });
  for (Recorder& recorder : recorders) {
    if (recorder.is_committed() || monitor_.stop_requested()) continue;
    if (!group_failure.empty()) {
      execute_single(recorder.run());
      continue;
    }
    if (const std::string failure = failure_of([&] { recorder.complete(); }); !failure.empty())
      recorder.fail(failure);
  }
}

}  // namespace refran::runner
