// A folder that goes away with its owner.
#pragma once

#include <filesystem>

namespace refran::runner {

class TemporaryFolder {
 public:
  TemporaryFolder();  // below TMPDIR, else /tmp; throws StorageError
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace refran::runner
