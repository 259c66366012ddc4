// The JSON Schema of an experiment file, for editors.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "describe.h"
#include "field_words.h"
#include "json_value.h"
#include "sweep_axes.h"

namespace refran::runner {

namespace {

using Json = nlohmann::ordered_json;

Json schema_of(const Field& field, const Field& rules);

// Whole numbers as integers: `1`, not `1.0`.
Json bound(double number) {
  constexpr double kExactIntegers = 9007199254740992;  // 2^53
  const bool is_whole = std::trunc(number) == number && std::abs(number) <= kExactIntegers;
  return is_whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
}

void add_bounds(const Field& rules, Json& schema) {
  if (rules.minimum) {
    schema[rules.minimum_excluded ? "exclusiveMinimum" : "minimum"] = bound(*rules.minimum);
  }
  if (rules.maximum) {
    schema[rules.maximum_excluded ? "exclusiveMaximum" : "maximum"] = bound(*rules.maximum);
  }
}

// Both the limits of the type and the rules hold; "allOf" keeps the rules from hiding the limits.
Json integer_schema(const Field& field, const Field& rules) {
  const IntegerLimits limits = integer_limits(field);
  Json schema{{"type", "integer"}, {"minimum", limits.lowest}, {"maximum", limits.highest}};
  Json bounds = Json::object();
  add_bounds(rules, bounds);
  if (!bounds.empty()) schema["allOf"] = Json::array({std::move(bounds)});
  return schema;
}

Json text_schema(const Field& rules) {
  Json schema{{"type", "string"}};
  if (!rules.choices.empty()) schema["enum"] = rules.choices;
  return schema;
}

Json list_schema(const Field& field, const Field& rules) {
  const Json item = schema_of(field.fields.front(), rules);
  Json schema{{"type", "array"}, {"items", item}};
  if (field.min_items > 0) schema["minItems"] = field.min_items;
  if (field.max_items) schema["maxItems"] = *field.max_items;
  return field.one_or_list ? Json{{"anyOf", {item, schema}}} : schema;
}

Json map_schema(const Field& field, const Field& rules) {
  Json schema{{"type", "object"}, {"additionalProperties", schema_of(field.fields.front(), rules)}};
  if (field.min_items > 0) schema["minProperties"] = field.min_items;
  if (field.max_items) schema["maxProperties"] = *field.max_items;
  return schema;
}

// The keys that have to be there, at every depth below `fields`; empty where there are none.
Json required_below(const std::vector<Field>& fields) {
  Json schema = Json::object();
  for (const Field& field : fields) {
    if (field.required) schema["required"].push_back(field.name);
    if (field.type != FieldType::group) continue;
    Json inner = required_below(field.fields);
    if (inner.empty()) continue;
    schema["required"].push_back(field.name);
    schema["properties"][field.name] = std::move(inner);
  }
  return schema;
}

Json group_schema(const std::vector<Field>& fields) {
  Json properties = Json::object();
  for (const Field& field : fields) properties[field.name] = schema_of(field, field);
  return {{"type", {"object", "null"}},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

Json schema_of_type(const Field& field, const Field& rules) {
  switch (field.type) {
    case FieldType::boolean:
      return {{"type", "boolean"}};
    case FieldType::integer:
      return integer_schema(field, rules);
    case FieldType::real: {
      Json schema{{"type", "number"}};
      add_bounds(rules, schema);
      return schema;
    }
    case FieldType::text:
      return text_schema(rules);
    case FieldType::path:
      return {{"type", "string"}};
    case FieldType::list:
      return list_schema(field, rules);
    case FieldType::map:
      return map_schema(field, rules);
    case FieldType::group: {
      Json schema = group_schema(field.fields);
      // What a declared group lacks may be swept; the elements of lists and maps have to be whole.
      if (&field != &rules) schema["allOf"] = Json::array({required_below(field.fields)});
      return schema;
    }
  }
  return true;
}

Json schema_of(const Field& field, const Field& rules) {
  Json schema = schema_of_type(field, rules);
  if (field.optional) schema = Json{{"anyOf", {std::move(schema), {{"const", "auto"}}}}};
  if (!field.doc.empty()) {
    schema["description"] =
        field.unit.empty() ? field.doc : fmt::format("{} ({})", field.doc, field.unit);
  }
  const bool has_default =
      field.default_value.kind != Value::Kind::null && field.type != FieldType::group;
  if (has_default) schema["default"] = json_of(field.default_value);
  return schema;
}

Json range_schema() {
  return {{"type", "object"},
          {"properties",
           {{"from", {{"type", "integer"}}}, {"count", {{"type", "integer"}, {"minimum", 1}}}}},
          {"required", {"from", "count"}},
          {"additionalProperties", false}};
}

Json axis_schema(Json value) {
  value.erase("default");
  Json list{{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", std::move(value)}};
  return {{"anyOf", {std::move(list), {{"$ref", "#/$defs/range"}}}}};
}

std::string escaped_for_pattern(std::string_view key) {
  std::string escaped;
  for (const char letter : key) {
    if (letter == '.') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

// The keys below `prefix` that can sweep: declared ones, and the entries of maps.
void add_axes(const std::vector<Field>& fields, const std::string& prefix, Json& axes) {
  for (const Field& field : fields) {
    const std::string key = prefix + '.' + field.name;
    axes["properties"][key] = axis_schema(schema_of(field, field));
    if (field.type == FieldType::group) add_axes(field.fields, key, axes);
    if (field.type != FieldType::map) continue;
    axes["patternProperties"][fmt::format("^{}\\.", escaped_for_pattern(key))] =
        axis_schema(schema_of(field.fields.front(), field));
  }
}

Json axes_schema(const Description& description) {
  const Field seed = seed_field();
  Json axes{{"properties", {{"seed", axis_schema(schema_of(seed, seed))}}}};
  add_axes(description.fields, "config", axes);
  return axes;
}

Json sweep_schema() {
  const Json axes{{"$ref", "#/$defs/axes"}};
  Json zip{{"type", "object"}, {"minProperties", 2}, {"unevaluatedProperties", false}};
  zip.update(axes);
  Json sweep{
      {"type", {"object", "null"}},
      {"description",
       "The grid of runs: keys and the values they take; keys of a zip move together"},
      {"properties", {{"zip", {{"type", "object"}, {"additionalProperties", std::move(zip)}}}}},
      {"unevaluatedProperties", false}};
  sweep.update(axes);
  return sweep;
}

}  // namespace

Json json_schema(const Description& description) {
  const Field seed = seed_field();
  Json config = group_schema(description.fields);
  Json properties{
      {"experiment", {{"const", description.name}, {"description", description.question}}},
      {"seed", schema_of(seed, seed)},
      {"demo", {{"type", "boolean"}, {"default", false}}},
      {"compress", {{"type", "boolean"}, {"default", false}}},
      {"config", std::move(config)},
      {"sweep", sweep_schema()},
      {"base", {{"type", "string"}, {"description", "The folder that paths are relative to"}}}};
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", description.name + " experiment"},
              {"type", "object"},
              {"properties", std::move(properties)},
              {"required", {"experiment"}},
              {"additionalProperties", false}};
  Json required = required_below(description.fields);
  if (!required.empty()) {
    // A sweep can give what the config lacks.
    schema["if"] = {{"not", {{"required", {"sweep"}}}}};
    schema["then"] = {{"required", {"config"}}, {"properties", {{"config", std::move(required)}}}};
  }
  schema["$defs"] = {{"range", range_schema()}, {"axes", axes_schema(description)}};
  return schema;
}

std::string json_schema_text(const Description& description) {
  return json_schema(description).dump(2) + "\n";
}

}  // namespace refran::runner
