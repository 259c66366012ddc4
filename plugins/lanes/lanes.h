// Numbers of several seeds side by side: one lane per seed, and no operation across lanes. A seed's
// bytes are then the same whichever lane it is in and whatever the other lanes hold.
//
// There are two kinds with the same bytes: of AVX2 registers where the file is compiled for them,
// and plain arrays with std::fma. Both are IEEE operations alone, in the order written (the project
// is built with -ffp-contract=off).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace refran::lanes {

// A number this is added to is rounded to the nearest integer, ties to even, and is an integer in
// the lowest bits of the sum: 1.5 · 2^23, 1.5 · 2^52.
template <class T>
constexpr T kIntegerShift = sizeof(T) == sizeof(float) ? T{12582912} : T{6755399441055744};

// The plain kind. T is float or double. An operator acts lane by lane.
template <class T, std::size_t N>
struct PlainLanes {
  using Element = T;
  static constexpr std::size_t kWidth = N;
  T v[N];

  static PlainLanes of(T value) {
    return each([value](std::size_t) { return value; });
  }
  static PlainLanes load(const T* values) {
    return each([values](std::size_t i) { return values[i]; });
  }
  void store(T* values) const {
    for (std::size_t i = 0; i < N; ++i) values[i] = v[i];
  }

  friend PlainLanes operator+(PlainLanes a, PlainLanes b) {
    return each([&](std::size_t i) { return a.v[i] + b.v[i]; });
  }
  friend PlainLanes operator-(PlainLanes a, PlainLanes b) {
    return each([&](std::size_t i) { return a.v[i] - b.v[i]; });
  }
  friend PlainLanes operator*(PlainLanes a, PlainLanes b) {
    return each([&](std::size_t i) { return a.v[i] * b.v[i]; });
  }
  friend PlainLanes operator/(PlainLanes a, PlainLanes b) {
    return each([&](std::size_t i) { return a.v[i] / b.v[i]; });
  }
  // a b + c, rounded once.
  friend PlainLanes fma(PlainLanes a, PlainLanes b, PlainLanes c) {
    return each([&](std::size_t i) { return std::fma(a.v[i], b.v[i], c.v[i]); });
  }
  friend PlainLanes sqrt(PlainLanes a) {
    return each([&](std::size_t i) { return std::sqrt(a.v[i]); });
  }
  // The larger; b where either is NaN.
  friend PlainLanes max(PlainLanes a, PlainLanes b) {
    return each([&](std::size_t i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
  }
  // yes where a < b, else no (also where either is NaN).
  friend PlainLanes if_less(PlainLanes a, PlainLanes b, PlainLanes yes, PlainLanes no) {
    return each([&](std::size_t i) { return a.v[i] < b.v[i] ? yes.v[i] : no.v[i]; });
  }
  // a · 2^n where `shifted` is n + kIntegerShift; a and the result are normal numbers. a where
  // `shifted` is NaN.
  friend PlainLanes times_power_of_two(PlainLanes a, PlainLanes shifted) {
    return each([&](std::size_t i) {
      const T power = shifted.v[i] - kIntegerShift<T>;
      return power == power ? std::ldexp(a.v[i], static_cast<int>(power)) : a.v[i];
    });
  }

 private:
  template <class Function>
  static PlainLanes each(Function function) {
    PlainLanes result;
    for (std::size_t i = 0; i < N; ++i) result.v[i] = function(i);
    return result;
  }
};

#ifdef __AVX2__

struct Avx2Floats {
  using Element = float;
  static constexpr std::size_t kWidth = 8;
  __m256 v;

  static Avx2Floats of(float value) { return {_mm256_set1_ps(value)}; }
  static Avx2Floats load(const float* values) { return {_mm256_loadu_ps(values)}; }
  void store(float* values) const { _mm256_storeu_ps(values, v); }

  friend Avx2Floats operator+(Avx2Floats a, Avx2Floats b) { return {_mm256_add_ps(a.v, b.v)}; }
  friend Avx2Floats operator-(Avx2Floats a, Avx2Floats b) { return {_mm256_sub_ps(a.v, b.v)}; }
  friend Avx2Floats operator*(Avx2Floats a, Avx2Floats b) { return {_mm256_mul_ps(a.v, b.v)}; }
  friend Avx2Floats operator/(Avx2Floats a, Avx2Floats b) { return {_mm256_div_ps(a.v, b.v)}; }
  friend Avx2Floats fma(Avx2Floats a, Avx2Floats b, Avx2Floats c) {
    return {_mm256_fmadd_ps(a.v, b.v, c.v)};
  }
  friend Avx2Floats sqrt(Avx2Floats a) { return {_mm256_sqrt_ps(a.v)}; }
  friend Avx2Floats max(Avx2Floats a, Avx2Floats b) { return {_mm256_max_ps(a.v, b.v)}; }
  friend Avx2Floats if_less(Avx2Floats a, Avx2Floats b, Avx2Floats yes, Avx2Floats no) {
    return {_mm256_blendv_ps(no.v, yes.v, _mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ))};
  }
  // Moves n from the lowest bits to those of the exponent.
  friend Avx2Floats times_power_of_two(Avx2Floats a, Avx2Floats shifted) {
    const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(shifted.v), 23);
    return {_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a.v), power))};
  }
};

struct Avx2Doubles {
  using Element = double;
  static constexpr std::size_t kWidth = 4;
  __m256d v;

  static Avx2Doubles of(double value) { return {_mm256_set1_pd(value)}; }
  static Avx2Doubles load(const double* values) { return {_mm256_loadu_pd(values)}; }
  void store(double* values) const { _mm256_storeu_pd(values, v); }

