#include <fstream>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "result_file.h"
#include "result_fixture.h"

namespace refran::runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kBrokenSeal =
    "the seal is broken: a label, an attribute or a text was changed";

// Results are edited by plain HDF5, as any program could.
class CheckResultTest : public ResultTest {
 protected:
  void SetUp() override {
    declare("share", Element::float64, {"step", "part"}).rows_sum_to_one = true;
    declare("count", Element::int32, {"step"});
    declare("word", Element::text, {"step"});
    declare("map", Element::float32, {"head"}, "sentence");
    for (std::uint64_t index = 0; index < 3; ++index) {
      if (index == 1) {
        run(index).fail("no words");
        continue;
      }
      const auto value = static_cast<std::int32_t>(index);
      run(index)
          .items("sentence", {"un", "dous"})
          .put<double>("share", {2, 2}, {1, 0, 0.25, 0.75})
          .put<std::int32_t>("count", {2}, {value, 11})
          .put("word", {2}, {"tía", "miña"})
          .put<float>("map", {2}, {0.5F, 0.25F}, 0)
          .put<float>("map", {1}, {1}, 1)
          .labels("part", {"(start)", "tía"})
          .complete();
    }
    file_ = write_runs("sweep: {seed: [3, 4, 5]}\n");
  }

  // What `check` finds after an edit.
  std::vector<std::string> after(const std::function<void(hid_t file)>& edit) {
    const hid_t file = H5Fopen(file_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    edit(file);
    H5Fclose(file);
    return check_result(file_);
  }

  template <class T>
  static void write_values(hid_t file, const char* path, hid_t type, std::vector<T> values) {
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(dataset);
  }
  static hid_t text_type() {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, static_cast<std::size_t>(-1));
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
  }
  static void write_texts(hid_t file, const char* path, std::vector<const char*> values) {
    const hid_t type = text_type();
    write_values(file, path, type, std::move(values));
    H5Tclose(type);
  }
  static void set_text(hid_t file, const char* path, const char* attribute, const char* value) {
    const hid_t type = text_type();
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    const hid_t opened = H5Aopen(object, attribute, H5P_DEFAULT);
    H5Awrite(opened, type, &value);
    H5Aclose(opened);
    H5Oclose(object);
    H5Tclose(type);
  }
  static void remove_attribute(hid_t file, const char* path, const char* attribute) {
    H5Adelete_by_name(file, path, attribute, H5P_DEFAULT);
  }

  std::filesystem::path file_;
};

TEST_F(CheckResultTest, FindsNothingWrongWithWhatTheWriterWrote) {
  EXPECT_THAT(check_result(file_), IsEmpty());
}

TEST_F(CheckResultTest, FindsAnyFlippedByteOfAnOutput) {
  // The doubles 0.25, 0.75 of the last run, as bytes of the file itself.
  std::string bytes = bytes_of(file_);
  const double row[] = {0.25, 0.75};
  const std::string pattern(reinterpret_cast<const char*>(row), sizeof(row));
  const std::size_t at = bytes.rfind(pattern);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  std::ofstream(file_, std::ios::binary) << bytes;
  EXPECT_THAT(check_result(file_),
              ElementsAre("share: the run seed=5 holds other values than its digest says"));
}

TEST_F(CheckResultTest, FindsOtherNumbersAndTexts) {
  EXPECT_THAT(after([](hid_t file) {
                write_values<std::int32_t>(file, "count", H5T_NATIVE_INT32, {0, 11, 0, 0, 2, 12});
                write_texts(file, "word", {"tía", "miña", "", "", "tia", "miña"});
              }),
              ElementsAre("count: the run seed=5 holds other values than its digest says",
                          "word: the run seed=5 holds other values than its digest says"));
}

TEST_F(CheckResultTest, FindsValuesOfFailedRuns) {
  EXPECT_THAT(after([](hid_t file) {
                write_values<std::int32_t>(file, "count", H5T_NATIVE_INT32, {0, 11, 0, 1, 2, 11});
              }),
              ElementsAre("count: the run seed=4 holds values, though its digest says that the "
                          "run failed"));
}

