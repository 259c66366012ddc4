// How far rounding may take a result.
#pragma once

namespace refran::arithmetic {

// A few operations on doubles of size 1.
inline constexpr double kRounding = 1e-14;

}  // namespace refran::arithmetic
