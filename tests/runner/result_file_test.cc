#include "result_file.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config_error.h"
#include "hdf5_handle.h"
#include "result_fixture.h"
#include "thrown.h"

namespace refran::runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ResultFileTest : public ResultTest {
 protected:
  std::filesystem::path made() {
    declare("loss", Element::float64, {"step"});
    declare("count", Element::int64, {});
    for (std::uint64_t index = 0; index < 2; ++index) {
      run(index)
          .put<double>("loss", {3}, {0, 1, 2})
          .put<std::int64_t>("count", {}, {(std::int64_t{1} << 62) + 1})
          .labels("step", {"a", "b", "c"})
          .complete();
    }
    return write_runs("sweep: {config.rate: [0.1, 1e-3]}\n");
  }

  std::string open_error(const std::filesystem::path& file) const {
    return without_folder(
        tests::thrown<std::runtime_error>([&] { const ResultFile opened(file); }));
  }

  // An HDF5 file with these root attributes.
  std::filesystem::path foreign(
      const std::vector<std::pair<std::string, std::string>>& attributes) {
    const std::filesystem::path file = folder() / "other.h5";
    hdf5::NewFile out(file);
    for (const auto& [name, value] : attributes) hdf5::set_attribute(out.root(), name, value);
    out.close();
    return file;
  }
};

TEST_F(ResultFileTest, ListsDatasetsInOrderOfTheirPaths) {
  const ResultFile result(made());
  std::vector<std::string> paths;
  for (const DatasetInfo& dataset : result.datasets()) paths.push_back(dataset.path);
  EXPECT_THAT(paths, ElementsAre("config.rate", "count", "failure", "loss", "run_log", "run_note",
                                 "run_status", "step"));
  EXPECT_TRUE(result.find("loss")->is_output);
  EXPECT_FALSE(result.find("step")->is_output);
  EXPECT_EQ(result.find("nothing"), nullptr);
}

TEST_F(ResultFileTest, ReadsAnyStretchOfADataset) {
  const ResultFile result(made());
  const DatasetInfo& loss = *result.find("loss");
  EXPECT_THAT(result.read_numbers(loss, 2, 3), ElementsAre(2, 0, 1));
  EXPECT_THAT(result.read_numbers(loss, 0, 6), ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(result.read_texts(*result.find("step"), 1, 2), ElementsAre("b", "c"));
  EXPECT_THAT(result.read_integers(*result.find("count"), 0, 1),
              ElementsAre((std::int64_t{1} << 62) + 1));
  EXPECT_EQ(result.read_bytes(loss, 0, 6).size(), 48U);
}

TEST_F(ResultFileTest, GivesLabelsAsTextsOrNumbers) {
  const ResultFile result(made());
  const DatasetInfo& loss = *result.find("loss");
  EXPECT_THAT(result.labels(loss, 0), ElementsAre("0.1", "0.001"));
  EXPECT_THAT(result.labels(loss, 1), ElementsAre("a", "b", "c"));
}

TEST_F(ResultFileTest, GivesAttributesAsText) {
  const ResultFile result(made());
  EXPECT_EQ(result.attribute("axes"), "config.rate");
  EXPECT_EQ(result.attribute("tolerance"), "0");
  EXPECT_EQ(result.attribute("nothing"), "");
  EXPECT_EQ(result.text_attribute("loss", "units"), "1");
  EXPECT_EQ(result.provenance("nothing"), "");
}

TEST_F(ResultFileTest, RefusesWhatIsNoHdf5) {
  std::ofstream(folder() / "x.h5") << "experiment: toy\n";
  EXPECT_EQ(open_error(folder() / "x.h5"), "x.h5: is not an HDF5 file");
  std::ofstream(folder() / "empty.h5");
  EXPECT_EQ(open_error(folder() / "empty.h5"), "empty.h5: is not an HDF5 file");
  EXPECT_EQ(open_error(folder() / "nothing.h5"), "nothing.h5: cannot be read");
}

TEST_F(ResultFileTest, RefusesOtherHdf5Files) {
  EXPECT_EQ(open_error(foreign({})),
            "other.h5: is an HDF5 file, but no result of refran (no attribute format = "
            "refran-results)");
}

TEST_F(ResultFileTest, RefusesANewerMajorVersionOnly) {
  EXPECT_EQ(open_error(foreign({{"format", "refran-results"}, {"format_version", "2.0"}})),
            "other.h5: has format version 2.0, this refran reads up to 1.x; use a newer refran");
  EXPECT_EQ(open_error(foreign({{"format", "refran-results"}, {"format_version", "1.7"}})), "");
  EXPECT_EQ(open_error(foreign({{"format", "refran-results"}, {"format_version", "new"}})),
            "other.h5: has no readable format_version, but 'new'");
}

TEST_F(ResultFileTest, RefusesTruncatedFiles) {
  const std::filesystem::path file = made();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_EQ(open_error(file), "run.h5: is truncated: it was not copied or written to its end");
  std::filesystem::resize_file(file, 20);
  EXPECT_EQ(open_error(file), "run.h5: is damaged: HDF5 cannot open it");
}

TEST_F(ResultFileTest, FindsTheFileOfARun) {
  const std::filesystem::path run = folder() / "toy" / "20261130T024512Z-3f9a1c";
  std::filesystem::create_directories(run / "segments");
  EXPECT_EQ(without_folder(config_error([&] { result_path(run); })),
            "toy/20261130T024512Z-3f9a1c: is an incomplete run, it has no run.h5 yet");
  EXPECT_EQ(without_folder(config_error([&] { result_path(folder() / "toy"); })),
            "toy: holds no result, neither run.h5 nor latest.h5");
  EXPECT_EQ(without_folder(config_error([&] { result_path(folder() / "no"); })),
            "no: there is no such file or folder");
  std::ofstream(run / "run.h5") << "x";
  std::filesystem::create_symlink(run.filename() / "run.h5", folder() / "toy" / "latest.h5");
  EXPECT_EQ(result_path(run), run / "run.h5");
  EXPECT_EQ(result_path(run / "run.h5"), run / "run.h5");
  EXPECT_EQ(result_path(folder() / "toy"), folder() / "toy" / "latest.h5");
}

}  // namespace
}  // namespace refran::runner
