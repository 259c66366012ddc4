// The outputs of a result as `export` and `summary` take them: by run of the sweep, whatever groups
// they stand in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "result_file.h"

namespace refran::runner {

// The axes that a dataset stands in a group of, by the group's name, and its path without them.
struct Place {
  std::vector<std::pair<std::string, std::string>> fixed;  // axis, the value in the group's name
  std::string own_path;
};

Place place_of(const std::string& path, const std::vector<std::string>& axes);

// Which of an axis' points, as texts, the value in a group's name is: equal texts, or equal numbers
// (the name has them as they were written). As many as there are points where it is none.
std::size_t point_of_group(const std::vector<std::string>& points, const std::string& value);

// One output, its cells tied to points on all axes.
class OutputView {
 public:
  OutputView(const ResultFile& result, const DatasetInfo& dataset);

  const DatasetInfo& dataset() const { return *dataset_; }
  // "attention": without groups.
  const std::string& name() const { return name_; }
  // "sentence" and "3"; "" for dense outputs.
  const std::string& list() const { return list_; }
  const std::string& item() const { return item_; }

  // The first run of the sweep that has a cell in it.
  std::uint64_t first_run() const { return first_run_; }
  std::uint64_t cells() const { return cells_; }
  std::uint64_t cell_size() const { return cell_size_; }  // elements
  bool is_failed(std::uint64_t cell) const { return failed_[cell]; }
  // Its point on each axis of the sweep, as text.
  std::vector<std::string> points(std::uint64_t cell) const;
  // The item's name in this run.
  std::string item_label(std::uint64_t cell) const;

  // Its own dimensions, and the texts along them; empty where the positions have none.
  std::vector<std::string> dims() const;
  std::vector<std::string> labels(std::size_t dim, std::uint64_t cell) const;
  bool labels_differ(std::size_t dim) const { return label_datasets_[dim] != nullptr; }

 private:
  void split_path(const Place& place);
  void find_points(const Place& place, const std::vector<std::string>& axes);
  void find_labels();

  const ResultFile* result_;
  const DatasetInfo* dataset_;
  std::string group_;  // with a '/' behind, or ""
  std::string name_;
  std::string list_;
  std::string item_;
  std::uint64_t first_run_ = 0;
  std::uint64_t cells_ = 1;
  std::uint64_t cell_size_ = 1;
  std::vector<bool> failed_;
  // Of every axis: the point that the group fixes, or the points along the dataset's dimension.
  std::vector<std::vector<std::string>> axis_points_;
  std::vector<std::uint64_t> axis_extents_;             // 1 where fixed
  std::vector<const DatasetInfo*> label_datasets_;      // of each dim, `<d>_label` or null
  std::vector<std::vector<std::string>> scale_labels_;  // of each dim
  std::string common_item_label_;
  const DatasetInfo* item_labels_ = nullptr;
};

// All outputs, those of one name together, in order of items and runs.
std::vector<OutputView> outputs_of(const ResultFile& result);

}  // namespace refran::runner
