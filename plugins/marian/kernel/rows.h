// What happens to rows between the products: layer norm, activation, the sum of a softmax, the
// search for high logits.
#pragma once

#include "kernels.h"
#include "vectors.h"

namespace refran::marian::kernel {

// Calls with each run of at most eight: function(offset, count).
template <class Function>
inline void for_lanes(std::size_t count, Function function) {
  for (std::size_t i = 0; i < count; i += kWidth) {
    const std::size_t left = count - i;
    function(i, left < kWidth ? left : kWidth);
  }
}

template <class Lanes>
inline Lanes load_some(const float* values, std::size_t count, float fill = 0) {
  return count == kWidth ? Lanes::load(values) : load_part<Lanes>(values, count, fill);
}

template <class Lanes>
inline void store_some(Lanes lanes, float* values, std::size_t count) {
  if (count == kWidth) return lanes.store(values);
  store_part(lanes, values, count);
}

template <class Lanes>
inline void add_norm_row(const AddNorm& norm, float* x, const float* added) {
  const auto dim = static_cast<float>(norm.dim);
  Lanes sum = Lanes::of(0);
  for_lanes(norm.dim, [&](std::size_t i, std::size_t count) {
    const Lanes both = load_some<Lanes>(x + i, count) + load_some<Lanes>(added + i, count);
    sum = sum + both;
    store_some(both, x + i, count);
  });
  const float average = sum_across(sum) / dim;
  const Lanes mean = Lanes::of(average);
  Lanes squares = Lanes::of(0);
  for_lanes(norm.dim, [&](std::size_t i, std::size_t count) {
    const Lanes distance = load_some<Lanes>(x + i, count, average) - mean;
    squares = fma(distance, distance, squares);
  });
  const Lanes deviation = sqrt(Lanes::of(sum_across(squares) / dim + norm.epsilon));
  for_lanes(norm.dim, [&](std::size_t i, std::size_t count) {
    const Lanes unit = (load_some<Lanes>(x + i, count) - mean) / deviation;
    store_some(
        fma(unit, load_some<Lanes>(norm.scale + i, count), load_some<Lanes>(norm.bias + i, count)),
        x + i, count);
  });
}

template <class Lanes>
void add_norm(const AddNorm& norm) {
  for (std::size_t row = 0; row < norm.rows; ++row)
    add_norm_row<Lanes>(norm, norm.x + row * norm.dim, norm.added + row * norm.dim);
}

// e^x, 0 to infinity: the lanes' own goes no further than 87.
template <class Lanes>
inline Lanes exp_of_any(Lanes x) {
  const Lanes most = Lanes::of(87);
  return exp(if_less(most, x, most, x));
}

template <class Lanes>
inline Lanes sigmoid(Lanes x) {
  const Lanes one = Lanes::of(1);
  return one / (one + exp_of_any(Lanes::of(0) - x));
}

// The error function: within 2e-7 (Abramowitz and Stegun 1964, 7.1.26, absolute).
template <class Lanes>
inline Lanes erf(Lanes x) {
  const Lanes zero = Lanes::of(0);
  const Lanes one = Lanes::of(1);
  const Lanes size = max(x, zero - x);
  const Lanes t = one / fma(Lanes::of(0.3275911F), size, one);
  Lanes sum = Lanes::of(1.061405429F);
  constexpr float kTerms[] = {-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F};
  for (const float term : kTerms) sum = fma(sum, t, Lanes::of(term));
  const Lanes result = one - sum * t * exp_of_any(zero - size * size);
  return if_less(x, zero, zero - result, result);
}

template <class Lanes>
inline Lanes tanh(Lanes x) {
  return Lanes::of(2) * sigmoid(Lanes::of(2) * x) - Lanes::of(1);
}

template <class Lanes>
inline Lanes activated(Activation activation, Lanes x) {
  const Lanes half = Lanes::of(0.5F);
  const Lanes one = Lanes::of(1);
  switch (activation) {
    case Activation::swish:
      return x * sigmoid(x);
    case Activation::relu:
      return max(x, Lanes::of(0));
    case Activation::gelu:
      return half * x * (one + erf(x * Lanes::of(0.70710678F)));
    case Activation::gelu_new: {
      const Lanes cubed = x * x * x;
      return half * x * (one + tanh(Lanes::of(0.79788456F) * fma(Lanes::of(0.044715F), cubed, x)));
    }
    case Activation::gelu_sigmoid:
      return x * sigmoid(Lanes::of(1.702F) * x);
  }
  return x;
}

template <class Lanes>
void activate(Activation activation, float* values, std::size_t count) {
  for_lanes(count, [&](std::size_t i, std::size_t some) {
    store_some(activated(activation, load_some<Lanes>(values + i, some)), values + i, some);
  });
}

template <class Lanes>
void exp_sum(const float* logits, std::size_t count, float* largest, double* sum) {
  // Two passes over what fits the second cache; sums of a thousand in float, their sum in double.
  constexpr std::size_t kPart = 1024;
  Lanes most = Lanes::of(logits[0]);
  for_lanes(count, [&](std::size_t i, std::size_t some) {
    most = max(load_some<Lanes>(logits + i, some, logits[0]), most);
  });
  float lane[kWidth];
  most.store(lane);
  *largest = lane[0];
  for (std::size_t i = 1; i < kWidth; ++i) *largest = lane[i] > *largest ? lane[i] : *largest;
  const Lanes bound = Lanes::of(*largest);
  *sum = 0;
  for (std::size_t begin = 0; begin < count; begin += kPart) {
    Lanes total = Lanes::of(0);
    for_lanes(count - begin < kPart ? count - begin : kPart, [&](std::size_t i, std::size_t some) {
      const float nothing = *largest - 1000;
      total = total + exp(load_some<Lanes>(logits + begin + i, some, nothing) - bound);
    });
    *sum += static_cast<double>(sum_across(total));
  }
}

template <class Lanes>
std::size_t next_above(const float* values, std::size_t begin, std::size_t count, float least) {
  const Lanes bound = Lanes::of(least);
  while (begin + kWidth <= count && !any_above(Lanes::load(values + begin), bound)) begin += kWidth;
  while (begin < count && !(values[begin] > least)) ++begin;
  return begin;
}

}  // namespace refran::marian::kernel
