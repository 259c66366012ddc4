// A fixture for tests that read experiment files.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace refran::runner {

class ExperimentFileTest : public testing::Test {
 protected:
  const std::filesystem::path& folder() const { return folder_.path(); }

  // The path of x.yaml with this text.
  std::filesystem::path write(const std::string& text) const {
    const std::filesystem::path file = folder() / "x.yaml";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  // A text with the folder of the test taken out: "x.yaml:1:2: …".
  std::string without_folder(std::string text) const {
    const std::string prefix = folder().string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
      text.erase(at, prefix.size());
    }
    return text;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace refran::runner
