// Validates and resolves a config value by value, along the declared fields.
#include "bind.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "field_words.h"
#include "key_path.h"
#include "number_hints.h"

namespace refran::runner {

namespace {

constexpr std::string_view kAuto = "auto";

bool is_auto(const Field& field, const Value& value) {
  return field.optional && value.kind == Value::Kind::text && value.text == kAuto;
}

// An empty path that was declared as the default means that there is none.
bool is_no_path(const Field& field, const Value& value) {
  return value.text.empty() && field.default_value.kind == Value::Kind::text &&
         field.default_value.text.empty();
}

std::filesystem::path absolute(const std::filesystem::path& base, const std::string& path) {
  return std::filesystem::absolute(base / path).lexically_normal();
}

template <class Number>
std::optional<Number> read_number(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

bool is_within(long double number, const Field& rules) {
  if (rules.minimum &&
      (rules.minimum_excluded ? number <= *rules.minimum : number < *rules.minimum)) {
    return false;
  }
  return !rules.maximum ||
         (rules.maximum_excluded ? number < *rules.maximum : number <= *rules.maximum);
}

// Where a value is, kept as steps: the text of a path is only made where there is something to
// report.
class Path {
 public:
  explicit Path(std::string_view root) : key_(root) {}
  Path(const Path& parent, std::string_view key) : parent_(&parent), key_(key) {}
  Path(const Path& parent, std::size_t index) : parent_(&parent), index_(index) {}

  std::string text() const {
    if (parent_ == nullptr) return std::string(key_);
    return index_ ? item(parent_->text(), *index_) : below(parent_->text(), key_);
  }

 private:
  const Path* parent_ = nullptr;
  std::string_view key_;
  std::optional<std::size_t> index_;
};

// Resolves values one by one. Every function takes the key's path for the error texts; `rules` is
// the declared field that an element of a list or map belongs to.
class Resolver {
 public:
  Resolver(const std::filesystem::path& base, Diagnostics& diagnostics)
      : base_(base), diagnostics_(diagnostics) {}

  Value group(const std::vector<Field>& fields, const Value& given, const Path& path) {
    Value resolved = Value::map();
    resolved.origin = given.origin;
    resolved.entries.reserve(fields.size());
    for (const Entry& entry : given.entries) report_unknown(fields, entry, path);
    for (const Field& field : fields) {
      const Path key(path, field.name);
      const Value* const found = given.find(field.name);
      Value value =
          found != nullptr ? element(field, field, *found, key) : missing(field, given.origin, key);
      resolved.entries.push_back({field.name, std::move(value), {}});
    }
    return resolved;
  }

 private:
  void report_unknown(const std::vector<Field>& fields, const Entry& entry, const Path& path) {
    const auto has_name = [&](const Field& field) { return field.name == entry.key; };
    if (std::any_of(fields.begin(), fields.end(), has_name)) return;
    add_unknown_key(entry, names_of(fields), path.text(), diagnostics_);
  }

  // The value of a field that is not given. What is wrong with a default is reported where its
  // block is.
  Value missing(const Field& field, const Origin& block, const Path& path) {
    if (field.required) {
      diagnostics_.add(block, path.text(), "found no such key, required: " + allowed(field));
      return {};
    }
    Value value =
        field.type == FieldType::group && !field.optional ? Value::map() : field.default_value;
    value.origin = block;
    return element(field, field, value, path);
  }

  Value element(const Field& field, const Field& rules, const Value& value, const Path& path) {
    if (is_auto(field, value)) return value;
    switch (field.type) {
      case FieldType::boolean:
        return boolean(field, value, path);
      case FieldType::integer:
        return integer(field, rules, value, path);
      case FieldType::real:
        return real(field, rules, value, path);
      case FieldType::text:
        return text(field, rules, value, path);
      case FieldType::path:
        return file(field, rules, value, path);
      case FieldType::list:
        return list(field, rules, value, path);
      case FieldType::map:
        return map(field, rules, value, path);
      case FieldType::group:
        // A block whose keys are all left out, or in comments, reads as nothing.
        if (value.kind == Value::Kind::map || value.kind == Value::Kind::null) {
          return group(field.fields, value, path);
        }
        return refuse(value, path, allowed(field, rules));
    }
    return {};
  }

  Value boolean(const Field& field, const Value& value, const Path& path) {
    if (value.kind == Value::Kind::boolean) return value;
    return refuse(value, path, allowed(field), boolean_hint(value));
  }

  Value integer(const Field& field, const Field& rules, const Value& value, const Path& path) {
    if (value.kind != Value::Kind::integer) {
      return refuse(value, path, allowed(field, rules), number_hint(value, field.type));
    }
    const IntegerLimits limits = integer_limits(field);
    const auto negative = read_number<std::int64_t>(value.text);
    const auto positive = read_number<std::uint64_t>(value.text);
    const bool fits =
        positive ? *positive <= limits.highest : negative && *negative >= limits.lowest;
    if (!fits) {
      return refuse(value, path,
                    fmt::format("an integer from {} to {}", limits.lowest, limits.highest));
    }
    const long double number =
        positive ? static_cast<long double>(*positive) : static_cast<long double>(*negative);
    if (!is_within(number, rules)) return refuse(value, path, allowed(field, rules));
    Value resolved = positive ? Value::integer(*positive) : Value::integer(*negative);
    resolved.origin = value.origin;
    return resolved;
  }

  Value real(const Field& field, const Field& rules, const Value& value, const Path& path) {
    if (value.kind != Value::Kind::real && value.kind != Value::Kind::integer) {
      return refuse(value, path, allowed(field, rules), number_hint(value, field.type));
    }
    if (value.text.ends_with(".nan") || value.text.ends_with(".inf")) {
      return refuse(value, path, allowed(field, rules) + ", not NaN or infinity");
    }
    const auto number = read_number<double>(value.text);
    if (!number) {
      return refuse(value, path, "a number that 64 bits can hold");
    }
    if (!is_within(*number, rules)) return refuse(value, path, allowed(field, rules));
    Value resolved = Value::real(*number);
    resolved.origin = value.origin;
    return resolved;
  }

  Value text(const Field& field, const Field& rules, const Value& value, const Path& path) {
    if (value.kind != Value::Kind::text) {
      return refuse(value, path, allowed(field, rules), text_hint(value));
    }
    const auto& choices = rules.choices;
    const bool is_allowed =
        choices.empty() || std::find(choices.begin(), choices.end(), value.text) != choices.end();
    if (is_allowed) return value;
    return refuse(value, path, allowed(field, rules), suggestion(value.text, choices));
  }

  Value file(const Field& field, const Field& rules, const Value& value, const Path& path) {
    if (value.kind != Value::Kind::text) {
      return refuse(value, path, allowed(field, rules), text_hint(value));
    }
    if (is_no_path(field, value)) return value;
    if (value.text.empty()) return refuse(value, path, allowed(field, rules));
    if (rules.path_kind != PathKind::any) check_exists(field, rules, value, path);
    return value;
  }

  void check_exists(const Field& field, const Field& rules, const Value& value, const Path& path) {
    const std::filesystem::path file = absolute(base_, value.text);
    const bool wants_folder = rules.path_kind == PathKind::existing_folder;
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file, error);
    std::string found;
    if (!std::filesystem::exists(status)) {
      found = "nothing";
    } else if (std::filesystem::is_directory(status) != wants_folder) {
      found = wants_folder ? "a file" : "a folder";
    } else if (::access(file.c_str(), wants_folder ? R_OK | X_OK : R_OK) != 0) {
      found = fmt::format("what cannot be read ({})", std::strerror(errno));
    } else {
      return;
    }
    diagnostics_.add(value.origin, path.text(),
                     fmt::format("found {} at {} ({}), allowed: {}", found, in_quotes(value.text),
                                 file.string(), allowed(field, rules)));
  }

  Value list(const Field& field, const Field& rules, const Value& value, const Path& path) {
    const Field& item_field = field.fields.front();
    if (value.kind != Value::Kind::list) {
      const bool is_one = field.one_or_list && value.is_scalar() == is_scalar(item_field);
      if (is_one && value.kind != Value::Kind::null) return element(item_field, rules, value, path);
      return refuse(value, path, allowed(field, rules));
    }
    Value resolved = Value::list();
    resolved.origin = value.origin;
    resolved.items.reserve(value.items.size());
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      resolved.items.push_back(element(item_field, rules, value.items[i], Path(path, i)));
    }
    check_count(field, rules, value, value.items.size(), path);
    return resolved;
  }

