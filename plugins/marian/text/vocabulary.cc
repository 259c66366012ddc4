#include "vocabulary.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../checkpoint.h"
#include "../folder/folder_files.h"
#include "../folder/limits.h"
#include "unicode.h"
#include "vocabulary_yaml.h"

namespace refran::marian {
namespace {

using nlohmann::json;

// nlohmann::json keeps the last of two equal keys and says nothing; its events tell of both.
class JsonEntries final : public nlohmann::json_sax<json> {
 public:
  explicit JsonEntries(const std::filesystem::path& file) : file_(file) {}

  std::vector<VocabularyEntry> take() { return std::move(entries_); }

  bool start_object(std::size_t) override {
    if (in_object_) refuse_id();
    return in_object_ = true;
  }
  bool key(std::string& token) override {
    entries_.push_back({std::move(token), 0});
    return true;
  }
  bool number_unsigned(number_unsigned_t id) override {
    if (!in_object_ || id > std::numeric_limits<std::int32_t>::max()) refuse_id();
    entries_.back().id = static_cast<std::int32_t>(id);
    return true;
  }
  bool end_object() override { return true; }

  bool null() override { refuse_id(); }
  bool boolean(bool) override { refuse_id(); }
  bool number_integer(number_integer_t) override { refuse_id(); }
  bool number_float(number_float_t, const std::string&) override { refuse_id(); }
  bool string(std::string&) override { refuse_id(); }
  bool binary(json::binary_t&) override { refuse_id(); }
  bool start_array(std::size_t) override { refuse_id(); }
  bool end_array() override { refuse_id(); }

  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    throw ModelError(fmt::format("{}: found no valid JSON at byte {}", file_.string(), position));
  }

 private:
  [[noreturn]] void refuse_id() const {
    if (!in_object_) {
      throw ModelError(fmt::format("{}: found no JSON object of tokens and ids", file_.string()));
    }
    throw ModelError(fmt::format("{}: the id of {} is no whole number from 0 to {}", file_.string(),
                                 quoted_text(entries_.back().token),
                                 std::numeric_limits<std::int32_t>::max()));
  }

  const std::filesystem::path& file_;
  std::vector<VocabularyEntry> entries_;
  bool in_object_ = false;
};

std::vector<VocabularyEntry> parse_json_vocabulary(std::string_view text,
                                                   const std::filesystem::path& file) {
  JsonEntries entries(file);
  json::sax_parse(text, &entries);
  return entries.take();
}

std::vector<VocabularyEntry> parse_list(std::string_view text, const std::filesystem::path& file) {
  std::vector<VocabularyEntry> entries;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view token = line.substr(0, line.find('\t'));
    if (token.empty()) {
      throw ModelError(
          fmt::format("{}:{}: found a line without a token", file.string(), entries.size() + 1));
    }
    entries.push_back({std::string(token), static_cast<std::int32_t>(entries.size())});
  }
  return entries;
}

void check_rows(std::int32_t highest, const VocabularyRows& rows,
                const std::filesystem::path& file) {
  const std::size_t named = static_cast<std::size_t>(highest) + 1;
  const std::size_t room = rows.is_native && rows.count > 0 ? rows.count - 1 : rows.count;
  if (named > room || (named < room && !rows.is_native)) {
    throw ModelError(
        fmt::format("{}: vocabulary mismatch: its ids go up to {}, those of the model up to {}",
                    file.string(), highest, static_cast<std::int64_t>(room) - 1));
  }
}

}  // namespace

void Vocabulary::add(VocabularyEntry entry, const std::filesystem::path& file) {
  const auto [place, is_new] = id_of_.try_emplace(std::move(entry.token), entry.id);
  if (!is_new) {
    throw ModelError(fmt::format("{}: the token {} is there twice, with the ids {} and {}",
                                 file.string(), quoted_text(place->first), place->second,
                                 entry.id));
  }
  const auto [other, is_new_id] = token_of_.try_emplace(entry.id, &place->first);
  if (!is_new_id) {
    throw ModelError(fmt::format("{}: the tokens {} and {} have the same id, {}", file.string(),
                                 quoted_text(*other->second), quoted_text(place->first), entry.id));
  }
}

Vocabulary::Vocabulary(std::vector<VocabularyEntry> entries, const VocabularyRows& rows,
                       const std::filesystem::path& file) {
  std::int32_t highest = -1;
  id_of_.reserve(entries.size() + 1);
  token_of_.reserve(entries.size() + 1);
  for (VocabularyEntry& entry : entries) {
    highest = std::max(highest, entry.id);
    add(std::move(entry), file);
  }
  check_rows(highest, rows, file);
  if (rows.is_native) add({"<pad>", static_cast<std::int32_t>(rows.count - 1)}, file);
  // Nematus' names for two of them, which native Marian takes as well.
  const auto find = [&](std::string_view token, std::string_view other) {
    std::optional<std::int32_t> id = id_of(token);
    if (!id && rows.is_native) id = id_of(other);
    if (!id) throw ModelError(fmt::format("{}: found no token {}", file.string(), token));
    return *id;
  };
  end_id_ = find("</s>", "eos");
  unknown_id_ = find("<unk>", "UNK");
  pad_id_ = find("<pad>", "<pad>");
}

std::optional<std::int32_t> Vocabulary::id_of(std::string_view token) const {
  const auto place = id_of_.find(token);
  if (place == id_of_.end()) return std::nullopt;
  return place->second;
}

const std::string* Vocabulary::token_of(std::int32_t id) const {
  const auto place = token_of_.find(id);
  return place == token_of_.end() ? nullptr : place->second;
}

std::vector<VocabularyEntry> parse_vocabulary(std::string_view text,
                                              const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".json") return parse_json_vocabulary(text, file);
  if (ending != ".yml" && ending != ".yaml") return parse_list(text, file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  return is_json ? parse_json_vocabulary(text, file) : parse_yaml_vocabulary(text, file);
}

Vocabulary read_vocabulary(const std::filesystem::path& file, const VocabularyRows& rows) {
  const std::string text = read_text_file(file, kMostTextBytes);
  return Vocabulary(parse_vocabulary(text, file), rows, file);
}

}  // namespace refran::marian
