#include "compare_side.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnostics.h"

namespace refran::runner {
namespace {

std::span<const std::string> own_dims(const PlacedDataset& dataset) {
  return std::span(dataset.info->dims).subspan(dataset.info->axes);
}

}  // namespace

ComparedSide::ComparedSide(const ResultFile& file)
    : result_(file), grid_(file), partners_(grid_.size(), kNoRun), statuses_(texts("run_status")) {
  for (const PlacedDataset& output : grid_.outputs()) by_path_[output.own_path].push_back(&output);
}

std::vector<std::string> ComparedSide::texts(const std::string& name) const {
  const DatasetInfo* const info = result_.find(name);
  if (info == nullptr)
    throw std::runtime_error(fmt::format("{}: has no {}", result_.path().string(), name));
  return result_.read_texts(*info, 0, grid_.size());
}

std::string ComparedSide::ending(std::uint64_t run) const {
  const std::string& status = statuses_[run];
  if (status == "complete") return status;
  return fmt::format("{}: {}", status, on_one_line(texts("failure")[run]));
}

std::optional<ComparedPart> ComparedSide::find(const std::string& own_path,
                                               std::uint64_t run) const {
  for (const PlacedDataset* const dataset : datasets(own_path)) {
    if (const auto cell = dataset->cells.cell(run)) return ComparedPart{dataset, *cell};
  }
  return std::nullopt;
}

const std::vector<const PlacedDataset*>& ComparedSide::datasets(const std::string& own_path) const {
  static const std::vector<const PlacedDataset*> none;
  const auto found = by_path_.find(own_path);
  return found == by_path_.end() ? none : found->second;
}

const std::string& ComparedSide::digest(const ComparedPart& part) {
  const auto [known, is_new] = digests_.try_emplace(part.dataset);
  if (is_new) known->second = result_.run_digests(*part.dataset->info);
  if (known->second.size() != part.dataset->cells.size()) {
    throw std::runtime_error(fmt::format("{}: {}: has no digest of every run",
                                         result_.path().string(), part.dataset->info->path));
  }
  return known->second[part.cell];
}

bool is_complete_in_both(const ComparedSide& side, const ComparedSide& other, std::uint64_t run) {
  const std::uint64_t partner = side.partner(run);
  return partner != ComparedSide::kNoRun && side.status(run) == "complete" &&
         other.status(partner) == "complete";
}

bool same_type(const PlacedDataset& a, const PlacedDataset& b) {
  return a.info->element == b.info->element && a.own_extents() == b.own_extents() &&
         std::ranges::equal(own_dims(a), own_dims(b));
}

std::string type_of(const PlacedDataset& dataset) {
  const std::vector<std::uint64_t> extents = dataset.own_extents();
  std::vector<std::string> dims;
  for (std::size_t dim = 0; dim < extents.size(); ++dim)
    dims.push_back(fmt::format("{} {}", own_dims(dataset)[dim], extents[dim]));
  const std::string_view element = name_of(dataset.info->element);
  return dims.empty() ? std::string(element)
                      : fmt::format("{} [{}]", element, fmt::join(dims, ", "));
}

}  // namespace refran::runner
