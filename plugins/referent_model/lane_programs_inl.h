// The table of programs for one lane type. Included by avx2_lanes.cc and plain_lanes.cc alone.
#pragma once

#include "ablation_lanes.h"
#include "kernel/train.h"
#include "lane_programs.h"
#include "look_lanes.h"

namespace refran::referent {

// `Wide` is the lane type of doubles on the same processor, `Known` the extents that training is
// compiled for, beside the general case.
template <class Lanes, class Wide, class... Known>
constexpr LanePrograms<typename Lanes::Element> programs_of() {
  return {.width = Lanes::kWidth,
          .look = look<Lanes>,
          .ablate = ablate<Lanes>,
          .score = score<Lanes>,
          .make_training = kernel::make<Lanes, Wide, Known..., kernel::AnyDims>};
}

}  // namespace refran::referent
