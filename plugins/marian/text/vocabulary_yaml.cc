// A parser of lines, not yaml-cpp: that one gives no text for a key such as `null` or `~`, and puts
// U+FFFD for bytes that are no UTF-8, so that two such tokens become one. What it takes for a map
// with one plain number a key, this one reads the same (tested).
#include "vocabulary_yaml.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "../checkpoint.h"
#include "unicode.h"

namespace refran::marian {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// A line, read from left to right.
class Line {
 public:
  Line(std::string_view text, std::size_t number, const std::filesystem::path& file)
      : text_(text), number_(number), file_(&file) {}

  [[noreturn]] void refuse(std::string_view what) const {
    throw ModelError(fmt::format("{}:{}: {}", file_->string(), number_, what));
  }

  bool at_end() const { return at_ == text_.size(); }
  char next() const { return at_end() ? '\0' : text_[at_]; }
  std::string_view rest() const { return text_.substr(at_); }
  std::string_view take(std::size_t bytes) {
    const std::string_view taken = text_.substr(at_, bytes);
    at_ += taken.size();
    return taken;
  }
  void skip_blanks() {
    while (!at_end() && is_blank(next())) ++at_;
  }
  // Whether the mark `c` is next, with a blank or the end of the line behind it.
  bool has_mark(char c) const {
    return next() == c && !at_end() && (at_ + 1 == text_.size() || is_blank(text_[at_ + 1]));
  }
  // Takes what may be behind a key or an id: blanks and a comment.
  void expect_end() {
    const bool after_blank = at_ == 0 || is_blank(next());
    skip_blanks();
    if (!at_end() && !(after_blank && next() == '#')) refuse("found more than a token and its id");
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t number_;
  const std::filesystem::path* file_;
};

char32_t hexadecimal(Line& line, std::size_t digits) {
  const std::string_view text = line.take(digits);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || text.size() != digits || end != text.data() + text.size()) {
    line.refuse("found a backslash with too few hexadecimal digits");
  }
  return value;
}

char32_t code_point(Line& line, std::size_t digits) {
  char32_t value = hexadecimal(line, digits);
  // Two halves, as JSON writes what is beyond U+FFFF.
  if (value >= 0xD800 && value < 0xDC00 && line.rest().starts_with("\\u")) {
    line.take(2);
    const char32_t low = hexadecimal(line, 4);
    if (low < 0xDC00 || low > 0xDFFF) line.refuse("found half of a surrogate pair");
    value = 0x10000 + ((value - 0xD800) << 10U) + (low - 0xDC00);
  }
  if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    line.refuse("found a backslash with a number that is no character's");
  }
  return value;
}

// What a backslash in double quotes stands for.
std::string escaped(Line& line) {
  constexpr std::pair<std::string_view, std::size_t> kHexadecimal[] = {
      {"x", 2}, {"u", 4}, {"U", 8}};
  constexpr std::pair<char, std::string_view> kNamed[] = {
      {'"', "\""},   {'\\', "\\"},    {'/', "/"},      {' ', " "},      {'\t', "\t"},   {'a', "\a"},
      {'b', "\b"},   {'t', "\t"},     {'n', "\n"},     {'v', "\v"},     {'f', "\f"},    {'r', "\r"},
      {'e', "\x1b"}, {'N', "\u0085"}, {'_', "\u00A0"}, {'L', "\u2028"}, {'P', "\u2029"}};
  const std::string_view name = line.take(1);
  for (const auto& [letter, digits] : kHexadecimal) {
    if (name == letter) return utf8(code_point(line, digits));
  }
  if (name == "0") return std::string(1, '\0');
  for (const auto& [letter, text] : kNamed) {
    if (name == std::string_view(&letter, 1)) return std::string(text);
  }
  line.refuse("found a backslash that YAML does not know");
}

std::string double_quoted(Line& line) {
  std::string text;
  line.take(1);
  while (!line.at_end()) {
    const std::string_view c = line.take(1);
    if (c == "\"") return text;
    text += c == "\\" ? escaped(line) : std::string(c);
  }
  line.refuse("found a quoted token that does not end on its line");
}

