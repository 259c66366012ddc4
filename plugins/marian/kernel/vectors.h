// What the kernels add to lanes: vectors of any length, eight numbers at a time, and sums across
// lanes in one fixed order, ((0+2)+(1+3)) + ((4+6)+(5+7)).
#pragma once

#include <cstddef>

#include <lanes/lanes.h>

namespace refran::marian::kernel {

constexpr std::size_t kWidth = 8;
constexpr std::size_t kLine = 16;  // floats of a cache line

// The first `count` lanes from memory, the others `fill`.
template <class Lanes>
inline Lanes load_part(const float* values, std::size_t count, float fill = 0) {
  float part[kWidth];
  for (std::size_t i = 0; i < kWidth; ++i) part[i] = i < count ? values[i] : fill;
  return Lanes::load(part);
}

template <class Lanes>
inline void store_part(Lanes lanes, float* values, std::size_t count) {
  float part[kWidth];
  lanes.store(part);
  for (std::size_t i = 0; i < count; ++i) values[i] = part[i];
}

// The sums across the lanes of four registers.
inline void sums_of_four(const lanes::PlainLanes<float, 8>* terms, float* sums) {
  for (std::size_t i = 0; i < 4; ++i) {
    const float* v = terms[i].v;
    sums[i] = ((v[0] + v[2]) + (v[1] + v[3])) + ((v[4] + v[6]) + (v[5] + v[7]));
  }
}

inline float sum_across(lanes::PlainLanes<float, 8> lanes) {
  const float* v = lanes.v;
  return ((v[0] + v[2]) + (v[1] + v[3])) + ((v[4] + v[6]) + (v[5] + v[7]));
}

// Whether any lane is greater than `least`; NaN is not.
inline bool any_above(lanes::PlainLanes<float, 8> lanes, lanes::PlainLanes<float, 8> least) {
  for (std::size_t i = 0; i < kWidth; ++i)
    if (lanes.v[i] > least.v[i]) return true;
  return false;
}

// Four columns of eight rows: lane i of columns[k] is row(i)[k].
template <class Row>
inline void load_columns(Row row, lanes::PlainLanes<float, 8>* columns) {
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < kWidth; ++i) columns[k].v[i] = row(i)[k];
}

#ifdef __AVX2__

inline void sums_of_four(const lanes::Avx2Floats* terms, float* sums) {
  const auto pairs = [](__m256 a, __m256 b) {  // a0+a2 b0+b2 a1+a3 b1+b3 | the same of 4 to 7
    return _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
  };
  const __m256d first = _mm256_castps_pd(pairs(terms[0].v, terms[1].v));
  const __m256d second = _mm256_castps_pd(pairs(terms[2].v, terms[3].v));
  const __m256 both = _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(first, second)),
                                    _mm256_castpd_ps(_mm256_unpackhi_pd(first, second)));
  _mm_storeu_ps(sums, _mm_add_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps(both, 1)));
}

inline bool any_above(lanes::Avx2Floats lanes, lanes::Avx2Floats least) {
  return _mm256_movemask_ps(_mm256_cmp_ps(lanes.v, least.v, _CMP_GT_OQ)) != 0;
}

template <class Row>
inline void load_columns(Row row, lanes::Avx2Floats* columns) {
  // Rows 0 … 3 in the lower half, 4 … 7 in the upper; then 4 by 4 in each half.
  __m256 pair[4];
  for (std::size_t k = 0; k < 4; ++k) {
    const __m256 lower = _mm256_castps128_ps256(_mm_loadu_ps(row(k)));
    pair[k] = _mm256_insertf128_ps(lower, _mm_loadu_ps(row(k + 4)), 1);
  }
  const __m256d low01 = _mm256_castps_pd(_mm256_unpacklo_ps(pair[0], pair[1]));
  const __m256d low23 = _mm256_castps_pd(_mm256_unpacklo_ps(pair[2], pair[3]));
  const __m256d high01 = _mm256_castps_pd(_mm256_unpackhi_ps(pair[0], pair[1]));
  const __m256d high23 = _mm256_castps_pd(_mm256_unpackhi_ps(pair[2], pair[3]));
  columns[0].v = _mm256_castpd_ps(_mm256_unpacklo_pd(low01, low23));
  columns[1].v = _mm256_castpd_ps(_mm256_unpackhi_pd(low01, low23));
  columns[2].v = _mm256_castpd_ps(_mm256_unpacklo_pd(high01, high23));
  columns[3].v = _mm256_castpd_ps(_mm256_unpackhi_pd(high01, high23));
}

inline float sum_across(lanes::Avx2Floats lanes) {
  const lanes::Avx2Floats terms[4] = {lanes, lanes, lanes, lanes};
  float sums[4];
  sums_of_four(terms, sums);
  return sums[0];
}

#endif

}  // namespace refran::marian::kernel
