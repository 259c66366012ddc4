// Writes, reads and follows the paths of nested keys.
#include "key_path.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "diagnostics.h"

namespace refran::runner {

namespace {

bool is_plain(std::string_view key) {
  return !key.empty() && key.find_first_of(".[]'=:, ") == std::string_view::npos;
}

// The child that a step leads to, or null.
const Value* child(const Value& parent, const Step& step) {
  if (const auto* const key = std::get_if<std::string>(&step)) return parent.find(*key);
  const std::size_t index = std::get<std::size_t>(step);
  return index < parent.items.size() ? &parent.items[index] : nullptr;
}

// Takes `2` or `'it''s'` and the closing bracket off the front; nothing where they are not there.
std::optional<Step> take_bracketed(std::string_view& path) {
  if (path.starts_with('\'')) {
    std::string key;
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (path[i] != '\'') {
        key += path[i];
      } else if (path.substr(i).starts_with("''")) {
        key += path[i++];
      } else if (path.substr(i).starts_with("']")) {
        path.remove_prefix(i + 2);
        return Step(key);
      } else {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), index);
  const auto digits = static_cast<std::size_t>(end - path.data());
  if (error != std::errc{} || !path.substr(digits).starts_with(']')) return std::nullopt;
  path.remove_prefix(digits + 1);
  return Step(index);
}

}  // namespace

std::string below(std::string_view prefix, std::string_view key) {
  if (is_plain(key)) return fmt::format("{}{}{}", prefix, prefix.empty() ? "" : ".", key);
  std::string name;
  for (const char letter : key) name += letter == '\'' ? std::string("''") : std::string(1, letter);
  return fmt::format("{}['{}']", prefix, name);
}

std::string item(std::string_view prefix, std::size_t index) {
  return fmt::format("{}[{}]", prefix, index);
}

std::optional<std::vector<Step>> parse_key_path(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    if (path.front() == '[') {
      path.remove_prefix(1);
      std::optional<Step> step = take_bracketed(path);
      if (!step) return std::nullopt;
      steps.push_back(std::move(*step));
      continue;
    }
    if (!steps.empty()) {
      if (path.front() != '.') return std::nullopt;
      path.remove_prefix(1);
    }
    const std::size_t length = std::min(path.find_first_of(".["), path.size());
    if (length == 0) return std::nullopt;
    steps.emplace_back(std::string(path.substr(0, length)));
    path.remove_prefix(length);
  }
  if (steps.empty()) return std::nullopt;
  return steps;
}

const Value& deepest(const Value& root, std::span<const Step> steps) {
  const Value* value = &root;
  for (const Step& step : steps) {
    const Value* const next = child(*value, step);
    if (next == nullptr) break;
    value = next;
  }
  return *value;
}

std::string set_value(Value& root, std::span<const Step> steps, const Value& value,
                      const Origin& key_origin) {
  Value* place = &root;
  for (const Step& step : steps) {
    if (const auto* const key = std::get_if<std::string>(&step)) {
      if (place->kind != Value::Kind::map && place->kind != Value::Kind::null) {
        return fmt::format("found {} above the key '{}', allowed: a map", found(*place), *key);
      }
      if (place->kind == Value::Kind::null) place->kind = Value::Kind::map;
      if (place->find(*key) == nullptr) {
        place->entries.push_back({*key, {}, key_origin});
        place->entries.back().value.origin = key_origin;
      }
      place = place->find(*key);
    } else {
      const std::size_t index = std::get<std::size_t>(step);
      if (place->kind != Value::Kind::list || index >= place->items.size()) {
        const std::string what = place->kind == Value::Kind::list
                                     ? fmt::format("a list of {}", place->items.size())
                                     : found(*place);
        return fmt::format("found {} in the file, allowed: a list with an item {}", what, index);
      }
      place = &place->items[index];
    }
  }
  *place = value;
  return "";
}

}  // namespace refran::runner
