// The sidecar: a description as JSON and back, without loss.
#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "describe.h"
#include "json_value.h"

namespace refran::runner {

namespace {

using Json = nlohmann::ordered_json;

template <class Enum, std::size_t Count>
using Names = std::array<std::pair<Enum, const char*>, Count>;

constexpr Names<FieldType, 8> kFieldTypes{{{FieldType::boolean, "boolean"},
                                           {FieldType::integer, "integer"},
                                           {FieldType::real, "real"},
                                           {FieldType::text, "text"},
                                           {FieldType::path, "path"},
                                           {FieldType::list, "list"},
                                           {FieldType::map, "map"},
                                           {FieldType::group, "group"}}};
constexpr Names<PathKind, 3> kPathKinds{{{PathKind::any, "any"},
                                         {PathKind::existing_file, "existing file"},
                                         {PathKind::existing_folder, "existing folder"}}};
constexpr std::array kElements{Element::float32, Element::float64, Element::int32, Element::int64,
                               Element::text};
constexpr std::array kLevels{Reproducibility::bitwise, Reproducibility::same_machine,
                             Reproducibility::close};

template <class Enum, std::size_t Count>
const char* spell(const Names<Enum, Count>& names, Enum wanted) {
  for (const auto& [value, name] : names) {
    if (value == wanted) return name;
  }
  throw std::logic_error("an enumerator without a name");
}

[[noreturn]] void refuse_name(const char* key, const std::string& name) {
  throw std::runtime_error(fmt::format("'{}' has the unknown value '{}'", key, name));
}

template <class Enum, std::size_t Count>
Enum parse(const Json& json, const char* key, const Names<Enum, Count>& names) {
  const auto name = json.at(key).get<std::string>();
  for (const auto& [value, spelling] : names) {
    if (name == spelling) return value;
  }
  refuse_name(key, name);
}

// For the enumerations of the sdk, which name themselves.
template <class Enum, std::size_t Count>
Enum parse(const Json& json, const char* key, const std::array<Enum, Count>& all) {
  const auto name = json.at(key).get<std::string>();
  for (const Enum value : all) {
    if (name == name_of(value)) return value;
  }
  refuse_name(key, name);
}

// nlohmann-json would convert a real number to an integer without a word.
template <class Integer>
Integer parse_integer(const Json& json, const char* key) {
  if (!json.at(key).is_number_integer()) {
    throw std::runtime_error(fmt::format("'{}' is no integer", key));
  }
  return json.at(key).get<Integer>();
}

Json field_to_json(const Field& field) {
  Json json{{"name", field.name},
            {"doc", field.doc},
            {"unit", field.unit},
            {"type", spell(kFieldTypes, field.type)},
            {"required", field.required},
            {"optional", field.optional},
            {"one_or_list", field.one_or_list}};
  if (field.minimum) json["minimum"] = *field.minimum;
  if (field.maximum) json["maximum"] = *field.maximum;
  json["minimum_excluded"] = field.minimum_excluded;
  json["maximum_excluded"] = field.maximum_excluded;
  json["integer_bits"] = field.integer_bits;
  json["integer_signed"] = field.integer_signed;
  json["choices"] = field.choices;
  json["path_kind"] = spell(kPathKinds, field.path_kind);
  json["min_items"] = field.min_items;
  if (field.max_items) json["max_items"] = *field.max_items;
  json["fields"] = Json::array();
  for (const Field& inner : field.fields) json["fields"].push_back(field_to_json(inner));
  json["default"] = json_of(field.default_value);
  return json;
}

Field field_from_json(const Json& json) {
  Field field;
  json.at("name").get_to(field.name);
  json.at("doc").get_to(field.doc);
  json.at("unit").get_to(field.unit);
  field.type = parse(json, "type", kFieldTypes);
  json.at("required").get_to(field.required);
  json.at("optional").get_to(field.optional);
  json.at("one_or_list").get_to(field.one_or_list);
  if (json.contains("minimum")) field.minimum = json.at("minimum").get<double>();
  if (json.contains("maximum")) field.maximum = json.at("maximum").get<double>();
  json.at("minimum_excluded").get_to(field.minimum_excluded);
  json.at("maximum_excluded").get_to(field.maximum_excluded);
  field.integer_bits = parse_integer<int>(json, "integer_bits");
  json.at("integer_signed").get_to(field.integer_signed);
  json.at("choices").get_to(field.choices);
  field.path_kind = parse(json, "path_kind", kPathKinds);
  field.min_items = parse_integer<std::size_t>(json, "min_items");
  if (json.contains("max_items")) field.max_items = parse_integer<std::size_t>(json, "max_items");
  for (const Json& inner : json.at("fields")) field.fields.push_back(field_from_json(inner));
  field.default_value = value_of(json.at("default"));
  return field;
}

Json output_to_json(const OutputInfo& output) {
  return {{"name", output.name},         {"element", name_of(output.element)},
          {"dims", output.dims},         {"unit", output.unit},
          {"doc", output.doc},           {"rows_sum_to_one", output.rows_sum_to_one},
          {"per_item", output.per_item}, {"condition", output.condition}};
}

OutputInfo output_from_json(const Json& json) {
  OutputInfo output;
  json.at("name").get_to(output.name);
  output.element = parse(json, "element", kElements);
  json.at("dims").get_to(output.dims);
  json.at("unit").get_to(output.unit);
  json.at("doc").get_to(output.doc);
  json.at("rows_sum_to_one").get_to(output.rows_sum_to_one);
  json.at("per_item").get_to(output.per_item);
  json.at("condition").get_to(output.condition);
  return output;
}

Description parse_description(const Json& json) {
  Description description;
  json.at("name").get_to(description.name);
  json.at("question").get_to(description.question);
  json.at("version").get_to(description.version);
  description.reproducibility = parse(json, "reproducibility", kLevels);
  json.at("tolerance").get_to(description.tolerance);
  json.at("weaker_field").get_to(description.weaker_field);
  json.at("weaker_value").get_to(description.weaker_value);
  description.weaker = parse(json, "weaker", kLevels);
  json.at("has_check").get_to(description.has_check);
  json.at("has_group").get_to(description.has_group);
  json.at("part").get_to(description.part);
  for (const Json& field : json.at("fields")) description.fields.push_back(field_from_json(field));
  for (const Json& output : json.at("outputs")) {
    description.outputs.push_back(output_from_json(output));
  }
  return description;
}

}  // namespace

Json to_json(const Description& description) {
  Json json{{"name", description.name},
            {"question", description.question},
            {"version", description.version},
            {"reproducibility", name_of(description.reproducibility)},
            {"tolerance", description.tolerance},
            {"weaker_field", description.weaker_field},
            {"weaker_value", description.weaker_value},
            {"weaker", name_of(description.weaker)},
            {"has_check", description.has_check},
            {"has_group", description.has_group},
            {"part", description.part},
            {"fields", Json::array()},
            {"outputs", Json::array()}};
  for (const Field& field : description.fields) json["fields"].push_back(field_to_json(field));
  for (const OutputInfo& output : description.outputs) {
    json["outputs"].push_back(output_to_json(output));
  }
  return json;
}

Description description_from_json(const Json& json) {
  try {
    return parse_description(json);
  } catch (const Json::exception& error) {
    throw std::runtime_error(fmt::format("no description of a plugin: {}", error.what()));
  }
}

}  // namespace refran::runner