  friend Avx2Doubles operator+(Avx2Doubles a, Avx2Doubles b) { return {_mm256_add_pd(a.v, b.v)}; }
  friend Avx2Doubles operator-(Avx2Doubles a, Avx2Doubles b) { return {_mm256_sub_pd(a.v, b.v)}; }
  friend Avx2Doubles operator*(Avx2Doubles a, Avx2Doubles b) { return {_mm256_mul_pd(a.v, b.v)}; }
  friend Avx2Doubles operator/(Avx2Doubles a, Avx2Doubles b) { return {_mm256_div_pd(a.v, b.v)}; }
  friend Avx2Doubles fma(Avx2Doubles a, Avx2Doubles b, Avx2Doubles c) {
    return {_mm256_fmadd_pd(a.v, b.v, c.v)};
  }
  friend Avx2Doubles sqrt(Avx2Doubles a) { return {_mm256_sqrt_pd(a.v)}; }
  friend Avx2Doubles max(Avx2Doubles a, Avx2Doubles b) { return {_mm256_max_pd(a.v, b.v)}; }
  friend Avx2Doubles if_less(Avx2Doubles a, Avx2Doubles b, Avx2Doubles yes, Avx2Doubles no) {
    return {_mm256_blendv_pd(no.v, yes.v, _mm256_cmp_pd(a.v, b.v, _CMP_LT_OQ))};
  }
  friend Avx2Doubles times_power_of_two(Avx2Doubles a, Avx2Doubles shifted) {
    const __m256i power = _mm256_slli_epi64(_mm256_castpd_si256(shifted.v), 52);
    return {_mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a.v), power))};
  }
};

#endif

// e^x. Within 2e-7 (float) and 1e-14 (double) of it, relative, beside the rounding of x · log2(e);
// 0 below e^-87 (float) and e^-708 (double), so that no denormal is made; x is at most 87 or 708.
template <class Lanes>
inline Lanes exp(Lanes x) {
  using T = typename Lanes::Element;
  constexpr bool kIsFloat = sizeof(T) == sizeof(float);
  const auto number = [](double value) { return Lanes::of(static_cast<T>(value)); };
  const Lanes lowest = number(kIsFloat ? -87 : -708);
  const Lanes bounded = max(lowest, x);  // NaN goes through: it compares as not less
  // e^x = 2^whole · 2^part, |part| <= 1/2.
  const Lanes log2_e = number(1.4426950408889634);
  const Lanes shift = Lanes::of(kIntegerShift<T>);
  const Lanes shifted = fma(bounded, log2_e, shift);
  const Lanes part = fma(bounded, log2_e, shift - shifted);
  // 2^part. For float the polynomial of degree 5 that is 1 at 0 and has the smallest relative error
  // (9.1e-8), for double the Taylor series, (ln 2)^k / k!.
  constexpr double kFloatTerm[] = {1.0,
                                   0.6931469776029816,
                                   0.2402224208541000,
                                   0.0555073373676740,
                                   0.0096715126436869,
                                   0.0013264729216572};
  constexpr double kDoubleTerm[] = {1.0,
                                    0.6931471805599453,
                                    0.2402265069591007,
                                    0.05550410866482158,
                                    0.009618129107628477,
                                    0.0013333558146428443,
                                    0.0001540353039338161,
                                    1.525273380405984e-05,
                                    1.321548679014431e-06,
                                    1.0178086009239699e-07,
                                    7.054911620801122e-09,
                                    4.4455382718708114e-10,
                                    2.5678435993488206e-11,
                                    1.3691488853904128e-12};
  constexpr int kDegree = kIsFloat ? 5 : 13;
  const auto term = [&](int k) { return number(kIsFloat ? kFloatTerm[k] : kDoubleTerm[k]); };
  Lanes sum = term(kDegree);
  for (int k = kDegree - 1; k >= 0; --k) sum = fma(sum, part, term(k));
  return if_less(x, lowest, number(0), times_power_of_two(sum, shifted));
}

// The natural logarithm of x in [1, 2^20]: of a sum of exponentials whose largest term is 1. Within
// 3e-7 (float) and 1e-15 (double), absolute.
template <class Lanes>
inline Lanes log_of_sum(Lanes x) {
  using T = typename Lanes::Element;
  constexpr bool kIsFloat = sizeof(T) == sizeof(float);
  const auto number = [](double value) { return Lanes::of(static_cast<T>(value)); };
  // x = 2^count · rest, rest in [1, 2); halving is exact.
  Lanes rest = x;
  Lanes count = number(0);
  for (int power = 16; power > 0; power /= 2) {
    const Lanes limit = number(1 << power);
    count = if_less(rest, limit, count, count + number(power));
    rest = if_less(rest, limit, rest, rest * number(1.0 / (1 << power)));
  }
  // log rest = log √2 + 2 artanh(s), s = (rest - √2) / (rest + √2), |s| < 0.18.
  const Lanes root = number(1.4142135623730951);
  const Lanes s = (rest - root) / (rest + root);
  const Lanes square = s * s;
  constexpr int kTerms = kIsFloat ? 5 : 11;
  Lanes series = number(1.0 / (2 * kTerms - 1));
  for (int k = kTerms - 1; k >= 1; --k) series = fma(series, square, number(1.0 / (2 * k - 1)));
  const Lanes result = fma(count + number(0.5), number(0.6931471805599453), number(2) * s * series);
  // Rounding may leave the logarithm of 1 below 0. NaN goes through.
  return max(number(0), result);
}

}  // namespace refran::lanes
