#include "text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "storage_error.h"

namespace refran::runner {
namespace {

namespace fs = std::filesystem;

void sync_folder(const fs::path& folder) {
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0)
    return;  // some file systems let no folder be opened; the rename itself has happened
  fsync(handle);
  close(handle);
}

// Makes a file, opened with these flags beside O_CREAT; false where O_EXCL finds that there is one.
bool write_synced(const fs::path& file, const std::string& text, int flags) {
  const int handle = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
  if (handle < 0 && errno == EEXIST) return false;
  if (handle < 0) throw_errno(file, "cannot be created");
  const bool written =
      ::write(handle, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool synced = written && fsync(handle) == 0;
  const int error = errno;
  close(handle);
  errno = error;
  if (!synced) throw_errno(file, "cannot be written");
  return true;
}

}  // namespace

void throw_errno(const fs::path& path, std::string_view what) {
  throw StorageError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

std::string read_text_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool write_new_file(const fs::path& file, const std::string& text) {
  return write_synced(file, text, O_EXCL);
}

void write_file_atomically(const fs::path& file, const std::string& text) {
  const fs::path beside = file.string() + ".tmp";
  try {
    write_synced(beside, text, O_TRUNC);
  } catch (const StorageError&) {
    unlink(beside.c_str());
    throw;
  }
  rename_file(beside, file);
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw_errno(to, "cannot be written");
  sync_folder(to.parent_path());
}

}  // namespace refran::runner
