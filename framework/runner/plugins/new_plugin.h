// Writes a working plugin to start from, out of templates installed with the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace refran::runner {

// Returns the files written. Inside refran's own tree (some folder above `here` is its root) and
// without `folder`, the plugin goes into plugins/ and experiments/; else it is a project of its own
// in `folder` (or ./NAME). Throws ConfigError for a name that cannot be one, and where a file is
// there already.
std::vector<std::filesystem::path> new_plugin(const std::string& name,
                                              const std::filesystem::path& folder,
                                              const std::filesystem::path& here);

}  // namespace refran::runner
