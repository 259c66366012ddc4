// The seal of a result file: a SHA-256 over all that the digests leave out (see results/README.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "digest.h"
#include "hdf5_handle.h"

namespace refran::runner {

class Seal {
 public:
  // `path` of the group or dataset, "" for the root.
  void add_attribute(const std::string& path, const std::string& name,
                     const hdf5::Attribute& value);
  // The SHA-256 of the values of a dataset without a digest.
  void add_values(const std::string& path, const Sha256& values);

  std::string finish();  // hexadecimal

 private:
  std::vector<std::pair<std::string, Sha256>> entries_;  // path, zero byte, attribute
};

}  // namespace refran::runner
