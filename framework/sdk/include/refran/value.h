// A parsed tree of configuration values, each of which knows where it was written. It is what
// configs are validated from and bound to; how it is read from YAML is the runner's business.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace refran {

// Where a value was written: "sweep.yaml:12:5", or a source without lines such as "command line".
struct Origin {
  std::shared_ptr<const std::string> source;
  int line = 0;    // counts from 1; 0 where the source has no lines
  int column = 0;  // counts from 1, in characters

  // "file:line:column", "source" alone where there are no lines, "" where nothing is known.
  std::string to_string() const;
};

struct Entry;

// A value: nothing, a scalar (by its spelling), a list, or a map whose entries keep their order.
struct Value {
  enum class Kind { null, boolean, integer, real, text, list, map };

  Kind kind = Kind::null;
  std::string text;  // scalars: the spelling; booleans: "true" or "false"
  std::vector<Value> items;
  std::vector<Entry> entries;
  Origin origin;

  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value integer(std::uint64_t value);
  // The shortest spelling that reads back to the same double, always with a '.' or exponent; inf
  // and nan as YAML's.
  static Value real(double value);
  static Value string(std::string value);
  static Value list();
  static Value map();

  bool is_scalar() const { return kind != Kind::list && kind != Kind::map; }

  // The entry's value, or null where the map has no such key.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  // The entry's value, appended as null first where the map has no such key.
  Value& operator[](std::string_view key);
};

struct Entry {
  std::string key;
  Value value;
  Origin origin;  // of the key
};

// The same tree of kinds, spellings and keys (in order); origins do not count.
bool operator==(const Value& a, const Value& b);

// "a number", "a list", … : what an error text calls a value of this kind.
std::string_view name_of(Value::Kind kind);

}  // namespace refran
