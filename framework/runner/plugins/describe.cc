// Descriptions for people: terminal text and Markdown tables.
#include "describe.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "field_words.h"
#include "utf8.h"
#include "yaml.h"

namespace refran::runner {

namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kWidestName = 30;
constexpr std::size_t kLongestDefault = 120;  // characters

// A config field in words; nested ones by their paths.
struct Row {
  std::string key;
  std::string meaning;
  std::string allowed;        // with the unit
  std::string default_value;  // "" where it is required, or where the values are below
};

std::string default_of(const Field& field) {
  if (field.required || field.default_value.kind == Value::Kind::null) return "";
  const std::u32string points = code_points(to_yaml_line(field.default_value));
  std::string text;
  for (const char32_t point : points.substr(0, kLongestDefault)) text += utf8(point);
  return points.size() > kLongestDefault ? text + "…" : text;
}

void add_rows(const std::vector<Field>& fields, const std::string& prefix, std::vector<Row>& rows);

void add_row(const Field& field, const std::string& key, std::vector<Row>& rows) {
  const bool is_group = field.type == FieldType::group;
  std::string words = is_group ? "a map of the keys below" : allowed(field);
  if (!field.unit.empty()) words += ", in " + field.unit;
  if (field.required && !is_group) words += "; required";
  rows.push_back({key, field.doc, std::move(words), is_group ? "" : default_of(field)});
  if (is_group) add_rows(field.fields, key + '.', rows);
  // The keys of structs that a list or map holds, however deep it does.
  std::string element_key = key;
  const Field* element = &field;
  while (element->type == FieldType::list || element->type == FieldType::map) {
    element_key += element->type == FieldType::list ? "[]" : ".*";
    element = &element->fields.front();
  }
  if (element != &field && element->type == FieldType::group) {
    add_rows(element->fields, element_key + '.', rows);
  }
}

void add_rows(const std::vector<Field>& fields, const std::string& prefix, std::vector<Row>& rows) {
  for (const Field& field : fields) add_row(field, prefix + field.name, rows);
}

std::vector<Row> rows_of(const std::vector<Field>& fields) {
  std::vector<Row> rows;
  add_rows(fields, "", rows);
  return rows;
}

// How the numbers of an output behave beyond its type; "" where there is nothing to say.
std::string conditions_of(const OutputInfo& output) {
  std::string words;
  if (output.rows_sum_to_one) words += "; rows sum to 1";
  if (!output.per_item.empty()) words += fmt::format("; one per item of '{}'", output.per_item);
  if (!output.condition.empty()) words += fmt::format("; written where {}", output.condition);
  return words;
}

std::string words_of(Reproducibility level, const Description& description) {
  switch (level) {
    case Reproducibility::bitwise:
      return "bitwise: the same bytes on any x86-64 machine, with any compiler and threads";
    case Reproducibility::same_machine:
      return "same machine: the same bytes on the same machine, build and threads";
    case Reproducibility::close:
      return fmt::format("close: the same values within {}", description.tolerance);
  }
  return "";
}

std::string reproducibility_of(const Description& description) {
  std::string words = words_of(description.reproducibility, description);
  if (!description.weaker_field.empty()) {
    words += fmt::format(". Where {} is {}: {}", description.weaker_field, description.weaker_value,
                         words_of(description.weaker, description));
  }
  return words;
}

std::size_t width_of(std::string_view text) { return code_points(text).size(); }

// Words on lines of at most kColumns characters, each led in by `indent` blanks; the first line
// goes on where `out` is.
void wrap(std::string_view text, std::size_t indent, std::string& out) {
  std::size_t column = indent;
  bool is_first = true;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::size_t width = width_of(word);
    if (!is_first && column + 1 + width > kColumns) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
    is_first = false;
  }
  out += '\n';
}

// A name, and beside it lines about it.
struct Item {
  std::string name;
  std::vector<std::string> lines;
};

std::string items_in_columns(const std::vector<Item>& items) {
  std::size_t widest = 0;
  for (const Item& item : items) widest = std::max(widest, width_of(item.name));
  const std::size_t indent = std::min(widest, kWidestName) + 4;
  std::string text;
  for (const Item& item : items) {
    text += "  " + item.name;
    std::size_t column = width_of(item.name) + 2;
    for (const std::string& line : item.lines) {
      if (column + 2 > indent) {
        text += '\n';
        column = 0;
      }
      text += std::string(indent - column, ' ');
      wrap(line, indent, text);
      column = 0;
    }
  }
  return text;
}

std::string config_text(const Description& description) {
  std::vector<Item> items;
  for (const Row& row : rows_of(description.fields)) {
    const std::string rule = row.default_value.empty()
                                 ? row.allowed
                                 : fmt::format("{}; default {}", row.allowed, row.default_value);
    items.push_back({row.key, {row.meaning, rule}});
  }
  return items_in_columns(items);
}

std::string outputs_text(const Description& description) {
  std::vector<Item> items;
  for (const OutputInfo& output : description.outputs) {
    const std::string unit = output.unit == "1" ? "" : ", in " + output.unit;
    const std::string axes =
        output.dims.empty() ? "" : fmt::format("[{}]", fmt::join(output.dims, ", "));
    items.push_back({output.name + axes,
                     {output.doc, fmt::format("{}{}{}", name_of(output.element), unit,
                                              conditions_of(output))}});
  }
  return items_in_columns(items);
}

// A cell of a Markdown table. '<' would begin HTML, but for inside `code`.
std::string cell(std::string_view text, bool is_code = false) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '`') is_code = !is_code;
    if (letter == '|') {
      escaped += "\\|";
    } else if (letter == '<' && !is_code) {
      escaped += "&lt;";
    } else {
      escaped += letter == '\n' ? ' ' : letter;
    }
  }
  return escaped;
}

std::string code(const std::string& text) {
  if (text.empty()) return "";
  const bool has_backtick = text.find('`') != std::string::npos;
  return has_backtick ? "`` " + cell(text, true) + " ``" : "`" + cell(text, true) + "`";
}

}  // namespace

std::string describe_text(const Description& description) {
  std::string text = fmt::format("{} {}\n", description.name, description.version);
  wrap(description.question, 0, text);
  text += "\nReproducibility\n  ";
  wrap(reproducibility_of(description), 2, text);
  text += "\nConfig\n";
  text += description.fields.empty() ? "  no fields\n" : config_text(description);
  text += "\nOutputs\n";
  text += description.outputs.empty() ? "  none\n" : outputs_text(description);
  return text;
}

std::string describe_markdown(const Description& description) {
  std::string text = "| Config | Meaning | Allowed | Default |\n| --- | --- | --- | --- |\n";
  for (const Row& row : rows_of(description.fields)) {
    text += fmt::format("| {} | {} | {} | {} |\n", code(row.key), cell(row.meaning),
                        cell(row.allowed), code(row.default_value));
  }
  text += "\n| Output | Axes | Type | Unit | Meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const OutputInfo& output : description.outputs) {
    text +=
        fmt::format("| {} | {} | {} | {} | {} |\n", code(output.name),
                    cell(fmt::format("{}", fmt::join(output.dims, ", "))), name_of(output.element),
                    cell(output.unit), cell(output.doc + conditions_of(output)));
  }
  return text;
}

}  // namespace refran::runner