std::string single_quoted(Line& line) {
  std::string text;
  line.take(1);
  while (!line.at_end()) {
    const std::string_view c = line.take(1);
    if (c == "'" && line.next() != '\'') return text;
    if (c == "'") line.take(1);
    text += c;
  }
  line.refuse("found a quoted token that does not end on its line");
}

// A token without quotes ends before ": ", or before a comment.
std::string plain(Line& line) {
  constexpr std::string_view kIndicators = ",[]{}#&*!|>\"'%@`";
  const bool is_indicator = kIndicators.find(line.next()) != std::string_view::npos;
  if (line.at_end() || is_indicator || is_blank(line.next()) || line.has_mark('-') ||
      line.has_mark('?') || line.has_mark(':')) {
    line.refuse("found no token; one that begins so has to be in quotes");
  }
  std::string text;
  while (!line.at_end() && !line.has_mark(':')) {
    if (line.next() == '#' && is_blank(text.back())) break;
    text += line.take(1);
  }
  while (is_blank(text.back())) text.pop_back();
  return text;
}

std::string token(Line& line) {
  if (line.next() == '"') return double_quoted(line);
  if (line.next() == '\'') return single_quoted(line);
  return plain(line);
}

// ": 17" and the end of the line.
std::int32_t id(Line& line) {
  line.skip_blanks();
  if (!line.has_mark(':')) line.refuse("found no ': ' and id behind the token");
  line.take(1);
  line.skip_blanks();
  const std::string_view text = line.rest();
  const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + size, value);
  // YAML reads 010 as 8.
  const bool is_octal = size > 1 && text.front() == '0';
  if (size == 0 || error != std::errc() || is_octal ||
      (size < text.size() && !is_blank(text[size]))) {
    line.refuse(fmt::format("found an id that is no whole number from 0 to {}",
                            std::numeric_limits<std::int32_t>::max()));
  }
  line.take(size);
  line.expect_end();
  return value;
}

class YamlEntries {
 public:
  YamlEntries(std::string_view text, const std::filesystem::path& file) : text_(text), file_(file) {
    if (text_.starts_with("\uFEFF")) text_.remove_prefix(std::string_view("\uFEFF").size());
  }

  std::vector<VocabularyEntry> read() {
    std::vector<VocabularyEntry> entries;
    while (std::optional<Line> line = next_line(entries.empty())) {
      VocabularyEntry entry;
      if (line->has_mark('?')) {
        line->take(1);
        line->skip_blanks();
        entry.token = token(*line);
        line->expect_end();
        line = next_line(false);
        if (!line) throw ModelError(fmt::format("{}: the last token has no id", file_.string()));
      } else {
        entry.token = token(*line);
      }
      entry.id = id(*line);
      entries.push_back(std::move(entry));
    }
    return entries;
  }

 private:
  // The next line that says something, at its first character that is no blank. Line feeds alone
  // separate lines: U+0085 and the like are characters of tokens.
  std::optional<Line> next_line(bool is_first) {
    while (!text_.empty()) {
      std::string_view content = text_.substr(0, text_.find('\n'));
      text_.remove_prefix(std::min(content.size() + 1, text_.size()));
      if (content.ends_with('\r')) content.remove_suffix(1);
      ++number_;
      if (is_first && content == "---") continue;
      const std::size_t first = content.find_first_not_of(" \t");
      if (first == std::string_view::npos || content[first] == '#') continue;
      const std::size_t indent = content.find_first_not_of(' ');
      const Line line(content.substr(indent), number_, file_);
      if (is_first) indent_ = indent;
      if (indent != indent_)
        line.refuse("found a line that begins further in, or out, than others");
      return line;
    }
    return std::nullopt;
  }

  std::string_view text_;
  const std::filesystem::path& file_;
  std::size_t number_ = 0;
  std::size_t indent_ = 0;
};

}  // namespace

std::vector<VocabularyEntry> parse_yaml_vocabulary(std::string_view text,
                                                   const std::filesystem::path& file) {
  return YamlEntries(text, file).read();
}

}  // namespace refran::marian
