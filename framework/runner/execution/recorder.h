// Takes in what one run puts out, holds the plugin to what it declared, and commits the run to a
// segment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <refran/detail/host.h>
#include "dataset_stream.h"
#include "monitor.h"
#include "plugin_loader.h"
#include "segment.h"

namespace refran::runner {

// What all runs of a batch share.
struct BatchContext {
  const Plugin* plugin = nullptr;
  const void* config = nullptr;  // as bound by the plugin
  SegmentWriter* writer = nullptr;
  Monitor* monitor = nullptr;
  std::filesystem::path
      folder;  // where results go: its free space bounds what a plugin may announce
  int threads = 1;
};

class Recorder : public detail::Host {
 public:
  Recorder(const BatchContext& context, std::size_t run, std::uint64_t seed);

  // Checks that everything declared is there and commits; does nothing where the run is committed
  // already, or was told to stop. Throws PluginError.
  void complete() override;
  // Commits the run as failed, its outputs dropped.
  void fail(std::string text) override;

  bool is_committed() const { return committed_; }
  std::size_t run() const { return static_cast<std::size_t>(record_.run); }

  void put(const detail::OutputRef& output, std::size_t item,
           const detail::HostArray& array) override;
  void append(const detail::OutputRef& output, std::size_t item,
              const detail::HostArray& array) override;
  void labels(std::size_t item, std::string_view dim, std::vector<std::string> labels) override;
  void items(std::string_view list, std::vector<std::string> labels) override;
  void log(std::string_view text, bool warning) override;
  void note(std::string_view key, std::string_view value) override;
  void announce(std::uint64_t bytes) override;
  void progress(double done, double total) override { context_.monitor->progress(done, total); }
  bool stop_requested() override;
  int threads() const override { return context_.threads; }
  std::uint64_t seed() const override { return seed_; }
  const void* part() override { return context_.plugin->part(); }

 private:
  struct Key {
    std::uint32_t output;
    std::uint32_t item;
    auto operator<=>(const Key&) const = default;
  };

  const std::vector<OutputInfo>& outputs() const { return context_.plugin->description().outputs; }
  std::uint32_t index_of(const detail::OutputRef& output) const;
  std::uint32_t checked_item(const OutputInfo& info, std::size_t item) const;
  DatasetStream& stream(const detail::OutputRef& output, std::size_t item, bool whole);
  void check_array(const OutputInfo& info, const detail::OutputRef& output,
                   const detail::HostArray& array) const;
  void check_everything_written() const;
  void check_dimensions() const;
  std::string path_of(const Key& key) const;
  void commit();

  BatchContext context_;
  std::uint64_t seed_;
  RunRecord record_;
  std::map<Key, DatasetStream> streams_;
  // The dataset that was appended to last, found without a look-up.
  const void* last_declaration_ = nullptr;
  std::size_t last_item_ = detail::kNoItem;
  DatasetStream* last_stream_ = nullptr;
  bool committed_ = false;
  bool stopping_ = false;
};

}  // namespace refran::runner
