#include "recorder.h"

#include <algorithm>
#include <chrono>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <refran/error.h>

namespace refran::runner {
namespace {

std::int64_t now() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

// Texts in HDF5 end at a zero byte.
void check_text(std::string_view what, std::string_view text) {
  if (text.find('\0') == std::string_view::npos) return;
  throw PluginError(fmt::format("{} holds a zero byte, which no text in a result can", what));
}

void check_texts(std::string_view what, std::span<const std::string> texts) {
  for (const std::string& text : texts) check_text(what, text);
}

std::string in_scope(std::uint32_t item) {
  return item == kNoItem ? "run" : fmt::format("item (here {})", item);
}

}  // namespace

Recorder::Recorder(const BatchContext& context, std::size_t run, std::uint64_t seed)
    : context_(context), seed_(seed) {
  record_.run = run;
  record_.started = now();
}

std::uint32_t Recorder::index_of(const detail::OutputRef& output) const {
  for (std::size_t i = 0; i < outputs().size(); ++i) {
    const OutputInfo& info = outputs()[i];
    if (info.name == output.name && info.element == output.element &&
        info.dims.size() == output.rank) {
      return static_cast<std::uint32_t>(i);
    }
  }
  throw PluginError(
      fmt::format("output '{}' ({}, {} dimensions) is written, but not declared in "
                  "REFRAN_EXPERIMENT's .outputs",
                  output.name, name_of(output.element), output.rank));
}

std::uint32_t Recorder::checked_item(const OutputInfo& info, std::size_t item) const {
  if (info.per_item.empty()) {
    if (item == detail::kNoItem) return kNoItem;
    throw PluginError(fmt::format("output '{}' is dense, but written for an item", info.name));
  }
  if (item == detail::kNoItem) {
    throw PluginError(fmt::format("output '{}' is written per '{}', but without an item", info.name,
                                  info.per_item));
  }
  if (record_.item_list != info.per_item) {
    throw PluginError(
        fmt::format("output '{}' is written per '{}', whose items have not been named (Run::items)",
                    info.name, info.per_item));
  }
  if (item >= record_.items.size()) {
    throw PluginError(fmt::format("output '{}' is written for item {}, but '{}' has {} items",
                                  info.name, item, info.per_item, record_.items.size()));
  }
  return static_cast<std::uint32_t>(item);
}

void Recorder::check_array(const OutputInfo& info, const detail::OutputRef& output,
                           const detail::HostArray& array) const {
  std::size_t cells = 1;
  for (const std::size_t extent : array.extents) cells *= extent;
  if (array.extents.size() != output.rank || cells != array.count) {
    throw PluginError(fmt::format("output '{}': {} values do not fill the extents [{}]", info.name,
                                  array.count, fmt::join(array.extents, ", ")));
  }
  if (info.element == Element::text) {
    check_texts(fmt::format("output '{}'", info.name),
                {static_cast<const std::string*>(array.values), array.count});
  }
}

DatasetStream& Recorder::stream(const detail::OutputRef& output, std::size_t item, bool whole) {
  if (committed_)
    throw PluginError(
        fmt::format("output '{}' is written after the run was completed", output.name));
  const std::uint32_t index = index_of(output);
  const OutputInfo& info = outputs()[index];
  const Key key{index, checked_item(info, item)};
  const auto [found, is_new] = streams_.try_emplace(key, info, *context_.writer);
  DatasetStream& stream = found->second;
  if (!is_new && (whole || stream.is_whole)) {
    throw PluginError(fmt::format("output '{}' is written twice", path_of(key)));
  }
  stream.is_whole = whole;
  last_declaration_ = output.declaration;
  last_item_ = item;
  last_stream_ = &stream;
  return stream;
}

void Recorder::put(const detail::OutputRef& output, std::size_t item,
                   const detail::HostArray& array) {
  DatasetStream& target = stream(output, item, true);
  check_array(target.info(), output, array);
  target.add(array);
}

void Recorder::append(const detail::OutputRef& output, std::size_t item,
                      const detail::HostArray& array) {
  const bool is_last =
      output.declaration == last_declaration_ && item == last_item_ && !last_stream_->is_whole;
  DatasetStream& target = is_last && !committed_ ? *last_stream_ : stream(output, item, false);
  check_array(target.info(), output, array);
  const auto& extents = target.extents();
  if (!extents.empty() &&
      !std::equal(extents.begin() + 1, extents.end(), array.extents.begin() + 1)) {
    throw PluginError(
        fmt::format("output '{}': an entry of extents [{}] is appended to one of [{}]",
                    target.info().name, fmt::join(array.extents, ", "), fmt::join(extents, ", ")));
  }
  target.add(array);
}

void Recorder::labels(std::size_t item, std::string_view dim, std::vector<std::string> labels) {
  check_texts(fmt::format("a label of '{}'", dim), labels);
  const auto scope = static_cast<std::uint32_t>(item);
  for (const LabelRecord& known : record_.labels) {
    if (known.item == scope && known.dim == dim) {
      throw PluginError(fmt::format("dimension '{}' is labelled twice", dim));
    }
  }
  record_.labels.push_back({scope, std::string(dim),
                            std::make_shared<const std::vector<std::string>>(std::move(labels))});
}

void Recorder::items(std::string_view list, std::vector<std::string> labels) {
  if (!record_.item_list.empty())
    throw PluginError(fmt::format("the items of '{}' are named twice", list));
  check_texts(fmt::format("an item of '{}'", list), labels);
  record_.item_list = list;
  record_.items = std::move(labels);
}

void Recorder::log(std::string_view text, bool warning) {
  check_text("a logged text", text);
  record_.log += fmt::format("{}{}\n", warning ? "warning: " : "", text);
  context_.monitor->log(run(), text, warning);
}

void Recorder::note(std::string_view key, std::string_view value) {
  check_text("a note", value);
  record_.notes += fmt::format("{}: {}\n", key, value);
}

void Recorder::announce(std::uint64_t bytes) {
  constexpr double kMiB = 1 << 20;
  const std::uint64_t available = std::filesystem::space(context_.folder).available;
  const double needed = static_cast<double>(bytes) / kMiB;
  // Twice: in the segment, and in the result file that is written from it.
  if (bytes > available / 2) {
    throw Error(fmt::format(
        "the outputs take {:.1f} MiB, and as much again while the result is written, but {} has "
        "{:.1f} MiB free",
        needed, context_.folder.string(), static_cast<double>(available) / kMiB));
  }
  log(fmt::format("will keep {:.1f} MiB", needed), false);
}

bool Recorder::stop_requested() {
  stopping_ = stopping_ || context_.monitor->stop_requested();
  return stopping_;
}

std::string Recorder::path_of(const Key& key) const {
  const OutputInfo& info = outputs()[key.output];
  return key.item == kNoItem ? info.name
                             : fmt::format("{}/{}/{}", info.per_item, key.item, info.name);
}

void Recorder::check_everything_written() const {
  for (std::uint32_t index = 0; index < outputs().size(); ++index) {
    const OutputInfo& info = outputs()[index];
    const bool expected = context_.plugin->table().is_written(context_.config, index);
    std::vector<Key> keys;
    if (info.per_item.empty()) {
      keys.push_back({index, kNoItem});
    } else if (record_.item_list.empty() && expected) {
      throw PluginError(fmt::format(
          "output '{}' is written per '{}', whose items have not been named (Run::items)",
          info.name, info.per_item));
    }
    for (std::uint32_t item = 0; !info.per_item.empty() && item < record_.items.size(); ++item) {
      keys.push_back({index, item});
    }
    for (const Key& key : keys) {
      if (expected && !streams_.contains(key)) {
        throw PluginError(
            fmt::format("output '{}' is declared, but was not written", path_of(key)));
      }
      if (!expected && streams_.contains(key)) {
        throw PluginError(
            fmt::format("output '{}' is written, though it is declared to be only where {}",
                        path_of(key), info.condition));
      }
    }
  }
}

void Recorder::check_dimensions() const {
  struct Length {
    std::uint64_t value;
    std::string output;
  };
  std::map<std::pair<std::uint32_t, std::string>, Length> lengths;
  for (const auto& [key, stream] : streams_) {
    for (std::size_t axis = 0; axis < stream.extents().size(); ++axis) {
      const std::string& dim = stream.info().dims[axis];
      const Length mine{stream.extents()[axis], path_of(key)};
      const auto [known, is_new] = lengths.try_emplace({key.item, dim}, mine);
      if (is_new || known->second.value == mine.value) continue;
      throw PluginError(fmt::format(
          "dimension '{}' has length {} in output '{}', but {} in '{}'; it has one length per {}",
          dim, mine.value, mine.output, known->second.value, known->second.output,
          in_scope(key.item)));
    }
  }
  for (const LabelRecord& label : record_.labels) {
    const auto known = lengths.find({label.item, label.dim});
    if (known == lengths.end()) {
      throw PluginError(fmt::format("dimension '{}' is labelled, but no output of the {} has it",
                                    label.dim, in_scope(label.item)));
    }
    if (known->second.value != label.labels->size()) {
      throw PluginError(fmt::format("dimension '{}' has {} labels, but length {} in output '{}'",
                                    label.dim, label.labels->size(), known->second.value,
                                    known->second.output));
    }
  }
}

void Recorder::complete() {
  if (committed_ || stopping_) return;
  check_everything_written();
  check_dimensions();
  for (auto& [key, stream] : streams_) {
    DatasetRecord dataset = stream.finish(path_of(key));
    dataset.output = key.output;
    dataset.item = key.item;
    record_.datasets.push_back(std::move(dataset));
  }
  commit();
}

void Recorder::fail(std::string text) {
  if (committed_) return;
  record_.status = RunStatus::failed;
  record_.failure = text.empty() ? "failed without saying why" : std::move(text);
  record_.labels.clear();
  record_.items.clear();
  record_.item_list.clear();
  commit();
}

void Recorder::commit() {
  record_.ended = now();
  context_.writer->commit(record_);
  committed_ = true;
  streams_.clear();
  last_declaration_ = nullptr;
  context_.monitor->committed(run(), record_.failure);
}

}  // namespace refran::runner
