// The programs on lanes for processors with AVX2 and FMA: compiled with -mavx2 -mfma.
#include "lane_programs_inl.h"

namespace refran::referent {

constexpr ProcessorPrograms kAvx2Programs{
    .float32 = programs_of<Avx2Floats, Avx2Doubles, kernel::PageDims, kernel::OnePoolDims>(),
    .float64 = programs_of<Avx2Doubles, Avx2Doubles>()};

}  // namespace refran::referent
