// Attention of one query, head by head: scores of the keys, softmax, the weighted average of the
// values (Vaswani et al. 2017, section 3.2.1).
#pragma once

#include "kernels.h"
#include "vectors.h"

namespace refran::marian::kernel {

// A template, as all that the two compilations must not share.
template <class Lanes>
inline std::size_t row_of(const Attend& attend, std::size_t position) {
  return attend.context != nullptr ? attend.context[position] : attend.first + position;
}

// Fetches one head's part of a row, some time before it is read.
template <class Lanes>
inline void fetch(const float* row, std::size_t head_dim) {
  for (std::size_t i = 0; i < head_dim; i += kLine) __builtin_prefetch(row + i);
}

template <class Lanes>
inline Lanes product_of(const float* a, const float* b, std::size_t count) {
  Lanes sum = Lanes::of(0);
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) sum = fma(Lanes::load(a + i), Lanes::load(b + i), sum);
  if (i < count)
    sum = fma(load_part<Lanes>(a + i, count - i), load_part<Lanes>(b + i, count - i), sum);
  return sum;
}

// scores[position] = scale · query · key.
template <class Lanes>
inline void score_keys(const Attend& attend, std::size_t head, float* scores) {
  const std::size_t dim = attend.heads * attend.head_dim;
  const std::size_t offset = head * attend.head_dim;
  const float* query = attend.query + offset;
  for (std::size_t position = 0; position < attend.positions; position += 4) {
    const std::size_t count = attend.positions - position < 4 ? attend.positions - position : 4;
    Lanes terms[4];
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t row = row_of<Lanes>(attend, position + (j < count ? j : 0));
      fetch<Lanes>(attend.values + row * dim + offset, attend.head_dim);
      terms[j] = product_of<Lanes>(query, attend.keys + row * dim + offset, attend.head_dim);
    }
    float sums[4];
    sums_of_four(terms, sums);
    for (std::size_t j = 0; j < count; ++j) scores[position + j] = sums[j] * attend.scale;
  }
}

// Scores become weights. `scores` has room for a multiple of eight.
template <class Lanes>
inline void softmax(float* scores, std::size_t count) {
  float largest = scores[0];
  for (std::size_t i = 1; i < count; ++i) largest = scores[i] > largest ? scores[i] : largest;
  const Lanes most = Lanes::of(largest);
  // Beyond the last score: so low that the exponential is 0.
  for (std::size_t i = count; i % kWidth != 0; ++i) scores[i] = largest - 1000;
  Lanes total = Lanes::of(0);
  for (std::size_t i = 0; i < count; i += kWidth) {
    const Lanes weight = exp(Lanes::load(scores + i) - most);
    total = total + weight;
    weight.store(scores + i);
  }
  const Lanes sum = Lanes::of(sum_across(total));
  for (std::size_t i = 0; i < count; i += kWidth) (Lanes::load(scores + i) / sum).store(scores + i);
}

// The weighted average of one head's values, `Count` times eight dimensions from `offset` on.
template <std::size_t Count, class Lanes>
inline void average_whole(const Attend& attend, std::size_t offset, const float* weights) {
  const std::size_t dim = attend.heads * attend.head_dim;
  Lanes sum[Count];
  for (Lanes& part : sum) part = Lanes::of(0);
  for (std::size_t position = 0; position < attend.positions; ++position) {
    const std::size_t begin = row_of<Lanes>(attend, position) * dim + offset;
    const float* value = attend.values + begin;
    fetch<Lanes>(attend.keys + begin + attend.head_dim, Count * kWidth);  // of the next head
    const Lanes weight = Lanes::of(weights[position]);
    for (std::size_t i = 0; i < Count; ++i)
      sum[i] = fma(weight, Lanes::load(value + i * kWidth), sum[i]);
  }
  for (std::size_t i = 0; i < Count; ++i) sum[i].store(attend.output + offset + i * kWidth);
}

// The same for fewer than eight dimensions.
template <class Lanes>
inline void average_part(const Attend& attend, std::size_t offset, std::size_t count,
                         const float* weights) {
  const std::size_t dim = attend.heads * attend.head_dim;
  Lanes sum = Lanes::of(0);
  for (std::size_t position = 0; position < attend.positions; ++position) {
    const float* value = attend.values + row_of<Lanes>(attend, position) * dim + offset;
    sum = fma(Lanes::of(weights[position]), load_part<Lanes>(value, count), sum);
  }
  store_part(sum, attend.output + offset, count);
}

template <class Lanes>
inline void average_values(const Attend& attend, std::size_t head, const float* weights) {
  std::size_t offset = head * attend.head_dim;
  const std::size_t end = offset + attend.head_dim;
  for (; offset + 8 * kWidth <= end; offset += 8 * kWidth)
    average_whole<8, Lanes>(attend, offset, weights);
  for (; offset + kWidth <= end; offset += kWidth) average_whole<1, Lanes>(attend, offset, weights);
  if (offset < end) average_part<Lanes>(attend, offset, end - offset, weights);
}

template <class Lanes>
void attend(const Attend& attend) {
  float* weights = attend.scratch;
  for (std::size_t head = 0; head < attend.heads; ++head) {
    if (attend.uniform != nullptr && attend.uniform[head] != 0) {
      const float share = 1 / static_cast<float>(attend.positions);
      for (std::size_t i = 0; i < attend.positions; ++i) weights[i] = share;
    } else {
      score_keys<Lanes>(attend, head, weights);
      softmax<Lanes>(weights, attend.positions);
    }
    average_values<Lanes>(attend, head, weights);
    if (attend.weights == nullptr) continue;
    float* kept = attend.weights + head * attend.weights_stride;
    for (std::size_t i = 0; i < attend.positions; ++i) kept[i] = weights[i];
  }
}

}  // namespace refran::marian::kernel
