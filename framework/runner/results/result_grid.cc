#include "result_grid.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnostics.h"
#include "grid_view.h"

namespace refran::runner {
namespace {

// Keys of the sweep stand in the root alone.
bool is_key(const std::string& path) {
  return path.find('/') == std::string::npos && (path == "seed" || path.starts_with("config."));
}

// Real numbers in their shortest spelling; integers, which may not fit a double, as they are.
std::string canonical(const std::string& text) {
  if (text.find_first_not_of("0123456789") == std::string::npos) return text;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  return is_number ? fmt::format("{}", number) : text;
}

}  // namespace

std::vector<std::uint64_t> PlacedDataset::own_extents() const {
  return {info->extents.begin() + static_cast<std::ptrdiff_t>(info->axes), info->extents.end()};
}

ResultGrid::ResultGrid(const ResultFile& result) : result_(&result) {
  for (const std::string& name : result.axes()) read_axis(name);
  for (const DatasetInfo& dataset : result.datasets()) {
    if (dataset.is_output) place(dataset);
  }
}

void ResultGrid::read_axis(const std::string& name) {
  const DatasetInfo* const scale = result_->find(name);
  if (scale == nullptr || scale->extents.size() != 1) {
    throw std::runtime_error(
        fmt::format("{}: has no values of its axis '{}'", result_->path().string(), name));
  }
  GridAxis axis{name, result_->labels(*scale, 0), {}};
  for (const DatasetInfo& dataset : result_->datasets()) {
    const bool moves_along = dataset.dims == std::vector{name} && dataset.extents == scale->extents;
    if (is_key(dataset.path) && moves_along && !dataset.is_output && dataset.path != name)
      axis.keys.push_back({dataset.path, result_->read_as_texts(dataset, 0, axis.points.size())});
  }
  if (axis.keys.empty()) axis.keys.push_back({name, axis.points});
  size_ *= axis.points.size();
  axes_.push_back(std::move(axis));
}

std::runtime_error ResultGrid::misplaced(const DatasetInfo& dataset) const {
  return std::runtime_error(fmt::format("{}: {}: does not fit the axes of the sweep",
                                        result_->path().string(), dataset.path));
}

void ResultGrid::place(const DatasetInfo& dataset) {
  std::vector<std::string> names;
  std::vector<std::size_t> sizes;
  for (const GridAxis& axis : axes_) {
    names.push_back(axis.name);
    sizes.push_back(axis.points.size());
  }
  const Place place = place_of(dataset.path, names);
  std::vector<std::size_t> fixed(axes_.size(), CellGrid::kStacked);
  for (const auto& [name, value] : place.fixed) {
    const auto axis =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    fixed[axis] = point_of_group(axes_[axis].points, value);
    if (fixed[axis] == sizes[axis]) throw misplaced(dataset);
  }
  PlacedDataset placed{&dataset, place.own_path, CellGrid(sizes, fixed), 1};
  const std::vector<std::uint64_t> own = placed.own_extents();
  placed.cell_size = std::accumulate(own.begin(), own.end(), std::uint64_t{1}, std::multiplies<>());
  const bool fits = std::equal(placed.cells.extents().begin(), placed.cells.extents().end(),
                               dataset.extents.begin(), dataset.extents.end() - std::ssize(own));
  if (!fits) throw misplaced(dataset);
  outputs_.push_back(std::move(placed));
}

std::size_t ResultGrid::point(std::uint64_t run, std::size_t axis) const {
  for (std::size_t inner = axes_.size() - 1; inner > axis; --inner)
    run /= axes_[inner].points.size();
  return run % axes_[axis].points.size();
}

std::string ResultGrid::label(std::uint64_t run, std::span<const std::size_t> axes) const {
  std::vector<std::string> words;
  for (const std::size_t axis : axes) {
    for (const Key& key : axes_[axis].keys) {
      words.push_back(fmt::format("{}={}", key.name, on_one_line(key.values[point(run, axis)])));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string ResultGrid::label(std::uint64_t run) const {
  std::vector<std::size_t> all(axes_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return label(run, all);
}

std::string ResultGrid::key(std::uint64_t run) const {
  std::vector<std::string> lines;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    for (const Key& key : axes_[axis].keys)
      lines.push_back(key.name + '=' + canonical(key.values[point(run, axis)]));
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string ResultGrid::name_of_value(const PlacedDataset& dataset, std::uint64_t position) const {
  const std::uint64_t cell = position / dataset.cell_size;
  std::vector<std::string> words;
  if (!dataset.cells.axes().empty())
    words.push_back(label(dataset.cells.run(cell), dataset.cells.axes()));
  const std::vector<std::uint64_t> extents = dataset.own_extents();
  std::uint64_t stride = dataset.cell_size;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    stride /= extents[dim];
    const std::uint64_t index = position / stride % extents[dim];
    const std::vector<std::string> names = labels(dataset, dim, cell);
    const std::string& name = names[index];
    const bool is_clear = std::count(names.begin(), names.end(), name) == 1;
    words.push_back(fmt::format("{}={}", dataset.info->dims[dataset.info->axes + dim],
                                name.empty() ? fmt::format("{}", index)
                                : is_clear   ? on_one_line(name)
                                             : fmt::format("{} ({})", on_one_line(name), index)));
  }
  if (words.empty()) return dataset.info->path;
  return fmt::format("{}[{}]", dataset.info->path, fmt::join(words, ", "));
}

std::vector<std::string> ResultGrid::labels(const PlacedDataset& dataset, std::size_t dim,
                                            std::uint64_t cell) const {
  const std::size_t position = dataset.info->axes + dim;
  if (!labels_differ(dataset, dim)) return result_->labels(*dataset.info, position);
  const std::uint64_t length = dataset.info->extents[position];
  const DatasetInfo* const own =
      result_->find(dataset.group() + dataset.info->dims[position] + "_label");
  return result_->read_as_texts(*own, cell * length, length);
}

bool ResultGrid::labels_differ(const PlacedDataset& dataset, std::size_t dim) const {
  const std::string name = dataset.info->dims[dataset.info->axes + dim] + "_label";
  return result_->find(dataset.group() + name) != nullptr;
}

std::string ResultGrid::item_name(const PlacedDataset& dataset, std::uint64_t cell) const {
  const std::size_t slash = dataset.own_path.find('/');
  if (slash == std::string::npos) return "";
  const std::string group = dataset.group();
  const std::string list = dataset.own_path.substr(0, slash);
  const DatasetInfo* const names = result_->find(group + list + "_label");
  if (names == nullptr) return result_->text_attribute(group.substr(0, group.size() - 1), "label");
  return result_->read_as_texts(*names, cell, 1).front();
}

}  // namespace refran::runner
