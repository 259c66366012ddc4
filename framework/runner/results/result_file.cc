#include "result_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "diagnostics.h"
#include "slabs.h"

namespace refran::runner {
namespace {

constexpr int kMajorVersion = 1;

bool has_hdf5_signature(const std::filesystem::path& file) {
  constexpr std::array<char, 8> kSignature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> head{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(fmt::format("{}: cannot be read", file.string()));
  stream.read(head.data(), head.size());
  return stream.gcount() == static_cast<std::streamsize>(head.size()) && head == kSignature;
}

hdf5::Handle opened(const std::filesystem::path& file) {
  if (!has_hdf5_signature(file))
    throw std::runtime_error(fmt::format("{}: is not an HDF5 file", file.string()));
  try {
    return hdf5::open_file(file);
  } catch (const hdf5::Error& error) {
    const bool is_cut = std::string_view(error.what()).find("truncated") != std::string_view::npos;
    throw std::runtime_error(
        fmt::format("{}: {}", file.string(),
                    is_cut ? "is truncated: it was not copied or written to its end"
                           : "is damaged: HDF5 cannot open it"));
  }
}

void require_known_format(const std::filesystem::path& file, const Node& root) {
  if (root.text("format") != "refran-results") {
    throw std::runtime_error(fmt::format(
        "{}: is an HDF5 file, but no result of refran (no attribute format = refran-results)",
        file.string()));
  }
  const std::string version = root.text("format_version");
  const std::string major = version.substr(0, version.find('.'));
  if (major.empty() || major.size() > 9 ||
      major.find_first_not_of("0123456789") != std::string::npos) {
    throw std::runtime_error(
        fmt::format("{}: has no readable format_version, but '{}'", file.string(), version));
  }
  if (std::stoi(major) > kMajorVersion) {
    throw std::runtime_error(
        fmt::format("{}: has format version {}, this refran reads up to {}.x; use a newer refran",
                    file.string(), version, kMajorVersion));
  }
}

std::optional<Element> element_of(hdf5::Stored stored) {
  switch (stored) {
    case hdf5::Stored::float32:
      return Element::float32;
    case hdf5::Stored::float64:
      return Element::float64;
    case hdf5::Stored::int32:
      return Element::int32;
    case hdf5::Stored::int64:
    case hdf5::Stored::uint64:
      return Element::int64;
    case hdf5::Stored::text:
      return Element::text;
    case hdf5::Stored::digest:
      break;
  }
  return std::nullopt;
}

std::string as_text(const hdf5::Attribute& value) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    return fmt::format("{}", fmt::join(*texts, ", "));
  }
  return std::visit(
      [](const auto& one) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::vector<std::string>>) {
          return "";
        } else {
          return fmt::format("{}", one);
        }
      },
      value);
}

std::string below(const std::string& group, const std::string& name) {
  return group.empty() ? name : group + "/" + name;
}

template <class T, class Target>
std::vector<Target> converted(const std::vector<std::byte>& bytes) {
  std::vector<Target> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<Target>(value);
  }
  return values;
}

template <class Target>
std::vector<Target> converted(hdf5::Stored stored, const std::vector<std::byte>& bytes) {
  switch (stored) {
    case hdf5::Stored::float32:
      return converted<float, Target>(bytes);
    case hdf5::Stored::float64:
      return converted<double, Target>(bytes);
    case hdf5::Stored::int32:
      return converted<std::int32_t, Target>(bytes);
    case hdf5::Stored::uint64:
      return converted<std::uint64_t, Target>(bytes);
    default:
      return converted<std::int64_t, Target>(bytes);
  }
}

}  // namespace

std::filesystem::path result_path(const std::filesystem::path& run) {
  namespace fs = std::filesystem;
  if (!fs::exists(run))
    throw ConfigError(fmt::format("{}: there is no such file or folder", run.string()));
  if (!fs::is_directory(run)) return run;
  for (const char* name : {"run.h5", "latest.h5"}) {
    if (fs::exists(run / name)) return run / name;
  }
  if (fs::exists(run / "status.json") || fs::exists(run / "segments")) {
    throw ConfigError(fmt::format("{}: is an incomplete run, it has no run.h5 yet", run.string()));
  }
  throw ConfigError(fmt::format("{}: holds no result, neither run.h5 nor latest.h5", run.string()));
}

