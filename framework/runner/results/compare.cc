// What two results hold of each run, against each other. The rest of compare.h is in
// compare_provenance.cc.
#include "compare.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "compare_side.h"
#include "compare_values.h"
#include "diagnostics.h"

namespace refran::runner {
namespace {

// Counts runs of which the same is to be said, and keeps the first.
struct Tally {
  void add(std::uint64_t run) {
    if (count++ == 0) first = run;
  }
  // "3 of 10 runs"; "" where there is but one.
  std::string extent(std::uint64_t runs) const {
    return runs == 1 ? "" : fmt::format("{} of {} runs", count, runs);
  }
  std::uint64_t count = 0;
  std::uint64_t first = 0;
};

std::string in_brackets(const std::string& name, const std::string& place) {
  return place.empty() ? name : fmt::format("{}[{}]", name, place);
}

// Cells that follow each other in both of two datasets.
struct Stretch {
  const PlacedDataset* dataset;  // of the second result
  std::uint64_t was_cell;
  std::uint64_t is_cell;
  std::uint64_t count;
};

void extend(std::vector<Stretch>& stretches, std::uint64_t was_cell, const ComparedPart& is) {
  if (!stretches.empty()) {
    Stretch& last = stretches.back();
    if (last.dataset == is.dataset && last.was_cell + last.count == was_cell &&
        last.is_cell + last.count == is.cell) {
      ++last.count;
      return;
    }
  }
  stretches.push_back({is.dataset, was_cell, is.cell, 1});
}

// Texts that go with a run's part of a dataset: along one of its dimensions, or the one of its
// item.
struct Labels {
  std::string what;
  std::string dim;  // "" = of the item
  bool run_by_run;  // whether they may differ between runs
  std::function<std::vector<std::string>(const ComparedSide&, const ComparedPart&)> of;
};

class Comparing {
 public:
  Comparing(const ResultFile& was, const ResultFile& is, double tolerance)
      : was_(was), is_(is), tolerance_(tolerance) {}

  void match_by_values() {
    std::unordered_map<std::string, std::uint64_t> runs;
    for (std::uint64_t run = 0; run < is_.grid().size(); ++run)
      runs.emplace(is_.grid().key(run), run);
    for (std::uint64_t run = 0; run < was_.grid().size(); ++run) {
      if (const auto found = runs.find(was_.grid().key(run)); found != runs.end())
        match(run, found->second);
    }
    report_unmatched(was_, "there", "missing");
    report_unmatched(is_, "missing", "there");
  }

  void match(std::uint64_t was_run, std::uint64_t is_run) {
    was_.set_partner(was_run, is_run);
    is_.set_partner(is_run, was_run);
  }

  std::vector<Difference> differences() {
    compare_statuses();
    has_same_order_ = was_.grid().size() == is_.grid().size();
    for (std::uint64_t run = 0; has_same_order_ && run < was_.grid().size(); ++run)
      has_same_order_ = was_.partner(run) == run;
    for (const PlacedDataset& output : was_.grid().outputs()) compare_output(output);
    for (const PlacedDataset& output : is_.grid().outputs()) find_new(output);
    return std::move(differences_);
  }

 private:
  void report_unmatched(const ComparedSide& side, const char* was, const char* is) {
    Tally tally;
    for (std::uint64_t run = 0; run < side.grid().size(); ++run) {
      if (side.partner(run) == ComparedSide::kNoRun) tally.add(run);
    }
    if (tally.count == 0) return;
    const std::string label = side.grid().label(tally.first);
    differences_.push_back({label.empty() ? "the run without a sweep" : "run " + label, was, is,
                            tally.extent(side.grid().size())});
  }

  void compare_statuses() {
    Tally tally;
    std::uint64_t compared = 0;
    for (std::uint64_t run = 0; run < was_.grid().size(); ++run) {
      const std::uint64_t partner = was_.partner(run);
      if (partner == ComparedSide::kNoRun) continue;
      ++compared;
      if (was_.status(run) != is_.status(partner)) tally.add(run);
    }
    if (tally.count == 0) return;
    differences_.push_back({in_brackets("run_status", was_.grid().label(tally.first)),
                            was_.ending(tally.first), is_.ending(was_.partner(tally.first)),
                            tally.extent(compared)});
  }

