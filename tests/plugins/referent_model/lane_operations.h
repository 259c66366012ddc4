// Every operation on lanes as a function on plain memory, so that two kinds of lanes can be held
// against each other. As everything on lanes it shares no inline function with ordinary code.
#pragma once

#include <cstddef>

#include <lanes/lanes.h>

namespace refran::referent {

enum class LaneOperation {
  of_first,  // the first lane's value in all
  add,
  subtract,
  multiply,
  divide,
  fused,
  root,
  larger,
  choose,
  scale,
  exponential,
  logarithm
};

// result [i] = operation(a [i], b [i], c [i]) for `count` values, a multiple of the lanes.
template <class Lanes>
void operate(LaneOperation operation, const typename Lanes::Element* a,
             const typename Lanes::Element* b, const typename Lanes::Element* c, std::size_t count,
             typename Lanes::Element* result) {
  const auto apply = [operation](Lanes x, Lanes y, Lanes z, typename Lanes::Element first) {
    switch (operation) {
      case LaneOperation::of_first:
        return Lanes::of(first);
      case LaneOperation::add:
        return x + y;
      case LaneOperation::subtract:
        return x - y;
      case LaneOperation::multiply:
        return x * y;
      case LaneOperation::divide:
        return x / y;
      case LaneOperation::fused:
        return fma(x, y, z);
      case LaneOperation::root:
        return sqrt(x);
      case LaneOperation::larger:
        return max(x, y);
      case LaneOperation::choose:
        return if_less(x, y, z, x);
      case LaneOperation::scale:
        return times_power_of_two(x, y);
      case LaneOperation::exponential:
        return exp(x);
      case LaneOperation::logarithm:
        return log_of_sum(x);
    }
    return x;
  };
  for (std::size_t i = 0; i < count; i += Lanes::kWidth) {
    apply(Lanes::load(a + i), Lanes::load(b + i), Lanes::load(c + i), a[i]).store(result + i);
  }
}

// lane_operations_avx2.cc: only for processors with AVX2 and FMA.
void operate_avx2(LaneOperation operation, const float* a, const float* b, const float* c,
                  std::size_t count, float* result);
void operate_avx2(LaneOperation operation, const double* a, const double* b, const double* c,
                  std::size_t count, double* result);

}  // namespace refran::referent
