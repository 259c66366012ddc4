// Values as JSON and back.
#pragma once

#include <nlohmann/json.hpp>

#include <refran/value.h>

namespace refran::runner {

// Scalars, lists and maps as JSON has them; a number that JSON cannot write, as `{"real": ".inf"}`.
nlohmann::ordered_json json_of(const Value& value);
Value value_of(const nlohmann::ordered_json& json);

}  // namespace refran::runner
