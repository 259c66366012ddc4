#include "table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "utf8.h"

namespace refran::runner {
namespace {

template <class T>
void append(std::string& text, T value) {
  if (std::isnan(value)) {
    text += "NaN";
  } else if (std::isinf(value)) {
    text += value > 0 ? "Inf" : "-Inf";
  } else {
    std::array<char, 32> buffer;
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    text.append(buffer.data(), end);
  }
}

}  // namespace

std::string Table::to_string() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(row[column]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent_, ' ');
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - width_of(row[column]), ' ');
      const bool is_right = std::find(right_.begin(), right_.end(), column) != right_.end();
      line.append(column == 0 ? "" : "  ")
          .append(is_right ? padding + row[column] : row[column] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::size_t width_of(std::string_view text) { return code_points(text).size(); }

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char character : text) {
    if (character == '"') field += '"';
    field += character;
  }
  return field + '"';
}

void append_number(std::string& text, double value) { append(text, value); }
void append_number(std::string& text, float value) { append(text, value); }

}  // namespace refran::runner
