// Takes a model's tensors out of a checkpoint as float32: in place where they are that already,
// else converted. What is wrong is gathered, so that one error tells all of it.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../checkpoint.h"

namespace refran::marian {

// How a matrix that is wanted as [rows, columns] lies in the file.
enum class Layout { as_wanted, transposed };

class TensorReader {
 public:
  // `config_name` is the file that the wanted shapes are from, for messages.
  TensorReader(Checkpoint checkpoint, std::string config_name);

  bool has(const std::string& name) const { return parts_->checkpoint.find(name) != nullptr; }

  // What the file has under that name. Empty, and a problem noted, where it is not there, of
  // another shape, or of a type that holds no weights. `extra_rows` rows of zeros are added behind.
  std::span<const float> matrix(const std::string& name, std::size_t rows, std::size_t columns,
                                Layout layout = Layout::as_wanted, std::size_t extra_rows = 0);
  // The same for [size] or [1, size].
  std::span<const float> vector(const std::string& name, std::size_t size,
                                std::size_t extra_elements = 0);
  // Keeps an array as long as the weights.
  std::span<const float> own(std::vector<float> array);

  // The same values under both names.
  bool are_equal(const std::string& one, const std::string& other) const;

  // A name that is known, and has been looked at or is of no use here.
  void mark_used(const std::string& name) { used_.insert(name); }
  std::vector<std::string> unused() const;

  // Throws ModelError where a problem was noted.
  void finish() const;
  // The checkpoint and all arrays that were made.
  std::shared_ptr<const void> owner() const { return parts_; }

 private:
  struct Parts {
    Checkpoint checkpoint;
    std::deque<std::vector<float>> arrays;
  };

  const StoredTensor* usable(const std::string& name, std::span<const std::size_t> wanted);
  std::span<const float> read(const StoredTensor& tensor, std::size_t rows, std::size_t columns,
                              Layout layout, std::size_t extra_elements);
  void check_finite(const StoredTensor& tensor, std::span<const float> values);

  std::shared_ptr<Parts> parts_;
  std::string config_name_;
  std::set<std::string, std::less<>> used_;
  std::vector<std::string> missing_;
  std::vector<std::string> problems_;
};

}  // namespace refran::marian
