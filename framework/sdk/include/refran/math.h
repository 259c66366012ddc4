// Elementary functions with the same bytes on every x86-64 machine and compiler: glibc's differ
// between CPUs. Plain IEEE arithmetic, built without contraction.
#pragma once

namespace refran::math {

// Within 1 unit in the last place of the exact value (measured in math_test.cc); exp(710) is inf,
// exp(-746) is 0.
double exp(double x);
// Natural logarithm, within 1 unit in the last place; log(0) is -inf, of a negative number NaN.
double log(double x);

}  // namespace refran::math
