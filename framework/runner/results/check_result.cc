// `refran check`: a result file against results/README.md. Declared in result_file.h.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check_values.h"
#include "digest.h"
#include "grid_view.h"
#include "isolated.h"
#include "result_layout.h"
#include "seal.h"

namespace refran::runner {
namespace {

using Texts = std::vector<std::string>;

bool is_data(const Node& node) {
  return node.kind == hdf5::Kind::dataset && !is_below(node.path, "digest") &&
         !is_below(node.path, "provenance");
}

bool is_one_of(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

class StructureCheck {
 public:
  StructureCheck(const ResultFile& result, Findings& findings)
      : result_(result), axes_(result.axes()), findings_(findings) {
    for (const Node& node : result.tree()) nodes_.emplace(node.path, &node);
  }

  void run() {
    check_root();
    check_axes();
    for (const Node& node : result_.tree()) {
      if (node.kind == hdf5::Kind::other)
        add("{}: is a link that leads nowhere or out of the file", node.path);
      if (is_data(node)) check_dataset(node);
    }
    for (const DatasetInfo& dataset : result_.datasets()) {
      if (dataset.is_output) check_output(dataset);
    }
    check_runs();
    check_items();
    check_digest_group();
    for (const char* name : {"config", "environment", "inputs"}) {
      if (!nodes_.contains(fmt::format("provenance/{}", name)))
        add("provenance/{}: is missing", name);
    }
    check_seal();
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    findings_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  const Node& root() const { return result_.tree().front(); }

  void check_root() {
    for (const char* name : {"experiment", "question", "run_id", "plugin_version", "refran_version",
                             "started", "ended", "status", "reproducibility", "digest", "seal"}) {
      if (root().text(name).empty()) add("the attribute {} is missing or no text", name);
    }
    const std::string status = root().text("status");
    if (!status.empty() && !is_one_of(status, {"complete", "failed"})) {
      add("the attribute status is '{}', not complete or failed", status);
    }
    const std::string level = root().text("reproducibility");
    if (!level.empty() && !is_one_of(level, {"bitwise", "same machine", "close"})) {
      add("the attribute reproducibility is '{}', not bitwise, same machine or close", level);
    }
    if (!holds<double>("tolerance")) add("the attribute tolerance is missing or no real number");
    if (!holds<std::uint64_t>("seed") && !nodes_.contains("seed")) {
      add("the attribute seed is missing, and there is no axis of seeds");
    }
  }

  template <class T>
  bool holds(const char* attribute) const {
    const hdf5::Attribute* value = root().find(attribute);
    return value != nullptr && std::holds_alternative<T>(*value);
  }

  void check_axes() {
    for (const std::string& axis : axes_) {
      const auto found = nodes_.find(axis);
      if (found == nodes_.end() || !found->second->is_scale)
        add("{}: the scale of this axis is missing", axis);
    }
  }

  void check_dataset(const Node& node) {
    if (!node.stored || *node.stored == hdf5::Stored::digest) {
      add("{}: its elements are of a type the format does not have", node.path);
    }
    for (const char* name : {"units", "long_name"}) {
      if (node.text(name).empty())
        add("{}: the attribute {} is missing or no text", node.path, name);
    }
    if (node.is_scale && node.extents.size() != 1)
      add("{}: is a scale, but not of one dimension", node.path);
    std::set<std::string> seen;
    for (std::size_t dim = 0; dim < node.dims.size(); ++dim) {
      const std::string& name = node.dims[dim];
      if (name.empty()) {
        add("{}: dimension {} has no scale in its group", node.path, dim);
      } else if (!seen.insert(name).second) {
        add("{}: has the dimension {} twice", node.path, name);
      } else if (!node.is_scale) {
        check_scale_length(node, dim);
      }
    }
  }

  void check_scale_length(const Node& node, std::size_t dim) {
    const std::string group = node.parent();
    const Node& scale = *nodes_.at(group.empty() ? node.dims[dim] : group + "/" + node.dims[dim]);
    if (scale.extents.size() == 1 && scale.extents[0] != node.extents[dim]) {
      add("{}: has {} positions along {}, whose scale has {}", node.path, node.extents[dim],
          node.dims[dim], scale.extents[0]);
    }
  }

  // Each axis is a dimension in front, or a group above, in order.
  void check_output(const DatasetInfo& dataset) {
    const Place place = place_of(dataset.path, axes_);
    const Texts leading(dataset.dims.begin(),
                        dataset.dims.begin() + static_cast<std::ptrdiff_t>(dataset.axes));
    std::map<std::string, std::string> fixed(place.fixed.begin(), place.fixed.end());
    Texts expected;
    for (const std::string& axis : axes_) {
      if (!fixed.contains(axis)) expected.push_back(axis);
    }
    if (leading != expected) {
      add("{}: its first dimensions are [{}], where the axes it does not stand in a group of are "
          "[{}]",
          dataset.path, fmt::join(leading, ", "), fmt::join(expected, ", "));
    }
    for (const auto& [axis, value] : fixed) {
      const DatasetInfo* scale = result_.find(axis);
      if (scale == nullptr || scale->extents.size() != 1) continue;
      const Texts points = result_.labels(*scale, 0);
      const bool is_point = std::any_of(
          points.begin(), points.end(),
          [&, &text = value](const std::string& point) { return link_name(point) == text; });
      if (!is_point) add("{}: the axis {} has no point {}", dataset.path, axis, value);
    }
  }

  // The texts of a dataset over all runs; empty, and a finding, where it is not there as it should
  // be.
  Texts run_texts(const std::string& name) {
    const DatasetInfo* dataset = result_.find(name);
    if (dataset == nullptr) {
      add("{}: is missing", name);
      return {};
    }
    if (dataset->element != Element::text || dataset->dims != axes_) {
      add("{}: is not a text per run, with the axes as dimensions", name);
      return {};
    }
    std::uint64_t count = 1;
    for (const std::uint64_t extent : dataset->extents) count *= extent;
    return result_.read_texts(*dataset, 0, count);
  }

  void check_runs() {
    const Texts statuses = run_texts("run_status");
    const Texts failures = run_texts("failure");
    run_texts("run_log");
    run_texts("run_note");
    if (statuses.empty() || failures.size() != statuses.size()) return;
    bool any_failed = false;
    for (std::size_t run = 0; run < statuses.size(); ++run) {
      const bool failed = statuses[run] == "failed";
      any_failed = any_failed || failed;
      if (!failed && statuses[run] != "complete") {
        add("run_status: run {} is '{}', not complete or failed", run, statuses[run]);
      }
      if (failed && failures[run].empty()) add("failure: run {} failed without a reason", run);
      if (!failed && !failures[run].empty())
        add("failure: run {} did not fail, but has a reason", run);
    }
    const std::string status = root().text("status");
    if (status == "complete" && any_failed)
      add("the attribute status is complete, but runs have failed");
    if (status == "failed" && !any_failed)
      add("the attribute status is failed, but no run has failed");
    check_failed_cells(statuses);
  }

  // A digest is all zeros where the run failed, and only there.
  void check_failed_cells(const Texts& statuses) {
    const std::string zeros(64, '0');
    for (const DatasetInfo& dataset : result_.datasets()) {
      if (!dataset.is_output || dataset.axes != axes_.size()) continue;
      const Texts digests = result_.run_digests(dataset);
      for (std::size_t run = 0; run < std::min(digests.size(), statuses.size()); ++run) {
        if ((digests[run] == zeros) == (statuses[run] == "failed")) continue;
        add("digest/{}: run {} is {}, but its digest is {}zeros", dataset.path, run, statuses[run],
            digests[run] == zeros ? "" : "not ");
      }
    }
  }

  void check_items() {
    std::map<std::string, std::set<std::string>> lists;
    for (const DatasetInfo& dataset : result_.datasets()) {
      if (!dataset.is_output ||
          place_of(dataset.path, axes_).own_path.find('/') == std::string::npos)
        continue;
      const std::string item = dataset.path.substr(0, dataset.path.rfind('/'));
      lists[item.substr(0, item.rfind('/'))].insert(item);
    }
    for (const auto& [list, items] : lists) {
      const hdf5::Attribute* count = nodes_.at(list)->find("count");
      const auto expected = static_cast<std::int32_t>(items.size());
      if (count == nullptr || *count != hdf5::Attribute(expected)) {
        add("{}: the attribute count is not the number of its items, {}", list, expected);
      }
      for (const std::string& item : items) {
        if (nodes_.at(item)->find("label") == nullptr)
          add("{}: the attribute label is missing", item);
      }
    }
  }

  void check_digest_group() {
    constexpr std::string_view kFolder = "digest/";
    for (const Node& node : result_.tree()) {
      if (node.kind != hdf5::Kind::dataset || !node.path.starts_with(kFolder)) continue;
      const DatasetInfo* dataset = result_.find(node.path.substr(kFolder.size()));
      if (dataset == nullptr || !dataset->is_output) {
        add("{}: is missing, though its digests are there", node.path.substr(kFolder.size()));
      }
    }
  }

  void check_seal() {
    Seal seal;
    for (const Node& node : result_.tree()) {
      if (is_below(node.path, "digest")) continue;
      for (const auto& [name, value] : node.attributes) {
        if (!node.path.empty() || name != "seal") seal.add_attribute(node.path, name, value);
      }
      if (node.kind == hdf5::Kind::dataset && node.find("sha256") == nullptr)
        add_values(seal, node);
    }
    if (seal.finish() != root().text("seal"))
      add("the seal is broken: a label, an attribute or a text was changed");
  }

  void add_values(Seal& seal, const Node& node) const {
    if (is_below(node.path, "provenance")) {
      const std::string text = result_.provenance(node.name());
      seal.add_values(node.path, sha256_of_text(encode_texts({&text, 1})));
      return;
    }
    const DatasetInfo* dataset = result_.find(node.path);
    if (dataset == nullptr) return;
    std::uint64_t count = 1;
    for (const std::uint64_t extent : dataset->extents) count *= extent;
    if (dataset->element == Element::text) {
      seal.add_values(node.path,
                      sha256_of_text(encode_texts(result_.read_texts(*dataset, 0, count))));
      return;
    }
    std::vector<std::byte> bytes = result_.read_bytes(*dataset, 0, count);
    canonicalise(dataset->element, bytes);
    Hasher hasher;
    hasher.add(bytes);
    seal.add_values(node.path, hasher.finish());
  }

  const ResultFile& result_;
  Texts axes_;
  Findings& findings_;
  std::map<std::string, const Node*> nodes_;
};

Findings check_here(const std::filesystem::path& file) {
  Findings findings;
  try {
    const ResultFile result(file);
    StructureCheck(result, findings).run();
    check_values(result, findings);
  } catch (const std::exception& error) {
    findings.emplace_back(error.what());
  }
  return findings;
}

}  // namespace

std::vector<std::string> check_result(const std::filesystem::path& file) {
  const std::optional<std::string> found = run_isolated([&] {
    const Findings findings = check_here(file);
    return nlohmann::json(findings).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  if (!found) return {fmt::format("{}: is damaged: HDF5 cannot read it", file.string())};
  return nlohmann::json::parse(*found).get<Findings>();
}

}  // namespace refran::runner
