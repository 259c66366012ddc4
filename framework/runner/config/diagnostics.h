// Everything wrong with a config, gathered so that it can be reported at once.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <refran/value.h>

namespace refran::runner {

// The user's input is wrong. what() holds all problems, one a line:
// `file:line:column: key: what was found, what is allowed; did you mean '…'?`
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Diagnostics {
 public:
  // `key` is the full path, as `config.words[2].point`; "" where the problem is with the file as a
  // whole. The same problem counts once.
  void add(const Origin& origin, std::string_view key, std::string_view text);
  void add(const Diagnostics& others);

  bool empty() const { return problems_.empty(); }
  std::size_t size() const { return problems_.size(); }
  // Throws ConfigError with all problems, if there are any: in the order of the file, and behind it
  // those of the command line.
  void throw_if_any() const;

 private:
  struct Problem {
    Origin origin;
    std::string line;
  };
  std::vector<Problem> problems_;
  std::unordered_set<std::string> lines_;
};

// What an error text says was found: "nothing", "a text 'dto'", "an integer 3", "a list".
std::string found(const Value& value);

// The text on one line, cut where it is long.
std::string on_one_line(std::string_view text);
// The same in quotes.
std::string in_quotes(std::string_view text);

// "; did you mean 'x'?" for the nearest of `known` within an edit distance that a typo makes, else
// "".
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace refran::runner
