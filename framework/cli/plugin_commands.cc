// The commands for authors of plugins.
#include <fmt/format.h>

#include "check_plugin.h"
#include "commands.h"
#include "new_plugin.h"
#include "output.h"

namespace refran::cli {

int new_plugin(const Options& options) {
  for (const auto& file :
       runner::new_plugin(options.plugin, options.folder, std::filesystem::current_path())) {
    fmt::print("{}\n", file.string());
  }
  fmt::print(stderr, "its README.md says how to build and run it\n");
  return 0;
}

int check_plugin(const Options& options) {
  const bool passed = runner::check_plugin(
      options.plugin, options.experiment_file, options.request.plugin_folders,
      [](const runner::PluginCheck& check) {
        fmt::print("{} {}\n", check.problems.empty() ? "ok     " : "NOT OK ", check.what);
        for (const std::string& text : check.problems) fmt::print("        {}\n", text);
        std::fflush(stdout);
      });
  fmt::print("{} is {}\n", options.plugin, passed ? "done" : "not done yet");
  return passed ? 0 : kNotPassed;
}

}  // namespace refran::cli
