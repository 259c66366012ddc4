// The programs on lanes for every x86-64 processor: the same bytes as with AVX2, only slower.
#include "lane_programs_inl.h"

namespace refran::referent {

using PlainFloats = lanes::PlainLanes<float, 8>;
using PlainDoubles = lanes::PlainLanes<double, 4>;

constexpr ProcessorPrograms kPlainPrograms{.float32 = programs_of<PlainFloats, PlainDoubles>(),
                                           .float64 = programs_of<PlainDoubles, PlainDoubles>()};

}  // namespace refran::referent
