#include "result_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "group_writer.h"
#include "result_layout.h"
#include "seal.h"
#include "stacked_writer.h"
#include "version.h"

namespace refran::runner {
namespace {

constexpr const char* kFormatVersion = "1.0";

class Writing {
 public:
  Writing(const std::filesystem::path& file, const Plan& plan, const SegmentSet& segments,
          const ResultInfo& info)
      : plan_(plan),
        outputs_(plan.description().outputs),
        axes_(plan.spec().axes),
        info_(info),
        segments_(segments),
        layout_(axes_, outputs_, segments.runs()),
        file_(file) {}

  // Returns the file's digest.
  std::string write() {
    for (const LayoutGroup& group : layout_.groups()) {
      if (group.item != kNoItem) ++items_[list_path(group)];
    }
    write_root();
    for (const LayoutGroup& group : layout_.groups()) {
      if (&group != &layout_.groups().front()) write_group(group);
    }
    write_provenance();
    const std::string digest = file_digest();
    set_on_root("digest", digest);
    hdf5::set_attribute(file_.root(), "seal", seal_.finish());
    file_.close();
    return digest;
  }

 private:
  static std::string list_path(const LayoutGroup& group) {
    const std::string path = group.path();
    return path.substr(0, path.rfind('/'));
  }

  void set_on_root(const std::string& name, const hdf5::Attribute& value) {
    hdf5::set_attribute(file_.root(), name, value);
    seal_.add_attribute("", name, value);
  }

  void write_root() {
    set_root_attributes();
    GroupWriter writer(hdf5::open_object(file_.root(), "/"), "", seal_);
    const LayoutGroup& root = layout_.groups().front();
    add_scales(writer, root);
    for (const Axis& axis : axes_) {
      if (!axis.is_zip()) continue;
      for (std::size_t key = 0; key < axis.keys.size(); ++key) {
        writer.add_values(link_name(axis.keys[key]), {link_name(axis.name)}, key_values(axis, key),
                          about_key(axis.keys[key], plan_.description().fields));
      }
    }
    add_outputs(writer, root);
    add_run_facts(writer, root);
    writer.finish();
    write_digests(root);
  }

  void set_root_attributes() {
    const Description& description = plan_.description();
    const bool all_complete =
        std::all_of(layout_.runs().begin(), layout_.runs().end(),
                    [](const RunRecord* run) { return run->status == RunStatus::complete; });
    set_on_root("format", "refran-results");
    set_on_root("format_version", kFormatVersion);
    set_on_root("experiment", description.name);
    set_on_root("question", description.question);
    set_on_root("run_id", info_.run_id);
    set_on_root("status", all_complete ? "complete" : "failed");
    set_on_root("reproducibility", std::string(name_of(plan_.reproducibility())));
    set_on_root("tolerance", description.tolerance);
    std::vector<std::string> names;
    bool seed_is_swept = false;
    for (const Axis& axis : axes_) {
      names.push_back(link_name(axis.name));
      seed_is_swept |= std::find(axis.keys.begin(), axis.keys.end(), "seed") != axis.keys.end();
    }
    if (!names.empty()) set_on_root("axes", names);
    if (!seed_is_swept) set_on_root("seed", plan_.spec().seed);
    set_on_root("plugin_version", description.version);
    set_on_root("refran_version", std::string(kVersion));
    set_on_root("started", info_.started);
    set_on_root("ended", info_.ended);
  }

  std::vector<std::string> axis_names(const LayoutGroup& group) const {
    std::vector<std::string> names;
    for (const std::size_t axis : group.cells.axes()) names.push_back(link_name(axes_[axis].name));
    return names;
  }

  void add_scales(GroupWriter& writer, const LayoutGroup& group) const {
    for (const std::size_t axis : group.cells.axes()) {
      writer.add_scale(link_name(axes_[axis].name), axis_values(axes_[axis]),
                       about_axis(axes_[axis], plan_.description().fields));
    }
    for (const LayoutDim& dim : group.dims) {
      if (dim.labels != nullptr) {
        writer.add_scale(dim.name, *dim.labels,
                         {"1", fmt::format("Label of each position along {}", dim.name)});
        continue;
      }
      std::vector<std::int64_t> index(dim.length);
      std::iota(index.begin(), index.end(), 0);
      writer.add_scale(dim.name, index, {"1", fmt::format("Position along {}, from 0", dim.name)});
    }
  }

