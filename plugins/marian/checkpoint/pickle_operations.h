// The operations of pickles and the globals that a state_dict needs: all that the unpickler knows.
#pragma once

#include <cstdint>
#include <string_view>

#include "pickle.h"

namespace refran::marian::pickle {

struct KnownGlobal {
  std::string_view name;
  Global global;
};

inline constexpr KnownGlobal kGlobals[] = {
    {"collections.OrderedDict", {Global::Kind::ordered_dict, {}}},
    {"torch._utils._rebuild_tensor_v2", {Global::Kind::rebuild_tensor, {}}},
    {"torch._utils._rebuild_parameter", {Global::Kind::rebuild_parameter, {}}},
    {"torch.FloatStorage", {Global::Kind::storage, StoredType::float32}},
    {"torch.HalfStorage", {Global::Kind::storage, StoredType::float16}},
    {"torch.BFloat16Storage", {Global::Kind::storage, StoredType::bfloat16}},
    {"torch.DoubleStorage", {Global::Kind::storage, StoredType::float64}},
    {"torch.LongStorage", {Global::Kind::storage, StoredType::int64}},
    {"torch.IntStorage", {Global::Kind::storage, StoredType::int32}},
    {"torch.ShortStorage", {Global::Kind::storage, StoredType::int16}},
    {"torch.CharStorage", {Global::Kind::storage, StoredType::int8}},
    {"torch.ByteStorage", {Global::Kind::storage, StoredType::uint8}},
    {"torch.BoolStorage", {Global::Kind::storage, StoredType::boolean}},
};

// Operations by the names that Python's pickletools gives them.
enum class Operation : std::uint8_t {
  mark = '(',
  stop = '.',
  pop = '0',
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  none = 'N',
  binpersid = 'Q',
  reduce = 'R',
  binstring = 'T',
  short_binstring = 'U',
  binunicode = 'X',
  append = 'a',
  build = 'b',
  global = 'c',
  appends = 'e',
  binget = 'h',
  long_binget = 'j',
  empty_list = ']',
  binput = 'q',
  long_binput = 'r',
  setitem = 's',
  tuple = 't',
  setitems = 'u',
  empty_tuple = ')',
  empty_dict = '}',
  binfloat = 'G',
  proto = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  newtrue = 0x88,
  newfalse = 0x89,
  long1 = 0x8a,
  short_binunicode = 0x8c,
  stack_global = 0x93,
  memoize = 0x94,
  frame = 0x95,
};

}  // namespace refran::marian::pickle
