// Resolving YAML against the fields of a plugin's config struct.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <refran/config.h>
#include "bind.h"
#include "yaml.h"

namespace refran::runner {

template <class T>
std::vector<Field> fields_of() {
  std::vector<Field> fields;
  Fields collector(&fields);
  T config;
  config.describe(collector);
  return fields;
}

template <class T>
Value resolve_as(const std::string& yaml, const std::filesystem::path& base = "/") {
  Diagnostics diagnostics;
  const Value root = parse_yaml("config:\n" + yaml, "x.yaml");
  Value resolved = resolve(fields_of<T>(), *root.find("config"), "config", base, diagnostics);
  diagnostics.throw_if_any();
  return resolved;
}

}  // namespace refran::runner