  void add_outputs(GroupWriter& writer, const LayoutGroup& group) {
    for (const LayoutDataset& dataset : group.datasets) add_output(writer, group, dataset);
    for (const LayoutDim& dim : group.dims) {
      if (dim.differing != nullptr) add_differing_labels(writer, group, dim);
    }
  }

  void add_output(GroupWriter& writer, const LayoutGroup& group, const LayoutDataset& dataset) {
    const OutputInfo& info = outputs_[dataset.output];
    const StackedWriter stacked(layout_, group, dataset, info.element, segments_);
    const hdf5::Shape shape = storage_of(info.element, stacked.extents(), info_.compress_floats);
    std::vector<std::string> dims = axis_names(group);
    dims.insert(dims.end(), info.dims.begin(), info.dims.end());
    const hdf5::Handle& handle =
        writer.add_output(info.name, stored_as(info.element), shape, dims, {info.unit, info.doc});
    if (info.rows_sum_to_one) writer.set_on(handle, info.name, "rows_sum_to_one", std::int32_t{1});
    stacked.write(handle, shape);
    const Sha256 digest = stacked_digest(stacked.digests(), group);
    writer.set_on(handle, info.name, "sha256", to_hex(digest));
    digests_.emplace(writer.path_of(info.name), digest);
  }

  static Sha256 stacked_digest(const std::vector<Sha256>& cells, const LayoutGroup& group) {
    if (group.cells.axes().empty()) return cells.front();
    Hasher hasher;
    for (const Sha256& cell : cells) hasher.add(std::as_bytes(std::span(cell)));
    return hasher.finish();
  }

  void add_differing_labels(GroupWriter& writer, const LayoutGroup& group,
                            const LayoutDim& dim) const {
    std::vector<std::string> dims = axis_names(group);
    dims.push_back(dim.name);
    std::vector<std::uint64_t> extents = group.cells.extents();
    extents.push_back(dim.length);
    writer.add_texts(dim.name + "_label", dims, extents,
                     {"1", fmt::format("Label of each position along {}, run by run", dim.name)},
                     [&](std::uint64_t position) -> std::string {
                       const auto* labels =
                           (*dim.differing)[group.cells.run(position / dim.length)];
                       if (labels == nullptr || labels->size() != dim.length) return "";
                       return (*labels)[position % dim.length];
                     });
  }

  void add_run_facts(GroupWriter& writer, const LayoutGroup& root) const {
    const std::vector<std::string> dims = axis_names(root);
    const auto add = [&](const char* name, const char* long_name, auto text_of) {
      writer.add_texts(name, dims, root.cells.extents(), {"1", long_name}, [&](std::uint64_t run) {
        return std::string(text_of(*layout_.runs()[run]));
      });
    };
    add("run_status", "How each run ended: complete or failed",
        [](const RunRecord& run) { return name_of(run.status); });
    add("failure", "Why a run failed, else empty",
        [](const RunRecord& run) { return run.failure; });
    add("run_log", "What each run logged", [](const RunRecord& run) { return run.log; });
    add("run_note", "What each run noted, as lines of key: value",
        [](const RunRecord& run) { return run.notes; });
  }

  void write_group(const LayoutGroup& group) {
    GroupWriter writer(make_group(group), group.path(), seal_);
    if (group.item != kNoItem) writer.set("label", common_item_label(group).value_or(""));
    add_scales(writer, group);
    add_outputs(writer, group);
    if (group.item != kNoItem && !common_item_label(group)) {
      writer.add_texts(group.item_list + "_label", axis_names(group), group.cells.extents(),
                       {"1", fmt::format("Name of this item of {}, run by run", group.item_list)},
                       [&](std::uint64_t cell) { return item_label(group, cell); });
    }
    writer.finish();
    write_digests(group);
  }

  std::string item_label(const LayoutGroup& group, std::uint64_t cell) const {
    const RunRecord& run = *layout_.runs()[group.cells.run(cell)];
    return run.status == RunStatus::complete && group.item < run.items.size()
               ? run.items[group.item]
               : "";
  }

  std::optional<std::string> common_item_label(const LayoutGroup& group) const {
    std::optional<std::string> common;
    for (std::uint64_t cell = 0; cell < group.cells.size(); ++cell) {
      if (layout_.runs()[group.cells.run(cell)]->status == RunStatus::failed) continue;
      const std::string label = item_label(group, cell);
      if (common && *common != label) return std::nullopt;
      common = label;
    }
    return common;
  }

