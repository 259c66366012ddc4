// The fields of one JSON object of a model folder, read with their types and ranges checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace refran::marian {

// Getters give nothing where a key is missing, null, or wrong; what is wrong is kept for `finish`.
class JsonFields {
 public:
  // Throws ModelError where `text` is no JSON object, or one nested deeper than 64 levels.
  JsonFields(std::string_view text, std::filesystem::path file);

  bool has(const std::string& key) const { return find(key) != nullptr; }
  bool is_null(const std::string& key) const {
    return object_.contains(key) && object_.at(key).is_null();
  }
  // Null where the key is missing or null.
  const nlohmann::json* find(const std::string& key) const;

  std::optional<std::int64_t> whole(const std::string& key, std::int64_t least, std::int64_t most);
  std::optional<double> number(const std::string& key);  // finite
  std::optional<bool> flag(const std::string& key);
  std::optional<std::string> text(const std::string& key);
  // A token id below `vocabulary`; a list of one id is that id.
  std::optional<std::int32_t> id(const std::string& key, std::size_t vocabulary);

  // `allowed` ends the sentence "<key>: found <value>, allowed: …".
  void refuse(const std::string& key, const std::string& allowed);
  void add_problem(std::string problem) { problems_.push_back(std::move(problem)); }

  // Throws ModelError with all problems in one sentence, beginning with the file.
  void finish() const;

 private:
  std::filesystem::path file_;
  nlohmann::json object_;
  std::vector<std::string> problems_;
};

// A value as a message shows it: scalars as they are written, shortened.
std::string shown(const nlohmann::json& value);

}  // namespace refran::marian
