// From the pickle of a state_dict to its tensors, for both of PyTorch's containers.
#pragma once

#include <functional>
#include <optional>

#include "pickle.h"
#include "storage.h"

namespace refran::marian {

// What the pickle says of the storage that a tensor lies in.
struct StorageId {
  StoredType type = StoredType::float32;
  std::string_view key;
  std::size_t elements = 0;
  std::optional<pickle::Index> view;  // legacy container only: a part of it, or the value None
};

// Elements of one type that tensors share.
struct TorchStorage {
  StoredType type = StoredType::float32;
  std::span<const std::byte> bytes;
};
using FindStorage = std::function<TorchStorage(const StorageId&)>;

// Reads the id of a storage: a tuple ("storage", type, key, place, elements[, view]), the last in
// the legacy container alone.
StorageId read_storage_id(const FileBytes& file, const pickle::Tree& tree,
                          const pickle::PersistentId& id);

// A number that counts something: not negative.
std::size_t read_count(const FileBytes& file, const pickle::Tree& tree, pickle::Index index,
                       std::string_view what);

// The tensors of a dict of names to tensors or parameters. Throws ModelError for anything else in
// it, and for tensors that reach beyond their storages or repeat their elements.
std::vector<StoredTensor> read_state_dict(const FileBytes& file, const pickle::Tree& tree,
                                          const FindStorage& find_storage);

}  // namespace refran::marian
