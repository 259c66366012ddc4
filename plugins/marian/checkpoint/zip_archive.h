// The members of a zip file in memory. Its directory is read here, since a member that is stored is
// to be used where it lies in the file, and libzip does not say where that is; libzip inflates the
// compressed ones and checks their sums.
#pragma once

#include <zip.h>

#include "storage.h"

namespace refran::marian {

struct ZipMember {
  std::string_view name;
  std::span<const std::byte> packed;  // the data as they lie in the file
  std::size_t size = 0;               // of the data once inflated
  bool is_deflated = false;
  std::size_t index = 0;  // in the file's directory
};

class ZipArchive {
 public:
  // Throws ModelError for a directory that does not fit the file, members that overlap or share a
  // name, encryption, and methods other than stored and deflated.
  explicit ZipArchive(const FileBytes& file);

  const std::vector<ZipMember>& members() const { return members_; }  // in the order of their names
  const ZipMember* find(std::string_view name) const;                 // null where there is none

  // The member's data: in the file, or inflated into a new one of `buffers`. Throws ModelError for
  // a size beyond what deflate can reach from the packed data, or where all that was inflated
  // is out of proportion to the file. Like PyTorch, it does not verify the sums of stored members:
  // that would read all weights before they are needed.
  std::span<const std::byte> data_of(const ZipMember& member, std::vector<Buffer>& buffers);

 private:
  struct Close {
    void operator()(zip_t* archive) const;
  };

  const FileBytes& file_;
  std::vector<ZipMember> members_;
  std::size_t budget_;                    // bytes that may yet be inflated
  std::unique_ptr<zip_t, Close> libzip_;  // opened for the first compressed member
};

}  // namespace refran::marian
