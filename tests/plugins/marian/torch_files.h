// Builders of PyTorch's checkpoint files: pickles put together from their operations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint_files.h"

namespace refran::marian::files {

using Texts = std::vector<std::string>;

// ---- operations that leave one value on the stack

inline std::string text(std::string_view words) {
  return "X" + bytes_of(static_cast<std::uint32_t>(words.size())) + std::string(words);
}
inline std::string integer(std::int32_t number) { return "J" + bytes_of(number); }
inline std::string joined(const Texts& values) {
  std::string all;
  for (const std::string& value : values) all += value;
  return all;
}
inline std::string tuple(const Texts& values) { return "(" + joined(values) + "t"; }
inline std::string list(const Texts& values) { return "](" + joined(values) + "e"; }
// Keys and values in turn.
inline std::string dict(const Texts& items) { return "}(" + joined(items) + "u"; }
inline std::string global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}
inline std::string call(const std::string& function, const Texts& arguments) {
  return function + tuple(arguments) + "R";
}
inline std::string ordered_dict() { return call(global("collections", "OrderedDict"), {}); }
inline std::string integers(const std::vector<std::int32_t>& numbers) {
  Texts values;
  for (const std::int32_t number : numbers) values.push_back(integer(number));
  return tuple(values);
}
inline const std::string kFalse = "\x89";
inline const std::string kNone = "N";

inline std::string pickle_file(const std::string& value) { return "\x80\x02" + value + "."; }

// ---- tensors

struct TensorFields {
  std::string key = "0";
  std::string type = "FloatStorage";
  std::int32_t elements = 6;
  std::int32_t offset = 0;
  std::vector<std::int32_t> shape = {2, 3};
  std::vector<std::int32_t> strides = {3, 1};
  std::string view = {};  // legacy container only
};
inline std::string storage(const TensorFields& fields) {
  Texts id = {text("storage"), global("torch", fields.type), text(fields.key), text("cpu"),
              integer(fields.elements)};
  if (!fields.view.empty()) id.push_back(fields.view);
  return tuple(id) + "Q";
}
inline std::string tensor(const TensorFields& fields) {
  return call(global("torch._utils", "_rebuild_tensor_v2"),
              {storage(fields), integer(fields.offset), integers(fields.shape),
               integers(fields.strides), kFalse, ordered_dict()});
}
inline std::string parameter(const TensorFields& fields) {
  return call(global("torch._utils", "_rebuild_parameter"),
              {tensor(fields), kFalse, ordered_dict()});
}

// ---- files

inline std::string torch_zip(const std::string& value, std::vector<ZipEntry> more) {
  more.insert(more.begin(), stored("archive/data.pkl", pickle_file(value)));
  more.push_back(stored("archive/version", "3\n"));
  return zip(more, ZipEnd::wide);
}
// The state_dict with one tensor "a" in storage "0" of six floats.
inline std::string torch_zip_of(const TensorFields& fields) {
  return torch_zip(dict({text("a"), tensor(fields)}),
                   {stored("archive/data/0", floats({1, 2, 3, 4, 5, 6}))});
}

struct LegacyStorage {
  std::string key;
  std::uint64_t elements = 0;
  std::string data;
};
inline const std::string kMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
inline std::string system_facts(bool is_little = true) {
  return dict({text("protocol_version"), integer(1001), text("little_endian"),
               is_little ? "\x88" : "\x89"});
}
inline std::string torch_legacy(const std::string& value, const std::vector<LegacyStorage>& data,
                                const std::string& system = system_facts()) {
  std::string file =
      pickle_file(kMagic) + pickle_file(integer(1001)) + pickle_file(system) + pickle_file(value);
  Texts keys;
  for (const LegacyStorage& storage : data) keys.push_back(text(storage.key));
  file += pickle_file(list(keys));
  for (const LegacyStorage& storage : data) file += bytes_of(storage.elements) + storage.data;
  return file;
}
inline std::string torch_legacy_of(TensorFields fields) {
  if (fields.view.empty()) fields.view = kNone;
  return torch_legacy(dict({text("a"), tensor(fields)}), {{"0", 6, floats({1, 2, 3, 4, 5, 6})}});
}

// An OrderedDict with attributes, a transposed parameter, and a tensor tied to it.
inline std::string good_state_dict(const std::string& view) {
  const TensorFields first{.shape = {3, 2}, .strides = {1, 3}, .view = view};
  const TensorFields second{.shape = {6}, .strides = {1}, .view = view};
  return ordered_dict() + "(" + text("b") + parameter(first) + text("a") + tensor(second) + "u" +
         dict({text("_metadata"), ordered_dict()}) + "b";
}
inline std::string good_torch_zip() {
  return torch_zip(good_state_dict({}), {stored("archive/byteorder", "little"),
                                         stored("archive/data/0", floats({1, 2, 3, 4, 5, 6}))});
}
inline std::string good_torch_legacy() {
  return torch_legacy(good_state_dict(kNone), {{"0", 6, floats({1, 2, 3, 4, 5, 6})}});
}

}  // namespace refran::marian::files
