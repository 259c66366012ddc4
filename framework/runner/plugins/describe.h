// A plugin's description for people and tools: terminal text, the tables of a README, a JSON Schema
// for editors, and the sidecar file that lets `list` and `describe` open no library.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <refran/schema.h>

namespace refran::runner {

std::string describe_text(const Description& description);
// Two tables, config fields (nested ones as `a.b`, list elements as `words[].point`) and outputs.
std::string describe_markdown(const Description& description);
// Draft 2020-12, of a whole experiment file for this plugin; unknown keys forbidden.
nlohmann::ordered_json json_schema(const Description& description);
std::string json_schema_text(const Description& description);

// Lossless; from_json throws std::runtime_error where something is missing or of the wrong kind.
nlohmann::ordered_json to_json(const Description& description);
Description description_from_json(const nlohmann::ordered_json& json);

}  // namespace refran::runner
