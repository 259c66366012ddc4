// What a field allows, in words: for error texts, and for the descriptions of a plugin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <refran/schema.h>

namespace refran::runner {

// "an integer from 1 to 10", "a number above 0, or auto", "a list of existing files (at least 1)".
// The rules of a list or map hold for what is in it, so an element's are those of the field that
// was declared: `rules`.
std::string allowed(const Field& field, const Field& rules);
inline std::string allowed(const Field& field) { return allowed(field, field); }

// "a list of 3" or "a map of 3" is what is found where the number of items is not allowed.
std::string found_items(const Field& field, std::size_t count);

// "rate, start, words"; of more than 12, the first 12 and how many more there are.
std::string keys_in_words(const std::vector<std::string>& keys);
std::vector<std::string> names_of(const std::vector<Field>& fields);

// "dot or scaled-dot", "a, b or c".
std::string alternatives(const std::vector<std::string>& words);

// The limits that the C++ type of an integer field sets.
struct IntegerLimits {
  std::int64_t lowest;
  std::uint64_t highest;
};
IntegerLimits integer_limits(const Field& field);

}  // namespace refran::runner
