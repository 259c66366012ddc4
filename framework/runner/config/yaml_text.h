// The text of a YAML file before any parser: whether it is text at all, and the places in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <refran/value.h>

namespace refran::runner {

class YamlText {
 public:
  // Places in an argument of the command line are its source alone, without line and column. A
  // literal is an argument that no parser will read.
  enum class Kind { file, argument, literal };

  // Throws ConfigError where the text is not UTF-8 or, but for a literal, has a control character.
  YamlText(std::string_view text, const std::string& source, Kind kind);

  // Of a file, without a byte order mark. An argument is led in by a blank, so that '%' and '---'
  // at its front are text.
  std::string_view text() const { return text_; }

  // The place of a byte of the text.
  Origin origin_at(std::size_t position);
  // Whether the bracket at the position is closed further on.
  bool is_closed(std::size_t position) const;
  // Whether only blanks stand before the position in its line, a tab among them.
  bool is_indented_by_tab(std::size_t position) const;
  // Whether the line of the position is indented by a tab, or by blanks with one among them.
  bool has_tab_in_indentation(std::size_t position) const;

 private:
  void check_encoding();
  std::size_t line_of(std::size_t position) const;  // from 0

  std::string text_;
  std::shared_ptr<const std::string> source_;
  Kind kind_;
  std::vector<std::size_t> line_starts_;
  // The last place asked for: columns are counted on from there, since a line can be long.
  std::size_t last_position_ = 0;
  int last_column_ = 1;
};

}  // namespace refran::runner
