// Everything in a result file but its values: groups and datasets with their attributes, dimensions
// and scales.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hdf5_handle.h"

namespace refran::runner {

struct Node {
  std::string path;  // "" = the root
  hdf5::Kind kind = hdf5::Kind::group;
  std::vector<std::pair<std::string, hdf5::Attribute>> attributes;  // without HDF5's own

  // Of datasets.
  std::optional<hdf5::Stored> stored;
  std::vector<std::uint64_t> extents;
  bool is_scale = false;
  // The names of its dimensions' scales in the same group, of a scale its own; "" where there is
  // none.
  std::vector<std::string> dims;

  const hdf5::Attribute* find(const std::string& attribute) const;
  // The attribute where it is a text, else "".
  std::string text(const std::string& attribute) const;
  std::string parent() const;  // path of its group
  std::string name() const;    // within it
};

// In order of their paths.
std::vector<Node> read_tree(const hdf5::Handle& file);

// Whether a path is that of the folder or below it.
bool is_below(const std::string& path, const std::string& folder);

}  // namespace refran::runner
