// One thing that is not the same in two results, in words.
#pragma once

#include <string>

#include <fmt/format.h>

namespace refran::runner {

struct Difference {
  std::string what;    // "config.steps", "loss[seed=3, step=17]"
  std::string was;     // in the first result
  std::string is;      // in the second
  std::string extent;  // "12 of 500 values differ, by up to 0.25"; "" where there is no more to say
};

// "loss[step=17]: was 0.5, is 0.25; 1 of 500 values differs, by 0.25".
inline std::string as_change(const Difference& difference) {
  return fmt::format("{}: was {}, is {}{}{}", difference.what, difference.was, difference.is,
                     difference.extent.empty() ? "" : "; ", difference.extent);
}

// "loss[step=17]: 0.5 / 0.25; 1 of 500 values differs, by 0.25".
inline std::string side_by_side(const Difference& difference) {
  return fmt::format("{}: {} / {}{}{}", difference.what, difference.was, difference.is,
                     difference.extent.empty() ? "" : "; ", difference.extent);
}

}  // namespace refran::runner
