// The readers of vocabularies: JSON, YAML, lists, and what a vocabulary must hold.
#include "fuzz/texts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  refran::marian::fuzz::read_vocabulary({reinterpret_cast<const char*>(data), size});
  return 0;
}
