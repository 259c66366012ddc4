// Checks the encoding of a YAML text and finds lines, columns and brackets in it.
#include "yaml_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "diagnostics.h"
#include "utf8.h"

namespace refran::runner {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_control(char32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

}  // namespace

YamlText::YamlText(std::string_view text, const std::string& source, Kind kind)
    : source_(std::make_shared<const std::string>(source)), kind_(kind) {
  if (kind == Kind::argument) text_ = " ";
  text_ += text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool is_return_alone =
        text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || is_return_alone) line_starts_.push_back(i + 1);
  }
  check_encoding();
}

void YamlText::check_encoding() {
  const auto refuse = [&](std::size_t position, const std::string& text) {
    Diagnostics diagnostics;
    diagnostics.add(origin_at(position), "", text);
    diagnostics.throw_if_any();
  };
  const std::string_view text = text_;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = first_code_point(text.substr(i));
    if (point.bytes == 0) {
      refuse(i, fmt::format("found the byte 0x{:02x}, which is not UTF-8; save the text as UTF-8",
                            static_cast<unsigned char>(text[i])));
    }
    const bool is_blank = text[i] == '\t' || text[i] == '\n' || text[i] == '\r';
    if (kind_ != Kind::literal && !is_blank && is_control(point.value)) {
      refuse(i, fmt::format("found the control character 0x{0:02x}; write it as \"\\x{0:02x}\" in "
                            "double quotes",
                            static_cast<unsigned>(point.value)));
    }
    i += point.bytes;
  }
}

std::size_t YamlText::line_of(std::size_t position) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), position);
  return static_cast<std::size_t>(next - line_starts_.begin()) - 1;
}

Origin YamlText::origin_at(std::size_t position) {
  if (kind_ != Kind::file) return {source_, 0, 0};
  position = std::min(position, text_.size());
  const std::size_t line = line_of(position);
  if (last_position_ < line_starts_[line] || last_position_ > position) {
    last_position_ = line_starts_[line];
    last_column_ = 1;
  }
  const std::string_view passed =
      std::string_view(text_).substr(last_position_, position - last_position_);
  last_column_ += static_cast<int>(std::count_if(passed.begin(), passed.end(), starts_character));
  last_position_ = position;
  return {source_, static_cast<int>(line) + 1, last_column_};
}

// Quotes count where a value can begin; an apostrophe inside a word is none.
bool YamlText::is_closed(std::size_t position) const {
  std::size_t depth = 0;
  char quote = 0;
  bool can_begin = true;
  for (std::size_t i = position; i < text_.size(); ++i) {
    const char letter = text_[i];
    if (quote != 0) {
      if (quote == '"' && letter == '\\') {
        ++i;
      } else if (letter == quote) {
        quote = 0;
      }
      continue;
    }
    if (can_begin && (letter == '"' || letter == '\'')) quote = letter;
    if (letter == '[' || letter == '{') ++depth;
    if ((letter == ']' || letter == '}') && --depth == 0) return true;
    const bool is_blank = letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
    if (!is_blank) can_begin = std::string_view("[{,:").find(letter) != std::string_view::npos;
  }
  return false;
}

bool YamlText::is_indented_by_tab(std::size_t position) const {
  if (kind_ != Kind::file) return false;
  const std::size_t start = line_starts_[line_of(position)];
  const std::string_view before = std::string_view(text_).substr(start, position - start);
  return before.find('\t') != std::string_view::npos &&
         before.find_first_not_of(" \t") == std::string_view::npos;
}

bool YamlText::has_tab_in_indentation(std::size_t position) const {
  if (kind_ != Kind::file) return false;
  const std::string_view line = std::string_view(text_).substr(line_starts_[line_of(position)]);
  return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

}  // namespace refran::runner
