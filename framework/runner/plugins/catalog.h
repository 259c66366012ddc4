// Which plugins there are, from the sidecar files beside their libraries: no library is opened.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <refran/schema.h>

namespace refran::runner {

struct PluginFile {
  std::filesystem::path library;
  Description description;
  std::string build_id;
  std::string part_build_id;  // "" = it has no second library, or that was not built
  std::string problem;        // why it cannot be used; "" = it can

  bool lacks_part() const { return !description.part.empty() && part_build_id.empty(); }
};

class Catalog {
 public:
  // Looks in the folders given (--plugin-path), then in those of the environment variable
  // REFRAN_PLUGIN_PATH, then where refran is installed.
  explicit Catalog(const std::vector<std::filesystem::path>& folders);

  // All libraries found, good and bad, by name.
  std::vector<PluginFile> list() const;
  // The plugin of an `experiment:` key. Throws ConfigError for an unknown name (with the nearest,
  // and where it looked) and for one found twice, PluginLoadError for a library that cannot be
  // used.
  PluginFile find(const std::string& name) const;

  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> folders_;
};

// Writes <plugin>.json beside the library, after opening it. Throws PluginLoadError.
void write_sidecar(const std::filesystem::path& library);

// Where this program's own files are: plugins, templates (relative to the program, built or
// installed).
std::filesystem::path program_file();
std::filesystem::path plugin_folder();
std::filesystem::path data_folder();

}  // namespace refran::runner
