// Where two trees of configuration values differ, field by field.
#pragma once

#include <string>
#include <vector>

#include <refran/value.h>

namespace refran::runner {

struct ValueDifference {
  std::string key;             // "config.words[2].point"
  const Value* was = nullptr;  // null = not given
  const Value* is = nullptr;
};

// In the order of `was`, and behind it what `is` alone has. Maps are compared entry by entry, lists
// of maps that are equally long item by item, all else as a whole. What is returned points into
// the two trees.
std::vector<ValueDifference> value_differences(const Value& was, const Value& is);

}  // namespace refran::runner
