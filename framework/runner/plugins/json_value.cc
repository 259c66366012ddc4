// Turns values into JSON and back.
#include "json_value.h"

#include <charconv>

namespace refran::runner {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kReal = "real";

template <class Number>
Number read(const std::string& text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_finite(const std::string& text) { return !text.ends_with("inf") && !text.ends_with("nan"); }

}  // namespace

Json json_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      return nullptr;
    case Value::Kind::boolean:
      return value.text == "true";
    case Value::Kind::integer:
      if (value.text.starts_with('-')) return read<std::int64_t>(value.text);
      return read<std::uint64_t>(value.text);
    case Value::Kind::real:
      if (!is_finite(value.text)) return Json{{kReal, value.text}};
      return read<double>(value.text);
    case Value::Kind::text:
      return value.text;
    case Value::Kind::list: {
      Json list = Json::array();
      for (const Value& item : value.items) list.push_back(json_of(item));
      return list;
    }
    case Value::Kind::map: {
      Json map = Json::object();
      for (const Entry& entry : value.entries) map[entry.key] = json_of(entry.value);
      return map;
    }
  }
  return nullptr;
}

Value value_of(const Json& json) {
  if (json.is_boolean()) return Value::boolean(json.get<bool>());
  if (json.is_number_unsigned()) return Value::integer(json.get<std::uint64_t>());
  if (json.is_number_integer()) return Value::integer(json.get<std::int64_t>());
  if (json.is_number_float()) return Value::real(json.get<double>());
  if (json.is_string()) return Value::string(json.get<std::string>());
  if (json.is_array()) {
    Value list = Value::list();
    for (const Json& item : json) list.items.push_back(value_of(item));
    return list;
  }
  if (!json.is_object()) return {};
  if (json.size() == 1 && json.contains(kReal) && json[kReal].is_string() &&
      !is_finite(json[kReal].get<std::string>())) {
    Value real = Value::real(0);
    real.text = json[kReal].get<std::string>();
    return real;
  }
  Value map = Value::map();
  for (const auto& [key, item] : json.items()) map.entries.push_back({key, value_of(item), {}});
  return map;
}

}  // namespace refran::runner
