#include "segment.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace refran::runner {
namespace {

namespace fs = std::filesystem;

class SegmentTest : public testing::Test {
 protected:
  // Three runs with values of their own, written in turns as by a group.
  SegmentTest() {
    SegmentWriter writer(file());
    std::vector<RunRecord> runs(3);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs[i].run = i;
      runs[i].log = "run " + std::to_string(i);
      runs[i].datasets.resize(1);
      runs[i].datasets[0].extents = {2, values(i).size() / 2};
    }
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::vector<std::byte> bytes = values(i);
        const std::size_t size = bytes.size() / 2;
        runs[i].datasets[0].pieces.push_back(
            writer.write(std::span(bytes).subspan(half * size, size)));
      }
    }
    for (const RunRecord& run : runs) {
      writer.commit(run);
      ends_.push_back(fs::file_size(file()));
    }
  }

  fs::path file() const { return folder_.path() / "0.seg"; }

  static std::vector<std::byte> values(std::size_t run) {
    std::vector<std::byte> bytes(40 + 20 * run);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(7 * i + run);
    return bytes;
  }

  std::string bytes_of_file() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write(const std::string& bytes) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }

  const fs::path& folder() const { return folder_.path(); }

  static std::vector<std::byte> read(const SegmentSet& segments, std::size_t run) {
    std::vector<std::byte> bytes(values(run).size());
    const RunRecord& record = segments.runs().at(run);
    segments.read(record, record.datasets.at(0), bytes);
    return bytes;
  }

  // That the first `count` runs are there, with all their values, and no others.
  void expect_first_runs(std::size_t count) const {
    const SegmentSet segments(folder());
    ASSERT_EQ(segments.runs().size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(segments.runs().at(i).log, "run " + std::to_string(i));
      EXPECT_EQ(read(segments, i), values(i));
    }
  }

  // The runs whose commit ends before a byte.
  std::size_t committed_before(std::size_t byte) const {
    return static_cast<std::size_t>(
        std::count_if(ends_.begin(), ends_.end(), [&](std::size_t end) { return end <= byte; }));
  }

 private:
  TemporaryFolder folder_;
  std::vector<std::size_t> ends_;  // of the commit of each run
};

TEST_F(SegmentTest, HoldsWhatWasCommitted) { expect_first_runs(3); }

TEST_F(SegmentTest, CutAtAnyByteItHoldsTheRunsCommittedBefore) {
  const std::string whole = bytes_of_file();
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    SCOPED_TRACE(length);
    write(whole.substr(0, length));
    expect_first_runs(committed_before(length));
  }
}

// Damage to a commit, or to what says how long a record is, ends the file there; damage to values
// is told when they are read.
TEST_F(SegmentTest, DamagedAtAnyByteItGivesNoWrongValues) {
  const std::string whole = bytes_of_file();
  std::size_t told = 0;
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    SCOPED_TRACE(byte);
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 0x10);
    write(damaged);
    const SegmentSet segments(folder());
    EXPECT_GE(segments.runs().size(), committed_before(byte));
    for (const auto& [run, record] : segments.runs()) {
      EXPECT_EQ(record.log, "run " + std::to_string(run));
      try {
        EXPECT_EQ(read(segments, run), values(run));
      } catch (const StorageError& error) {
        ++told;
        EXPECT_EQ(error.what(), "the values of run " + std::to_string(run) +
                                    " are damaged on disk; delete its folder");
      }
    }
  }
  EXPECT_EQ(told, values(0).size() + values(1).size() + values(2).size());
}

TEST_F(SegmentTest, WithATailOfAnythingItHoldsTheRunsCommittedBefore) {
  const std::string whole = bytes_of_file();
  for (const std::string& tail : {std::string(64, '\0'), std::string(64, '\xff'), whole}) {
    write(whole + tail);
    expect_first_runs(3);
  }
}

}  // namespace
}  // namespace refran::runner
