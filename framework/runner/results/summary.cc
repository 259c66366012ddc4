#include "summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include <refran/random.h>
#include "diagnostics.h"
#include "grid_view.h"
#include "table.h"

namespace refran::runner {
namespace {

constexpr std::uint64_t kBootstrapSeed = 1979;
constexpr std::size_t kResamples = 10'000;
constexpr double kTail = 0.025;
constexpr std::uint64_t kMostLabelledCells = 64;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The means of resamples drawn with replacement, sorted.
std::vector<double> resampled_means(const std::vector<double>& values, std::string_view name) {
  Stream stream(kBootstrapSeed, name);
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t draw = 0; draw < values.size(); ++draw)
      sum += values[stream.below(values.size())];
    mean = sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  return means;
}

bool is_summarised(const OutputView& view) {
  const DatasetInfo& dataset = view.dataset();
  const bool over_seeds =
      std::find(dataset.dims.begin(), dataset.dims.end(), "seed") != dataset.dims.end();
  if (dataset.element == Element::text || !over_seeds) return false;
  const std::vector<std::string> dims = view.dims();
  if (dims.empty()) return true;
  return dims.size() == 1 && view.cell_size() <= kMostLabelledCells && !view.labels_differ(0) &&
         !view.labels(0, 0).empty();
}

// Gathers the rows of one dataset: for each combination of the other axes and each cell the values
// over seeds.
class RowsOfDataset {
 public:
  RowsOfDataset(const ResultFile& result, const OutputView& view, std::size_t seed_axis)
      : view_(view),
        values_(result.read_numbers(view.dataset(), 0, view.cells() * view.cell_size())) {
    for (std::uint64_t cell = 0; cell < view.cells(); ++cell) {
      std::vector<std::string> points = view.points(cell);
      points.erase(points.begin() + static_cast<std::ptrdiff_t>(seed_axis));
      const auto [entry, is_new] = index_.emplace(points, groups_.size());
      if (is_new) groups_.push_back({std::move(points), {}, 0});
      Group& group = groups_[entry->second];
      if (view.is_failed(cell)) {
        ++group.failed;
      } else {
        group.cells.push_back(cell);
      }
    }
  }

  void add_to(std::vector<SummaryRow>& rows, const std::vector<std::string>& axes) const {
    const std::vector<std::string> labels =
        view_.dims().empty() ? std::vector<std::string>{} : view_.labels(0, 0);
    for (const Group& group : groups_) {
      for (std::uint64_t element = 0; element < view_.cell_size(); ++element) {
        SummaryRow row;
        row.points = group.points;
        row.output = own_path();
        row.label = label_of(group, labels, element);
        row.unit = view_.dataset().units;
        row.failed = group.failed;
        std::vector<double> values;
        for (const std::uint64_t cell : group.cells)
          values.push_back(values_[cell * view_.cell_size() + element]);
        row.statistics = statistics_of(
            std::move(values), stream_name(row, axes, labels.empty() ? "" : labels[element]));
        rows.push_back(std::move(row));
      }
    }
  }

 private:
  struct Group {
    std::vector<std::string> points;
    std::vector<std::uint64_t> cells;
    std::size_t failed;
  };

  std::string own_path() const {
    return view_.list().empty() ? view_.name()
                                : fmt::format("{}/{}/{}", view_.list(), view_.item(), view_.name());
  }

  // "[label]" of the cell behind the item's name.
  std::string label_of(const Group& group, const std::vector<std::string>& labels,
                       std::uint64_t element) const {
    std::string label;
    if (!view_.list().empty() && !group.cells.empty())
      label = view_.item_label(group.cells.front());
    if (!labels.empty()) label += (label.empty() ? "" : ": ") + labels[element];
    return label;
  }

