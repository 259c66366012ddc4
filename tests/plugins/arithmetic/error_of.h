// The text of the Error that a call throws.
#pragma once

#include <string>

#include <refran/error.h>

namespace refran::arithmetic {

// "no error" where it throws none.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace refran::arithmetic
