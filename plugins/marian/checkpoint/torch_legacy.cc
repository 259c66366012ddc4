#include "torch_legacy.h"

#include <unordered_map>

#include "torch_tensors.h"

namespace refran::marian {
namespace {

using pickle::Tree;

// 0x1950a86a20f9469cfc6c, as a pickle has it.
constexpr std::string_view kLegacyMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::int64_t kProtocol = 1001;

class TorchLegacyReader {
 public:
  explicit TorchLegacyReader(const FileBytes& file)
      : file_(file), cursor_(file, "the pickle", file.bytes) {}

  Contents read() {
    check_magic();
    check_protocol();
    check_system();
    const Tree object = pickle::read(cursor_);
    declare_storages(object);
    read_storages();
    Contents contents{.container = "PyTorch legacy pickle", .tensors = {}, .buffers = {}};
    contents.tensors =
        read_state_dict(file_, object, [&](const StorageId& id) { return part_of(object, id); });
    return contents;
  }

 private:
  struct Storage {
    StoredType type = StoredType::float32;
    std::size_t elements = 0;
    std::span<const std::byte> bytes;
    bool is_read = false;
  };

  void check_magic() {
    const Tree tree = pickle::read(cursor_);
    const auto* const magic = tree.get<pickle::LongInteger>(tree.root);
    if (magic == nullptr || magic->bytes != kLegacyMagic) {
      refuse(file_,
             "found a pickle that is not one of PyTorch: its first value is not the magic "
             "number of torch.save");
    }
  }

  void check_protocol() {
    const Tree tree = pickle::read(cursor_);
    const auto* const version = tree.get<std::int64_t>(tree.root);
    if (version == nullptr || *version != kProtocol) {
      refuse(file_, "found another version of PyTorch's legacy format, allowed: {}", kProtocol);
    }
  }

  // A dict of facts on the machine that wrote the file.
  void check_system() {
    const Tree tree = pickle::read(cursor_);
    const auto* const facts = tree.get<pickle::Dict>(tree.root);
    if (facts == nullptr) refuse(file_, "found no facts on the system before PyTorch's state_dict");
    for (const auto& [key, value] : facts->items) {
      const auto* const name = tree.get<std::string_view>(key);
      const auto* const flag = tree.get<bool>(value);
      if (name != nullptr && *name == "little_endian" && flag != nullptr && !*flag) {
        refuse(file_, "found byte order 'big', allowed: little-endian");
      }
    }
  }

  // The storages' types stand in the object alone, where tensors name them.
  void declare_storages(const Tree& object) {
    for (const pickle::Value& value : object.values) {
      const auto* const persistent = std::get_if<pickle::PersistentId>(&value);
      if (persistent == nullptr) continue;
      const StorageId id = read_storage_id(file_, object, *persistent);
      const Storage declared{.type = id.type, .elements = id.elements, .bytes = {}};
      const Storage& first = storages_.try_emplace(id.key, declared).first->second;
      if (first.type != id.type || first.elements != id.elements) {
        refuse(file_, "found storage {} as {} elements of {} and as {} of {}, allowed: one of both",
               in_quotes(id.key), first.elements, name_of(first.type), id.elements,
               name_of(id.type));
      }
    }
  }

  // A list of keys, then for each its number of elements (64 bits) and these.
  void read_storages() {
    const Tree tree = pickle::read(cursor_);
    const auto* const keys = tree.get<pickle::List>(tree.root);
    if (keys == nullptr) refuse(file_, "found no list of storages after PyTorch's state_dict");
    Cursor data(file_, "the storages", file_.bytes.subspan(cursor_.position()));
    for (const pickle::Index item : keys->items) {
      const auto* const key = tree.get<std::string_view>(item);
      const auto found = key == nullptr ? storages_.end() : storages_.find(*key);
      if (found == storages_.end() || found->second.is_read) {
        refuse(file_,
               "found storage {} in the list of storages, allowed: those of the state_dict, "
               "once",
               key == nullptr ? "without a name" : in_quotes(*key));
      }
      read_storage(data, *key, found->second);
    }
    for (const auto& [key, storage] : storages_) {
      if (!storage.is_read) refuse(file_, "found no data of storage {}", in_quotes(key));
    }
    if (data.left() != 0) {
      refuse(file_, "found {} bytes after the last storage, allowed: none", data.left());
    }
  }

  void read_storage(Cursor& data, std::string_view key, Storage& storage) const {
    const auto elements = data.number<std::uint64_t>();
    const std::size_t size = size_of(storage.type);
    if (elements != storage.elements || elements > data.left() / size) {
      refuse(file_,
             "found {} elements of storage {} and {} bytes for them, expected {} elements "
             "of {}",
             elements, in_quotes(key), data.left(), storage.elements, name_of(storage.type));
    }
    storage.bytes = data.take(elements * size);
    storage.is_read = true;
  }

  // The storage, or the view (key, offset, elements) of it that the id names.
  TorchStorage part_of(const Tree& object, const StorageId& id) const {
    const Storage& storage = storages_.at(id.key);
    if (!id.view || object.get<pickle::None>(*id.view) != nullptr) {
      return {storage.type, storage.bytes};
    }
    const auto* const view = object.get<pickle::Tuple>(*id.view);
    if (view == nullptr || view->items.size() != 3) {
      refuse(file_, "found a damaged view of storage {}, allowed: (key, offset, elements)",
             in_quotes(id.key));
    }
    const auto what = fmt::format("view of storage {}", in_quotes(id.key));
    const std::size_t offset = read_count(file_, object, view->items[1], "offset of the " + what);
    const std::size_t elements = read_count(file_, object, view->items[2], "size of the " + what);
    if (offset > storage.elements || elements > storage.elements - offset) {
      refuse(file_,
             "found a view of {} elements from {} in storage {}, allowed: within its {} "
             "elements",
             elements, offset, in_quotes(id.key), storage.elements);
    }
    const std::size_t size = size_of(storage.type);
    return {storage.type, storage.bytes.subspan(offset * size, elements * size)};
  }

  const FileBytes& file_;
  Cursor cursor_;
  std::unordered_map<std::string_view, Storage> storages_;  // by their keys
};

}  // namespace

Contents read_torch_legacy(const FileBytes& file) { return TorchLegacyReader(file).read(); }

}  // namespace refran::marian
