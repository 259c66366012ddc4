// Tells a plugin's author whether the plugin is done: documented, runs, writes what it declares,
// keeps the reproducibility it declares.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace refran::runner {

struct PluginCheck {
  std::string what;                   // "runs its experiment file"
  std::vector<std::string> problems;  // empty = passed
};

// Calls `report` with each check as it is done; returns whether all passed. An empty `file` is
// looked for by the plugin's name: NAME.yaml here, in experiments/, or beside the library.
bool check_plugin(const std::string& name, const std::filesystem::path& file,
                  const std::vector<std::filesystem::path>& plugin_folders,
                  const std::function<void(const PluginCheck&)>& report);

}  // namespace refran::runner
