// Validation of a config against a plugin's declared fields: strict at every depth, all problems at
// once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <refran/schema.h>
#include "diagnostics.h"

namespace refran::runner {

// The resolved config: every field spelled out, in the order of the declaration. Problems go to
// `diagnostics`, with keys below `prefix` ("config"); the result is only good where none were
// added. Paths stay as written; that they exist is checked relative to `base`. Also for a missing
// `given` (a null Value).
Value resolve(const std::vector<Field>& fields, const Value& given, std::string_view prefix,
              const std::filesystem::path& base, Diagnostics& diagnostics);

// Reports a key of the map at `prefix` that is none of the known ones.
void add_unknown_key(const Entry& entry, const std::vector<std::string>& known,
                     std::string_view prefix, Diagnostics& diagnostics);

// A copy of a resolved config with every path absolute, as plugins get it.
Value with_absolute_paths(const std::vector<Field>& fields, const Value& resolved,
                          const std::filesystem::path& base);

// The files that path fields with `existing_file` name, absolute, in the order of the fields.
std::vector<std::filesystem::path> input_files(const std::vector<Field>& fields,
                                               const Value& resolved,
                                               const std::filesystem::path& base);

}  // namespace refran::runner
