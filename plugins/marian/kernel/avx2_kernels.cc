// The arithmetic for processors with AVX2 and FMA: compiled with -mavx2 -mfma.
#include "kernels_inl.h"

namespace refran::marian::kernel {

constexpr Kernels kAvx2Kernels = kernels_of<lanes::Avx2Floats>();

}  // namespace refran::marian::kernel
