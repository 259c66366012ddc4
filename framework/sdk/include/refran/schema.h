// The description of a plugin's config fields and outputs as plain data. A plugin's declarations
// are turned into it once; validation, `refran describe`, the README tables and the JSON Schema all
// read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <refran/value.h>

namespace refran {

enum class FieldType { boolean, integer, real, text, path, list, map, group };

// What must be at a path before the run. Files and the listed files of folders are hashed into the
// provenance.
enum class PathKind { any, existing_file, existing_folder };

// One config field, or the element of a list or map (then its name is empty).
struct Field {
  std::string name;
  std::string doc;
  std::string unit;  // "" = none given
  FieldType type = FieldType::text;

  bool required = false;     // no default: the YAML has to say it
  bool optional = false;     // may be spelled `auto`: the plugin chooses, and notes what it chose
  bool one_or_list = false;  // type is list, and a single element stands for itself

  // Rules. Numbers (for lists and maps: every number inside); a bound that is excluded is marked
  // so.
  std::optional<double> minimum;
  std::optional<double> maximum;
  bool minimum_excluded = false;
  bool maximum_excluded = false;
  // What the C++ type holds: 32 or 64 bits, signed or not.
  int integer_bits = 64;
  bool integer_signed = true;
  std::vector<std::string> choices;  // text: the words allowed; empty = any
  PathKind path_kind = PathKind::any;
  std::size_t min_items = 0;  // lists and maps
  std::optional<std::size_t> max_items;

  std::vector<Field> fields;  // group: its fields; list, map: one, the element
  Value default_value;        // the declared default; null where required
};

// The element types a dataset can have.
enum class Element : std::uint8_t { float32, float64, int32, int64, text };

std::string_view name_of(Element element);
// Bytes of one element in memory; 0 for text, whose cells differ in length.
std::size_t size_of(Element element);

// One declared output.
struct OutputInfo {
  std::string name;
  Element element = Element::float64;
  std::vector<std::string> dims;
  std::string unit;
  std::string doc;
  bool rows_sum_to_one = false;
  std::string
      per_item;  // "" = dense; else the name of the item list it is written for, item by item
  std::string condition;  // "" = always; else when it is written, in words
};

// How far the same config and seed give the same bytes.
enum class Reproducibility : std::uint8_t {
  bitwise,       // on any x86-64 machine, compiler, thread count, batch and order
  same_machine,  // on the same machine, build and thread count
  close,         // to a tolerance the plugin states
};

std::string_view name_of(Reproducibility level);

// All a plugin says of itself.
struct Description {
  std::string name;      // `toy-encoder`
  std::string question;  // one sentence: what the experiment asks
  std::string version;   // the plugin's own
  Reproducibility reproducibility = Reproducibility::bitwise;
  double tolerance = 0;  // for `close`: largest absolute difference
  // Where a config field has a certain value, less is promised.
  std::string weaker_field;  // "" = nowhere
  std::string weaker_value;
  Reproducibility weaker = Reproducibility::bitwise;
  bool has_check = false;
  bool has_group = false;
  std::string part;  // file stem of its second library; "" = none
  std::vector<Field> fields;
  std::vector<OutputInfo> outputs;
};

}  // namespace refran
