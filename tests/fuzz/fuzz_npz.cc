// The reader of NumPy's npz files: the directory, inflating, and the headers of arrays.
#include "fuzz/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace refran::marian;
  return fuzz::run(fuzz::npz, data, size);
}
