// The text of what a call throws.
#pragma once

#include <string>

namespace refran::tests {

// "" where the call throws no `Exception`.
template <class Exception, class Call>
std::string thrown(const Call& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace refran::tests