  Value map(const Field& field, const Field& rules, const Value& value, const Path& path) {
    if (value.kind != Value::Kind::map) return refuse(value, path, allowed(field, rules));
    Value resolved = Value::map();
    resolved.origin = value.origin;
    resolved.entries.reserve(value.entries.size());
    for (const Entry& entry : value.entries) {
      Value one = element(field.fields.front(), rules, entry.value, Path(path, entry.key));
      resolved.entries.push_back({entry.key, std::move(one), entry.origin});
    }
    check_count(field, rules, value, value.entries.size(), path);
    return resolved;
  }

  static bool is_scalar(const Field& field) {
    return field.type != FieldType::list && field.type != FieldType::map &&
           field.type != FieldType::group;
  }

  void check_count(const Field& field, const Field& rules, const Value& value, std::size_t count,
                   const Path& path) {
    if (count >= field.min_items && count <= field.max_items.value_or(count)) return;
    diagnostics_.add(
        value.origin, path.text(),
        fmt::format("found {}, allowed: {}", found_items(field, count), allowed(field, rules)));
  }

  Value refuse(const Value& value, const Path& path, const std::string& what_is_allowed,
               const std::string& hint = "") {
    diagnostics_.add(value.origin, path.text(),
                     fmt::format("found {}, allowed: {}{}", found(value), what_is_allowed, hint));
    return {};
  }

