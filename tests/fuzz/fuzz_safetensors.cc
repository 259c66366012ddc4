// The reader of safetensors.
#include "fuzz/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace refran::marian;
  return fuzz::run(read_safetensors, data, size);
}
