// The programs on lanes for processors with AVX2 and FMA: compiled with -mavx2 -mfma.
#include "lane_programs_inl.h"

namespace refran::referent {

// The extents that training is compiled for, beside the general case.
template <class Lanes, class Wide>
constexpr LanePrograms<typename Lanes::Element> programs_with_known() {
#ifdef REFRAN_GENERAL_EXTENTS
  return programs_of<Lanes, Wide>();
#else
  return programs_of<Lanes, Wide, kernel::PageDims, kernel::OnePoolDims>();
#endif
}

constexpr ProcessorPrograms kAvx2Programs{
    .float32 = programs_with_known<lanes::Avx2Floats, lanes::Avx2Doubles>(),
    .float64 = programs_of<lanes::Avx2Doubles, lanes::Avx2Doubles>()};

}  // namespace refran::referent