struct ResultFile::Impl {
  std::filesystem::path path;
  hdf5::Handle file;
  std::vector<Node> tree;
  std::vector<DatasetInfo> datasets;
  std::map<std::string, hdf5::Stored> stored;  // by path of the dataset

  const Node* find_node(const std::string& node_path) const {
    const auto found = std::lower_bound(
        tree.begin(), tree.end(), node_path,
        [](const Node& node, const std::string& text) { return node.path < text; });
    return found != tree.end() && found->path == node_path ? &*found : nullptr;
  }

  void add_dataset(const Node& node, const std::vector<std::string>& axes) {
    const std::optional<Element> element = node.stored ? element_of(*node.stored) : std::nullopt;
    if (!element) return;  // nothing of ours; `check` says so
    DatasetInfo info;
    info.path = node.path;
    info.element = *element;
    info.dims = node.dims;
    info.extents = node.extents;
    const auto is_axis = [&](const std::string& dim) {
      return std::find(axes.begin(), axes.end(), dim) != axes.end();
    };
    while (info.axes < info.dims.size() && is_axis(info.dims[info.axes])) ++info.axes;
    info.units = node.text("units");
    info.long_name = node.text("long_name");
    info.rows_sum_to_one = node.find("rows_sum_to_one") != nullptr;
    info.sha256 = node.text("sha256");
    info.is_output = node.find("sha256") != nullptr;
    stored.emplace(node.path, *node.stored);
    datasets.push_back(std::move(info));
  }

  // Calls `read` with the boxes that make up a row-major stretch of the dataset.
  template <class Read>
  void for_each_box(const DatasetInfo& dataset, std::uint64_t first, std::uint64_t count,
                    Read read) const {
    const hdf5::Handle handle = hdf5::open_object(file, dataset.path);
    while (count > 0) {
      const hdf5::Box box = box_at(dataset.extents, first, count);
      read(handle, box);
      first += box.size();
      count -= box.size();
    }
  }
};

ResultFile::ResultFile(const std::filesystem::path& file) : impl_(std::make_unique<Impl>()) {
  impl_->path = file;
  impl_->file = opened(file);
  try {
    impl_->tree = read_tree(impl_->file);
  } catch (const hdf5::Error& error) {
    throw std::runtime_error(fmt::format("{}: is damaged: {}", file.string(), error.what()));
  }
  require_known_format(file, impl_->tree.front());
  const std::vector<std::string> names = axes();
  for (const Node& node : impl_->tree) {
    if (node.kind != hdf5::Kind::dataset || is_below(node.path, "digest") ||
        is_below(node.path, "provenance"))
      continue;
    impl_->add_dataset(node, names);
  }
}

ResultFile::~ResultFile() = default;
ResultFile::ResultFile(ResultFile&&) noexcept = default;
ResultFile& ResultFile::operator=(ResultFile&&) noexcept = default;

const std::filesystem::path& ResultFile::path() const { return impl_->path; }

std::string ResultFile::attribute(const std::string& name) const {
  return text_attribute("", name);
}

std::string ResultFile::text_attribute(const std::string& path, const std::string& name) const {
  const Node* node = impl_->find_node(path);
  const hdf5::Attribute* value = node == nullptr ? nullptr : node->find(name);
  return value == nullptr ? "" : as_text(*value);
}

std::vector<std::string> ResultFile::axes() const {
  const hdf5::Attribute* value = impl_->tree.front().find("axes");
  const auto* names = value == nullptr ? nullptr : std::get_if<std::vector<std::string>>(value);
  return names == nullptr ? std::vector<std::string>{} : *names;
}

const std::vector<DatasetInfo>& ResultFile::datasets() const { return impl_->datasets; }

const DatasetInfo* ResultFile::find(const std::string& path) const {
  const auto found = std::lower_bound(
      impl_->datasets.begin(), impl_->datasets.end(), path,
      [](const DatasetInfo& info, const std::string& text) { return info.path < text; });
  return found != impl_->datasets.end() && found->path == path ? &*found : nullptr;
}

std::vector<double> ResultFile::read_numbers(const DatasetInfo& dataset, std::uint64_t first,
                                             std::uint64_t count) const {
  return converted<double>(impl_->stored.at(dataset.path), read_bytes(dataset, first, count));
}

