// The readers of a model folder's options: config.json and its companions, decoder.yml, the options
// that a native model keeps.
#include "fuzz/configs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  refran::marian::fuzz::accepts_config({reinterpret_cast<const char*>(data), size});
  return 0;
}
