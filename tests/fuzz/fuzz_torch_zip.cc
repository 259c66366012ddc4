// The reader of PyTorch's zip files: the directory, the pickle and its tensors.
#include "fuzz/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace refran::marian;
  return fuzz::run(fuzz::torch_zip, data, size);
}
