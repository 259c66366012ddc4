// Tidy CSV files of a result. Declared in inspect.h.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "diagnostics.h"
#include "grid_view.h"
#include "inspect.h"
#include "table.h"

namespace refran::runner {
namespace {

constexpr std::uint64_t kNumbersAtOnce = 256 << 10;  // elements read at once
constexpr std::uint64_t kTextsAtOnce = 4096;
constexpr std::size_t kFlushBytes = 1 << 20;

class CsvFile {
 public:
  explicit CsvFile(std::filesystem::path path)
      : path_(std::move(path)), stream_(path_, std::ios::binary) {
    check();
  }

  std::string& text() { return text_; }
  void end_row() {
    text_ += '\n';
    if (text_.size() >= kFlushBytes) flush();
  }
  void close() {
    flush();
    stream_.close();
    check();
  }

 private:
  void flush() {
    stream_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
    check();
  }
  void check() const {
    if (!stream_)
      throw std::runtime_error(
          fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
  }

  std::filesystem::path path_;
  std::ofstream stream_;
  std::string text_;
};

// The values of a dataset one after the other, read in blocks.
class Cursor {
 public:
  Cursor(const ResultFile& result, const DatasetInfo& dataset)
      : result_(&result), dataset_(&dataset) {
    total_ = 1;
    for (const std::uint64_t extent : dataset.extents) total_ *= extent;
  }

  void append_next(std::string& text) {
    if (next_ == end_) load();
    const std::uint64_t index = next_++ - first_;
    switch (dataset_->element) {
      case Element::float32:
        append_number(text, at<float>(index));
        break;
      case Element::float64:
        append_number(text, at<double>(index));
        break;
      case Element::int32:
        append_integer(text, at<std::int32_t>(index));
        break;
      case Element::int64:
        append_integer(text, at<std::int64_t>(index));
        break;
      case Element::text:
        text += csv_field(texts_[index]);
        break;
    }
  }
  void skip(std::uint64_t count) {
    next_ += count;
    if (next_ > end_) end_ = next_;  // what lies between is not read
  }