TEST_F(CheckResultTest, FindsWrongDigestsOfRuns) {
  EXPECT_THAT(after([](hid_t file) {
                const hid_t dataset = H5Dopen2(file, "digest/count", H5P_DEFAULT);
                const hid_t type = H5Dget_type(dataset);
                std::string digests(3 * 64, '0');
                H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, digests.data());
                digests[0] = digests[0] == 'a' ? 'b' : 'a';
                H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, digests.data());
                H5Tclose(type);
                H5Dclose(dataset);
              }),
              ElementsAre("count: the run seed=3 holds other values than its digest says",
                          "count: its sha256 is not that of its runs' digests"));
}

TEST_F(CheckResultTest, FindsWrongDigestsOfDatasets) {
  const std::string other(64, 'a');
  EXPECT_THAT(after([&](hid_t file) { set_text(file, "count", "sha256", other.c_str()); }),
              ElementsAre(kBrokenSeal, "count: its sha256 is not that of its runs' digests",
                          "the file's digest is not that of its datasets"));
}

TEST_F(CheckResultTest, FindsAWrongDigestOfTheFile) {
  const std::string other(64, 'a');
  EXPECT_THAT(after([&](hid_t file) { set_text(file, "/", "digest", other.c_str()); }),
              ElementsAre(kBrokenSeal, "the file's digest is not that of its datasets"));
}

TEST_F(CheckResultTest, FindsEditedLabels) {
  EXPECT_THAT(after([](hid_t file) {
                write_texts(file, "part", {"(start)", "tia"});
              }),
              ElementsAre(kBrokenSeal));
}

TEST_F(CheckResultTest, FindsEditedScales) {
  EXPECT_THAT(after([](hid_t file) {
                write_values<std::uint64_t>(file, "seed", H5T_NATIVE_UINT64, {3, 4, 6});
              }),
              ElementsAre(kBrokenSeal));
}

TEST_F(CheckResultTest, FindsEditedAttributes) {
  EXPECT_THAT(after([](hid_t file) { set_text(file, "count", "long_name", "Something else"); }),
              ElementsAre(kBrokenSeal));
  EXPECT_THAT(after([](hid_t file) { set_text(file, "sentence/0", "label", "outro"); }),
              ElementsAre(kBrokenSeal));
}

TEST_F(CheckResultTest, FindsEditedProvenance) {
  EXPECT_THAT(after([](hid_t file) { write_texts(file, "provenance/config", {"seed: 2\n"}); }),
              ElementsAre(kBrokenSeal));
}

TEST_F(CheckResultTest, FindsMissingAttributes) {
  EXPECT_THAT(after([](hid_t file) {
                remove_attribute(file, "count", "units");
                remove_attribute(file, "sentence", "count");
                remove_attribute(file, "sentence/1", "label");
                remove_attribute(file, "/", "run_id");
                remove_attribute(file, "/", "tolerance");
              }),
              ElementsAre("the attribute run_id is missing or no text",
                          "the attribute tolerance is missing or no real number",
                          "count: the attribute units is missing or no text",
                          "sentence: the attribute count is not the number of its items, 2",
                          "sentence/1: the attribute label is missing", kBrokenSeal));
}

TEST_F(CheckResultTest, FindsAMissingScale) {
  EXPECT_THAT(after([](hid_t file) { H5Ldelete(file, "part", H5P_DEFAULT); }),
              ElementsAre("share: dimension 2 has no scale in its group", kBrokenSeal));
}

TEST_F(CheckResultTest, FindsAMissingAxis) {
  const auto findings = after([](hid_t file) { H5Ldelete(file, "seed", H5P_DEFAULT); });
  EXPECT_THAT(findings, testing::Contains("the attribute seed is missing, and there is no axis of "
                                          "seeds"));
  EXPECT_THAT(findings, testing::Contains("seed: the scale of this axis is missing"));
  EXPECT_THAT(findings, testing::Contains("run_status: is not a text per run, with the axes as "
                                          "dimensions"));
}

