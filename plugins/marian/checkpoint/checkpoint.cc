#include "../checkpoint.h"

#include <algorithm>
#include <cctype>

#include "npz.h"
#include "safetensors.h"
#include "storage.h"
#include "torch_legacy.h"
#include "torch_zip.h"

namespace refran::marian {
namespace {

struct TypeFacts {
  std::string_view name;
  std::size_t size;
};

constexpr TypeFacts facts_of(StoredType type) {
  switch (type) {
    case StoredType::float32:
      return {"float32", 4};
    case StoredType::float16:
      return {"float16", 2};
    case StoredType::bfloat16:
      return {"bfloat16", 2};
    case StoredType::float64:
      return {"float64", 8};
    case StoredType::int8:
      return {"int8", 1};
    case StoredType::int16:
      return {"int16", 2};
    case StoredType::int32:
      return {"int32", 4};
    case StoredType::int64:
      return {"int64", 8};
    case StoredType::uint8:
      return {"uint8", 1};
    case StoredType::boolean:
      return {"boolean", 1};
  }
  return {"?", 1};
}

// Files that people have in the place of a checkpoint, by their first bytes.
struct Stranger {
  std::size_t at;
  std::string_view bytes;
  std::string_view what;
};

constexpr Stranger kStrangers[] = {
    {0, "version https://git-lfs.github.com/spec/",
     "found a pointer of Git LFS, not the file it stands for; `git lfs pull` fetches that"},
    {257, "ustar",
     "found a tar file, as PyTorch wrote in 2016; load and save it with a newer PyTorch"},
    {0, "\x89HDF\r\n\x1a\n", "found an HDF5 file, the weights of TensorFlow; take PyTorch's"},
    {0, "\x1f\x8b", "found a file compressed with gzip; unpack it"},
};

bool is_html(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  std::string begin(text.substr(0, 9));
  std::transform(begin.begin(), begin.end(), begin.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return begin == "<!doctype" || begin.starts_with("<html");
}

void refuse_strangers(const FileBytes& file) {
  const std::string_view text = text_of(file.bytes);
  if (text.empty()) refuse(file, "found an empty file");
  for (const Stranger& stranger : kStrangers) {
    if (text.substr(std::min(stranger.at, text.size())).starts_with(stranger.bytes)) {
      refuse(file, "{}", stranger.what);
    }
  }
  if (is_html(text)) {
    refuse(file, "found an HTML page, not a model's weights; the page may link to them");
  }
}

Contents read_zip(const FileBytes& file) {
  ZipArchive archive(file);
  return is_torch_zip(archive) ? read_torch_zip(file, archive) : read_npz(file, archive);
}

Contents read_as_found(const FileBytes& file) {
  constexpr std::size_t kSafetensorsHeader = 8;
  refuse_strangers(file);
  const std::string_view text = text_of(file.bytes);
  if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06")) return read_zip(file);
  if (text.starts_with('\x80') && text.size() > 1 && text[1] >= 2 && text[1] <= 5) {
    return read_torch_legacy(file);
  }
  if (text.size() > kSafetensorsHeader && text[kSafetensorsHeader] == '{') {
    return read_safetensors(file);
  }
  refuse(file,
         "found a file that is no checkpoint, allowed: safetensors, PyTorch's .bin (zip or "
         "pickle), NumPy's .npz");
}

}  // namespace

std::string_view name_of(StoredType type) { return facts_of(type).name; }
std::size_t size_of(StoredType type) { return facts_of(type).size; }

std::size_t StoredTensor::elements() const {
  std::size_t product = 1;
  for (const std::size_t size : shape) product *= size;
  return product;
}

bool StoredTensor::is_row_major() const {
  if (elements() == 0) return true;
  std::size_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0; expected *= shape[i]) {
    if (shape[i] != 1 && strides[i] != expected) return false;  // a size of 1 takes no step
  }
  return true;
}

Contents read_contents(const FileBytes& file) {
  Contents contents = read_as_found(file);
  std::vector<StoredTensor>& tensors = contents.tensors;
  std::sort(tensors.begin(), tensors.end(),
            [](const StoredTensor& a, const StoredTensor& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(
      tensors.begin(), tensors.end(),
      [](const StoredTensor& a, const StoredTensor& b) { return a.name == b.name; });
  if (twice != tensors.end()) {
    refuse(file, "found two tensors {}, allowed: one", in_quotes(twice->name));
  }
  return contents;
}

Checkpoint::Checkpoint(std::filesystem::path path, std::string_view container,
                       std::vector<StoredTensor> tensors, std::shared_ptr<const Storage> storage)
    : path_(std::move(path)),
      container_(container),
      tensors_(std::move(tensors)),
      storage_(std::move(storage)) {}

Checkpoint Checkpoint::open(const std::filesystem::path& file) {
  auto storage = std::make_shared<Storage>(file);
  Contents contents = read_contents({file.string(), storage->mapping.bytes()});
  storage->buffers = std::move(contents.buffers);
  return Checkpoint(file, contents.container, std::move(contents.tensors), std::move(storage));
}

const StoredTensor* Checkpoint::find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const StoredTensor& tensor, std::string_view n) { return tensor.name < n; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

}  // namespace refran::marian
