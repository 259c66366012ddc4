#include "lane_programs.h"

#include <stdexcept>

namespace refran::referent {

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

const ProcessorPrograms& programs_for(Processor processor) {
  if (processor == Processor::plain) return kPlainPrograms;
  if (has_avx2()) return kAvx2Programs;
  if (processor == Processor::avx2)
    throw std::runtime_error(
        "found a processor without AVX2 and FMA, which processor 'avx2' needs");
  return kPlainPrograms;
}

}  // namespace refran::referent
