#include "native_options.h"

#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../checkpoint.h"

namespace refran::marian {
namespace {

constexpr std::size_t kMostShown = 60;

// The whole text as a number, read without the locale.
template <class T>
std::optional<T> parsed(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string shown(const YamlOption* option) {
  if (option == nullptr) return "nothing";
  std::string text = option->is_list ? fmt::format("[{}]", fmt::join(option->items, ", "))
                                     : fmt::format("'{}'", option->items.front());
  return text.size() <= kMostShown ? text : option->is_list ? "a long list" : "a long text";
}

}  // namespace

NativeOptions::NativeOptions(std::string_view text, std::filesystem::path file)
    : file_(std::move(file)), options_(read_flat_yaml(text, file_)) {}

const YamlOption* NativeOptions::find(std::string_view key) const {
  const auto place = options_.find(key);
  return place == options_.end() ? nullptr : &place->second;
}

std::optional<std::string> NativeOptions::text(std::string_view key) {
  const YamlOption* const option = find(key);
  if (option == nullptr) return std::nullopt;
  if (!option->is_list) return option->items.front();
  refuse(key, "a text");
  return std::nullopt;
}

std::vector<std::int64_t> NativeOptions::wholes(std::string_view key, std::int64_t least,
                                                std::int64_t most) {
  const YamlOption* const option = find(key);
  if (option == nullptr) return {};
  std::vector<std::int64_t> numbers;
  for (const std::string& item : option->items) {
    const auto number = parsed<std::int64_t>(item);
    if (!number || *number < least || *number > most) {
      refuse(key, fmt::format("whole numbers from {} to {}", least, most));
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::int64_t> NativeOptions::whole(std::string_view key, std::int64_t least,
                                                 std::int64_t most) {
  const YamlOption* const option = find(key);
  if (option == nullptr) return std::nullopt;
  if (!option->is_list) {
    const auto number = parsed<std::int64_t>(option->items.front());
    if (number && *number >= least && *number <= most) return number;
  }
  refuse(key, fmt::format("a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<double> NativeOptions::number(std::string_view key, double least) {
  const YamlOption* const option = find(key);
  if (option == nullptr) return std::nullopt;
  if (!option->is_list) {
    const auto number = parsed<double>(option->items.front());
    if (number && std::isfinite(*number) && *number >= least) return number;
  }
  refuse(key, fmt::format("a number from {}", least));
  return std::nullopt;
}

std::optional<bool> NativeOptions::flag(std::string_view key) {
  const YamlOption* const option = find(key);
  if (option == nullptr) return std::nullopt;
  if (!option->is_list) {
    if (option->items.front() == "true") return true;
    if (option->items.front() == "false") return false;
  }
  refuse(key, "true or false");
  return std::nullopt;
}

void NativeOptions::refuse(std::string_view key, const std::string& allowed) {
  problems_.push_back(fmt::format("{}: found {}, allowed: {}", key, shown(find(key)), allowed));
}

void NativeOptions::finish() const {
  if (problems_.empty()) return;
  throw ModelError(fmt::format("{}: {}", file_.string(), fmt::join(problems_, "; ")));
}

}  // namespace refran::marian
