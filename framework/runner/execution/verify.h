// Runs a result's own config again and holds the new numbers against the old.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "difference.h"

namespace refran::runner {

struct VerifyRequest {
  std::filesystem::path result;
  std::vector<std::filesystem::path> plugin_folders;
  std::size_t sample = 0;  // how many runs of a sweep to do again; 0 = all
};

struct Verification {
  std::string level;      // the reproducibility that the result declares
  std::string tolerance;  // of the level `close`
  std::size_t runs = 0;
  std::size_t repeated = 0;             // how many of them were done again
  std::vector<std::string> damage;      // the file is not what it was, whatever it is of
  std::vector<Difference> differences;  // empty = the result has been reproduced
  std::vector<Difference> provenance;   // what is not as it was then
  // A result that promises equal bytes on the same machine alone may differ on another.
  bool may_differ = false;
  bool stopped = false;  // before the runs were done: nothing was compared
};

// Throws ConfigError, PluginLoadError where the result cannot be run again, StorageError where what
// a run gives cannot be stored.
Verification verify_result(const VerifyRequest& request);

}  // namespace refran::runner
