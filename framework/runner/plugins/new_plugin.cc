#include "new_plugin.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "catalog.h"
#include "diagnostics.h"
#include "plugin_loader.h"
#include "storage_error.h"
#include "text_file.h"

namespace refran::runner {
namespace {

namespace fs = std::filesystem;

// Template file → file to write.
using Files = std::vector<std::pair<std::string, fs::path>>;

void check_name(const std::string& name) {
  const auto is_letter = [](char character) { return character >= 'a' && character <= 'z'; };
  const bool allowed = std::all_of(name.begin(), name.end(), [&](char character) {
    return is_letter(character) || (character >= '0' && character <= '9') || character == '-';
  });
  if (!allowed || name.empty() || !is_letter(name.front()) || name.back() == '-') {
    throw ConfigError(fmt::format(
        "'{}' cannot be a plugin's name: small letters, digits and hyphens, a letter first", name));
  }
}

// The root of refran's own tree that `here` is in, or empty.
fs::path tree_around(const fs::path& here) {
  for (fs::path folder = fs::absolute(here); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "framework/sdk/include/refran/plugin.h")) return folder;
  }
  return {};
}

Files files_in_tree(const fs::path& root, const std::string& name, const std::string& stem) {
  const fs::path plugin = root / "plugins" / stem;
  return {{"in_tree/CMakeLists.txt", plugin / "CMakeLists.txt"},
          {"plugin.cc", plugin / (stem + ".cc")},
          {"in_tree/README.md", plugin / "README.md"},
          {"experiment.yaml", root / "experiments" / (name + ".yaml")}};
}

Files files_of_project(const fs::path& folder, const std::string& name, const std::string& stem) {
  return {{"project/CMakeLists.txt", folder / "CMakeLists.txt"},
          {"plugin.cc", folder / (stem + ".cc")},
          {"project/README.md", folder / "README.md"},
          {"experiment.yaml", folder / (name + ".yaml")}};
}

std::string filled(std::string text, const std::string& name, const std::string& stem) {
  for (const auto& [mark, word] : {std::pair("@NAME@", name), std::pair("@STEM@", stem)}) {
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + word.size())) {
      text.replace(at, std::string_view(mark).size(), word);
    }
  }
  return text;
}

}  // namespace

std::vector<fs::path> new_plugin(const std::string& name, const fs::path& folder,
                                 const fs::path& here) {
  check_name(name);
  const std::string stem = file_stem(name);
  const fs::path root = folder.empty() ? tree_around(here) : fs::path();
  const Files files = root.empty()
                          ? files_of_project(folder.empty() ? here / name : folder, name, stem)
                          : files_in_tree(root, name, stem);
  for (const auto& [source, target] : files) {
    if (fs::exists(target))
      throw ConfigError(fmt::format("{}: is there already; nothing was written", target.string()));
  }
  std::vector<fs::path> written;
  for (const auto& [source, target] : files) {
    const std::string text = read_text_file(data_folder() / "template" / source);
    if (text.empty()) {
      throw StorageError(fmt::format("{}: is missing; install refran again",
                                     (data_folder() / "template" / source).string()));
    }
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    if (error)
      throw StorageError(
          fmt::format("{}: cannot be created: {}", target.parent_path().string(), error.message()));
    write_file_atomically(target, filled(text, name, stem));
    written.push_back(target);
  }
  return written;
}

}  // namespace refran::runner
