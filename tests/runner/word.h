// A part of the configs of several tests: a word and a point.
#pragma once

#include <string>
#include <vector>

#include <refran/config.h>

namespace refran::runner {

struct Word {
  std::string text;
  std::vector<double> point = {0, 0};
  void describe(Fields& field) {
    field("text", text, "The word as it is written").required();
    field("point", point, "Where it is").items(2, 2);
  }
};

}  // namespace refran::runner
