#include "words.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <utf8proc.h>

#include <refran/error.h>

namespace refran::arithmetic {
namespace {

const utf8proc_uint8_t* bytes(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

// Every code point of `text`, with where its bytes are.
struct Character {
  utf8proc_int32_t code;
  std::size_t begin;
  std::size_t size;
};

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t left = static_cast<utf8proc_ssize_t>(text.size() - at);
    const utf8proc_ssize_t size = utf8proc_iterate(bytes(text) + at, left, &code);
    if (size <= 0) {
      throw Error(
          fmt::format("the text is not UTF-8: byte {} is 0x{:02X}", at + 1, bytes(text)[at]));
    }
    characters.push_back({code, at, static_cast<std::size_t>(size)});
    at += static_cast<std::size_t>(size);
  }
  return characters;
}

bool is_space(utf8proc_int32_t code) {
  if ((code >= 0x09 && code <= 0x0D) || code == 0x85) return true;
  const utf8proc_category_t category = utf8proc_category(code);
  return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP;
}

bool is_punctuation(utf8proc_int32_t code) {
  const utf8proc_category_t category = utf8proc_category(code);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool is_digit(utf8proc_int32_t code) { return utf8proc_category(code) == UTF8PROC_CATEGORY_ND; }

// Whether punctuation between two characters of words belongs to the word: d'auga, l’home,
// dálle-lo, col·lega, 3,5.
bool joins(utf8proc_int32_t before, utf8proc_int32_t code, utf8proc_int32_t after) {
  constexpr std::array<utf8proc_int32_t, 6> kJoiners = {'\'', '-', 0x00B7, 0x2010, 0x2011, 0x2019};
  if (std::ranges::find(kJoiners, code) != kJoiners.end()) return true;
  return (code == '.' || code == ',') && is_digit(before) && is_digit(after);
}

bool is_separator(std::span<const Character> characters, std::size_t at) {
  const auto ends_word = [&](std::size_t i) {
    return is_space(characters[i].code) || is_punctuation(characters[i].code);
  };
  if (!ends_word(at)) return false;
  if (is_space(characters[at].code) || at == 0 || at + 1 == characters.size()) return true;
  if (ends_word(at - 1) || ends_word(at + 1)) return true;
  return !joins(characters[at - 1].code, characters[at].code, characters[at + 1].code);
}

}  // namespace

std::string normalized(std::string_view text, Case letters) {
  characters_of(text);  // says where it is not UTF-8, which utf8proc_map does not
  int options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
  if (letters == Case::fold) options |= UTF8PROC_CASEFOLD;
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(bytes(text), static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                   static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size < 0)
    throw Error(fmt::format("the text cannot be normalized: {}", utf8proc_errmsg(size)));
  return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)};
}

std::vector<std::string> words_of(std::string_view text, Case letters) {
  const std::string sentence = normalized(text, letters);
  const std::vector<Character> characters = characters_of(sentence);
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const bool separates = is_separator(characters, i);
    if (!separates && !inside) words.emplace_back();
    if (!separates) words.back().append(sentence, characters[i].begin, characters[i].size);
    inside = !separates;
  }
  return words;
}

std::vector<std::string> types_of(const std::vector<std::string>& words) {
  std::vector<std::string> types;
  for (const std::string& word : words) {
    if (std::ranges::find(types, word) == types.end()) types.push_back(word);
  }
  return types;
}

}  // namespace refran::arithmetic
