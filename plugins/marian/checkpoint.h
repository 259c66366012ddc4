// The tensors of a checkpoint file, whichever container they are in: safetensors, PyTorch's zip or
// legacy pickle, NumPy's npz. A file is input from anywhere: it is read with every bound checked,
// nothing in it is executed, and no more is allocated than its own size warrants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace refran::marian {

// What is wrong with a model's file or folder: one sentence for the user, beginning with the path.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Element types of stored tensors. Weights are the first four; the others are recognised, so that a
// message can name them.
enum class StoredType {
  float32,
  float16,
  bfloat16,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  boolean
};

std::string_view name_of(StoredType type);  // "float32", …
std::size_t size_of(StoredType type);       // bytes of an element

// A tensor as it lies in the file. Strides count elements; those of a row-major tensor are
// [… d1·d2, d2, 1]. `bytes` begins at the tensor's first element and reaches its last one: within
// the file's mapping, or in memory of the checkpoint where the container had it compressed.
struct StoredTensor {
  std::string name;
  StoredType type = StoredType::float32;
  std::vector<std::size_t> shape;
  std::vector<std::size_t> strides;
  std::span<const std::byte> bytes;

  std::size_t elements() const;
  bool is_row_major() const;
};

// An opened checkpoint. Moving it leaves all spans valid; they end with it.
class Checkpoint {
 public:
  // Tells the container by its first bytes, not by its name. Throws ModelError for a file that is
  // none of them, and says what it is where it is known: a Git LFS pointer, an HTML page, an
  // archive of TorchScript, a tar file of 2016, an empty file.
  static Checkpoint open(const std::filesystem::path& file);

  const std::filesystem::path& path() const { return path_; }
  std::string_view container() const { return container_; }  // "safetensors", "PyTorch zip", …
  // In the order of their names.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(std::string_view name) const;  // null where there is none

  // What keeps the bytes alive: a mapping, buffers.
  struct Storage;
  Checkpoint(std::filesystem::path path, std::string_view container,
             std::vector<StoredTensor> tensors, std::shared_ptr<const Storage> storage);

 private:
  std::filesystem::path path_;
  std::string_view container_;
  std::vector<StoredTensor> tensors_;
  std::shared_ptr<const Storage> storage_;
};

}  // namespace refran::marian
