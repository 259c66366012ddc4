// Compiled with -mavx2 -mfma.
#include "lane_operations.h"

namespace refran::referent {

void operate_avx2(LaneOperation operation, const float* a, const float* b, const float* c,
                  std::size_t count, float* result) {
  operate<lanes::Avx2Floats>(operation, a, b, c, count, result);
}

void operate_avx2(LaneOperation operation, const double* a, const double* b, const double* c,
                  std::size_t count, double* result) {
  operate<lanes::Avx2Doubles>(operation, a, b, c, count, result);
}

}  // namespace refran::referent
