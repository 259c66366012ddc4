// Options of native Marian with their types and ranges checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flat_yaml.h"

namespace refran::marian {

// Getters give nothing where an option is missing or wrong; what is wrong is kept for `finish`.
class NativeOptions {
 public:
  // Throws ModelError, beginning with `file`.
  NativeOptions(std::string_view text, std::filesystem::path file);

  // Null where the option is missing.
  const YamlOption* find(std::string_view key) const;
  std::optional<std::string> text(std::string_view key);
  std::optional<std::int64_t> whole(std::string_view key, std::int64_t least, std::int64_t most);
  std::optional<double> number(std::string_view key, double least);  // finite
  std::optional<bool> flag(std::string_view key);
  // The option's items, whole numbers; empty where it is missing or wrong.
  std::vector<std::int64_t> wholes(std::string_view key, std::int64_t least, std::int64_t most);

  // `allowed` ends the sentence "<key>: found <value>, allowed: …".
  void refuse(std::string_view key, const std::string& allowed);

  // Throws ModelError with all problems in one sentence, beginning with the file.
  void finish() const;

 private:
  std::filesystem::path file_;
  std::map<std::string, YamlOption, std::less<>> options_;
  std::vector<std::string> problems_;
};

}  // namespace refran::marian
