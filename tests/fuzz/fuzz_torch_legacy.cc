// The reader of PyTorch's older files: the pickles and the storages after them.
#include "fuzz/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace refran::marian;
  return fuzz::run(read_torch_legacy, data, size);
}
