#include "kernels.h"

namespace refran::marian::kernel {

const Kernels& best_kernels() {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has_avx2 ? kAvx2Kernels : kPlainKernels;
}

}  // namespace refran::marian::kernel