std::vector<std::int64_t> ResultFile::read_integers(const DatasetInfo& dataset, std::uint64_t first,
                                                    std::uint64_t count) const {
  return converted<std::int64_t>(impl_->stored.at(dataset.path), read_bytes(dataset, first, count));
}

std::vector<std::string> ResultFile::read_texts(const DatasetInfo& dataset, std::uint64_t first,
                                                std::uint64_t count) const {
  std::vector<std::string> texts;
  texts.reserve(count);
  impl_->for_each_box(dataset, first, count, [&](const hdf5::Handle& handle, const hdf5::Box& box) {
    std::vector<std::string> part = hdf5::read_texts(handle, box);
    std::move(part.begin(), part.end(), std::back_inserter(texts));
  });
  return texts;
}

std::vector<std::string> ResultFile::read_as_texts(const DatasetInfo& dataset, std::uint64_t first,
                                                   std::uint64_t count) const {
  const auto spelled = [](const auto& values) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const auto value : values) texts.push_back(fmt::format("{}", value));
    return texts;
  };
  const hdf5::Stored stored = impl_->stored.at(dataset.path);
  if (stored == hdf5::Stored::text) return read_texts(dataset, first, count);
  const std::vector<std::byte> bytes = read_bytes(dataset, first, count);
  if (stored == hdf5::Stored::float32) return spelled(converted<float>(stored, bytes));
  if (stored == hdf5::Stored::float64) return spelled(converted<double>(stored, bytes));
  if (stored == hdf5::Stored::uint64) return spelled(converted<std::uint64_t>(stored, bytes));
  return spelled(converted<std::int64_t>(stored, bytes));
}

std::vector<std::byte> ResultFile::read_bytes(const DatasetInfo& dataset, std::uint64_t first,
                                              std::uint64_t count) const {
  const hdf5::Stored stored = impl_->stored.at(dataset.path);
  std::vector<std::byte> bytes(count * hdf5::size_of(stored));
  std::span<std::byte> rest = bytes;
  impl_->for_each_box(dataset, first, count, [&](const hdf5::Handle& handle, const hdf5::Box& box) {
    const std::size_t size = box.size() * hdf5::size_of(stored);
    hdf5::read_numbers(handle, stored, box, rest.first(size));
    rest = rest.subspan(size);
  });
  return bytes;
}

std::vector<std::string> ResultFile::labels(const DatasetInfo& dataset, std::size_t dim) const {
  const std::size_t slash = dataset.path.rfind('/');
  const std::string group = slash == std::string::npos ? "" : dataset.path.substr(0, slash);
  const std::uint64_t length = dataset.extents.at(dim);
  const DatasetInfo* scale = find(below(group, dataset.dims.at(dim)));
  if (scale != nullptr && scale->extents == std::vector<std::uint64_t>{length})
    return read_as_texts(*scale, 0, length);
  std::vector<std::string> labels;
  labels.reserve(length);
  for (std::uint64_t position = 0; position < length; ++position)
    labels.push_back(fmt::format("{}", position));
  return labels;
}

std::string ResultFile::provenance(const std::string& name) const {
  const Node* node = impl_->find_node("provenance/" + name);
  if (node == nullptr || node->stored != hdf5::Stored::text || !node->extents.empty()) return "";
  return hdf5::read_texts(hdf5::open_object(impl_->file, node->path), {}).front();
}

std::vector<std::string> ResultFile::run_digests(const DatasetInfo& dataset) const {
  const Node* node = impl_->find_node("digest/" + dataset.path);
  if (node == nullptr || node->stored != hdf5::Stored::digest) return {};
  const hdf5::Box all{std::vector<std::uint64_t>(node->extents.size(), 0), node->extents};
  constexpr std::size_t kLength = 64;
  std::string text(all.size() * kLength, '\0');
  hdf5::read_numbers(hdf5::open_object(impl_->file, node->path), hdf5::Stored::digest, all,
                     std::as_writable_bytes(std::span(text)));
  std::vector<std::string> digests;
  for (std::size_t at = 0; at < text.size(); at += kLength)
    digests.push_back(text.substr(at, kLength));
  return digests;
}

const std::vector<Node>& ResultFile::tree() const { return impl_->tree; }

}  // namespace refran::runner
