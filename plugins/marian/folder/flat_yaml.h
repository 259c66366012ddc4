// A YAML map of scalars and lists of scalars, as native Marian writes its options. Read by
// yaml-cpp's events, so that aliases and deep nesting are refused before anything is built of them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace refran::marian {

// An option's items; a scalar is a list of one. Values are texts, whatever type they look like.
struct YamlOption {
  bool is_list = false;
  std::vector<std::string> items;
};

// Options whose values are nested deeper are left out. Throws ModelError, beginning with `file`:
// text that is no YAML or no map, a key twice, an alias, nesting beyond 16 levels.
std::map<std::string, YamlOption, std::less<>> read_flat_yaml(std::string_view text,
                                                              const std::filesystem::path& file);

}  // namespace refran::marian
