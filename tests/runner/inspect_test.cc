#include "inspect.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config_error.h"
#include "result_fixture.h"
#include "table.h"

namespace refran::runner {
namespace {

using testing::ElementsAre;

class InspectTest : public ResultTest {
 protected:
  // The files of an export and their contents.
  std::map<std::string, std::string> exported(const std::filesystem::path& file) {
    std::map<std::string, std::string> contents;
    for (const auto& path : export_csv(ResultFile(file), folder() / "csv")) {
      contents[path.filename().string()] = bytes_of(path);
    }
    return contents;
  }
};

TEST_F(InspectTest, ShowsASingleRun) {
  declare("share", Element::float64, {"step", "part"}).doc = "How much is left";
  declare("loss", Element::float32, {}).unit = "nat";
  run()
      .put<double>("share", {2, 2}, {1, 0, 0.5, 0.5})
      .put<float>("loss", {}, {1})
      .said("a tie\n", "rate: 0.5\n")
      .complete();
  const ResultFile result(write_runs());
  EXPECT_EQ(show_result(result),
            "toy: What is written?\n"
            "\n"
            "  run_id           20261130T024512Z-3f9a1c\n"
            "  status           complete\n"
            "  started          2026-11-30T02:45:12Z\n"
            "  ended            2026-11-30T02:45:13Z\n"
            "  seed             1\n"
            "  reproducibility  bitwise\n"
            "  refran           " +
                result.attribute("refran_version") +
                "\n"
                "  plugin           2.0.0\n"
                "  digest           " +
                digest_ +
                "\n"
                "\n"
                "Outputs\n"
                "  output  type     dimensions       unit  meaning\n"
                "  loss    float32  one value        nat   Numbers for a test\n"
                "  share   float64  step 2 × part 2  1     How much is left\n"
                "\n"
                "Notes\n"
                "  rate: 0.5\n"
                "\n"
                "Log\n"
                "  a tie\n"
                "\n"
                "Provenance\n"
                "  refran.version   0.1.0\n"
                "  workers          2\n"
                "  input words.txt  SHA-256 00ff\n"
                "\n"
                "Config\n"
                "  experiment: toy\n");
}

TEST_F(InspectTest, ShowsTheAxesFailuresAndItemsOfASweep) {
  declare("map", Element::float64, {"word"}, "sentence");
  for (std::uint64_t index = 0; index < 12; ++index) {
    if (index == 7) {
      run(index).fail("no words\nat all");
      continue;
    }
    run(index)
        .items("sentence", {"un", "dous"})
        .put<double>("map", {2}, {1, 2}, 0)
        .put<double>("map", {5}, {1, 2, 3, 4, 5}, 1)
        .complete();
  }
  const std::string text =
      show_result(ResultFile(write_runs("sweep: {seed: {from: 1, count: 12}}\n")));
  EXPECT_THAT(text, testing::HasSubstr("\nSweep\n"
                                       "  axis  points  values\n"
                                       "  seed      12  1, 2, 3, 4, 5, 6, 7, … 12\n"
                                       "\n"
                                       "Failed, 1 of 12 runs\n"
                                       "  seed=8: no words\n"
                                       "\n"
                                       "Outputs\n"
                                       "  output              type     dimensions"
                                       "          unit  meaning\n"
                                       "  sentence/*/map (2)  float64  seed 12 × word 2–5"
                                       "  1     Numbers for a test\n"));
}

TEST_F(InspectTest, ExportsARowPerCell) {
  declare("share", Element::float64, {"step", "part"});
  declare("word", Element::text, {"step"});
  run()
      .put<double>("share", {2, 2}, {1, 1e-300, std::nan(""), 0.1})
      .put("word", {2}, {"a,b", "say \"un\"\nplease"})
      .labels("part", {"(start)", "tía, miña"})
      .complete();
  EXPECT_THAT(exported(write_runs()),
              ElementsAre(testing::Pair("run_status.csv",
                                        "run_status,failure,run_note,run_log\n"
                                        "complete,,,\n"),
                          testing::Pair("share.csv",
                                        "step,part,part_label,share\n"
                                        "0,0,(start),1\n"
                                        "0,1,\"tía, miña\",1e-300\n"
                                        "1,0,(start),NaN\n"
                                        "1,1,\"tía, miña\",0.1\n"),
                          testing::Pair("word.csv",
                                        "step,word\n"
                                        "0,\"a,b\"\n"
                                        "1,\"say \"\"un\"\"\nplease\"\n")));
}

TEST_F(InspectTest, ExportsAxesOfGroupsAndStacksAlikeAndLeavesOutFailedRuns) {
  declare("map", Element::float32, {"head"});
  run(0).put<float>("map", {1}, {0.1F}).complete();
  run(1).fail("why");
  run(2).put<float>("map", {2}, {0.2F, 0.3F}).complete();
  run(3).put<float>("map", {2}, {0.4F, 0.5F}).complete();
  const auto files = exported(write_runs("sweep: {config.heads: [1, 2], seed: [7, 8]}\n"));
  EXPECT_EQ(files.at("map.csv"),
            "config.heads,seed,head,map\n"
            "1,7,0,0.1\n"
            "2,7,0,0.2\n"
            "2,7,1,0.3\n"
            "2,8,0,0.4\n"
            "2,8,1,0.5\n");
  EXPECT_EQ(files.at("run_status.csv"),
            "config.heads,seed,run_status,failure,run_note,run_log\n"
            "1,7,complete,,,\n"
            "1,8,failed,why,,\n"
            "2,7,complete,,,\n"
            "2,8,complete,,,\n");
}

TEST_F(InspectTest, ExportsItemsOfAnOutputIntoOneFile) {
  declare("map", Element::int64, {"word"}, "sentence");
  for (std::uint64_t index = 0; index < 2; ++index) {
    run(index)
        .items("sentence", {"un", index == 0 ? "dous" : "tres"})
        .put<std::int64_t>("map", {1}, {-5}, 0)
        .put<std::int64_t>("map", {1}, {6}, 1)
        .labels("word", {index == 0 ? "d" : "t"}, 1)
        .complete();
  }
  EXPECT_EQ(exported(write_runs("sweep: {seed: [3, 4]}\n")).at("map.csv"),
            "seed,item,item_label,word,word_label,map\n"
            "3,0,un,0,,-5\n"
            "4,0,un,0,,-5\n"
            "3,1,dous,0,d,6\n"
            "4,1,tres,0,t,6\n");
}

TEST_F(InspectTest, RefusesAFolderThatHoldsSomething) {
  declare("loss", Element::float64, {});
  run().put<double>("loss", {}, {1}).complete();
  const ResultFile result(write_runs());
  std::filesystem::create_directory(folder() / "csv");
  export_csv(result, folder() / "csv");
  EXPECT_EQ(without_folder(config_error([&] { export_csv(result, folder() / "csv"); })),
            "csv: is there already and not empty; name a new folder with --out");
}

TEST(TableTest, AlignsByCharacters) {
  Table table({"word", "n"});
  table.align_right({1});
  table.add({"tía", "10"});
  table.add({"refráns", "9"});
  EXPECT_EQ(table.to_string(), "word      n\ntía      10\nrefráns   9\n");
}

TEST(TableTest, SpellsNumbersSoThatTheyReadBack) {
  std::string text;
  for (const double value : {0.1, 1.0, -2.5e-10, 1e22, std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
    append_number(text, value);
    text += " ";
  }
  append_number(text, 0.1F);
  EXPECT_EQ(text, "0.1 1 -2.5e-10 1e+22 Inf -Inf 0.1");
}

}  // namespace
}  // namespace refran::runner
