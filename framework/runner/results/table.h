// Columns of text for people, and fields of CSV for programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace refran::runner {

// Lines of columns, each as wide as its widest cell, two spaces apart. Cells hold one line each.
class Table {
 public:
  explicit Table(std::vector<std::string> header, std::size_t indent = 0) : indent_(indent) {
    add(std::move(header));
  }

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // Columns that are aligned right, as numbers are.
  void align_right(std::vector<std::size_t> columns) { right_ = std::move(columns); }
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> right_;
  std::size_t indent_;
};

// Characters a terminal shows.
std::size_t width_of(std::string_view text);

// A field as RFC 4180 has it: quoted where it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);

// The shortest spelling that reads back to the same number, whatever the locale; "NaN", "Inf",
// "-Inf".
void append_number(std::string& text, double value);
void append_number(std::string& text, float value);

}  // namespace refran::runner
