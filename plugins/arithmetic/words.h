// From a sentence to its words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace refran::arithmetic {

enum class Case { keep, fold };

// One spelling for what reads the same: Unicode normalization form C, with upper and lower case
// made equal where `fold` asks for it. Throws refran::Error where `text` is not UTF-8.
std::string normalized(std::string_view text, Case letters);

// The words of a sentence, normalized, in order. White space and punctuation (Unicode categories
// P*) separate words and are dropped; apostrophes, hyphens and the middle dot between two letters
// or digits belong to the word, as do commas and full stops between two digits. Throws
// refran::Error where `text` is not UTF-8.
std::vector<std::string> words_of(std::string_view text, Case letters);

// The word types: every word once, in order of first appearance.
std::vector<std::string> types_of(const std::vector<std::string>& words);

}  // namespace refran::arithmetic
