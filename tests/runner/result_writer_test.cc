#include "result_writer.h"

#include <sys/mount.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <refran/random.h>
#include "result_fixture.h"
#include "slabs.h"
#include "stacked_writer.h"

namespace refran::runner {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kTwoSeeds = "sweep: {seed: [3, 4]}\n";

class ResultWriterTest : public ResultTest {
 protected:
  std::string write_error(const std::string& yaml = "") {
    try {
      write_runs(yaml);
    } catch (const std::runtime_error& error) {
      return without_folder(error.what());
    }
    return "nothing was thrown";
  }
};

TEST_F(ResultWriterTest, WritesASingleRun) {
  declare("share", Element::float64, {"step", "part"}).rows_sum_to_one = true;
  declare("word", Element::text, {"step"}).doc = "The word that is read";
  run()
      .put<double>("share", {2, 2}, {1, 0, 0.25, 0.75})
      .put("word", {2}, {"tía", ""})
      .labels("part", {"(start)", "tía"})
      .said("a tie\n", "rate: 0.5\n")
      .complete();
  const ResultFile result(write_runs());
  EXPECT_THAT(result.axes(), IsEmpty());
  EXPECT_EQ(result.attribute("status"), "complete");
  EXPECT_EQ(result.attribute("seed"), "1");
  EXPECT_EQ(result.attribute("experiment"), "toy");
  EXPECT_EQ(result.attribute("plugin_version"), "2.0.0");
  EXPECT_EQ(result.attribute("digest"), digest_);
  EXPECT_EQ(result.provenance("config"), "experiment: toy\n");
  EXPECT_THAT(numbers(result, "share"), ElementsAre(1, 0, 0.25, 0.75));
  EXPECT_THAT(texts(result, "word"), ElementsAre("tía", ""));
  EXPECT_THAT(texts(result, "part"), ElementsAre("(start)", "tía"));
  EXPECT_THAT(numbers(result, "step"), ElementsAre(0, 1));
  EXPECT_THAT(texts(result, "run_status"), ElementsAre("complete"));
  EXPECT_THAT(texts(result, "failure"), ElementsAre(""));
  EXPECT_THAT(texts(result, "run_log"), ElementsAre("a tie\n"));
  EXPECT_THAT(texts(result, "run_note"), ElementsAre("rate: 0.5\n"));
  const DatasetInfo& share = *result.find("share");
  EXPECT_THAT(share.dims, ElementsAre("step", "part"));
  EXPECT_TRUE(share.rows_sum_to_one);
  EXPECT_EQ(share.axes, 0U);
  EXPECT_EQ(result.find("word")->long_name, "The word that is read");
  EXPECT_THAT(check_result(result.path()), IsEmpty());
}

TEST_F(ResultWriterTest, StacksRunsInGridOrderAndFillsFailedCells) {
  declare("loss", Element::float32, {"step"});
  declare("count", Element::int64, {});
  declare("word", Element::text, {"step"});
  for (const int index : {5, 0, 3, 1, 2}) {  // as workers commit them
    const auto base = static_cast<float>(10 * index);
    run(static_cast<std::uint64_t>(index))
        .put<float>("loss", {2}, {base, base + 1})
        .put<std::int64_t>("count", {}, {index})
        .put("word", {2}, {"a" + std::to_string(index), "b"})
        .complete();
  }
  run(4).fail("no words");
  const ResultFile result(
      write_runs("sweep: {config.rate: [0.5, 1], seed: {from: 7, count: 3}}\n"));
  EXPECT_THAT(result.axes(), ElementsAre("config.rate", "seed"));
  EXPECT_EQ(result.attribute("status"), "failed");
  EXPECT_EQ(result.attribute("seed"), "");
  EXPECT_THAT(numbers(result, "config.rate"), ElementsAre(0.5, 1));
  EXPECT_THAT(numbers(result, "seed"), ElementsAre(7, 8, 9));
  const std::vector<double> loss = numbers(result, "loss");
  const double nan = std::nan("");
  EXPECT_THAT(loss, testing::Pointwise(testing::NanSensitiveDoubleEq(),
                                       {0., 1., 10., 11., 20., 21., 30., 31., nan, nan, 50., 51.}));
  EXPECT_THAT(numbers(result, "count"), ElementsAre(0, 1, 2, 3, 0, 5));
  EXPECT_THAT(texts(result, "word"),
              ElementsAre("a0", "b", "a1", "b", "a2", "b", "a3", "b", "", "", "a5", "b"));
  EXPECT_THAT(texts(result, "failure"), ElementsAre("", "", "", "", "no words", ""));
  EXPECT_EQ(result.run_digests(*result.find("loss"))[4], std::string(64, '0'));
  EXPECT_THAT(result.find("loss")->dims, ElementsAre("config.rate", "seed", "step"));
  EXPECT_EQ(result.find("loss")->axes, 2U);
  EXPECT_THAT(check_result(result.path()), IsEmpty());
}

TEST_F(ResultWriterTest, MakesGroupsWhereExtentsDiffer) {
  declare("loss", Element::float64, {});
  declare("map", Element::float64, {"head"});
  for (std::uint64_t index = 0; index < 4; ++index) {
    const std::uint64_t heads = index < 2 ? 1 : 2;
    run(index)
        .put<double>("loss", {}, {0.5})
        .put<double>("map", {heads}, std::vector<double>(heads, static_cast<double>(index)))
        .complete();
  }
  const ResultFile result(write_runs("sweep: {config.heads: [1, 2], seed: [3, 4]}\n"));
  EXPECT_EQ(result.find("map"), nullptr);
  EXPECT_THAT(numbers(result, "config.heads=1/map"), ElementsAre(0, 1));
  EXPECT_THAT(numbers(result, "config.heads=2/map"), ElementsAre(2, 2, 3, 3));
  EXPECT_THAT(result.find("config.heads=2/map")->dims, ElementsAre("seed", "head"));
  EXPECT_THAT(numbers(result, "config.heads=2/seed"), ElementsAre(3, 4));
  EXPECT_THAT(result.find("loss")->dims, ElementsAre("config.heads", "seed"));
  EXPECT_THAT(check_result(result.path()), IsEmpty());
}

TEST_F(ResultWriterTest, WritesItemsWithScalesOfTheirOwn) {
  declare("map", Element::float64, {"word"}, "sentence");
  for (std::uint64_t index = 0; index < 2; ++index) {
    run(index)
        .items("sentence", {"tía miña", index == 0 ? "un" : "outro"})
        .put<double>("map", {2}, {1, 2}, 0)
        .put<double>("map", {1}, {3}, 1)
        .labels("word", {"tía", "miña"}, 0)
        .labels("word", {index == 0 ? "un" : "outro"}, 1)
        .complete();
  }
  const ResultFile result(write_runs(kTwoSeeds));
  EXPECT_THAT(numbers(result, "sentence/0/map"), ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(texts(result, "sentence/0/word"), ElementsAre("tía", "miña"));
  EXPECT_EQ(result.text_attribute("sentence", "count"), "2");
  EXPECT_EQ(result.text_attribute("sentence/0", "label"), "tía miña");
  // Where runs name an item, or a position, differently.
  EXPECT_EQ(result.text_attribute("sentence/1", "label"), "");
  EXPECT_THAT(texts(result, "sentence/1/sentence_label"), ElementsAre("un", "outro"));
  EXPECT_THAT(texts(result, "sentence/1/word_label"), ElementsAre("un", "outro"));
  EXPECT_THAT(result.find("sentence/1/word_label")->dims, ElementsAre("seed", "word"));
  EXPECT_THAT(numbers(result, "sentence/1/word"), ElementsAre(0));
  EXPECT_THAT(check_result(result.path()), IsEmpty());
}

TEST_F(ResultWriterTest, WritesTheKeysOfAZipBesideItsScale) {
  declare("loss", Element::float64, {});
  for (std::uint64_t index = 0; index < 2; ++index) {
    run(index).put<double>("loss", {}, {0.5}).complete();
  }
  const ResultFile result(
      write_runs("sweep: {zip: {size: {config.heads: [1, 2], config.name: [small, large]}}}\n"));
  EXPECT_THAT(texts(result, "size"), ElementsAre("1, small", "2, large"));
  EXPECT_THAT(numbers(result, "config.heads"), ElementsAre(1, 2));
  EXPECT_THAT(texts(result, "config.name"), ElementsAre("small", "large"));
  EXPECT_THAT(result.find("config.heads")->dims, ElementsAre("size"));
  EXPECT_THAT(check_result(result.path()), IsEmpty());
}

TEST_F(ResultWriterTest, DescribesAnAxisByItsField) {
  declare("loss", Element::float64, {});
  Field inner = field("length", FieldType::real, Value::real(1));
  inner.doc = "How long it is";
  inner.unit = "s";
  Field group = field("step", FieldType::group, Value::map());
  group.default_value["length"] = Value::real(1);
  group.fields = {inner};
  description_.fields = {group};
  for (std::uint64_t index = 0; index < 2; ++index) {
    run(index).put<double>("loss", {}, {0.5}).complete();
  }
  const ResultFile result(write_runs("sweep: {config.step.length: [1.5, 2]}\n"));
  EXPECT_EQ(result.find("config.step.length")->units, "s");
  EXPECT_EQ(result.find("config.step.length")->long_name, "How long it is");
}

TEST_F(ResultWriterTest, KeepsSeedsBeyondSignedNumbers) {
  declare("loss", Element::float64, {});
  run(0).put<double>("loss", {}, {1}).complete();
  run(1).put<double>("loss", {}, {2}).complete();
  const ResultFile result(write_runs("sweep: {seed: [0, 18446744073709551615]}\n"));
  EXPECT_THAT(result.labels(*result.find("loss"), 0), ElementsAre("0", "18446744073709551615"));
}

TEST_F(ResultWriterTest, StillWritesAFileWhereAllRunsFailed) {
  declare("loss", Element::float64, {"step"});
  run(0).fail("one");
  run(1).fail("two");
  const ResultFile result(write_runs(kTwoSeeds));
  EXPECT_EQ(result.find("loss"), nullptr);
  EXPECT_THAT(texts(result, "run_status"), Each(std::string("failed")));
  EXPECT_THAT(texts(result, "failure"), ElementsAre("one", "two"));
  EXPECT_THAT(check_result(result.path()), IsEmpty());
}

TEST_F(ResultWriterTest, WritesArraysWithoutElements) {
  declare("loss", Element::float64, {"step"});
  declare("word", Element::text, {"step"});
  run(0).put<double>("loss", {0}, {}).put("word", {0}, std::vector<std::string>{}).complete();
  run(1).put<double>("loss", {0}, {}).put("word", {0}, std::vector<std::string>{}).complete();
  const ResultFile result(write_runs(kTwoSeeds));
  EXPECT_THAT(result.find("loss")->extents, ElementsAre(2U, 0U));
  EXPECT_THAT(check_result(result.path()), IsEmpty());
}

TEST_F(ResultWriterTest, JoinsCellsThatAreLargerThanABuffer) {
  constexpr std::uint64_t kRows = 700;
  constexpr std::uint64_t kColumns = 1000;  // 5.6 MB a run
  declare("big", Element::float64, {"row", "column"});
  declare("big_count", Element::int32, {"row", "column"});
  for (std::uint64_t index = 0; index < 2; ++index) {
    std::vector<double> values(kRows * kColumns);
    std::iota(values.begin(), values.end(), static_cast<double>(index * values.size()));
    const std::vector<std::int32_t> counts(values.begin(), values.end());
    run(index)
        .put<double>("big", {kRows, kColumns}, values)
        .put<std::int32_t>("big_count", {kRows, kColumns}, counts)
        .complete();
  }
  const ResultFile result(write_runs(kTwoSeeds));
  std::vector<double> expected(2 * kRows * kColumns);
  std::iota(expected.begin(), expected.end(), 0.0);
  EXPECT_TRUE(numbers(result, "big") == expected);
  EXPECT_TRUE(numbers(result, "big_count") == expected);
  EXPECT_THAT(check_result(result.path()), IsEmpty());
}

TEST_F(ResultWriterTest, GivesTheSameBytesForTheSameRuns) {
  declare("loss", Element::float64, {"step"});
  declare("map", Element::int32, {"word"}, "sentence");
  for (std::uint64_t index = 0; index < 2; ++index) {
    run(index)
        .items("sentence", {"un"})
        .put<double>("loss", {2}, {0.5, 1})
        .put<std::int32_t>("map", {2000}, std::vector<std::int32_t>(2000, 7), 0)
        .complete();
  }
  const std::string first = bytes_of(write_runs(kTwoSeeds));
  EXPECT_TRUE(first == bytes_of(write_runs(kTwoSeeds)));
}

TEST_F(ResultWriterTest, LeavesWallClockOutOfTheDigest) {
  declare("loss", Element::float64, {});
  run().put<double>("loss", {}, {0.5}).complete();
  write_runs();
  const std::string first = digest_;
  info_.ended = "2027-01-01T00:00:00Z";
  info_.environment = "{}";
  write_runs();
  EXPECT_EQ(first, digest_);
  // Recomputed with hashlib from the rules of results/README.md.
  EXPECT_EQ(first, "e23eb8efbbdb48aa190812d2d6b808444d0cd9045ec825e7bd68e85130b18e44");
}

TEST_F(ResultWriterTest, RefusesNamesThatWouldBeThereTwice) {
  declare("seed", Element::float64, {});
  run(0).put<double>("seed", {}, {1}).complete();
  run(1).put<double>("seed", {}, {2}).complete();
  EXPECT_EQ(write_error(kTwoSeeds),
            "run.h5: a result cannot hold an axis of the sweep and an output, each called 'seed': "
            "rename one");
}

TEST_F(ResultWriterTest, RefusesTextsThatHdf5CannotHold) {
  declare("word", Element::text, {});
  run().put("word", {}, {std::string("a\0b", 3)}).complete();
  EXPECT_EQ(write_error(), "run.h5: cannot write word: HDF5 texts hold no zero bytes");
  EXPECT_FALSE(std::filesystem::exists(folder() / "run.h5"));
}

TEST_F(ResultWriterTest, SaysWhereItCannotWrite) {
  declare("loss", Element::float64, {});
  run().put<double>("loss", {}, {1}).complete();
  std::filesystem::create_directory(folder() / "run.h5");
  EXPECT_EQ(write_error(), "run.h5: cannot create the file: Is a directory");
}

// HDF5 holds on to what it could not write and would try again when the process ends.
TEST_F(ResultWriterTest, GivesUpCleanlyWhereAFileMayNotGrow) {
  declare("loss", Element::float64, {"step"});
  declare("count", Element::int32, {"step"});  // compressed: its chunks wait in a cache
  std::vector<std::int32_t> counts(100'000);
  Stream stream(1, "counts");
  for (std::int32_t& count : counts) count = static_cast<std::int32_t>(stream.below(1U << 31));
  run()
      .put<double>("loss", {100'000}, std::vector<double>(100'000, 1))
      .put<std::int32_t>("count", {100'000}, counts)
      .complete();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t limit :
       {rlim_t{1} << 10, rlim_t{100} << 10, rlim_t{790} << 10, rlim_t{1200} << 10}) {
    writer_->sync();
    const rlimit small{limit, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string error = write_error();
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(error, testing::MatchesRegex("run.h5: cannot .*: File too large")) << limit;
    EXPECT_FALSE(std::filesystem::exists(folder() / "run.h5"));
  }
  EXPECT_THAT(check_result(write_runs()), IsEmpty());
}

TEST_F(ResultWriterTest, SaysThatTheDiskIsFull) {
  const std::filesystem::path disk = folder() / "disk";
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=512k") != 0) {
    GTEST_SKIP() << "only root can mount a small disk";
  }
  declare("loss", Element::float64, {"step"});
  run().put<double>("loss", {100'000}, std::vector<double>(100'000, 1)).complete();
  const SegmentSet segments(folder() / "segments");
  std::string error = "nothing was thrown";
  try {
    write_result(disk / "run.h5", plan("experiment: toy\n"), segments, info_);
  } catch (const std::runtime_error& thrown) {
    error = without_folder(thrown.what());
  }
  EXPECT_EQ(error, "disk/run.h5: cannot write loss: No space left on device");
  EXPECT_TRUE(std::filesystem::is_empty(disk));
  umount(disk.c_str());
}

TEST(StorageTest, CompressesIntegersThatAreWorthIt) {
  EXPECT_THAT(storage_of(Element::int32, {1000}, false).chunk, IsEmpty());  // below 4 KiB
  EXPECT_THAT(storage_of(Element::int32, {1024}, false).chunk, ElementsAre(1024U));
  EXPECT_THAT(storage_of(Element::int64, {10, 300, 1000}, false).chunk,
              ElementsAre(1U, 131U, 1000U));  // 1 MiB at most
  EXPECT_THAT(storage_of(Element::float64, {100'000}, false).chunk, IsEmpty());
  EXPECT_THAT(storage_of(Element::float64, {100'000}, true).chunk, ElementsAre(100'000U));
  EXPECT_THAT(storage_of(Element::text, {100'000}, true).chunk, IsEmpty());
}

TEST(SlabsTest, CoverAnArrayInOrder) {
  std::vector<std::vector<std::uint64_t>> starts;
  std::uint64_t covered = 0;
  for (Slabs slabs({2, 3, 4}, 9); slabs.next();) {
    starts.push_back(slabs.box().start);
    covered += slabs.box().size();
    EXPECT_LE(slabs.box().size(), 9U);
  }
  EXPECT_EQ(covered, 24U);
  EXPECT_THAT(starts, ElementsAre(ElementsAre(0U, 0U, 0U), ElementsAre(0U, 2U, 0U),
                                  ElementsAre(1U, 0U, 0U), ElementsAre(1U, 2U, 0U)));
}

TEST(SlabsTest, TakeWholeArraysThatFitAndSingleElementsThatDoNot) {
  Slabs whole({5, 4}, 20);
  ASSERT_TRUE(whole.next());
  EXPECT_THAT(whole.box().count, ElementsAre(5U, 4U));
  EXPECT_FALSE(whole.next());
  Slabs single({}, 1);
  ASSERT_TRUE(single.next());
  EXPECT_EQ(single.box().size(), 1U);
  EXPECT_FALSE(single.next());
  EXPECT_FALSE(Slabs({3, 0}, 10).next());
}

TEST(BoxTest, NeverLeavesWhatIsContiguous) {
  const std::vector<std::uint64_t> extents = {3, 4, 5};
  for (std::uint64_t first = 0; first < 60; ++first) {
    for (std::uint64_t count = 1; first + count <= 60; ++count) {
      const hdf5::Box box = box_at(extents, first, count);
      EXPECT_LE(box.size(), count);
      EXPECT_EQ((box.start[0] * 4 + box.start[1]) * 5 + box.start[2], first);
      const std::uint64_t last =
          ((box.start[0] + box.count[0] - 1) * 4 + box.start[1] + box.count[1] - 1) * 5 +
          box.start[2] + box.count[2] - 1;
      EXPECT_EQ(last - first + 1, box.size());
    }
  }
}

}  // namespace
}  // namespace refran::runner
