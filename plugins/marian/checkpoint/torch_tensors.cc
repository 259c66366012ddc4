#include "torch_tensors.h"

namespace refran::marian {
namespace {

using pickle::Index;
using pickle::Tree;

class StateDictReader {
 public:
  StateDictReader(const FileBytes& file, const Tree& tree, const FindStorage& find_storage)
      : file_(file), tree_(tree), find_storage_(find_storage) {}

  std::vector<StoredTensor> read() {
    const auto* const dict = tree_.get<pickle::Dict>(tree_.root);
    if (dict == nullptr) {
      refuse(file_, "found a pickle that is no dict, allowed: a state_dict of names to tensors");
    }
    std::vector<StoredTensor> tensors;
    tensors.reserve(dict->items.size());
    for (const auto& [key, value] : dict->items) {
      const auto* const name = tree_.get<std::string_view>(key);
      if (name == nullptr) {
        refuse(file_, "found a key that is no text in the state_dict, allowed: names");
      }
      name_ = *name;
      tensors.push_back(tensor_of(value));
    }
    return tensors;
  }

 private:
  [[noreturn]] void fail(std::string_view found) const {
    refuse(file_, "found {} as the entry {} of the state_dict, allowed: a tensor or parameter",
           found, in_quotes(name_));
  }

  const std::vector<Index>& tuple_of(Index index) const {
    const auto* const tuple = tree_.get<pickle::Tuple>(index);
    if (tuple == nullptr) fail("an incomplete tensor");
    return tuple->items;
  }

  // The arguments of rebuild_tensor; a parameter is a tensor and a flag.
  const std::vector<Index>& tensor_arguments(Index value) const {
    const auto* call = tree_.get<pickle::Call>(value);
    if (call != nullptr && call->function == pickle::Global::Kind::rebuild_parameter) {
      const std::vector<Index>& arguments = tuple_of(call->arguments);
      if (arguments.size() != 3) fail("an incomplete parameter");
      call = tree_.get<pickle::Call>(arguments[0]);
    }
    if (call == nullptr || call->function != pickle::Global::Kind::rebuild_tensor) {
      fail("a value that is no tensor");
    }
    const std::vector<Index>& arguments = tuple_of(call->arguments);
    if (arguments.size() != 6 && arguments.size() != 7) fail("an incomplete tensor");
    return arguments;
  }

  std::vector<std::size_t> counts_of(Index index, std::string_view what) const {
    std::vector<std::size_t> counts;
    const std::string words = fmt::format("{} of tensor {}", what, in_quotes(name_));
    for (const Index item : tuple_of(index)) {
      counts.push_back(read_count(file_, tree_, item, words));
    }
    return counts;
  }

  StoredTensor tensor_of(Index value) {
    const std::vector<Index>& arguments = tensor_arguments(value);
    const auto* const id = tree_.get<pickle::PersistentId>(arguments[0]);
    if (id == nullptr) fail("a tensor without a storage");
    const TorchStorage storage = find_storage_(read_storage_id(file_, tree_, *id));
    const std::size_t offset = read_count(file_, tree_, arguments[1],
                                          fmt::format("offset of tensor {}", in_quotes(name_)));
    StoredTensor tensor;
    tensor.name = name_;
    tensor.type = storage.type;
    tensor.shape = counts_of(arguments[2], "size");
    tensor.strides = counts_of(arguments[3], "stride");
    if (tensor.shape.size() != tensor.strides.size())
      fail("a tensor with a stride too many or few");
    tensor.bytes = reach(tensor, offset, storage.bytes);
    return tensor;
  }

  // The storage's bytes from the tensor's first element to its last.
  std::span<const std::byte> reach(const StoredTensor& tensor, std::size_t offset,
                                   std::span<const std::byte> bytes) const {
    const std::size_t size = size_of(tensor.type);
    const std::size_t available = bytes.size() / size;
    const std::optional<std::size_t> elements = checked_elements(tensor.shape);
    if (!elements || offset > available) refuse_reach(tensor, offset, available);
    if (*elements == 0) return bytes.subspan(offset * size, 0);
    std::size_t last = offset;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      const std::size_t steps = tensor.shape[i] - 1;
      if (last >= available || (steps > 0 && tensor.strides[i] > (available - 1 - last) / steps)) {
        refuse_reach(tensor, offset, available);
      }
      last += steps * tensor.strides[i];
    }
    if (last >= available) refuse_reach(tensor, offset, available);
    if (*elements > last - offset + 1) {
      refuse(file_,
             "found that tensor {} of shape {} and strides {} repeats elements of its "
             "storage, allowed: each once",
             in_quotes(name_), shape_text(tensor.shape), shape_text(tensor.strides));
    }
    return bytes.subspan(offset * size, (last - offset + 1) * size);
  }

  [[noreturn]] void refuse_reach(const StoredTensor& tensor, std::size_t offset,
                                 std::size_t available) const {
    refuse(file_,
           "found that tensor {} of shape {}, strides {} and offset {} reaches beyond its "
           "storage of {} elements",
           in_quotes(name_), shape_text(tensor.shape), shape_text(tensor.strides), offset,
           available);
  }

  const FileBytes& file_;
  const Tree& tree_;
  const FindStorage& find_storage_;
  std::string_view name_;  // of the entry that is being read
};

}  // namespace

StorageId read_storage_id(const FileBytes& file, const Tree& tree, const pickle::PersistentId& id) {
  const auto* const tuple = tree.get<pickle::Tuple>(id.id);
  const bool has_fields =
      tuple != nullptr && (tuple->items.size() == 5 || tuple->items.size() == 6);
  const auto* const word = has_fields ? tree.get<std::string_view>(tuple->items[0]) : nullptr;
  const auto* const type = has_fields ? tree.get<pickle::Global>(tuple->items[1]) : nullptr;
  const auto* const key = has_fields ? tree.get<std::string_view>(tuple->items[2]) : nullptr;
  if (word == nullptr || *word != "storage" || type == nullptr || key == nullptr ||
      type->kind != pickle::Global::Kind::storage) {
    refuse(file,
           "found a persistent id in the pickle that names no storage, allowed: "
           "('storage', type, key, place, elements)");
  }
  StorageId storage{.type = type->type, .key = *key, .elements = 0, .view = std::nullopt};
  storage.elements =
      read_count(file, tree, tuple->items[4], fmt::format("size of storage {}", in_quotes(*key)));
  if (tuple->items.size() == 6) storage.view = tuple->items[5];
  return storage;
}

std::size_t read_count(const FileBytes& file, const Tree& tree, Index index,
                       std::string_view what) {
  const auto* const number = tree.get<std::int64_t>(index);
  if (number == nullptr) refuse(file, "found what is no number as the {}", what);
  if (*number < 0) refuse(file, "found {} as the {}, allowed: from 0", *number, what);
  return static_cast<std::size_t>(*number);
}

std::vector<StoredTensor> read_state_dict(const FileBytes& file, const Tree& tree,
                                          const FindStorage& find_storage) {
  return StateDictReader(file, tree, find_storage).read();
}

}  // namespace refran::marian
