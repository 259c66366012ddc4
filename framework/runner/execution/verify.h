// Runs a result's own config again and holds the new numbers against the old.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace refran::runner {

struct Verification {
  std::string level;                     // the reproducibility that the result declares
  std::vector<std::string> differences;  // of datasets; empty = the result has been reproduced
  std::vector<std::string> environment;  // what is not as it was then: "cpu: was …, is …"
  // A result that promises equal bytes on the same machine alone may differ on another.
  bool may_differ = false;
};

// Throws ConfigError, PluginLoadError where the result cannot be run again, StorageError where a
// run of it fails.
Verification verify_result(const std::filesystem::path& result,
                           const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace refran::runner
