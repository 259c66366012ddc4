#include "catalog.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "build_id.h"
#include "describe.h"
#include "diagnostics.h"
#include "plugin_loader.h"

namespace refran::runner {
namespace {

namespace fs = std::filesystem;

constexpr int kSidecarVersion = 2;

std::vector<fs::path> folders_of_environment() {
  std::vector<fs::path> folders;
  const char* const variable = std::getenv("REFRAN_PLUGIN_PATH");
  std::istringstream list(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

fs::path sidecar_of(const fs::path& library) {
  return fs::path(library).replace_extension(".json");
}

std::string part_build_id(const fs::path& library, const std::string& part) {
  const fs::path file = part_file(library, part);
  return part.empty() || !fs::exists(file) ? "" : build_id_of(file);
}

// Fills everything but the path; what is wrong goes to `problem`.
void read_sidecar(PluginFile& plugin) {
  const fs::path sidecar = sidecar_of(plugin.library);
  plugin.build_id = build_id_of(plugin.library);
  std::ifstream file(sidecar);
  if (!file) {
    plugin.problem =
        fmt::format("{}: has no {} beside it; rebuild the plugin (refran_add_plugin writes both)",
                    plugin.library.string(), sidecar.filename().string());
    return;
  }
  const auto json = nlohmann::ordered_json::parse(file);
  if (json.at("refran_sidecar") != kSidecarVersion || json.at("build_id") != plugin.build_id) {
    plugin.problem =
        fmt::format("{}: {} beside it was written for another build of it; rebuild the plugin",
                    plugin.library.string(), sidecar.filename().string());
    return;
  }
  plugin.description = description_from_json(json.at("description"));
  plugin.part_build_id = part_build_id(plugin.library, plugin.description.part);
}

PluginFile read_plugin(const fs::path& library) {
  PluginFile plugin;
  plugin.library = library;
  plugin.description.name = plugin_name(library.stem().string());
  try {
    read_sidecar(plugin);
  } catch (const nlohmann::json::exception&) {
    plugin.problem = fmt::format("{}: {} beside it is damaged; rebuild the plugin",
                                 library.string(), sidecar_of(library).filename().string());
  } catch (const std::runtime_error& error) {
    plugin.problem = error.what();
  }
  return plugin;
}

bool is_part(const fs::path& library) {
  const std::string stem = library.stem().string();
  constexpr std::string_view kSuffix = "_part";
  if (!stem.ends_with(kSuffix)) return false;
  return fs::exists(library.parent_path() / (stem.substr(0, stem.size() - kSuffix.size()) + ".so"));
}

std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> libraries;
  std::error_code ignored;  // a search folder may be missing
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".so" && !is_part(entry.path()))
      libraries.push_back(entry.path());
  }
  return libraries;
}

}  // namespace

Catalog::Catalog(const std::vector<fs::path>& folders) {
  std::vector<fs::path> all = folders;
  for (fs::path& folder : folders_of_environment()) all.push_back(std::move(folder));
  all.push_back(plugin_folder());
  std::set<fs::path> seen;
  for (const fs::path& folder : all) {
    const fs::path canonical = fs::weakly_canonical(folder);
    if (seen.insert(canonical).second) folders_.push_back(canonical);
  }
}

std::vector<PluginFile> Catalog::list() const {
  std::vector<PluginFile> plugins;
  for (const fs::path& folder : folders_) {
    for (const fs::path& library : libraries_in(folder)) plugins.push_back(read_plugin(library));
  }
  std::sort(plugins.begin(), plugins.end(), [](const PluginFile& a, const PluginFile& b) {
    return a.description.name < b.description.name;
  });
  return plugins;
}

PluginFile Catalog::find(const std::string& name) const {
  std::vector<fs::path> found;
  for (const fs::path& folder : folders_) {
    const fs::path library = folder / (file_stem(name) + ".so");
    if (fs::exists(library)) found.push_back(library);
  }
  if (found.empty()) {
    std::vector<std::string> known;
    for (const PluginFile& plugin : list()) known.push_back(plugin.description.name);
    std::vector<std::string> looked;
    for (const fs::path& folder : folders_) looked.push_back(folder.string());
    throw ConfigError(
        fmt::format("experiment: there is no plugin '{}', known are: {}; looked in {}{}", name,
                    known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                    fmt::join(looked, ", "), suggestion(name, known)));
  }
  if (found.size() > 1) {
    throw ConfigError(fmt::format(
        "experiment: there are two plugins of the name '{}': {} and {}; remove one, or its "
        "folder from the search path",
        name, found[0].string(), found[1].string()));
  }
  PluginFile plugin = read_plugin(found.front());
  if (!plugin.problem.empty()) {
    load_plugin(plugin.library);  // says what is wrong with the library itself, if anything is
    throw PluginLoadError(plugin.problem);
  }
  return plugin;
}

void write_sidecar(const fs::path& library) {
  const Plugin& plugin = load_plugin(fs::absolute(library));
  nlohmann::ordered_json json;
  json["refran_sidecar"] = kSidecarVersion;
  json["build_id"] = build_id_of(library);
  json["compiler"] = plugin.handshake().compiler;
  json["build_type"] = plugin.handshake().build_type;
  json["description"] = to_json(plugin.description());
  std::ofstream file(sidecar_of(library));
  file << json.dump(2) << '\n';
  if (!file.flush())
    throw PluginLoadError(fmt::format("{}: cannot be written", sidecar_of(library).string()));
}

fs::path program_file() { return fs::read_symlink("/proc/self/exe"); }
fs::path plugin_folder() { return program_file().parent_path() / REFRAN_RELATIVE_PLUGIN_DIR; }
fs::path data_folder() { return program_file().parent_path() / REFRAN_RELATIVE_DATA_DIR; }

}  // namespace refran::runner
