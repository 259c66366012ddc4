#include "result_layout.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

namespace refran::runner {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) path.append(path.empty() ? "" : "/").append(part);
  return path;
}

// What a run's dataset looks like to the question whether it differs: null = not written.
bool same_shape(const DatasetRecord* a, const DatasetRecord* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->extents == b->extents;
}

}  // namespace

CellGrid::CellGrid(const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& fixed) {
  std::uint64_t stride = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    if (fixed[axis] == kStacked) {
      axes_.insert(axes_.begin(), axis);
      extents_.insert(extents_.begin(), sizes[axis]);
      strides_.insert(strides_.begin(), stride);
      size_ *= sizes[axis];
    } else {
      first_ += fixed[axis] * stride;
    }
    stride *= sizes[axis];
  }
}

std::uint64_t CellGrid::run(std::uint64_t cell) const {
  std::uint64_t run = first_;
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    run += cell % extents_[axis] * strides_[axis];
    cell /= extents_[axis];
  }
  return run;
}

std::optional<std::uint64_t> CellGrid::cell(std::uint64_t run) const {
  std::uint64_t cell = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    cell = cell * extents_[axis] + run / strides_[axis] % extents_[axis];
  if (this->run(cell) != run) return std::nullopt;
  return cell;
}

std::string LayoutGroup::own_path() const {
  return item == kNoItem ? "" : fmt::format("{}/{}", item_list, item);
}

std::string LayoutGroup::path() const {
  std::vector<std::string> parts = axis_groups;
  if (item != kNoItem) parts.push_back(own_path());
  return joined(parts);
}

Layout::Layout(const std::vector<Axis>& axes, const std::vector<OutputInfo>& outputs,
               const std::map<std::uint64_t, RunRecord>& runs)
    : axes_(&axes), outputs_(&outputs) {
  for (const Axis& axis : axes) sizes_.push_back(axis.values.size());
  index_records(runs);
  group_of(kNoItem, std::vector<std::size_t>(sizes_.size(), CellGrid::kStacked));
  for (const auto& [key, records] : records_) place(key, records);
  for (LayoutGroup& group : groups_) {
    std::sort(group.datasets.begin(), group.datasets.end(),
              [](const LayoutDataset& a, const LayoutDataset& b) { return a.output < b.output; });
    add_dims(group);
  }
  std::stable_sort(groups_.begin() + 1, groups_.end(),
                   [](const LayoutGroup& a, const LayoutGroup& b) {
                     if (a.axis_groups.size() != b.axis_groups.size())
                       return a.axis_groups.size() < b.axis_groups.size();
                     if (a.cells.run(0) != b.cells.run(0)) return a.cells.run(0) < b.cells.run(0);
                     return a.item + 1 < b.item + 1;  // kNoItem first
                   });
}

void Layout::index_records(const std::map<std::uint64_t, RunRecord>& runs) {
  std::size_t size = 1;
  for (const std::size_t points : sizes_) size *= points;
  runs_.resize(size);
  for (std::size_t run = 0; run < size; ++run) {
    const auto found = runs.find(run);
    if (found == runs.end())
      throw std::logic_error(fmt::format("run {} of {} was not committed", run, size));
    const RunRecord& record = found->second;
    runs_[run] = &record;
    if (record.status == RunStatus::failed) continue;
    for (const DatasetRecord& dataset : record.datasets) {
      auto& by_run = records_[{dataset.item, dataset.output}];
      by_run.resize(size);
      by_run[run] = &dataset;
    }
    for (const LabelRecord& label : record.labels) {
      auto& by_run = labels_[{label.item, label.dim}];
      by_run.resize(size);
      by_run[run] = label.labels.get();
    }
  }
}

bool Layout::is_function_of(const std::vector<const DatasetRecord*>& records,
                            const std::vector<bool>& axes) const {
  std::unordered_map<std::size_t, const DatasetRecord*> seen;  // by the run's point on the axes
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    if (runs_[run]->status == RunStatus::failed) continue;  // says nothing
    std::size_t point = 0;
    std::size_t rest = run;
    for (std::size_t axis = sizes_.size(); axis-- > 0;) {
      if (axes[axis]) point = point * sizes_[axis] + rest % sizes_[axis];
      rest /= sizes_[axis];
    }
    const auto [entry, is_new] = seen.try_emplace(point, records[run]);
    if (!is_new && !same_shape(entry->second, records[run])) return false;
  }
  return true;
}

