// The tokenizer: any bytes as a text, any numbers as ids.
#include "fuzz/texts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  refran::marian::fuzz::use_tokenizer({reinterpret_cast<const char*>(data), size});
  return 0;
}
