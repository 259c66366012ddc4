// A restricted reader of Python's pickles. It builds a tree of plain values and runs nothing: the
// few functions and types that a state_dict names are known by name, any other is refused.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "storage.h"

namespace refran::marian::pickle {

using Index = std::uint32_t;  // of a value in its tree

struct None {};
// An integer of more than 64 bits, as it lies in the file: little-endian, two's complement.
struct LongInteger {
  std::string_view bytes;
};
struct Tuple {
  std::vector<Index> items;
};
struct List {
  std::vector<Index> items;
};
struct Dict {
  std::vector<std::pair<Index, Index>> items;  // in the order of the file, repeated keys too
  bool is_ordered = false;                     // collections.OrderedDict
};
struct Global {
  enum class Kind { ordered_dict, rebuild_tensor, rebuild_parameter, storage };
  Kind kind = Kind::ordered_dict;
  StoredType type = StoredType::float32;  // of a storage's elements
};
// What Python would call to get the value: rebuild_tensor or rebuild_parameter.
struct Call {
  Global::Kind function = Global::Kind::rebuild_tensor;
  Index arguments = 0;  // a Tuple
};
// A value that lies outside of the pickle: a storage.
struct PersistentId {
  Index id = 0;
};

using Value = std::variant<None, bool, std::int64_t, double, std::string_view, LongInteger, Tuple,
                           List, Dict, Global, Call, PersistentId>;

struct Tree {
  std::vector<Value> values;
  Index root = 0;

  // Null where the value is of another kind.
  template <class T>
  const T* get(Index index) const {
    return std::get_if<T>(&values[index]);
  }
};

// Reads one pickle up to its end, which may be before the cursor's. Texts lie in the file. Throws
// ModelError: an operation or a global that no state_dict needs (named), a stack or memo that is
// used beyond what it holds, nesting deeper than 100, more than a million operations.
Tree read(Cursor& cursor);

}  // namespace refran::marian::pickle
