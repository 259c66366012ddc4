#include "json_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../checkpoint.h"

namespace refran::marian {
namespace {

constexpr int kDeepestJson = 64;
constexpr std::size_t kLongestShown = 60;

// Where byte `position`, counted from 1, lies: "line 3, column 9".
std::string place_of(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(text.size(), position - (position > 0)));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column =
      line_end == std::string_view::npos ? before.size() + 1 : before.size() - line_end;
  return fmt::format("line {}, column {}", line, column);
}

nlohmann::json parse(std::string_view text, const std::filesystem::path& file) {
  const auto check_depth = [&](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
    if (depth > kDeepestJson) {
      throw ModelError(
          fmt::format("{}: found JSON nested deeper than {} levels", file.string(), kDeepestJson));
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, check_depth);
  } catch (const nlohmann::json::parse_error& error) {
    throw ModelError(fmt::format("{}: found text that is no JSON ({})", file.string(),
                                 place_of(text, error.byte)));
  } catch (const nlohmann::json::exception&) {  // a number beyond float64
    throw ModelError(fmt::format("{}: found a number out of range", file.string()));
  }
}

}  // namespace

std::string shown(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) {
    const bool is_short =
        value.size() <= 4 &&
        std::none_of(value.begin(), value.end(), [](auto& item) { return item.is_structured(); });
    if (!is_short) return "a list";
  }
  std::string text = value.dump();
  if (text.size() <= kLongestShown) return text;
  std::size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // UTF-8
  return text.substr(0, end) + "…";
}

JsonFields::JsonFields(std::string_view text, std::filesystem::path file)
    : file_(std::move(file)), object_(parse(text, file_)) {
  if (!object_.is_object()) {
    throw ModelError(
        fmt::format("{}: found {}, allowed: a JSON object", file_.string(), shown(object_)));
  }
}

const nlohmann::json* JsonFields::find(const std::string& key) const {
  const auto place = object_.find(key);
  return place == object_.end() || place->is_null() ? nullptr : &*place;
}

std::optional<std::int64_t> JsonFields::whole(const std::string& key, std::int64_t least,
                                              std::int64_t most) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return std::nullopt;
  // An unsigned number beyond int64 would come out negative.
  const bool fits =
      value->is_number_integer() &&
      (!value->is_number_unsigned() || value->get<std::uint64_t>() <= std::uint64_t{1} << 62U);
  if (fits) {
    const auto found = value->get<std::int64_t>();
    if (found >= least && found <= most) return found;
  }
  refuse(key, fmt::format("a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<double> JsonFields::number(const std::string& key) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
  refuse(key, "a number");
  return std::nullopt;
}

std::optional<bool> JsonFields::flag(const std::string& key) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  refuse(key, "true or false");
  return std::nullopt;
}

std::optional<std::string> JsonFields::text(const std::string& key) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  refuse(key, "a text");
  return std::nullopt;
}

std::optional<std::int32_t> JsonFields::id(const std::string& key, std::size_t vocabulary) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_array() && value->size() == 1) value = &value->front();
  if (value->is_number_unsigned() && value->get<std::uint64_t>() < vocabulary)
    return static_cast<std::int32_t>(value->get<std::uint64_t>());
  refuse(key, fmt::format("a token id from 0 to {}", vocabulary - 1));
  return std::nullopt;
}

void JsonFields::refuse(const std::string& key, const std::string& allowed) {
  const nlohmann::json* const value = find(key);
  add_problem(fmt::format("{}: found {}, allowed: {}", key,
                          value == nullptr ? "nothing" : shown(*value), allowed));
}

void JsonFields::finish() const {
  if (problems_.empty()) return;
  throw ModelError(fmt::format("{}: {}", file_.string(), fmt::join(problems_, "; ")));
}

}  // namespace refran::marian
