// A vocabulary: which id each token has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace refran::marian {

// A line of a vocabulary, as it was read: nothing of it is checked yet.
struct VocabularyEntry {
  std::string token;
  std::int32_t id = 0;
};

// What a vocabulary must fit: the embedding it names the rows of.
struct VocabularyRows {
  std::size_t count = 0;
  // Native Marian packages have no <pad>; it is the last row, which is added to theirs. And their
  // vocabulary may name fewer rows than there are.
  bool is_native = false;
};

class Vocabulary {
 public:
  // Ids need not be in order, and some may be missing. Throws ModelError, which begins with `file`:
  // a token or an id is there twice, an id is outside the rows, the highest id is not the last row
  // (of native packages it may be lower), `</s>`, `<unk>` or `<pad>` is missing.
  Vocabulary(std::vector<VocabularyEntry> entries, const VocabularyRows& rows,
             const std::filesystem::path& file);
  Vocabulary(Vocabulary&&) = default;  // a copy would point into the other's tokens
  Vocabulary& operator=(Vocabulary&&) = default;

  std::optional<std::int32_t> id_of(std::string_view token) const;
  // Null for an id that no token has.
  const std::string* token_of(std::int32_t id) const;

  std::int32_t end_id() const { return end_id_; }          // </s>
  std::int32_t unknown_id() const { return unknown_id_; }  // <unk>
  std::int32_t pad_id() const { return pad_id_; }          // <pad>
  bool is_special(std::int32_t id) const {
    return id == end_id_ || id == unknown_id_ || id == pad_id_;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void add(VocabularyEntry entry, const std::filesystem::path& file);

  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> id_of_;
  std::unordered_map<std::int32_t, const std::string*> token_of_;  // keys of `id_of_`
  std::int32_t end_id_ = 0;
  std::int32_t unknown_id_ = 0;
  std::int32_t pad_id_ = 0;
};

// Reads `file` as its name ends: .json; .yml or .yaml, which may hold JSON too; any other name: a
// token a line, its id the number of lines before it (what follows a tab, a score, is skipped).
// Throws ModelError.
Vocabulary read_vocabulary(const std::filesystem::path& file, const VocabularyRows& rows);

// The same for a text that is read already.
std::vector<VocabularyEntry> parse_vocabulary(std::string_view text,
                                              const std::filesystem::path& file);

}  // namespace refran::marian
