// The text of the ConfigError that a call throws.
#pragma once

#include <string>

#include "diagnostics.h"
#include "thrown.h"

namespace refran::runner {

template <class Call>
std::string config_error(const Call& call) {
  return tests::thrown<ConfigError>(call);
}

}  // namespace refran::runner
