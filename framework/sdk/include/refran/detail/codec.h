// How each C++ type of a config field is described, read from a validated value and written as one.
#pragma once

#include <refran/config.h>

namespace refran::detail {

bool read_boolean(const Value& value);
std::int64_t read_integer(const Value& value);
std::uint64_t read_unsigned(const Value& value);
double read_real(const Value& value);

template <>
struct Codec<bool> {
  static void describe(Field& field) { field.type = FieldType::boolean; }
  static void read(const Value& value, bool& member) { member = read_boolean(value); }
  static Value write(bool member) { return Value::boolean(member); }
};

template <std::integral T>
struct Codec<T> {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a config integer has 32 or 64 bits");
  static void describe(Field& field) {
    field.type = FieldType::integer;
    field.integer_bits = static_cast<int>(sizeof(T) * 8);
    field.integer_signed = std::is_signed_v<T>;
  }
  static void read(const Value& value, T& member) {
    if constexpr (std::is_signed_v<T>) {
      member = static_cast<T>(read_integer(value));
    } else {
      member = static_cast<T>(read_unsigned(value));
    }
  }
  static Value write(T member) {
    if constexpr (std::is_signed_v<T>) {
      return Value::integer(static_cast<std::int64_t>(member));
    } else {
      return Value::integer(static_cast<std::uint64_t>(member));
    }
  }
};

template <std::floating_point T>
struct Codec<T> {
  static void describe(Field& field) { field.type = FieldType::real; }
  static void read(const Value& value, T& member) { member = static_cast<T>(read_real(value)); }
  static Value write(T member) { return Value::real(member); }
};

template <>
struct Codec<std::string> {
  static void describe(Field& field) { field.type = FieldType::text; }
  static void read(const Value& value, std::string& member) { member = value.text; }
  static Value write(const std::string& member) { return Value::string(member); }
};

template <>
struct Codec<std::filesystem::path> {
  static void describe(Field& field) { field.type = FieldType::path; }
  static void read(const Value& value, std::filesystem::path& member) { member = value.text; }
  static Value write(const std::filesystem::path& member) { return Value::string(member.string()); }
};

template <class T>
Field element_of() {
  Field element;
  Codec<T>::describe(element);
  return element;
}

template <class T>
struct Codec<std::vector<T>> {
  static void describe(Field& field) {
    field.type = FieldType::list;
    field.fields.push_back(element_of<T>());
  }
  static void read(const Value& value, std::vector<T>& member) {
    member.clear();
    for (const Value& item : value.items) {
      T element{};
      Codec<T>::read(item, element);
      member.push_back(std::move(element));
    }
  }
  static Value write(const std::vector<T>& member) {
    Value value = Value::list();
    for (const T& element : member) value.items.push_back(Codec<T>::write(element));
    return value;
  }
};

template <class T>
struct Codec<Map<T>> {
  static void describe(Field& field) {
    field.type = FieldType::map;
    field.fields.push_back(element_of<T>());
  }
  static void read(const Value& value, Map<T>& member) {
    member.clear();
    for (const Entry& entry : value.entries) {
      T element{};
      Codec<T>::read(entry.value, element);
      member.emplace_back(entry.key, std::move(element));
    }
  }
  static Value write(const Map<T>& member) {
    Value value = Value::map();
    for (const auto& [key, element] : member)
      value.entries.push_back({key, Codec<T>::write(element), {}});
    return value;
  }
};

template <class T>
struct Codec<OneOrList<T>> {
  static void describe(Field& field) {
    Codec<std::vector<T>>::describe(field);
    field.one_or_list = true;
  }
  static void read(const Value& value, OneOrList<T>& member) {
    member.is_list = value.kind == Value::Kind::list;
    member.values.resize(1);
    if (member.is_list) {
      Codec<std::vector<T>>::read(value, member.values);
    } else {
      Codec<T>::read(value, member.values.front());
    }
  }
  static Value write(const OneOrList<T>& member) {
    if (member.is_list) return Codec<std::vector<T>>::write(member.values);
    return member.values.empty() ? Value{} : Codec<T>::write(member.values.front());
  }
};

template <class T>
struct Codec<std::optional<T>> {
  static constexpr const char* kAuto = "auto";

  static void describe(Field& field) {
    Codec<T>::describe(field);
    field.optional = true;
  }
  static void read(const Value& value, std::optional<T>& member) {
    member.reset();
    if (value.kind == Value::Kind::text && value.text == kAuto) return;
    Codec<T>::read(value, member.emplace());
  }
  static Value write(const std::optional<T>& member) {
    return member ? Codec<T>::write(*member) : Value::string(kAuto);
  }
};

template <Describable T>
struct Codec<T> {
  static void describe(Field& field) {
    field.type = FieldType::group;
    Fields fields(&field.fields);
    T example{};
    example.describe(fields);
  }
  static void read(const Value& value, T& member) {
    Fields fields(&value);
    member.describe(fields);
  }
  // The members of a struct are described through `describe` alone, so its value is the map of
  // their defaults.
  static Value write(T member) {
    std::vector<Field> declarations;
    Fields fields(&declarations);
    member.describe(fields);
    Value value = Value::map();
    for (Field& field : declarations) {
      if (!field.required)
        value.entries.push_back({field.name, std::move(field.default_value), {}});
    }
    return value;
  }
};

}  // namespace refran::detail