std::vector<bool> Layout::differing_axes(const std::vector<const DatasetRecord*>& records) const {
  std::vector<bool> axes(sizes_.size(), false);
  if (is_function_of(records, axes)) return axes;
  // Where failed runs leave a choice, seeds stay stacked first, then the inner axes.
  std::vector<std::size_t> order;
  for (std::size_t axis = sizes_.size(); axis-- > 0;) {
    order.insert((*axes_)[axis].name == "seed" ? order.begin() : order.end(), axis);
  }
  axes.assign(sizes_.size(), true);
  for (const std::size_t axis : order) {
    axes[axis] = false;
    if (!is_function_of(records, axes)) axes[axis] = true;
  }
  return axes;
}

void Layout::place(const Key& key, const std::vector<const DatasetRecord*>& records) {
  const std::vector<bool> differing = differing_axes(records);
  const bool is_split = std::find(differing.begin(), differing.end(), true) != differing.end();
  std::set<std::vector<std::size_t>> placed;
  for (std::size_t run = 0; run < records.size(); ++run) {
    if (records[run] == nullptr) continue;
    std::vector<std::size_t> fixed(sizes_.size(), CellGrid::kStacked);
    std::size_t rest = run;
    for (std::size_t axis = sizes_.size(); axis-- > 0;) {
      if (differing[axis]) fixed[axis] = rest % sizes_[axis];
      rest /= sizes_[axis];
    }
    if (!placed.insert(fixed).second) continue;
    LayoutDataset dataset;
    dataset.output = key.second;
    dataset.name = outputs_->at(key.second).name;
    dataset.extents = records[run]->extents;
    dataset.records = &records;
    LayoutGroup& group = group_of(key.first, fixed);
    if (key.first != kNoItem) group.item_list = outputs_->at(key.second).per_item;
    group.datasets.push_back(std::move(dataset));
    if (!is_split) return;
  }
}

LayoutGroup& Layout::group_of(std::uint32_t item, const std::vector<std::size_t>& fixed) {
  const auto [entry, is_new] = group_index_.emplace(std::pair(fixed, item), groups_.size());
  if (!is_new) return groups_[entry->second];
  LayoutGroup group{{}, "", item, CellGrid(sizes_, fixed), {}, {}};
  for (std::size_t axis = 0; axis < fixed.size(); ++axis) {
    if (fixed[axis] == CellGrid::kStacked) continue;
    group.axis_groups.push_back(link_name(
        fmt::format("{}={}", (*axes_)[axis].name, axis_label((*axes_)[axis], fixed[axis]))));
  }
  groups_.push_back(std::move(group));
  return groups_.back();
}

void Layout::add_dims(LayoutGroup& group) const {
  std::set<std::string> known;
  for (const LayoutDataset& dataset : group.datasets) {
    const std::vector<std::string>& names = outputs_->at(dataset.output).dims;
    for (std::size_t dim = 0; dim < names.size(); ++dim) {
      if (known.insert(names[dim]).second)
        group.dims.push_back(labelled(group, names[dim], dataset.extents[dim]));
    }
  }
}

// An item's labels are its own, or else those of the run, if they are as many.
LayoutDim Layout::labelled(const LayoutGroup& group, std::string name, std::uint64_t length) const {
  LayoutDim dim;
  dim.name = std::move(name);
  dim.length = length;
  auto found = labels_.find({group.item, dim.name});
  if (found == labels_.end()) found = labels_.find({kNoItem, dim.name});
  if (found == labels_.end()) return dim;
  bool differ = false;
  bool is_first = true;
  for (std::uint64_t cell = 0; cell < group.cells.size(); ++cell) {
    const std::uint64_t run = group.cells.run(cell);
    if (runs_[run]->status == RunStatus::failed) continue;
    const std::vector<std::string>* labels = found->second[run];
    if (labels != nullptr && labels->size() != length) labels = nullptr;
    if (is_first) {
      dim.labels = labels;
      is_first = false;
    } else if ((labels == nullptr) != (dim.labels == nullptr) ||
               (labels != nullptr && *labels != *dim.labels)) {
      differ = true;
      break;
    }
  }
  if (differ) {
    dim.labels = nullptr;
    dim.differing = &found->second;
  }
  return dim;
}

std::string link_name(const std::string& text) {
  std::string name;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f || character == '/' || character == '%') {
      name += fmt::format("%{:02X}", byte);
    } else {
      name += character;
    }
  }
  return name;
}

std::string value_label(const Value& value) {
  std::vector<std::string> parts;
  switch (value.kind) {
    case Value::Kind::null:
      return "null";
    case Value::Kind::list:
      for (const Value& item : value.items) parts.push_back(value_label(item));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case Value::Kind::map:
      for (const Entry& entry : value.entries)
        parts.push_back(entry.key + ": " + value_label(entry.value));
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
    default:
      return value.text;
  }
}

std::string axis_label(const Axis& axis, std::size_t point) {
  std::vector<std::string> parts;
  for (const Value& value : axis.values[point]) parts.push_back(value_label(value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace refran::runner
