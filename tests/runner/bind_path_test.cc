// How path fields are checked and made absolute.
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <refran/config.h>
#include "bind.h"
#include "config_error.h"
#include "resolve_as.h"
#include "temporary_folder.h"

namespace refran::runner {
namespace {

class BindPathTest : public testing::Test {
 protected:
  BindPathTest() {
    std::filesystem::create_directories(folder_ / "data");
    std::ofstream(folder_ / "data" / "v.txt") << "tía 1 0\n";
  }

  std::string error_of(const std::string& path) const {
    return config_error([&] { resolve_as<Paths>("  files: [" + path + "]", folder_); });
  }

  struct Paths {
    std::vector<std::filesystem::path> files;
    std::filesystem::path folder = "data";
    std::filesystem::path any = "not/there";
    std::optional<std::filesystem::path> model;
    void describe(Fields& field) {
      field("files", files, "Files").existing_file();
      field("folder", folder, "A folder").existing_folder();
      field("any", any, "Any path");
      field("model", model, "A model").existing_file();
    }
  };

  TemporaryFolder owner_;
  const std::filesystem::path& folder_ = owner_.path();
};

TEST_F(BindPathTest, LooksForPathsBelowTheBase) {
  const Value resolved = resolve_as<Paths>("  files: [data/v.txt, ./data/../data/v.txt]", folder_);
  EXPECT_EQ(resolved.find("files")->items[1].text, "./data/../data/v.txt");
  const Value absolute = with_absolute_paths(fields_of<Paths>(), resolved, folder_);
  EXPECT_EQ(absolute.find("files")->items[1].text, (folder_ / "data/v.txt").string());
  EXPECT_EQ(absolute.find("folder")->text, (folder_ / "data").string());
  EXPECT_EQ(absolute.find("any")->text, (folder_ / "not/there").string());
  EXPECT_EQ(absolute.find("model")->text, "auto");
  const std::filesystem::path file = folder_ / "data/v.txt";
  EXPECT_EQ(input_files(fields_of<Paths>(), resolved, folder_),
            (std::vector<std::filesystem::path>{file, file}));
}

TEST_F(BindPathTest, ReportsWhatIsThereInstead) {
  EXPECT_EQ(error_of("data/w.txt"),
            "x.yaml:2:11: config.files[0]: found nothing at 'data/w.txt' (" +
                (folder_ / "data/w.txt").string() + "), allowed: an existing file");
  EXPECT_EQ(error_of("data"), "x.yaml:2:11: config.files[0]: found a folder at 'data' (" +
                                  (folder_ / "data").string() + "), allowed: an existing file");
  EXPECT_EQ(error_of("''"),
            "x.yaml:2:11: config.files[0]: found a text '', allowed: an existing file");
  EXPECT_EQ(config_error([&] { resolve_as<Paths>("  folder: data/v.txt", folder_); }),
            "x.yaml:2:11: config.folder: found a file at 'data/v.txt' (" +
                (folder_ / "data/v.txt").string() + "), allowed: an existing folder");
}

TEST_F(BindPathTest, ReportsADefaultPathThatIsNotThereAtItsBlock) {
  std::filesystem::remove_all(folder_ / "data");
  EXPECT_EQ(config_error([&] { resolve_as<Paths>("  any: x", folder_); }),
            "x.yaml:2:3: config.folder: found nothing at 'data' (" + (folder_ / "data").string() +
                "), allowed: an existing folder");
}

}  // namespace
}  // namespace refran::runner
