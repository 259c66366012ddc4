// How the runs of a grid come together in one result file: which datasets stack over which axes,
// which axes become groups, which labels differ. Pure decisions, without HDF5; the rules are those
// of results/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <refran/schema.h>
#include "segment.h"
#include "spec.h"

namespace refran::runner {

// The runs of the grid that share fixed points on some axes, as cells over the others in grid
// order.
class CellGrid {
 public:
  // `sizes` are the points of every axis of the sweep; `fixed[axis]` is a point, or kStacked.
  static constexpr std::size_t kStacked = static_cast<std::size_t>(-1);
  CellGrid(const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& fixed);

  const std::vector<std::size_t>& axes() const {
    return axes_;
  }  // the stacked axes, outermost first
  const std::vector<std::uint64_t>& extents() const { return extents_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t run(std::uint64_t cell) const;
  // The inverse; none where the run stands at other points of the fixed axes.
  std::optional<std::uint64_t> cell(std::uint64_t run) const;

 private:
  std::vector<std::size_t> axes_;
  std::vector<std::uint64_t> extents_;
  std::vector<std::uint64_t> strides_;  // in runs
  std::uint64_t first_ = 0;
  std::uint64_t size_ = 1;
};

struct LayoutDataset {
  std::uint32_t output = 0;
  std::string name;                    // below its group
  std::vector<std::uint64_t> extents;  // of the output's own dims
  // By run of the whole grid; null where the run has no such dataset.
  const std::vector<const DatasetRecord*>* records = nullptr;
};

struct LayoutDim {
  std::string name;
  std::uint64_t length = 0;
  // The labels all runs agree on; null for none, or where they differ.
  const std::vector<std::string>* labels = nullptr;
  // Where they differ: by run of the whole grid, null where the run gave none.
  const std::vector<const std::vector<std::string>*>* differing = nullptr;
};

// An HDF5 group with datasets: the root, a point of an axis, an item.
struct LayoutGroup {
  std::vector<std::string> axis_groups;  // "config.heads=2", outermost first
  std::string item_list;                 // "" for dense datasets
  std::uint32_t item = kNoItem;
  CellGrid cells;
  std::vector<LayoutDataset> datasets;
  std::vector<LayoutDim> dims;

  // "config.heads=2/sentence/0"; "" = the root.
  std::string path() const;
  // "sentence/0" or "": the same without axis groups, as digests take it.
  std::string own_path() const;
};

// Decides the layout of committed runs. Keeps pointers into them.
class Layout {
 public:
  // `runs` holds every run of the grid that `axes` span.
  Layout(const std::vector<Axis>& axes, const std::vector<OutputInfo>& outputs,
         const std::map<std::uint64_t, RunRecord>& runs);
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  // The root first, then in order of items and axis points. The root is always there.
  const std::vector<LayoutGroup>& groups() const { return groups_; }
  // By run.
  const std::vector<const RunRecord*>& runs() const { return runs_; }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // item, output
  using LabelKey = std::pair<std::uint32_t, std::string>;

  void index_records(const std::map<std::uint64_t, RunRecord>& runs);
  // By axis: whether the dataset's extents, or its presence, differ along it.
  std::vector<bool> differing_axes(const std::vector<const DatasetRecord*>& records) const;
  bool is_function_of(const std::vector<const DatasetRecord*>& records,
                      const std::vector<bool>& axes) const;
  void place(const Key& key, const std::vector<const DatasetRecord*>& records);
  LayoutGroup& group_of(std::uint32_t item, const std::vector<std::size_t>& fixed);
  void add_dims(LayoutGroup& group) const;
  LayoutDim labelled(const LayoutGroup& group, std::string name, std::uint64_t length) const;

  const std::vector<Axis>* axes_;
  const std::vector<OutputInfo>* outputs_;
  std::vector<std::size_t> sizes_;  // points of each axis
  std::vector<const RunRecord*> runs_;
  std::map<Key, std::vector<const DatasetRecord*>> records_;
  std::map<LabelKey, std::vector<const std::vector<std::string>*>> labels_;
  std::map<std::pair<std::vector<std::size_t>, std::uint32_t>, std::size_t>
      group_index_;  // by fixed points, item
  std::vector<LayoutGroup> groups_;
};

// A text as the name of a group or dataset: '/', '%' and control characters as %2F and so on.
std::string link_name(const std::string& text);

// How a value is spelled in a label: "2", "0.5", "[tía, miña]".
std::string value_label(const Value& value);
// How a point of an axis is spelled; the values of a zip joined by ", ".
std::string axis_label(const Axis& axis, std::size_t point);

// Why the axes cannot go into a file beside these outputs, a sentence each: names that would be
// there twice, values that are on an axis twice. To be asked before anything runs.
std::vector<std::string> name_clashes(const std::vector<Axis>& axes,
                                      const std::vector<OutputInfo>& outputs);

}  // namespace refran::runner
