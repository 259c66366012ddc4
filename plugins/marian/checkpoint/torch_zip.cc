#include "torch_zip.h"

#include <algorithm>
#include <unordered_map>

#include "torch_tensors.h"

namespace refran::marian {
namespace {

constexpr std::string_view kPickle = "/data.pkl";

// A path of exactly two parts.
bool is_pickle(const ZipMember& member) {
  return member.name.size() > kPickle.size() && member.name.ends_with(kPickle) &&
         member.name.find('/') == member.name.size() - kPickle.size();
}

class TorchZipReader {
 public:
  TorchZipReader(const FileBytes& file, ZipArchive& archive) : file_(file), archive_(archive) {}

  Contents read() {
    const ZipMember& pickle = find_pickle();
    root_ = pickle.name.substr(0, pickle.name.size() - kPickle.size());
    if (find("constants.pkl") != nullptr) {
      refuse(file_,
             "found an archive of TorchScript, a program; allowed: a state_dict, as "
             "torch.save(model.state_dict(), …) writes it");
    }
    if (const ZipMember* const order = find("byteorder"); order != nullptr) check(*order);
    Cursor cursor(file_, std::string(pickle.name), archive_.data_of(pickle, contents_.buffers));
    const pickle::Tree tree = pickle::read(cursor);
    if (cursor.left() != 0) {
      refuse(file_, "found {} bytes after the end of the pickle {}, allowed: none", cursor.left(),
             pickle.name);
    }
    contents_.tensors = read_state_dict(file_, tree, [this](const StorageId& id) {
      return TorchStorage{id.type, data_of(id)};
    });
    return std::move(contents_);
  }

 private:
  const ZipMember& find_pickle() const {
    const auto& members = archive_.members();
    const auto found = std::find_if(members.begin(), members.end(), is_pickle);
    if (found == members.end()) refuse(file_, "found a zip file without a data.pkl in a folder");
    if (std::count_if(members.begin(), members.end(), is_pickle) > 1) {
      refuse(file_, "found data.pkl in several folders of the zip file, allowed: one");
    }
    return *found;
  }

  const ZipMember* find(std::string_view name) const {
    return archive_.find(fmt::format("{}/{}", root_, name));
  }

  void check(const ZipMember& byte_order) {
    const std::string_view text = text_of(archive_.data_of(byte_order, contents_.buffers));
    if (text != "little") {
      refuse(file_, "found byte order {}, allowed: little-endian", in_quotes(text));
    }
  }

  // Tensors that are tied name one key: what is compressed is inflated once.
  std::span<const std::byte> data_of(const StorageId& id) {
    const std::string name = fmt::format("data/{}", id.key);
    const ZipMember* const member = find(name);
    if (member == nullptr) {
      refuse(file_, "found no member {} in the zip file, which a tensor of the pickle lies in",
             in_quotes(name));
    }
    if (id.elements != member->size / size_of(id.type) || member->size % size_of(id.type) != 0) {
      refuse(file_,
             "found {} bytes in the member {} of the zip file, which do not fit {} elements "
             "of {}",
             member->size, in_quotes(member->name), id.elements, name_of(id.type));
    }
    const auto [known, is_new] = data_.try_emplace(member);
    if (is_new) known->second = archive_.data_of(*member, contents_.buffers);
    return known->second;
  }

  const FileBytes& file_;
  ZipArchive& archive_;
  std::string_view root_;
  Contents contents_{.container = "PyTorch zip", .tensors = {}, .buffers = {}};
  std::unordered_map<const ZipMember*, std::span<const std::byte>> data_;
};

}  // namespace

bool is_torch_zip(const ZipArchive& archive) {
  return std::any_of(archive.members().begin(), archive.members().end(), is_pickle);
}

Contents read_torch_zip(const FileBytes& file, ZipArchive& archive) {
  return TorchZipReader(file, archive).read();
}

}  // namespace refran::marian
