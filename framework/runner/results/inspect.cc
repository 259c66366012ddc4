#include "inspect.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grid_view.h"
#include "table.h"

namespace refran::runner {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 8;
constexpr std::size_t kMostFailures = 10;

// "1, 2, 3, … 9999": a long list by its ends.
std::string shortened(const std::vector<std::string>& texts) {
  if (texts.size() <= kMostPoints) return fmt::format("{}", fmt::join(texts, ", "));
  return fmt::format("{}, … {}", fmt::join(texts.begin(), texts.begin() + kMostPoints - 1, ", "),
                     texts.back());
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result.append(end == at ? "" : "  ").append(text, at, end - at).append("\n");
    at = end + 1;
  }
  return result;
}

// Facts in two columns.
class Facts {
 public:
  void add(const std::string& name, const std::string& value) {
    if (!value.empty()) rows_.emplace_back(name, value);
  }
  std::string to_string() const {
    std::size_t width = 0;
    for (const auto& [name, value] : rows_) width = std::max(width, width_of(name));
    std::string text;
    for (const auto& [name, value] : rows_) {
      text += fmt::format("  {}{}  {}\n", name, std::string(width - width_of(name), ' '), value);
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

std::string about(const ResultFile& result) {
  Facts facts;
  for (const char* name : {"run_id", "status", "started", "ended", "seed"})
    facts.add(name, result.attribute(name));
  const std::string level = result.attribute("reproducibility");
  facts.add("reproducibility", level == "close"
                                   ? fmt::format("close, within {}", result.attribute("tolerance"))
                                   : level);
  facts.add("refran", result.attribute("refran_version"));
  facts.add("plugin", result.attribute("plugin_version"));
  facts.add("digest", result.attribute("digest"));
  return fmt::format("{}: {}\n\n{}", result.attribute("experiment"), result.attribute("question"),
                     facts.to_string());
}

std::string axes(const ResultFile& result) {
  const std::vector<std::string> names = result.axes();
  if (names.empty()) return "";
  Table table({"axis", "points", "values"}, 2);
  table.align_right({1});
  for (const std::string& name : names) {
    const DatasetInfo* scale = result.find(name);
    if (scale == nullptr) continue;
    const std::vector<std::string> points = result.labels(*scale, 0);
    table.add({name, fmt::format("{}", points.size()), shortened(points)});
  }
  return "\nSweep\n" + table.to_string();
}

// The coordinates of every run in words, in grid order.
std::vector<std::string> run_names(const ResultFile& result) {
  std::vector<std::string> names = {""};
  for (const std::string& axis : result.axes()) {
    const DatasetInfo* scale = result.find(axis);
    if (scale == nullptr) continue;
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& point : result.labels(*scale, 0)) {
        longer.push_back(fmt::format("{}{}{}={}", name, name.empty() ? "" : " ", axis, point));
      }
    }
    names = std::move(longer);
  }
  return names;
}

std::string failures(const ResultFile& result) {
  const std::vector<std::string> names = run_names(result);
  const DatasetInfo* status = result.find("run_status");
  const DatasetInfo* failure = result.find("failure");
  if (status == nullptr || failure == nullptr) return "";
  const std::vector<std::string> statuses = result.read_texts(*status, 0, names.size());
  const std::vector<std::string> reasons = result.read_texts(*failure, 0, names.size());
  const auto failed =
      static_cast<std::size_t>(std::count(statuses.begin(), statuses.end(), "failed"));
  if (failed == 0) return "";
  std::string text = fmt::format("\nFailed, {} of {} runs\n", failed, names.size());
  std::size_t shown = 0;
  for (std::size_t run = 0; run < names.size() && shown < kMostFailures; ++run) {
    if (statuses[run] != "failed") continue;
    text += fmt::format("  {}{}{}\n", names[run], names[run].empty() ? "" : ": ",
                        first_line(reasons[run]));
    ++shown;
  }
  if (failed > shown) text += fmt::format("  … and {} more\n", failed - shown);
  return text;
}

// A row of the table of outputs: one for all items and axis groups.
struct Row {
  const DatasetInfo* first = nullptr;
  std::size_t count = 0;
  std::vector<std::uint64_t> smallest;
  std::vector<std::uint64_t> largest;

