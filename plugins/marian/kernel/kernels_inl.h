// The table of programs for one lane type. Included by avx2_kernels.cc and plain_kernels.cc alone.
#pragma once

#include "attention.h"
#include "kernels.h"
#include "matmul.h"
#include "rows.h"

namespace refran::marian::kernel {

template <class Lanes>
constexpr Kernels kernels_of() {
  return {.pack = pack<Lanes>,
          .matmul = matmul<Lanes>,
          .matmul_activated = matmul_activated<Lanes>,
          .attend = attend<Lanes>,
          .add_norm = add_norm<Lanes>,
          .activate = activate<Lanes>,
          .exp_sum = exp_sum<Lanes>,
          .next_above = next_above<Lanes>};
}

}  // namespace refran::marian::kernel
