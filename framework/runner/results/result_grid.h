// The grid of runs that a result file holds: where each run stands on the axes, and which cell of
// every dataset is of which run, whatever groups the datasets stand in.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "result_file.h"
#include "result_layout.h"

namespace refran::runner {

// An output, and the runs that its cells are of.
struct PlacedDataset {
  const DatasetInfo* info = nullptr;
  std::string own_path;  // without the groups of axes, as digests take it
  CellGrid cells;
  std::uint64_t cell_size = 1;  // elements

  // The group it stands in, with a '/' behind it; "" for the root.
  std::string group() const { return info->path.substr(0, info->path.rfind('/') + 1); }
  std::vector<std::uint64_t> own_extents() const;
};

class ResultGrid {
 public:
  // Keeps a reference. Throws std::runtime_error where the values of an axis are not in the file.
  explicit ResultGrid(const ResultFile& result);

  std::uint64_t size() const { return size_; }  // runs; 1 without a sweep
  // All outputs, in order of their paths.
  const std::vector<PlacedDataset>& outputs() const { return outputs_; }

  // Where a run stands on these axes: "config.heads=2, seed=5"; of a zip, its keys.
  std::string label(std::uint64_t run, std::span<const std::size_t> axes) const;
  // The same on all axes; "" without a sweep.
  std::string label(std::uint64_t run) const;
  // The same for runs of other results that have the same values, whatever the order of the axes
  // and however the numbers are written.
  std::string key(std::uint64_t run) const;

  // "config.heads=2/loss[seed=5, head=L1H2]": a value of an output by the names of its axes; its
  // labels where it has some, positions else.
  std::string name_of_value(const PlacedDataset& dataset, std::uint64_t position) const;
  // The labels along one of the output's own dimensions, counted from 0, in the run of a cell.
  std::vector<std::string> labels(const PlacedDataset& dataset, std::size_t dim,
                                  std::uint64_t cell) const;
  // Whether they differ between runs.
  bool labels_differ(const PlacedDataset& dataset, std::size_t dim) const;
  // The name of the item that the output is of; "" where it is of none.
  std::string item_name(const PlacedDataset& dataset, std::uint64_t cell) const;

 private:
  struct Key {
    std::string name;
    std::vector<std::string> values;  // by point
  };
  struct GridAxis {
    std::string name;
    std::vector<std::string> points;
    std::vector<Key> keys;  // one, or those of a zip
  };

  void read_axis(const std::string& name);
  void place(const DatasetInfo& dataset);
  std::runtime_error misplaced(const DatasetInfo& dataset) const;
  std::size_t point(std::uint64_t run, std::size_t axis) const;

  const ResultFile* result_;
  std::vector<GridAxis> axes_;
  std::uint64_t size_ = 1;
  std::vector<PlacedDataset> outputs_;
};

}  // namespace refran::runner
