// What a plain YAML scalar is taken for, by the core schema of YAML 1.2 with narrower numbers.
#pragma once

#include <string_view>

#include <refran/value.h>

namespace refran::runner {

// `~`, `null` and nothing are null, true and false booleans, `-12` an integer, `1.5`, `1e-3`,
// `.inf` real numbers, all else text: also the spellings that readers of YAML disagree about, as
// `010`, `0x1F`, `1_000`, `+5` and `yes`.
Value plain_scalar(std::string_view text);

// `-?(0|[1-9][0-9]*)`
bool is_integer(std::string_view text);

}  // namespace refran::runner