  static std::string stream_name(const SummaryRow& row, const std::vector<std::string>& axes,
                                 const std::string& cell) {
    std::string name = row.output;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      name += fmt::format(" {}={}", axes[axis], row.points[axis]);
    return cell.empty() ? name : fmt::format("{} [{}]", name, cell);
  }

  const OutputView& view_;
  std::vector<double> values_;
  std::vector<Group> groups_;
  std::map<std::vector<std::string>, std::size_t> index_;
};

std::string shown(double value) { return std::isnan(value) ? "–" : fmt::format("{:.6g}", value); }

std::string exact(double value) {
  std::string text;
  if (!std::isnan(value)) append_number(text, value);
  return text;
}

}  // namespace

double quantile(const std::vector<double>& sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Statistics statistics_of(std::vector<double> values, std::string_view stream) {
  Statistics statistics{values.size(), kNone, kNone, kNone, kNone};
  const bool has_nan =
      std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  if (values.empty() || has_nan) return statistics;
  statistics.mean = mean_of(values);
  if (values.size() > 1) {
    const std::vector<double> means = resampled_means(values, stream);
    statistics.low = quantile(means, kTail);
    statistics.high = quantile(means, 1 - kTail);
  }
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  statistics.median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return statistics;
}

Summary summarise(const ResultFile& result) {
  Summary summary;
  summary.axes = result.axes();
  const auto seed = std::find(summary.axes.begin(), summary.axes.end(), "seed");
  if (seed == summary.axes.end()) {
    throw ConfigError(
        fmt::format("{}: has no axis of seeds to summarise over; run it with --sweep 'seed={{from: "
                    "1, count: 10}}'",
                    result.path().string()));
  }
  const auto seed_axis = static_cast<std::size_t>(seed - summary.axes.begin());
  summary.axes.erase(seed);
  for (const OutputView& view : outputs_of(result)) {
    if (is_summarised(view)) {
      RowsOfDataset(result, view, seed_axis).add_to(summary.rows, summary.axes);
    }
  }
  if (summary.rows.empty()) {
    throw ConfigError(fmt::format("{}: has no scalar output to summarise over its seeds",
                                  result.path().string()));
  }
  return summary;
}

std::string summary_text(const ResultFile& result) {
  const Summary summary = summarise(result);
  std::vector<std::string> header = {"output", "of"};
  header.insert(header.end(), summary.axes.begin(), summary.axes.end());
  const std::size_t first_number = header.size();
  for (const char* column : {"n", "mean", "median", "95 % interval", "", "failed", "unit"})
    header.emplace_back(column);
  Table table(header);
  table.align_right({first_number, first_number + 1, first_number + 2, first_number + 3,
                     first_number + 4, first_number + 5});
  for (const SummaryRow& row : summary.rows) {
    const Statistics& found = row.statistics;
    std::vector<std::string> cells = {row.output, row.label};
    cells.insert(cells.end(), row.points.begin(), row.points.end());
    for (std::string cell :
         {fmt::format("{}", found.count), shown(found.mean), shown(found.median), shown(found.low),
          shown(found.high), fmt::format("{}", row.failed), row.unit}) {
      cells.push_back(std::move(cell));
    }
    table.add(std::move(cells));
  }
  return table.to_string();
}

std::string summary_csv(const ResultFile& result) {
  const Summary summary = summarise(result);
  std::string text = "output,label,";
  for (const std::string& axis : summary.axes) text += csv_field(axis) + ",";
  text += "n,mean,median,low,high,failed,unit\n";
  for (const SummaryRow& row : summary.rows) {
    const Statistics& found = row.statistics;
    text += csv_field(row.output) + "," + csv_field(row.label) + ",";
    for (const std::string& point : row.points) text += csv_field(point) + ",";
    text +=
        fmt::format("{},{},{},{},{},{},{}\n", found.count, exact(found.mean), exact(found.median),
                    exact(found.low), exact(found.high), row.failed, csv_field(row.unit));
  }
  return text;
}

}  // namespace refran::runner
