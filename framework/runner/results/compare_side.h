// One of two results that are compared, by run: which run of the other it is held against, how it
// ended, what there is of every dataset in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "result_grid.h"

namespace refran::runner {

// A run's part of a dataset.
struct ComparedPart {
  const PlacedDataset* dataset;
  std::uint64_t cell;
};

class ComparedSide {
 public:
  static constexpr std::uint64_t kNoRun = static_cast<std::uint64_t>(-1);

  explicit ComparedSide(const ResultFile& file);
  ComparedSide(const ComparedSide&) = delete;
  ComparedSide& operator=(const ComparedSide&) = delete;

  const ResultFile& result() const { return result_; }
  const ResultGrid& grid() const { return grid_; }

  // The run of the other side; kNoRun where there is none.
  std::uint64_t partner(std::uint64_t run) const { return partners_[run]; }
  void set_partner(std::uint64_t run, std::uint64_t other) { partners_.at(run) = other; }
  const std::string& status(std::uint64_t run) const { return statuses_[run]; }
  // "failed: the oven is cold"
  std::string ending(std::uint64_t run) const;

  // What the run has of a dataset, whatever group it stands in.
  std::optional<ComparedPart> find(const std::string& own_path, std::uint64_t run) const;
  // The datasets with this path in all groups.
  const std::vector<const PlacedDataset*>& datasets(const std::string& own_path) const;

  // The digest of a run's part. Those of a dataset are kept until others are asked for.
  const std::string& digest(const ComparedPart& part);
  void forget_digests() { digests_.clear(); }

 private:
  std::vector<std::string> texts(const std::string& name) const;

  const ResultFile& result_;
  ResultGrid grid_;
  std::vector<std::uint64_t> partners_;
  std::vector<std::string> statuses_;
  std::unordered_map<std::string, std::vector<const PlacedDataset*>> by_path_;
  std::map<const PlacedDataset*, std::vector<std::string>> digests_;
};

// Whether a run of a side ended well there and on the other side.
bool is_complete_in_both(const ComparedSide& side, const ComparedSide& other, std::uint64_t run);

// Element type, dimensions and extents, without the axes of the sweep.
bool same_type(const PlacedDataset& a, const PlacedDataset& b);
// "float64 [step 500, head 2]"
std::string type_of(const PlacedDataset& dataset);

}  // namespace refran::runner
