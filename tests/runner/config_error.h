// The text of the ConfigError that a call throws.
#pragma once

#include <string>

#include "diagnostics.h"

namespace refran::runner {

// "nothing was thrown" where it is not.
template <class Call>
std::string config_error(const Call& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace refran::runner
