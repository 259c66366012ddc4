// Names that would be twice in a result file. Declared in result_layout.h.
#include <map>
#include <set>

#include <fmt/format.h>

#include "result_layout.h"

namespace refran::runner {
namespace {

// The names of one group, and what each stands for.
class Names {
 public:
  explicit Names(std::vector<std::string>* clashes) : clashes_(clashes) {}

  // A name that stands for one and the same thing may come again.
  void add(const std::string& name, const std::string& what, bool may_repeat = false) {
    const auto [entry, is_new] = names_.emplace(name, what);
    if (is_new || (may_repeat && entry->second == what)) return;
    const std::string both =
        entry->second == what ? "two of " + what : entry->second + " and " + what;
    clashes_->push_back(
        fmt::format("a result cannot hold {}, each called '{}': rename one", both, name));
  }

 private:
  std::map<std::string, std::string> names_;
  std::vector<std::string>* clashes_;
};

void add_output(Names& names, const OutputInfo& output) {
  names.add(output.name, "an output");
  for (const std::string& dim : output.dims) {
    names.add(dim, "a dimension", true);
    names.add(dim + "_label", "the labels of a dimension", true);
  }
}

void check_dims(const OutputInfo& output, std::vector<std::string>& clashes) {
  std::set<std::string> seen;
  for (const std::string& dim : output.dims) {
    if (!seen.insert(dim).second) {
      clashes.push_back(
          fmt::format("the output '{}' has two dimensions '{}': rename one", output.name, dim));
    }
  }
}

void check_points(const Axis& axis, std::vector<std::string>& clashes) {
  std::set<std::string> seen;
  for (std::size_t point = 0; point < axis.values.size(); ++point) {
    const std::string label = axis_label(axis, point);
    if (!seen.insert(label).second) {
      clashes.push_back(fmt::format("the axis '{}' has the value {} twice", axis.name, label));
    }
  }
}

void add_axes(Names& names, const std::vector<Axis>& axes) {
  for (const Axis& axis : axes) names.add(link_name(axis.name), "an axis of the sweep");
}

}  // namespace

std::vector<std::string> name_clashes(const std::vector<Axis>& axes,
                                      const std::vector<OutputInfo>& outputs) {
  std::vector<std::string> clashes;
  Names root(&clashes);
  for (const char* reserved :
       {"run_status", "failure", "run_log", "run_note", "digest", "provenance"}) {
    root.add(reserved, "what every result holds");
  }
  add_axes(root, axes);
  for (const Axis& axis : axes) {
    check_points(axis, clashes);
    if (!axis.is_zip()) continue;
    for (const std::string& key : axis.keys) root.add(link_name(key), "a key of the sweep");
  }
  std::map<std::string, Names> lists;
  for (const OutputInfo& output : outputs) {
    check_dims(output, clashes);
    if (output.per_item.empty()) {
      add_output(root, output);
      continue;
    }
    root.add(output.per_item, "a list of items", true);
    const auto [names, is_new] = lists.try_emplace(output.per_item, &clashes);
    if (is_new) {
      add_axes(names->second, axes);
      names->second.add(output.per_item + "_label", "the names of the items");
    }
    add_output(names->second, output);
  }
  return clashes;
}

}  // namespace refran::runner