 private:
  void load() {
    const bool is_text = dataset_->element == Element::text;
    first_ = next_;
    const std::uint64_t count = std::min(is_text ? kTextsAtOnce : kNumbersAtOnce, total_ - first_);
    end_ = first_ + count;
    if (is_text) {
      texts_ = result_->read_texts(*dataset_, first_, count);
    } else {
      bytes_ = result_->read_bytes(*dataset_, first_, count);
    }
  }
  template <class T>
  T at(std::uint64_t index) const {
    T value;
    std::memcpy(&value, bytes_.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  static void append_integer(std::string& text, std::int64_t value) {
    std::array<char, 24> buffer;
    text.append(buffer.data(),
                std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
  }

  const ResultFile* result_;
  const DatasetInfo* dataset_;
  std::uint64_t total_;
  std::uint64_t first_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::string> texts_;
};

// All datasets of one output: of every item, in every axis group.
struct Output {
  std::vector<OutputView> parts;

  bool has_labels(std::size_t dim) const {
    return std::any_of(parts.begin(), parts.end(), [&](const OutputView& part) {
      return part.labels_differ(dim) || !part.labels(dim, 0).empty();
    });
  }
};

void append_header(CsvFile& file, const ResultFile& result, const Output& output,
                   const std::vector<bool>& labelled) {
  std::string& text = file.text();
  const OutputView& first = output.parts.front();
  for (const std::string& axis : result.axes()) text += csv_field(axis) + ",";
  if (!first.list().empty()) text += "item,item_label,";
  const std::vector<std::string> dims = first.dims();
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    text += csv_field(dims[dim]) + ",";
    if (labelled[dim]) text += csv_field(dims[dim] + "_label") + ",";
  }
  text += csv_field(first.name());
  file.end_row();
}

// What stands in a row for each position along a dimension: "3," or "3,tía,".
std::vector<std::string> fragments(const OutputView& part, std::size_t dim, std::uint64_t cell,
                                   bool labelled) {
  const std::vector<std::string> labels = part.labels(dim, cell);
  std::vector<std::string> fragments(part.dataset().extents[part.dataset().axes + dim]);
  for (std::size_t position = 0; position < fragments.size(); ++position) {
    fragments[position] = fmt::format("{},", position);
    if (labelled) fragments[position] += (labels.empty() ? "" : csv_field(labels[position])) + ",";
  }
  return fragments;
}

void append_cell(CsvFile& file, Cursor& cursor, const std::string& prefix,
                 const std::vector<std::vector<std::string>>& columns, std::uint64_t size) {
  std::vector<std::size_t> position(columns.size(), 0);
  for (std::uint64_t element = 0; element < size; ++element) {
    std::string& text = file.text();
    text += prefix;
    for (std::size_t dim = 0; dim < columns.size(); ++dim) text += columns[dim][position[dim]];
    cursor.append_next(text);
    file.end_row();
    for (std::size_t dim = columns.size(); dim-- > 0;) {
      if (++position[dim] < columns[dim].size()) break;
      position[dim] = 0;
    }
  }
}

void append_part(CsvFile& file, const ResultFile& result, const OutputView& part,
                 const std::vector<bool>& labelled) {
  Cursor cursor(result, part.dataset());
  std::vector<std::vector<std::string>> columns(labelled.size());
  for (std::uint64_t cell = 0; cell < part.cells(); ++cell) {
    if (part.is_failed(cell)) {
      cursor.skip(part.cell_size());
      continue;
    }
    std::string prefix;
    for (const std::string& point : part.points(cell)) prefix += csv_field(point) + ",";
    if (!part.list().empty()) prefix += part.item() + "," + csv_field(part.item_label(cell)) + ",";
    for (std::size_t dim = 0; dim < columns.size(); ++dim) {
      if (cell > 0 && !columns[dim].empty() && !part.labels_differ(dim)) continue;
      columns[dim] = fragments(part, dim, cell, labelled[dim]);
    }
    append_cell(file, cursor, prefix, columns, part.cell_size());
  }
}

void export_output(const ResultFile& result, const Output& output,
                   const std::filesystem::path& path) {
  CsvFile file(path);
  std::vector<bool> labelled(output.parts.front().dims().size());
  for (std::size_t dim = 0; dim < labelled.size(); ++dim) labelled[dim] = output.has_labels(dim);
  append_header(file, result, output, labelled);
  for (const OutputView& part : output.parts) append_part(file, result, part, labelled);
  file.close();
}

void export_runs(const ResultFile& result, const std::filesystem::path& path) {
  CsvFile file(path);
  const std::vector<std::string> axes = result.axes();
  for (const std::string& axis : axes) file.text() += csv_field(axis) + ",";
  constexpr std::array<const char*, 4> kColumns = {"run_status", "failure", "run_note", "run_log"};
  file.text() += fmt::format("{}", fmt::join(kColumns, ","));
  file.end_row();
  const DatasetInfo* status = result.find(kColumns.front());
  if (status == nullptr)
    throw std::runtime_error(fmt::format("{}: has no run_status", result.path().string()));
  std::vector<std::vector<std::string>> points;
  std::uint64_t runs = 1;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    points.push_back(result.labels(*status, axis));
    runs *= points.back().size();
  }
  std::vector<std::vector<std::string>> columns;
  for (const char* name : kColumns) {
    const DatasetInfo* dataset = result.find(name);
    columns.push_back(dataset == nullptr ? std::vector<std::string>(runs)
                                         : result.read_texts(*dataset, 0, runs));
  }
  for (std::uint64_t run = 0; run < runs; ++run) {
    std::string prefix;
    std::uint64_t rest = run;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      prefix = csv_field(points[axis][rest % points[axis].size()]) + "," + prefix;
      rest /= points[axis].size();
    }
    file.text() += prefix;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      file.text() += (column == 0 ? "" : ",") + csv_field(columns[column][run]);
    }
    file.end_row();
  }
  file.close();
}

void make_empty_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  if (fs::exists(folder) && (!fs::is_directory(folder) || !fs::is_empty(folder))) {
    throw ConfigError(fmt::format(
        "{}: is there already and not empty; name a new folder with --out", folder.string()));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw std::runtime_error(
        fmt::format("{}: cannot be created: {}", folder.string(), error.message()));
}

}  // namespace

std::vector<std::filesystem::path> export_csv(const ResultFile& result,
                                              const std::filesystem::path& folder) {
  make_empty_folder(folder);
  std::map<std::string, Output> outputs;
  for (OutputView& view : outputs_of(result)) {
    outputs[view.name()].parts.push_back(std::move(view));
  }
  std::vector<std::filesystem::path> files = {folder / "run_status.csv"};
  export_runs(result, files.front());
  for (const auto& [name, output] : outputs) {
    files.push_back(folder / (name + ".csv"));
    export_output(result, output, files.back());
  }
  return files;
}

}  // namespace refran::runner
