// What to write instead of a scalar of the wrong kind: the last words of an error text, or "".
#pragma once

#include <string>

#include <refran/schema.h>

namespace refran::runner {

// For a number field that meets `010`, `0x1F`, `1_000`, `+5`, `1,5`, `'5'`, or an integer field
// that meets `1.0`.
std::string number_hint(const Value& value, FieldType wanted);
// For a text field that meets a number or boolean.
std::string text_hint(const Value& value);
// For a boolean field that meets `yes`, `off`, `'true'`, `1`.
std::string boolean_hint(const Value& value);

}  // namespace refran::runner
