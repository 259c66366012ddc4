// The names of element types and levels, as result files, sidecars and texts spell them.
#include <refran/schema.h>

namespace refran {

std::string_view name_of(Element element) {
  switch (element) {
    case Element::float32:
      return "float32";
    case Element::float64:
      return "float64";
    case Element::int32:
      return "int32";
    case Element::int64:
      return "int64";
    case Element::text:
      return "text";
  }
  return "";
}

std::size_t size_of(Element element) {
  switch (element) {
    case Element::float32:
    case Element::int32:
      return 4;
    case Element::float64:
    case Element::int64:
      return 8;
    case Element::text:
      return 0;
  }
  return 0;
}

std::string_view name_of(Reproducibility level) {
  switch (level) {
    case Reproducibility::bitwise:
      return "bitwise";
    case Reproducibility::same_machine:
      return "same machine";
    case Reproducibility::close:
      return "close";
  }
  return "";
}

}  // namespace refran
