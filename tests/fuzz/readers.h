// What the fuzz targets run: each reader of a checkpoint file by its target's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <marian/checkpoint/npz.h>
#include <marian/checkpoint/safetensors.h>
#include <marian/checkpoint/torch_legacy.h>
#include <marian/checkpoint/torch_zip.h>
#include <plugins/marian/read_through.h>

namespace refran::marian::fuzz {

using Read = Contents (*)(const FileBytes&);

inline Contents torch_zip(const FileBytes& file) {
  ZipArchive archive(file);
  return read_torch_zip(file, archive);
}
inline Contents npz(const FileBytes& file) {
  ZipArchive archive(file);
  return read_npz(file, archive);
}

struct Target {
  std::string_view name;  // of its folder in corpus/
  Read read;
};
inline constexpr Target kTargets[] = {{"fuzz_safetensors", read_safetensors},
                                      {"fuzz_torch_zip", torch_zip},
                                      {"fuzz_torch_legacy", read_torch_legacy},
                                      {"fuzz_npz", npz}};

// Whether the bytes are a good file. Anything but a ModelError is a defect, and is not caught.
inline bool accepts(Read read, std::span<const std::byte> bytes) {
  try {
    const FileBytes file{"file", bytes};
    files::check_contents(read(file));
  } catch (const ModelError&) {
    return false;
  }
  return true;
}

// The body of a target.
inline int run(Read read, const std::uint8_t* data, std::size_t size) {
  accepts(read, std::as_bytes(std::span(data, size)));
  return 0;
}

}  // namespace refran::marian::fuzz