  const std::filesystem::path& base_;
  Diagnostics& diagnostics_;
};

// Calls `visit(field, rules, value)` for every path in a resolved value; elements have the rules of
// the declared field.
template <class AnyValue, class Visit>
void visit_paths(const Field& field, const Field& rules, AnyValue& value, const Visit& visit) {
  if (is_auto(field, value)) return;
  if (field.type == FieldType::path) {
    if (!value.text.empty()) visit(rules, value);
  } else if (field.type == FieldType::group) {
    for (const Field& inner : field.fields) {
      if (auto* const entry = value.find(inner.name)) visit_paths(inner, inner, *entry, visit);
    }
  } else if (field.type == FieldType::list || field.type == FieldType::map) {
    const Field& element = field.fields.front();
    if (field.one_or_list && value.is_scalar()) visit_paths(element, rules, value, visit);
    for (auto& one : value.items) visit_paths(element, rules, one, visit);
    for (auto& entry : value.entries) visit_paths(element, rules, entry.value, visit);
  }
}

template <class AnyValue, class Visit>
void visit_paths(const std::vector<Field>& fields, AnyValue& resolved, const Visit& visit) {
  for (const Field& field : fields) {
    if (auto* const value = resolved.find(field.name)) visit_paths(field, field, *value, visit);
  }
}

}  // namespace

void add_unknown_key(const Entry& entry, const std::vector<std::string>& known,
                     std::string_view prefix, Diagnostics& diagnostics) {
  diagnostics.add(entry.origin, below(prefix, entry.key),
                  fmt::format("found an unknown key, allowed: {}{}", keys_in_words(known),
                              suggestion(entry.key, known)));
}

Value resolve(const std::vector<Field>& fields, const Value& given, std::string_view prefix,
              const std::filesystem::path& base, Diagnostics& diagnostics) {
  if (given.kind != Value::Kind::map && given.kind != Value::Kind::null) {
    diagnostics.add(given.origin, prefix,
                    fmt::format("found {}, allowed: a map with the keys {}", found(given),
                                keys_in_words(names_of(fields))));
    return Value::map();
  }
  return Resolver(base, diagnostics).group(fields, given, Path(prefix));
}

Value with_absolute_paths(const std::vector<Field>& fields, const Value& resolved,
                          const std::filesystem::path& base) {
  Value copy = resolved;
  visit_paths(fields, copy,
              [&](const Field&, Value& path) { path.text = absolute(base, path.text).string(); });
  return copy;
}

std::vector<std::filesystem::path> input_files(const std::vector<Field>& fields,
                                               const Value& resolved,
                                               const std::filesystem::path& base) {
  std::vector<std::filesystem::path> files;
  visit_paths(fields, resolved, [&](const Field& rules, const Value& path) {
    if (rules.path_kind == PathKind::existing_file) files.push_back(absolute(base, path.text));
  });
  return files;
}

}  // namespace refran::runner
