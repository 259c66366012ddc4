// YAML text ↔ Value. Its reader is the only code that sees yaml-cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <refran/value.h>
#include "diagnostics.h"

namespace refran::runner {

// Reads a whole file. Throws ConfigError for what YAML or UTF-8 forbids, duplicate keys (both
// places named), aliases that expand to more than 100,000 values, nesting deeper than 64, tags,
// more than one document, an empty file.
Value read_yaml_file(const std::filesystem::path& file);
Value parse_yaml(std::string_view text, const std::string& source);

// The same, but duplicate keys are added to `diagnostics` and the first of each is kept, so that
// they can be reported together with what is wrong with the values; what is thrown then holds them
// too.
Value read_yaml_file(const std::filesystem::path& file, Diagnostics& diagnostics);
Value parse_yaml(std::string_view text, const std::string& source, Diagnostics& diagnostics);

// A value as the right-hand side of an override writes it: a YAML scalar or flow collection;
// nothing for an empty text. A text in single quotes is taken to the letter, line breaks and
// control characters included. Throws ConfigError.
Value parse_yaml_value(std::string_view text, const std::string& source);

// Block style, two spaces, keys in order; reads back to an equal Value here and in PyYAML. Strings
// that YAML 1.1 or 1.2 would take for something else are quoted; lists of scalars stay on one line.
std::string to_yaml(const Value& value);
// The same on one line, in flow style, without a line break at the end: what an override takes.
std::string to_yaml_line(const Value& value);

}  // namespace refran::runner