  // Without a look at single runs: the datasets' digests are of all their runs' in order.
  bool is_same_throughout(const PlacedDataset& output) const {
    const DatasetInfo* const other = is_.result().find(output.info->path);
    return has_same_order_ && other != nullptr && other->dims == output.info->dims &&
           other->sha256 == output.info->sha256;
  }

  void compare_output(const PlacedDataset& output);
  void compare_values(const PlacedDataset& output, const std::vector<Stretch>& stretches,
                      std::uint64_t runs);
  void find_new(const PlacedDataset& output);
  void compare_labels(const PlacedDataset& output);
  bool may_differ(const PlacedDataset& output, std::size_t dim) const;
  void compare_texts(const PlacedDataset& output, const Labels& labels);
  // Says it of the runs in the tally; names the first, unless it is so in all that were compared.
  void report(Difference difference, const Tally& tally, std::uint64_t compared,
              const std::string& first, const std::string& position = "");

  ComparedSide was_;
  ComparedSide is_;
  double tolerance_;
  bool has_same_order_ = false;
  std::set<std::string> labelled_;  // groups and dimensions whose labels have been compared
  std::vector<Difference> differences_;
};

void Comparing::report(Difference difference, const Tally& tally, std::uint64_t compared,
                       const std::string& first, const std::string& position) {
  if (tally.count == 0) return;
  std::string place = position;
  if (tally.count < compared) {
    place = first + (first.empty() || position.empty() ? "" : ", ") + position;
    difference.extent = tally.extent(compared);
  }
  difference.what = in_brackets(difference.what, place);
  differences_.push_back(std::move(difference));
}

void Comparing::compare_output(const PlacedDataset& output) {
  compare_labels(output);
  if (is_same_throughout(output)) return;
  was_.forget_digests();
  is_.forget_digests();
  Tally missing;
  Tally retyped;
  std::string other_type;
  std::uint64_t compared = 0;
  std::vector<Stretch> stretches;
  for (std::uint64_t cell = 0; cell < output.cells.size(); ++cell) {
    const std::uint64_t run = output.cells.run(cell);
    if (!is_complete_in_both(was_, is_, run)) continue;
    ++compared;
    const auto part = is_.find(output.own_path, was_.partner(run));
    if (!part) {
      missing.add(run);
    } else if (!same_type(output, *part->dataset)) {
      if (retyped.count == 0) other_type = type_of(*part->dataset);
      retyped.add(run);
    } else if (was_.digest({&output, cell}) != is_.digest(*part)) {
      extend(stretches, cell, *part);
    }
  }
  const std::string& path = output.info->path;
  const auto label = [&](std::uint64_t run) { return was_.grid().label(run, output.cells.axes()); };
  report({path, type_of(output), "missing", ""}, missing, compared, label(missing.first));
  report({path, type_of(output), other_type, ""}, retyped, compared, label(retyped.first));
  compare_values(output, stretches, compared);
}

void Comparing::compare_values(const PlacedDataset& output, const std::vector<Stretch>& stretches,
                               std::uint64_t runs) {
  if (stretches.empty()) return;
  ValueComparison values(was_.result(), is_.result(), tolerance_);
  for (const Stretch& stretch : stretches) {
    values.add(*output.info, stretch.was_cell * output.cell_size, *stretch.dataset->info,
               stretch.is_cell * output.cell_size, stretch.count * output.cell_size);
  }
  if (const auto& first = values.first()) {
    differences_.push_back({was_.grid().name_of_value(output, first->position), first->was,
                            first->is, values.extent(runs * output.cell_size)});
  } else if (tolerance_ == 0) {  // then one of the digests is not that of the values
    constexpr std::size_t kShownDigits = 12;
    const Stretch& at = stretches.front();
    differences_.push_back({"digest of " + output.info->path,
                            was_.digest({&output, at.was_cell}).substr(0, kShownDigits),
                            is_.digest({at.dataset, at.is_cell}).substr(0, kShownDigits),
                            "the values are equal"});
  }
}

void Comparing::find_new(const PlacedDataset& output) {
  if (has_same_order_ && was_.result().find(output.info->path) != nullptr) return;
  Tally fresh;
  std::uint64_t compared = 0;
  for (std::uint64_t cell = 0; cell < output.cells.size(); ++cell) {
    const std::uint64_t run = output.cells.run(cell);
    if (!is_complete_in_both(is_, was_, run)) continue;
    ++compared;
    if (!was_.find(output.own_path, is_.partner(run))) fresh.add(run);
  }
  report({output.info->path, "missing", type_of(output), ""}, fresh, compared,
         is_.grid().label(fresh.first, output.cells.axes()));
}

// Labels are of a group's dimensions and items: once for all datasets in it.
void Comparing::compare_labels(const PlacedDataset& output) {
  const std::string group = output.group();
  const auto& dims = output.info->dims;
  for (std::size_t dim = 0; dim + output.info->axes < dims.size(); ++dim) {
    const std::string& name = dims[output.info->axes + dim];
    if (!labelled_.insert(group + name).second) continue;
    compare_texts(output, {"label of " + group + name, name, may_differ(output, dim),
                           [dim](const ComparedSide& side, const ComparedPart& part) {
                             return side.grid().labels(*part.dataset, dim, part.cell);
                           }});
  }
  if (output.own_path.find('/') == std::string::npos || !labelled_.insert(group).second) return;
  compare_texts(output, {"name of " + group.substr(0, group.size() - 1), "", true,
                         [](const ComparedSide& side, const ComparedPart& part) {
                           return std::vector{side.grid().item_name(*part.dataset, part.cell)};
                         }});
}

// Whether the labels along a dimension may be others from run to run, in one of the results.
bool Comparing::may_differ(const PlacedDataset& output, std::size_t dim) const {
  return was_.grid().labels_differ(output, dim) ||
         std::ranges::any_of(is_.datasets(output.own_path), [&](const PlacedDataset* other) {
           return same_type(output, *other) && is_.grid().labels_differ(*other, dim);
         });
}

void Comparing::compare_texts(const PlacedDataset& output, const Labels& labels) {
  Tally tally;
  std::uint64_t compared = 0;
  Difference first{labels.what, "", "", ""};
  std::string position;
  for (std::uint64_t cell = 0; cell < output.cells.size(); ++cell) {
    const std::uint64_t run = output.cells.run(cell);
    if (!is_complete_in_both(was_, is_, run)) continue;
    const auto part = is_.find(output.own_path, was_.partner(run));
    const bool is_comparable = part && (labels.dim.empty() || same_type(output, *part->dataset));
    if (!is_comparable) continue;
    ++compared;
    const std::vector<std::string> left = labels.of(was_, {&output, cell});
    const std::vector<std::string> right = labels.of(is_, *part);
    const auto [was, is] = std::ranges::mismatch(left, right);
    if (was != left.end()) {
      if (tally.count == 0) {
        first.was = in_quotes(*was);
        first.is = in_quotes(*is);
        if (!labels.dim.empty()) position = fmt::format("{}={}", labels.dim, was - left.begin());
      }
      tally.add(run);
    }
    if (!labels.run_by_run) break;
  }
  report(first, tally, compared, was_.grid().label(tally.first, output.cells.axes()), position);
}

}  // namespace

std::vector<Difference> dataset_differences(const ResultFile& was, const ResultFile& is,
                                            double tolerance) {
  Comparing comparing(was, is, tolerance);
  comparing.match_by_values();
  return comparing.differences();
}

std::vector<Difference> dataset_differences(const ResultFile& was, const ResultFile& is,
                                            std::span<const std::size_t> runs, double tolerance) {
  Comparing comparing(was, is, tolerance);
  for (std::size_t run = 0; run < runs.size(); ++run) comparing.match(runs[run], run);
  return comparing.differences();
}

}  // namespace refran::runner
