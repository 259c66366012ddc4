// What is thrown where a file cannot be written or read.
#pragma once

#include <stdexcept>

namespace refran::runner {

// A file that cannot be written or read: no space, no permission, damage. Not a failure of the run
// at work.
class StorageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace refran::runner