  void add(const DatasetInfo& dataset) {
    if (count++ == 0) {
      first = &dataset;
      smallest = largest = dataset.extents;
      return;
    }
    for (std::size_t dim = 0; dim < std::min(smallest.size(), dataset.extents.size()); ++dim) {
      smallest[dim] = std::min(smallest[dim], dataset.extents[dim]);
      largest[dim] = std::max(largest[dim], dataset.extents[dim]);
    }
  }

  std::string dims() const {
    std::vector<std::string> parts;
    for (std::size_t dim = 0; dim < first->dims.size(); ++dim) {
      const std::string range = smallest[dim] == largest[dim]
                                    ? fmt::format("{}", smallest[dim])
                                    : fmt::format("{}–{}", smallest[dim], largest[dim]);
      parts.push_back(fmt::format("{} {}", first->dims[dim], range));
    }
    return parts.empty() ? "one value" : fmt::format("{}", fmt::join(parts, " × "));
  }
};

// "config.heads=*/sentence/*/attention": the same for all points of an axis and all items.
std::string pattern_of(const std::string& path, const std::vector<std::string>& axis_names) {
  const Place place = place_of(path, axis_names);
  std::string pattern;
  for (const auto& [axis, value] : place.fixed) pattern += axis + "=*/";
  const std::size_t slash = place.own_path.find('/');
  if (slash == std::string::npos) return pattern + place.own_path;
  return pattern + place.own_path.substr(0, slash) + "/*" +
         place.own_path.substr(place.own_path.rfind('/'));
}

std::string datasets(const ResultFile& result) {
  std::map<std::string, Row> rows;
  for (const DatasetInfo& dataset : result.datasets()) {
    if (dataset.is_output) rows[pattern_of(dataset.path, result.axes())].add(dataset);
  }
  if (rows.empty()) return "\nNo run was complete, so there are no outputs.\n";
  Table table({"output", "type", "dimensions", "unit", "meaning"}, 2);
  for (const auto& [pattern, row] : rows) {
    const std::string path =
        row.count == 1 ? row.first->path : fmt::format("{} ({})", pattern, row.count);
    table.add({path, std::string(name_of(row.first->element)), row.dims(), row.first->units,
               row.first->long_name});
  }
  return "\nOutputs\n" + table.to_string();
}

void add_facts(Facts& facts, const std::string& prefix, const Json& json) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.is_object()) {
      add_facts(facts, name, value);
    } else if (value.is_string()) {
      facts.add(name, value.get<std::string>());
    } else {
      facts.add(name, value.dump());
    }
  }
}

std::string provenance(const ResultFile& result) {
  Facts facts;
  const Json environment = Json::parse(result.provenance("environment"), nullptr, false);
  if (environment.is_object()) add_facts(facts, "", environment);
  const Json inputs = Json::parse(result.provenance("inputs"), nullptr, false);
  if (inputs.is_array()) {
    for (const Json& input : inputs) {
      if (!input.is_object()) continue;
      facts.add("input " + input.value("path", ""), "SHA-256 " + input.value("sha256", ""));
    }
  }
  const std::string text = facts.to_string();
  return text.empty() ? "" : "\nProvenance\n" + text;
}

std::string notes(const ResultFile& result) {
  std::string text;
  for (const auto& [name, title] : {std::pair("run_note", "Notes"), std::pair("run_log", "Log")}) {
    const DatasetInfo* dataset = result.find(name);
    if (dataset == nullptr || !dataset->extents.empty())
      continue;  // of a sweep there would be too many
    const std::string content = result.read_texts(*dataset, 0, 1).front();
    if (!content.empty()) text += fmt::format("\n{}\n{}", title, indented(content));
  }
  return text;
}

}  // namespace

std::string show_result(const ResultFile& result) {
  return about(result) + axes(result) + failures(result) + datasets(result) + notes(result) +
         provenance(result) + "\nConfig\n" + indented(result.provenance("config"));
}

}  // namespace refran::runner
