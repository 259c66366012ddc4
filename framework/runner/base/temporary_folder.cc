#include "temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "storage_error.h"

namespace refran::runner {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "refran-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw StorageError(fmt::format("{}: cannot be created: {}", name, std::strerror(errno)));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace refran::runner
