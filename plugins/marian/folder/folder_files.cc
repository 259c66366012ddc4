#include "folder_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include <fmt/format.h>

#include "../checkpoint.h"

namespace refran::marian {
namespace {

constexpr std::size_t kBeginning = 512;

bool begins_with(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::equal(lower_case.begin(), lower_case.end(), text.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

// The first `most_bytes` bytes of `file`, or all of it.
std::string read_bytes(const std::filesystem::path& file, std::size_t most_bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw ModelError(fmt::format("{}: found no such file", file.string()));
  std::ifstream stream(file, std::ios::binary);
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::string text(error ? 0 : static_cast<std::size_t>(std::min<std::uintmax_t>(size, most_bytes)),
                   '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream) throw ModelError(fmt::format("{}: cannot be read", file.string()));
  if (text.empty()) throw ModelError(fmt::format("{}: found an empty file", file.string()));
  return text;
}

void refuse_impostor(const std::filesystem::path& file, std::string_view beginning) {
  const std::string_view found = impostor(beginning);
  if (!found.empty()) throw ModelError(fmt::format("{}: found {}", file.string(), found));
}

}  // namespace

std::string_view impostor(std::string_view beginning) {
  if (beginning.starts_with("version https://git-lfs")) {
    return "a Git LFS pointer in place of the file; fetch it with 'git lfs pull', or download it";
  }
  beginning.remove_prefix(std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size()));
  if (begins_with(beginning, "<!doctype html") || begins_with(beginning, "<html")) {
    return "an HTML page in place of the file; download the file itself, not the page about it";
  }
  return "";
}

std::string read_text_file(const std::filesystem::path& file, std::size_t most_bytes) {
  std::string text = read_bytes(file, most_bytes + 1);
  refuse_impostor(file, std::string_view(text).substr(0, kBeginning));
  if (text.size() > most_bytes) {
    throw ModelError(fmt::format("{}: found more than {} bytes, allowed: at most that",
                                 file.string(), most_bytes));
  }
  return text;
}

void check_beginning(const std::filesystem::path& file) {
  refuse_impostor(file, read_bytes(file, kBeginning));
}

}  // namespace refran::marian