  // The group with all those it stands in.
  hdf5::Handle make_group(const LayoutGroup& group) {
    std::string path;
    for (const std::string& part : group.axis_groups) {
      path.append(path.empty() ? "" : "/").append(part);
      ensure_group(path);
    }
    if (group.item == kNoItem) return hdf5::open_object(file_.root(), path);
    path = list_path(group);
    if (ensure_group(path)) {
      const hdf5::Attribute count = items_.at(path);
      hdf5::set_attribute(hdf5::open_object(file_.root(), path), "count", count);
      seal_.add_attribute(path, "count", count);
    }
    ensure_group(group.path());
    return hdf5::open_object(file_.root(), group.path());
  }

  // Whether it had to be made.
  bool ensure_group(const std::string& path) {
    if (!made_.insert(path).second) return false;
    hdf5::create_group(file_.root(), path);
    return true;
  }

  void ensure_groups(const std::string& path) {
    for (std::size_t end = path.find('/'); end != std::string::npos;
         end = path.find('/', end + 1)) {
      ensure_group(path.substr(0, end));
    }
    ensure_group(path);
  }

  void write_digests(const LayoutGroup& group) {
    if (group.datasets.empty()) return;
    const std::string path = group.path().empty() ? "digest" : "digest/" + group.path();
    ensure_groups(path);
    const hdf5::Handle parent = hdf5::open_object(file_.root(), path);
    for (const LayoutDataset& dataset : group.datasets) {
      const StackedWriter stacked(layout_, group, dataset, outputs_[dataset.output].element,
                                  segments_);
      std::string text;
      for (const Sha256& digest : stacked.digests()) text += to_hex(digest);
      const hdf5::Handle handle = hdf5::create_dataset(parent, dataset.name, hdf5::Stored::digest,
                                                       {group.cells.extents(), {}});
      const hdf5::Box all{std::vector<std::uint64_t>(group.cells.extents().size(), 0),
                          group.cells.extents()};
      hdf5::write_numbers(handle, hdf5::Stored::digest, all, std::as_bytes(std::span(text)));
    }
  }

  void write_provenance() {
    ensure_group("provenance");
    const hdf5::Handle parent = hdf5::open_object(file_.root(), "provenance");
    for (const auto& [name, text] :
         {std::pair<std::string, const std::string*>{"config", &info_.config},
          {"environment", &info_.environment},
          {"inputs", &info_.inputs}}) {
      const hdf5::Handle dataset = hdf5::create_dataset(parent, name, hdf5::Stored::text, {});
      hdf5::write_texts(dataset, {}, {text, 1});
      seal_.add_values("provenance/" + name, sha256_of_text(encode_texts({text, 1})));
    }
  }

  std::string file_digest() const {
    Hasher hasher;
    for (const auto& [path, digest] : digests_) {
      hasher.add(path);
      hasher.add(std::string_view("\0", 1));
      hasher.add(std::as_bytes(std::span(digest)));
    }
    return to_hex(hasher.finish());
  }

  const Plan& plan_;
  const std::vector<OutputInfo>& outputs_;
  const std::vector<Axis>& axes_;
  const ResultInfo& info_;
  const SegmentSet& segments_;
  Layout layout_;
  Seal seal_;
  hdf5::NewFile file_;
  std::map<std::string, std::int32_t> items_;  // by path of the list
  std::set<std::string> made_;
  std::map<std::string, Sha256> digests_;  // of stacked datasets, by path
};

void sync_to_disk(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const int result = descriptor < 0 ? -1 : fsync(descriptor);
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (result != 0)
    throw std::runtime_error(fmt::format("cannot write it to disk: {}", std::strerror(error)));
}

}  // namespace

std::string write_result(const std::filesystem::path& file, const Plan& plan,
                         const SegmentSet& segments, const ResultInfo& info) {
  try {
    const auto clashes = name_clashes(plan.spec().axes, plan.description().outputs);
    if (!clashes.empty()) throw std::runtime_error(clashes.front());
    std::string digest = Writing(file, plan, segments, info).write();
    sync_to_disk(file);
    return digest;
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    throw std::runtime_error(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace refran::runner
