// Does one run, or a group of runs that differ in their seed alone, with the plugin.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "monitor.h"
#include "plan.h"
#include "plugin_loader.h"
#include "segment.h"

namespace refran::runner {

class BatchRunner {
 public:
  BatchRunner(const Plan& plan, const Plugin& plugin, SegmentWriter& writer, Monitor& monitor,
              std::filesystem::path folder, int threads)
      : plan_(plan),
        plugin_(plugin),
        writer_(writer),
        monitor_(monitor),
        folder_(std::move(folder)),
        threads_(threads) {}

  // Commits each of the runs (all of one seed group), complete or failed, unless a stop was
  // requested. What a plugin throws out of a group is no member's fault: the members not yet
  // committed are then done singly.
  void execute(std::span<const std::size_t> runs);

 private:
  void execute_group(std::span<const std::size_t> runs);
  void execute_single(std::size_t run);

  const Plan& plan_;
  const Plugin& plugin_;
  SegmentWriter& writer_;
  Monitor& monitor_;
  std::filesystem::path folder_;
  int threads_;
};

}  // namespace refran::runner
