// The exceptions of the sdk, and the list of problems a config check reports.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace refran {

// What a plugin throws when a run cannot go on because of what it was given: the text is for the
// user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A plugin broke the rules of the sdk: an undeclared output, a wrong extent, a forgotten one. For
// the plugin's author.
class PluginError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Filled by a plugin's `check`: rules between fields, and files that will be read beyond those of
// path fields.
class Problems {
 public:
  struct Problem {
    std::string field;  // "words[2].point", below `config`
    std::string text;   // what was found, what is allowed
  };

  void add(std::string field, std::string text) {
    problems_.push_back({std::move(field), std::move(text)});
  }

  // Registers a file the run will read, so that it is hashed before the run.
  void reads(std::filesystem::path file) { inputs_.push_back(std::move(file)); }

  const std::vector<Problem>& problems() const { return problems_; }
  const std::vector<std::filesystem::path>& inputs() const { return inputs_; }

 private:
  std::vector<Problem> problems_;
  std::vector<std::filesystem::path> inputs_;
};

}  // namespace refran
