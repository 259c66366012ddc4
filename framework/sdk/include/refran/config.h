// How a plugin declares its config: a plain struct whose `describe` names every field once.
//
//   struct Config {
//     double rate = 0.5;
//     std::vector<std::string> words;
//     void describe(refran::Fields& field) {
//       field("rate", rate, "Share of the way the summary moves toward each word").range(0, 1);
//       field("words", words, "The sentence, word by word").required();
//     }
//   };
//
// A field is a bool, an integer, a real number, a std::string, a std::filesystem::path, a struct
// with a `describe` of its own, or a std::vector, refran::Map, refran::OneOrList or std::optional
// of these.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <refran/schema.h>

namespace refran {

// A map from names to values that keeps the order of the file.
template <class T>
using Map = std::vector<std::pair<std::string, T>>;

// `rate: 0.5` or `rate: [0.5, 0.25]`: one value that serves every index, or one value per index.
template <class T>
struct OneOrList {
  std::vector<T> values;
  bool is_list = false;

  OneOrList() = default;
  OneOrList(T one) : values{std::move(one)} {}  // implicit: `OneOrList<double> rate = 0.5;`

  const T& operator[](std::size_t index) const { return is_list ? values[index] : values.front(); }
};

// The rules of one field, chained behind its declaration.
class FieldRules {
 public:
  explicit FieldRules(Field* field) : field_(field) {}

  FieldRules& required();              // it has no default
  FieldRules& unit(std::string text);  // "nat", "s", …
  FieldRules& range(double minimum,
                    double maximum);  // both ends allowed; of a list or map: of every number in it
  FieldRules& at_least(double minimum);
  FieldRules& above(double minimum);
  FieldRules& one_of(std::vector<std::string> words);  // a text, or the texts of a list
  FieldRules& items(std::size_t minimum, std::optional<std::size_t> maximum = std::nullopt);
  FieldRules& existing_file();  // relative to the YAML; hashed into the provenance
  FieldRules& existing_folder();

 private:
  Field* field_;  // null while a config is bound: the runner has applied the rules by then
};

namespace detail {
template <class T>
struct Codec;
}

// What `describe` is called with: it either collects the declarations, or fills the members from
// validated values.
class Fields {
 public:
  explicit Fields(std::vector<Field>* declarations) : declarations_(declarations) {}
  explicit Fields(const Value* values) : values_(values) {}

  template <class T>
  FieldRules operator()(const char* name, T& member, const char* doc) {
    if (values_ != nullptr) {
      detail::Codec<T>::read(value_of(name), member);
      return FieldRules(nullptr);
    }
    Field field;
    field.name = name;
    field.doc = doc;
    detail::Codec<T>::describe(field);
    field.default_value = detail::Codec<T>::write(member);
    declarations_->push_back(std::move(field));
    return FieldRules(&declarations_->back());
  }

 private:
  const Value& value_of(
      const char* name) const;  // throws std::logic_error where validation left it out

  std::vector<Field>* declarations_ = nullptr;
  const Value* values_ = nullptr;
};

template <class T>
concept Describable = requires(T& config, Fields& fields) {
  config.describe(fields);
};

}  // namespace refran

#include <refran/detail/codec.h>
