// Puts the rules of a field into words.
#include "field_words.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace refran::runner {

namespace {

constexpr std::size_t kMostKeys = 12;

// " from 0 to 1", " above 0", " of at most 3", or "" where anything goes.
std::string bounds(const Field& rules) {
  const bool has_both = rules.minimum && rules.maximum;
  if (has_both && !rules.minimum_excluded && !rules.maximum_excluded) {
    return fmt::format(" from {} to {}", *rules.minimum, *rules.maximum);
  }
  std::string words;
  if (rules.minimum) {
    words = rules.minimum_excluded ? fmt::format(" above {}", *rules.minimum)
                                   : fmt::format(" of at least {}", *rules.minimum);
  }
  if (!rules.maximum) return words;
  words += has_both ? " and" : "";
  return words + (rules.maximum_excluded ? fmt::format(" below {}", *rules.maximum)
                                         : fmt::format(" of at most {}", *rules.maximum));
}

// " (exactly 2)", " (1 to 3)", or "" where any number of items goes.
std::string counts(const Field& field) {
  const std::size_t minimum = field.min_items;
  if (!field.max_items) return minimum == 0 ? "" : fmt::format(" (at least {})", minimum);
  if (minimum == *field.max_items) return fmt::format(" (exactly {})", minimum);
  if (minimum == 0) return fmt::format(" (at most {})", *field.max_items);
  return fmt::format(" ({} to {})", minimum, *field.max_items);
}

std::string path_words(PathKind kind, bool plural) {
  switch (kind) {
    case PathKind::any:
      return plural ? "paths" : "a path";
    case PathKind::existing_file:
      return plural ? "existing files" : "an existing file";
    case PathKind::existing_folder:
      return plural ? "existing folders" : "an existing folder";
  }
  return "";
}

std::string words(const Field& field, const Field& rules, bool plural);

std::string list_words(const Field& field, const Field& rules, bool plural) {
  const Field& element = field.fields.front();
  const std::string items =
      (plural ? "lists of " : "a list of ") + words(element, rules, true) + counts(field);
  return field.one_or_list ? words(element, rules, plural) + ", or " + items : items;
}

std::string words(const Field& field, const Field& rules, bool plural) {
  switch (field.type) {
    case FieldType::boolean:
      return plural ? "true or false each" : "true or false";
    case FieldType::integer:
      return (plural ? "integers" : "an integer") + bounds(rules);
    case FieldType::real:
      return (plural ? "numbers" : "a number") + bounds(rules);
    case FieldType::text:
      if (rules.choices.empty()) return plural ? "texts" : "a text";
      return alternatives(rules.choices) + (plural ? " each" : "");
    case FieldType::path:
      return path_words(rules.path_kind, plural);
    case FieldType::list:
      return list_words(field, rules, plural);
    case FieldType::map:
      return (plural ? "maps of " : "a map of ") + words(field.fields.front(), rules, true) +
             counts(field);
    case FieldType::group:
      return (plural ? "maps" : "a map") + std::string(" with the keys ") +
             keys_in_words(names_of(field.fields));
  }
  return "";
}

}  // namespace

std::string allowed(const Field& field, const Field& rules) {
  return words(field, rules, false) + (field.optional ? ", or auto" : "");
}

std::string found_items(const Field& field, std::size_t count) {
  return fmt::format("{} of {}", field.type == FieldType::map ? "a map" : "a list", count);
}

std::string keys_in_words(const std::vector<std::string>& keys) {
  if (keys.empty()) return "no keys";
  const std::size_t shown = std::min(keys.size(), kMostKeys);
  const std::string list = fmt::format(
      "{}", fmt::join(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return keys.size() == shown ? list : fmt::format("{} and {} more", list, keys.size() - shown);
}

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

IntegerLimits integer_limits(const Field& field) {
  if (field.integer_bits == 32) {
    if (!field.integer_signed) return {0, std::numeric_limits<std::uint32_t>::max()};
    return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  }
  if (!field.integer_signed) return {0, std::numeric_limits<std::uint64_t>::max()};
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}

}  // namespace refran::runner
