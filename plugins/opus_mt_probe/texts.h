// The texts a run works on, from files: sentences one per line, sentence pairs with a tab between.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace refran::opus_mt_probe {

struct SentencePair {
  std::string source;
  std::string reference;
};

bool is_utf8(std::string_view text);

// The lines of a file without their ends (LF or CR LF), as they are in it. Throws Error where it
// cannot be read.
std::vector<std::string> read_lines(const std::filesystem::path& file);

// `source<TAB>reference` in every line. Throws Error for a line without exactly one tab.
std::vector<SentencePair> read_pairs(const std::filesystem::path& file);

}  // namespace refran::opus_mt_probe
