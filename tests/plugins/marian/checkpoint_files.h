// Builders of small checkpoint files, good and bad, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <marian/checkpoint/storage.h>

namespace refran::marian::files {

// Little-endian bytes of numbers.
template <class T>
std::string bytes_of(T number) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &number, sizeof(T));
  return bytes;
}
inline std::string floats(const std::vector<float>& numbers) {
  std::string bytes;
  for (const float number : numbers) bytes += bytes_of(number);
  return bytes;
}

// ---- safetensors

inline std::string safetensors(std::string_view header, std::string_view data) {
  return bytes_of(std::uint64_t{header.size()}) + std::string(header) + std::string(data);
}
// a [2, 3], b [2]; 32 bytes of data.
inline std::string good_safetensors() {
  return safetensors(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[24,32]},)"
      R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}   )",
      floats({1, 2, 3, 4, 5, 6, 7, 8}));
}

// ---- zip

inline std::uint32_t crc32(std::string_view data) {
  std::uint32_t sum = 0xFFFFFFFFU;
  for (const char byte : data) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~sum;
}

// Deflate data that say the bytes as they are, in one block.
inline std::string deflated(std::string_view data) {
  const auto size = static_cast<std::uint16_t>(data.size());
  return "\x01" + bytes_of(size) + bytes_of(static_cast<std::uint16_t>(~size)) + std::string(data);
}

struct ZipEntry {
  std::string name;
  std::string packed;
  std::uint16_t method = 0;
  std::uint64_t size = 0;
  std::uint32_t sum = 0;
  std::uint16_t flags = 0;
  std::string local_name = {};   // "": the same
  bool is_wide = false;          // sizes and offset in 64 bits
  bool shares_previous = false;  // no data of its own
};
inline ZipEntry stored(std::string name, std::string data) {
  return {.name = std::move(name), .packed = data, .size = data.size(), .sum = crc32(data)};
}
inline ZipEntry compressed(std::string name, const std::string& data) {
  return {.name = std::move(name),
          .packed = deflated(data),
          .method = 8,
          .size = data.size(),
          .sum = crc32(data)};
}

enum class ZipEnd { small, wide };

class ZipBuilder {
 public:
  void add(const ZipEntry& entry) {
    const std::string& local = entry.local_name.empty() ? entry.name : entry.local_name;
    if (!entry.shares_previous) {
      offset_ = file_.size();
      file_ += "PK\x03\x04" + common(entry) + bytes_of(static_cast<std::uint16_t>(local.size())) +
               bytes_of(std::uint16_t{0}) + local + entry.packed;
    }
    std::string extra;
    if (entry.is_wide) {
      extra = bytes_of(std::uint16_t{1}) + bytes_of(std::uint16_t{24}) + bytes_of(entry.size) +
              bytes_of(std::uint64_t{entry.packed.size()}) + bytes_of(std::uint64_t{offset_});
    }
    directory_ += "PK\x01\x02" + bytes_of(std::uint16_t{20}) + common(entry) +
                  bytes_of(static_cast<std::uint16_t>(entry.name.size())) +
                  bytes_of(static_cast<std::uint16_t>(extra.size())) + std::string(10, '\0') +
                  bytes_of(entry.is_wide ? 0xFFFFFFFFU : static_cast<std::uint32_t>(offset_)) +
                  entry.name + extra;
    ++entries_;
  }

  std::string finish(ZipEnd end = ZipEnd::small) {
    const std::uint64_t offset = file_.size();
    const std::uint64_t size = directory_.size();
    file_ += directory_;
    if (end == ZipEnd::wide) {
      const std::uint64_t place = file_.size();
      file_ += "PK\x06\x06" + bytes_of(std::uint64_t{44}) + std::string(12, '\0') +
               bytes_of(entries_) + bytes_of(entries_) + bytes_of(size) + bytes_of(offset);
      file_ += "PK\x06\x07" + bytes_of(0U) + bytes_of(place) + bytes_of(1U);
    }
    const bool is_wide = end == ZipEnd::wide;
    const auto count = is_wide ? std::uint16_t{0xFFFF} : static_cast<std::uint16_t>(entries_);
    file_ += std::string("PK\x05\x06\0\0\0\0", 8) + bytes_of(count) + bytes_of(count) +
             bytes_of(is_wide ? 0xFFFFFFFFU : static_cast<std::uint32_t>(size)) +
             bytes_of(is_wide ? 0xFFFFFFFFU : static_cast<std::uint32_t>(offset)) +
             bytes_of(std::uint16_t{0});
    return file_;
  }

 private:
  // From the version needed to the size.
  static std::string common(const ZipEntry& entry) {
    const auto narrow = [&](std::uint64_t number) {
      return bytes_of(entry.is_wide ? 0xFFFFFFFFU : static_cast<std::uint32_t>(number));
    };
    return bytes_of(std::uint16_t{20}) + bytes_of(entry.flags) + bytes_of(entry.method) +
           std::string(4, '\0') + bytes_of(entry.sum) + narrow(entry.packed.size()) +
           narrow(entry.size);
  }

  std::string file_;
  std::string directory_;
  std::uint64_t entries_ = 0;
  std::uint64_t offset_ = 0;  // of the last member
};

inline std::string zip(const std::vector<ZipEntry>& entries, ZipEnd end = ZipEnd::small) {
  ZipBuilder builder;
  for (const ZipEntry& entry : entries) builder.add(entry);
  return builder.finish(end);
}

// ---- npz

inline std::string npy(std::string_view header, std::string_view data, char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  file += version == 1 ? bytes_of(static_cast<std::uint16_t>(header.size()))
                       : bytes_of(static_cast<std::uint32_t>(header.size()));
  return file + std::string(header) + std::string(data);
}
inline std::string npy_header(std::string_view type, std::string_view shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}   \n", type, shape);
}
inline std::string good_npz() {
  return zip({stored("Wemb.npy", npy(npy_header("<f4", "(2, 3)"), floats({1, 2, 3, 4, 5, 6}))),
              compressed("special:model.yml.npy", npy(npy_header("|i1", "(4,)"), "a: 1"))});
}

// ---- what the tests ask of a file

inline FileBytes file(std::string_view bytes) {
  return {"model", std::as_bytes(std::span(bytes.data(), bytes.size()))};
}
// The whole text of the error; "" where there is none.
template <class Read>
std::string error_of(std::string_view bytes, const Read& read) {
  try {
    read(file(bytes));
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}
inline std::string error_of(std::string_view bytes) { return error_of(bytes, read_contents); }

// Elements of a float32 tensor in the order of its indices.
inline std::vector<float> numbers_of(const StoredTensor& tensor) {
  std::vector<float> numbers(tensor.elements());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::size_t place = 0;
    std::size_t rest = i;
    for (std::size_t axis = tensor.shape.size(); axis-- > 0; rest /= tensor.shape[axis]) {
      place += rest % tensor.shape[axis] * tensor.strides[axis];
    }
    std::memcpy(&numbers[i], tensor.bytes.subspan(place * sizeof(float)).data(), sizeof(float));
  }
  return numbers;
}

}  // namespace refran::marian::files
