// Writes YAML that readers of YAML 1.1 and 1.2 alike take for the same values.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "utf8.h"
#include "yaml.h"
#include "yaml_scalar.h"

namespace refran::runner {

namespace {

constexpr std::size_t kLongestSimpleKey = 120;  // YAML allows 1024 characters, PyYAML writes 128

bool is_ascii_letter(char32_t point) {
  return (point >= U'a' && point <= U'z') || (point >= U'A' && point <= U'Z');
}

bool is_printable_text(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (point.bytes == 0 || !is_printable(point.value)) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

// Words that some reader takes for a boolean or null.
bool is_reserved(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{"y",   "n",    "yes",   "no",  "on",
                                                   "off", "true", "false", "null"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

// Whether every reader takes the text, printable as it is, for itself without quotes: it begins
// with a letter, or as a relative path does, and has no mark that means something in YAML.
bool is_plain(std::string_view text) {
  constexpr std::u32string_view kMarks = U"_-./+@()=^~$;";
  if (text.empty() || is_reserved(text) || text.back() == ' ') return false;
  const bool is_path = text.starts_with("./") || text.starts_with("../") || text.starts_with('/');
  const CodePoint first = first_code_point(text);
  if (!is_path && !is_ascii_letter(first.value) && first.value != U'_' && first.value < 0xA0) {
    return false;
  }
  const std::u32string points = code_points(text);
  return std::all_of(points.begin(), points.end(), [&](char32_t point) {
    return is_ascii_letter(point) || (point >= U'0' && point <= U'9') || point == U' ' ||
           point > 0xA0 || kMarks.find(point) != std::u32string_view::npos;
  });
}

std::string double_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char32_t point : code_points(text)) {
    if (point == U'\n') {
      quoted += "\\n";
    } else if (point == U'\t') {
      quoted += "\\t";
    } else if (point == U'"' || point == U'\\') {
      quoted += '\\';
      quoted += static_cast<char>(point);
    } else if (!is_printable(point)) {
      const auto code = static_cast<unsigned>(point);
      quoted += code < 0x100     ? fmt::format("\\x{:02x}", code)
                : code < 0x10000 ? fmt::format("\\u{:04x}", code)
                                 : fmt::format("\\U{:08x}", code);
    } else {
      quoted += utf8(point);
    }
  }
  return quoted + "\"";
}

std::string text_scalar(std::string_view text) {
  if (!is_printable_text(text)) return double_quoted(text);
  if (is_plain(text)) return std::string(text);
  std::string quoted = "'";
  for (const char letter : text)
    quoted += letter == '\'' ? std::string("''") : std::string(1, letter);
  return quoted + "'";
}

std::string scalar(const Value& value) {
  if (value.kind == Value::Kind::null) return "null";
  return value.kind == Value::Kind::text ? text_scalar(value.text) : value.text;
}

std::string flow(const Value& value);

std::string flow_key(const std::string& key) {
  const std::string text = text_scalar(key);
  return (text.size() > kLongestSimpleKey ? "? " : "") + text + ": ";
}

std::string flow(const Value& value) {
  if (value.is_scalar()) return scalar(value);
  const bool is_list = value.kind == Value::Kind::list;
  std::string text = is_list ? "[" : "{";
  for (const Value& item : value.items) text += flow(item) + ", ";
  for (const Entry& entry : value.entries) text += flow_key(entry.key) + flow(entry.value) + ", ";
  if (text.size() > 1) text.resize(text.size() - 2);
  return text + (is_list ? "]" : "}");
}

bool stays_on_one_line(const Value& value) {
  return value.is_scalar() || (value.items.empty() && value.entries.empty()) ||
         (value.kind == Value::Kind::list &&
          std::all_of(value.items.begin(), value.items.end(),
                      [](const Value& item) { return item.is_scalar(); }));
}

void write_block(const Value& value, std::size_t indent, std::string& out);

// The value behind `key:` or `-`; a map behind `-` begins on its line.
void write_below(const Value& value, std::size_t indent, bool behind_dash, std::string& out) {
  if (stays_on_one_line(value)) {
    out += ' ' + flow(value) + '\n';
    return;
  }
  const std::size_t deeper = indent + 2;
  if (behind_dash) {
    std::string block;
    write_block(value, deeper, block);
    out += ' ' + block.substr(deeper);
  } else {
    out += '\n';
    write_block(value, deeper, out);
  }
}

void write_block(const Value& value, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  for (const Value& item : value.items) {
    out += margin + '-';
    write_below(item, indent, true, out);
  }
  for (const Entry& entry : value.entries) {
    const std::string key = text_scalar(entry.key);
    const bool is_long = key.size() > kLongestSimpleKey;
    out += margin + (is_long ? "? " + key + '\n' + margin : key) + ':';
    write_below(entry.value, indent, false, out);
  }
}

}  // namespace

std::string to_yaml(const Value& value) {
  std::string text;
  if (stays_on_one_line(value)) {
    text = flow(value) + '\n';
  } else {
    write_block(value, 0, text);
  }
  return text;
}

std::string to_yaml_line(const Value& value) { return flow(value); }

}  // namespace refran::runner
