// Keys of nested values as texts: `config.words[2].point`, and `config.points['ao pé']` where a
// name has letters that would mislead.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <refran/value.h>

namespace refran::runner {

// One step down: the key of a map, or the index of a list.
using Step = std::variant<std::string, std::size_t>;

// The path of a key below `prefix`, which is "" at the top; of an item of the list at `prefix`.
std::string below(std::string_view prefix, std::string_view key);
std::string item(std::string_view prefix, std::size_t index);

// The steps of a path; nothing where it is not written like one.
std::optional<std::vector<Step>> parse_key_path(std::string_view path);

// The value that lies deepest on the way down from `root`: the one the steps lead to, if it is
// there.
const Value& deepest(const Value& root, std::span<const Step> steps);

// Puts a value where the steps lead, creating maps that are missing on the way; `key_origin`
// becomes that of its key. Returns what is in the way, as an error text, or "" where it went well:
// an index needs a list that has such an item.
std::string set_value(Value& root, std::span<const Step> steps, const Value& value,
                      const Origin& key_origin);

}  // namespace refran::runner