TEST_F(CheckResultTest, FindsAMissingOutput) {
  EXPECT_THAT(after([](hid_t file) { H5Ldelete(file, "sentence/1/map", H5P_DEFAULT); }),
              ElementsAre("sentence: the attribute count is not the number of its items, 1",
                          "sentence/1/map: is missing, though its digests are there", kBrokenSeal,
                          "the file's digest is not that of its datasets"));
}

TEST_F(CheckResultTest, FindsMissingDigestsAndProvenance) {
  EXPECT_THAT(after([](hid_t file) {
                H5Ldelete(file, "digest/count", H5P_DEFAULT);
                H5Ldelete(file, "provenance/inputs", H5P_DEFAULT);
              }),
              ElementsAre("provenance/inputs: is missing", kBrokenSeal,
                          "digest/count: 0 digests are there, 3 runs have one"));
}

TEST_F(CheckResultTest, FindsRowsThatDoNotSumToOne) {
  EXPECT_THAT(after([](hid_t file) {
                write_values<double>(file, "share", H5T_NATIVE_DOUBLE,
                                     {1, 0, 0.25, 0.5, NAN, NAN, NAN, NAN, 1, NAN, 0.25, 0.75});
              }),
              ElementsAre("share: the run seed=3 holds other values than its digest says",
                          "share: the run seed=5 holds other values than its digest says",
                          "share: row 1 sums to 0.75, where rows have to sum to 1 (and 1 more rows "
                          "do not either)"));
}

TEST_F(CheckResultTest, FindsAStatusThatDoesNotFitTheRuns) {
  EXPECT_THAT(after([](hid_t file) { set_text(file, "/", "status", "complete"); }),
              ElementsAre("the attribute status is complete, but runs have failed", kBrokenSeal));
  EXPECT_THAT(
      after([](hid_t file) {
        set_text(file, "/", "status", "done");
        write_texts(file, "run_status", {"complete", "complete", "failed"});
      }),
      testing::IsSupersetOf({"the attribute status is 'done', not complete or failed",
                             "failure: run 2 failed without a reason",
                             "failure: run 1 did not fail, but has a reason",
                             "digest/count: run 1 is complete, but its digest is zeros",
                             "digest/count: run 2 is failed, but its digest is not zeros"}));
}

TEST_F(CheckResultTest, FindsMissingRunFacts) {
  EXPECT_THAT(after([](hid_t file) { H5Ldelete(file, "run_log", H5P_DEFAULT); }),
              ElementsAre("run_log: is missing", kBrokenSeal));
}

TEST_F(CheckResultTest, FindsForeignObjects) {
  EXPECT_THAT(after([](hid_t file) {
                const hid_t space = H5Screate(H5S_SCALAR);
                H5Dclose(H5Dcreate2(file, "half", H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT,
                                    H5P_DEFAULT));
                H5Sclose(space);
                H5Lcreate_soft("/nowhere", file, "link", H5P_DEFAULT, H5P_DEFAULT);
              }),
              ElementsAre("half: its elements are of a type the format does not have",
                          "half: the attribute units is missing or no text",
                          "half: the attribute long_name is missing or no text",
                          "link: is a link that leads nowhere or out of the file"));
}

TEST_F(CheckResultTest, SaysWhatIsNoResultAtAll) {
  std::ofstream(file_) << "x";
  const auto findings = check_result(file_);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(without_folder(findings.front()), "run.h5: is not an HDF5 file");
}

TEST_F(CheckResultTest, SurvivesAnyDamage) {
  // Bytes all over the file are flipped in turn: `check` says something or nothing (many bytes mean
  // nothing), and does not go down with HDF5.
  const std::string whole = bytes_of(file_);
  std::size_t found = 0;
  for (std::size_t at = 0; at < whole.size(); at += 211) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
    found += check_result(file_).empty() ? 0U : 1U;
  }
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace refran::runner
