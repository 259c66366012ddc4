// A result file, opened for reading by every command that takes a RUN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <refran/schema.h>
#include "result_tree.h"

namespace refran::runner {

// The file of a RUN argument: the file itself, a run's folder, or an experiment's folder (its
// latest.h5). Throws ConfigError where there is none, or only an incomplete run.
std::filesystem::path result_path(const std::filesystem::path& run);

struct DatasetInfo {
  std::string path;  // "share", "config.heads=2/sentence/0/attention"
  Element element = Element::float64;
  std::vector<std::string> dims;  // axes first
  std::vector<std::uint64_t> extents;
  std::size_t axes = 0;  // how many of the dims are axes of the sweep
  std::string units;
  std::string long_name;
  bool rows_sum_to_one = false;
  std::string sha256;
  bool is_output = false;  // not a scale, a label, a run_… or a failure
};

class ResultFile {
 public:
  // Throws std::runtime_error where it is no result file, is damaged, or of a newer major format
  // version.
  explicit ResultFile(const std::filesystem::path& file);
  ~ResultFile();
  ResultFile(ResultFile&&) noexcept;
  ResultFile& operator=(ResultFile&&) noexcept;

  const std::filesystem::path& path() const;
  // A root attribute as text; "" where there is none.
  std::string attribute(const std::string& name) const;
  // An attribute of a group or dataset as text; "" where there is none.
  std::string text_attribute(const std::string& path, const std::string& name) const;
  std::vector<std::string> axes() const;

  // All datasets outside `digest` and `provenance`, in order of their paths.
  const std::vector<DatasetInfo>& datasets() const;
  const DatasetInfo* find(const std::string& path) const;

  // Values from row-major position `first` on; a number is read as double (int64 exactly in
  // read_integers).
  std::vector<double> read_numbers(const DatasetInfo& dataset, std::uint64_t first,
                                   std::uint64_t count) const;
  std::vector<std::int64_t> read_integers(const DatasetInfo& dataset, std::uint64_t first,
                                          std::uint64_t count) const;
  std::vector<std::string> read_texts(const DatasetInfo& dataset, std::uint64_t first,
                                      std::uint64_t count) const;
  // Values of any type, numbers in the shortest spelling that reads back to the same.
  std::vector<std::string> read_as_texts(const DatasetInfo& dataset, std::uint64_t first,
                                         std::uint64_t count) const;
  // The raw bytes of numbers, as digests take them.
  std::vector<std::byte> read_bytes(const DatasetInfo& dataset, std::uint64_t first,
                                    std::uint64_t count) const;

  // The labels of each position along a dimension of the dataset: its scale's texts, or its numbers
  // as text.
  std::vector<std::string> labels(const DatasetInfo& dataset, std::size_t dim) const;

  // A text below `provenance`, as "config".
  std::string provenance(const std::string& name) const;
  // The run digests of a dataset in grid order; empty where the file has none.
  std::vector<std::string> run_digests(const DatasetInfo& dataset) const;
  // All groups and datasets as they are, in order of their paths.
  const std::vector<Node>& tree() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Everything that is wrong with a result file against results/README.md, a sentence each; empty =
// valid. Checks format and names, scales, units, digests of values, runs and file, row sums, status
// and completeness.
std::vector<std::string> check_result(const std::filesystem::path& file);

}  // namespace refran::runner
