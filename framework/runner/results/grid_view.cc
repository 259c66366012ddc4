#include "grid_view.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>

#include "result_layout.h"

namespace refran::runner {

Place place_of(const std::string& path, const std::vector<std::string>& axes) {
  Place place{{}, path};
  for (;;) {
    const std::size_t slash = place.own_path.find('/');
    const std::size_t equals = place.own_path.find('=');
    if (slash == std::string::npos || equals > slash) return place;
    const std::string axis = place.own_path.substr(0, equals);
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) return place;
    place.fixed.emplace_back(axis, place.own_path.substr(equals + 1, slash - equals - 1));
    place.own_path.erase(0, slash + 1);
  }
}

std::size_t point_of_group(const std::vector<std::string>& points, const std::string& value) {
  const auto number_of = [](const std::string& text) -> std::optional<double> {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
  };
  const auto find = [&](const auto& is_meant) {
    return static_cast<std::size_t>(std::find_if(points.begin(), points.end(), is_meant) -
                                    points.begin());
  };
  const std::size_t same = find([&](const std::string& text) { return link_name(text) == value; });
  const std::optional<double> number = number_of(value);
  if (same < points.size() || !number) return same;
  return find([&](const std::string& text) { return number_of(text) == number; });
}

OutputView::OutputView(const ResultFile& result, const DatasetInfo& dataset)
    : result_(&result), dataset_(&dataset) {
  const std::vector<std::string> axes = result.axes();
  const Place place = place_of(dataset.path, axes);
  split_path(place);
  find_points(place, axes);
  find_labels();
  const std::string zeros(64, '0');
  for (const std::string& digest : result.run_digests(dataset)) failed_.push_back(digest == zeros);
  failed_.resize(cells_);
}

void OutputView::split_path(const Place& place) {
  const std::string& path = dataset_->path;
  if (const std::size_t slash = path.rfind('/'); slash != std::string::npos) {
    group_ = path.substr(0, slash + 1);
  }
  name_ = place.own_path.substr(place.own_path.rfind('/') + 1);
  const std::size_t slash = place.own_path.find('/');
  if (slash == std::string::npos) return;
  list_ = place.own_path.substr(0, slash);
  item_ = place.own_path.substr(slash + 1, place.own_path.rfind('/') - slash - 1);
  item_labels_ = result_->find(group_ + list_ + "_label");
  common_item_label_ = result_->text_attribute(group_.substr(0, group_.size() - 1), "label");
}

void OutputView::find_points(const Place& place, const std::vector<std::string>& axes) {
  std::size_t stacked = 0;
  for (const std::string& axis : axes) {
    const DatasetInfo* scale = result_->find(axis);
    const auto points = scale == nullptr ? std::vector<std::string>{} : result_->labels(*scale, 0);
    first_run_ *= points.size();
    const auto fixed = std::find_if(place.fixed.begin(), place.fixed.end(),
                                    [&](const auto& entry) { return entry.first == axis; });
    if (fixed == place.fixed.end()) {
      axis_points_.push_back(result_->labels(*dataset_, stacked));
      axis_extents_.push_back(dataset_->extents.at(stacked++));
      cells_ *= axis_extents_.back();
      continue;
    }
    axis_extents_.push_back(1);
    const std::size_t point = point_of_group(points, fixed->second);
    axis_points_.push_back({point == points.size() ? fixed->second : points[point]});
    first_run_ += point;
  }
}

void OutputView::find_labels() {
  for (std::size_t dim = dataset_->axes; dim < dataset_->dims.size(); ++dim) {
    cell_size_ *= dataset_->extents[dim];
    label_datasets_.push_back(result_->find(group_ + dataset_->dims[dim] + "_label"));
    const DatasetInfo* scale = result_->find(group_ + dataset_->dims[dim]);
    const bool is_text = scale != nullptr && scale->element == Element::text;
    scale_labels_.push_back(is_text ? result_->labels(*dataset_, dim) : std::vector<std::string>{});
  }
}

std::vector<std::string> OutputView::points(std::uint64_t cell) const {
  std::vector<std::string> points(axis_points_.size());
  for (std::size_t axis = axis_points_.size(); axis-- > 0;) {
    points[axis] = axis_points_[axis][cell % axis_extents_[axis]];
    cell /= axis_extents_[axis];
  }
  return points;
}

std::string OutputView::item_label(std::uint64_t cell) const {
  return item_labels_ == nullptr ? common_item_label_
                                 : result_->read_texts(*item_labels_, cell, 1).front();
}

std::vector<std::string> OutputView::dims() const {
  return {dataset_->dims.begin() + static_cast<std::ptrdiff_t>(dataset_->axes),
          dataset_->dims.end()};
}

std::vector<std::string> OutputView::labels(std::size_t dim, std::uint64_t cell) const {
  if (!labels_differ(dim)) return scale_labels_[dim];
  const std::uint64_t length = dataset_->extents[dataset_->axes + dim];
  return result_->read_texts(*label_datasets_[dim], cell * length, length);
}

std::vector<OutputView> outputs_of(const ResultFile& result) {
  std::vector<OutputView> outputs;
  for (const DatasetInfo& dataset : result.datasets()) {
    if (dataset.is_output) outputs.emplace_back(result, dataset);
  }
  const auto order = [](const OutputView& view) {  // "2" before "10"
    return std::tuple(std::string_view(view.list()), std::string_view(view.name()),
                      view.item().size(), std::string_view(view.item()), view.first_run());
  };
  std::stable_sort(outputs.begin(), outputs.end(),
                   [&](const OutputView& a, const OutputView& b) { return order(a) < order(b); });
  return outputs;
}

}  // namespace refran::runner
