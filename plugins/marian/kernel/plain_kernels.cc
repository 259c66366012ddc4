// The arithmetic for every x86-64 processor: the same bytes as with AVX2, only slower.
#include "kernels_inl.h"

namespace refran::marian::kernel {

constexpr Kernels kPlainKernels = kernels_of<lanes::PlainLanes<float, 8>>();

}  // namespace refran::marian::kernel
