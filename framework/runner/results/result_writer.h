// Committed runs → one HDF5 result file, as results/README.md says.
#pragma once

#include <filesystem>
#include <string>

#include "plan.h"
#include "segment.h"

namespace refran::runner {

// What the file says of itself beside the runs' outputs.
struct ResultInfo {
  std::string run_id;
  std::string config;       // resolved YAML
  std::string environment;  // JSON
  std::string inputs;       // JSON
  std::string started;      // "2026-11-30T02:45:12Z"
  std::string ended;
  bool compress_floats = false;
};

// Writes `file`, syncs it to disk and returns its digest (hexadecimal). Every run of the plan must
// be in `segments`. Memory stays bounded by a few MiB beside the records, however large the
// outputs. Throws std::runtime_error, which names the file and the cause; then no file is left.
std::string write_result(const std::filesystem::path& file, const Plan& plan,
                         const SegmentSet& segments, const ResultInfo& info);

}  // namespace refran::runner
