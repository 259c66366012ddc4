// The values of a sweep's axis as the typed values of a dimension scale, and what they are about.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <refran/schema.h>
#include "spec.h"

namespace refran::runner {

using ScaleValues = std::variant<std::vector<std::string>, std::vector<std::int64_t>,
                                 std::vector<std::uint64_t>, std::vector<double>>;

// The values of one key of an axis, by point: numbers where all of them are, seeds unsigned, else
// texts.
ScaleValues key_values(const Axis& axis, std::size_t key);
// The values of the axis itself: those of its key, or of a zip its points' labels.
ScaleValues axis_values(const Axis& axis);

// The unit and the one sentence a dataset is described by.
struct About {
  std::string units = "1";
  std::string long_name;
};

// Of a swept key: what the plugin says of the field.
About about_key(const std::string& key, const std::vector<Field>& fields);
About about_axis(const Axis& axis, const std::vector<Field>& fields);

}  // namespace refran::runner
