// One group of a result file being written: its scales, and datasets that carry their dimensions,
// unit and meaning.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "axis_values.h"
#include "hdf5_handle.h"
#include "seal.h"
#include "stacked_writer.h"

namespace refran::runner {

class GroupWriter {
 public:
  // `path` is the group's, "" for the root. All that digests leave out is added to the seal.
  GroupWriter(hdf5::Handle group, std::string path, Seal& seal)
      : group_(std::move(group)), path_(std::move(path)), seal_(&seal) {}

  void set(const std::string& name, const hdf5::Attribute& value);

  // The scale of the dimension `name`.
  void add_scale(const std::string& name, const ScaleValues& values, const About& about);
  // Values along existing dimensions, beside a scale.
  void add_values(const std::string& name, const std::vector<std::string>& dims,
                  const ScaleValues& values, const About& about);
  void add_texts(const std::string& name, const std::vector<std::string>& dims,
                 const std::vector<std::uint64_t>& extents, const About& about,
                 const TextAt& text_at);

  // An output: its values and attributes are the caller's to write, its values not part of the
  // seal.
  const hdf5::Handle& add_output(const std::string& name, hdf5::Stored stored,
                                 const hdf5::Shape& shape, const std::vector<std::string>& dims,
                                 const About& about);
  void set_on(const hdf5::Handle& dataset, const std::string& name, const std::string& attribute,
              const hdf5::Attribute& value);

  // Ties the scales to their datasets; nothing may be added afterwards.
  void finish();

  std::string path_of(const std::string& name) const {
    return path_.empty() ? name : path_ + "/" + name;
  }

 private:
  struct Scale {
    std::size_t dataset;
    std::vector<std::pair<std::size_t, int>> uses;  // dataset, dimension
  };

  std::size_t create(const std::string& name, hdf5::Stored stored, const hdf5::Shape& shape,
                     const About& about);
  void set_dims(std::size_t dataset, const std::vector<std::string>& dims);
  void write_values(std::size_t dataset, const std::string& name, const ScaleValues& values);

  hdf5::Handle group_;
  std::string path_;
  Seal* seal_;
  std::vector<hdf5::Handle> datasets_;
  std::map<std::string, Scale> scales_;
};

}  // namespace refran::runner
