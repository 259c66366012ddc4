#include "build_id.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace refran::runner {
namespace {

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T* values, std::size_t count = 1) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(sizeof(T) * count)));
}

constexpr std::uint32_t aligned(std::uint32_t size) { return (size + 3) & ~3U; }

// Walks the notes of one PT_NOTE segment.
std::string build_id_in(const std::vector<unsigned char>& notes) {
  std::size_t at = 0;
  Elf64_Nhdr note;
  while (at + sizeof(note) <= notes.size()) {
    std::memcpy(&note, notes.data() + at, sizeof(note));
    const std::size_t name = at + sizeof(note);
    const std::size_t description = name + aligned(note.n_namesz);
    const std::size_t next = description + aligned(note.n_descsz);
    if (next > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(&notes[name], "GNU", 4) == 0) {
      std::string hex;
      for (std::size_t i = 0; i < note.n_descsz; ++i)
        hex += fmt::format("{:02x}", notes[description + i]);
      return hex;
    }
    at = next;
  }
  return "";
}

}  // namespace

std::string build_id_of(const std::filesystem::path& library) {
  std::ifstream file(library, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be opened", library.string()));
  Elf64_Ehdr header;
  if (!read_at(file, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    throw std::runtime_error(fmt::format("{}: is no shared library", library.string()));
  }
  constexpr std::uint64_t kLargestNotes = 1 << 20;  // they take some hundred bytes
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_at(file, header.e_phoff, segments.data(), segments.size())) return "";
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kLargestNotes) continue;
    std::vector<unsigned char> notes(segment.p_filesz);
    if (!read_at(file, segment.p_offset, notes.data(), notes.size())) continue;
    if (std::string id = build_id_in(notes); !id.empty()) return id;
  }
  return "";
}

}  // namespace refran::runner
