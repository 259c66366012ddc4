#include "texts.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <utf8proc.h>

#include <refran/error.h>

namespace refran::opus_mt_probe {

bool is_utf8(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const auto left = static_cast<utf8proc_ssize_t>(text.size() - at);
    const utf8proc_ssize_t size = utf8proc_iterate(bytes + at, left, &code);
    if (size <= 0) return false;
    at += static_cast<std::size_t>(size);
  }
  return true;
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  if (stream.bad() || !stream.eof())
    throw Error(fmt::format("{} cannot be read: {}", file.string(), std::strerror(errno)));
  return lines;
}

std::vector<SentencePair> read_pairs(const std::filesystem::path& file) {
  std::vector<SentencePair> pairs;
  for (const std::string& line : read_lines(file)) {
    const auto tabs = std::ranges::count(line, '\t');
    if (tabs != 1) {
      throw Error(fmt::format(
          "found {} tabs in line {}, allowed: one, between a sentence and its translation", tabs,
          pairs.size() + 1));
    }
    const std::size_t tab = line.find('\t');
    pairs.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return pairs;
}

}  // namespace refran::opus_mt_probe
