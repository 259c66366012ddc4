// A worker's append-only file of results: checksummed records of values, and one commit record per
// run, with which the run is done whatever dies afterwards. Segments are the truth about a sweep
// while it runs; the result file is written from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "digest.h"
#include "storage_error.h"

namespace refran::runner {

enum class RunStatus : std::uint8_t { complete, failed };

std::string_view name_of(RunStatus status);

inline constexpr std::uint32_t kNoItem = 0xffffffff;

// A stretch of a segment file that holds values of one dataset, in order.
struct Piece {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// One dataset of one run: an output, or an output of an item.
struct DatasetRecord {
  std::uint32_t output = 0;  // index into Description::outputs
  std::uint32_t item = kNoItem;
  std::vector<std::uint64_t> extents;  // one per dim of the output
  Sha256 digest{};
  std::vector<Piece> pieces;  // canonical bytes, row-major (see digest.h)
};

// Labels that many runs share are in memory once.
using SharedTexts = std::shared_ptr<const std::vector<std::string>>;

struct LabelRecord {
  std::uint32_t item = kNoItem;
  std::string dim;
  SharedTexts labels;
};

// What a commit record says: all there is to know of a run.
struct RunRecord {
  std::uint64_t run = 0;  // index in grid order
  RunStatus status = RunStatus::complete;
  std::string failure;
  std::string log;
  std::string notes;
  std::string item_list;           // "" where the plugin named none
  std::vector<std::string> items;  // labels of the item list
  std::vector<DatasetRecord> datasets;
  std::vector<LabelRecord> labels;
  std::int64_t started = 0;  // microseconds since 1970, UTC
  std::int64_t ended = 0;
  std::uint32_t segment = 0;  // index of the file; set on reading
};

// Writes one segment file. Values and commits reach the kernel at once and the disk at least every
// second.
class SegmentWriter {
 public:
  // Creates the file; throws StorageError, which names the file and the cause.
  explicit SegmentWriter(const std::filesystem::path& file);
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  Piece write(std::span<const std::byte> values);
  void commit(const RunRecord& record);
  void sync();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// All committed runs of a folder of segments, or of one file. A torn or damaged tail of a file ends
// that file's records silently: it is what a killed worker leaves.
class SegmentSet {
 public:
  explicit SegmentSet(const std::filesystem::path& place);
  ~SegmentSet();

  // By run index; of a run committed twice (a retried failure) the complete record, else the later
  // one.
  const std::map<std::uint64_t, RunRecord>& runs() const { return runs_; }

  // Reads a dataset's values into `bytes` (its pieces in order), whose size must be the dataset's.
  void read(const RunRecord& run, const DatasetRecord& dataset, std::span<std::byte> bytes) const;

 private:
  void load(const std::filesystem::path& file, std::uint32_t segment);
  void share_labels(RunRecord& record);

  std::map<std::uint64_t, RunRecord> runs_;
  std::map<std::pair<std::uint32_t, std::string>, SharedTexts> latest_;  // by item and dim
  std::vector<int> files_;
};

}  // namespace refran::runner
