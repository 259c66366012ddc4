// One step of Adam (Kingma and Ba 2015, algorithm 1) with decoupled weight decay (Loshchilov and
// Hutter 2019, algorithm 2).
#pragma once

#include <cmath>
#include <cstddef>

#include "../model.h"

namespace refran::referent::kernel {

// How many steps were taken, and the bias corrections that follow: powers by repeated products in
// double, which every machine rounds alike.
struct AdamClock {
  double beta1_power = 1;
  double beta2_power = 1;

  void tick(const AdamOptions& options) {
    beta1_power *= options.beta1;
    beta2_power *= options.beta2;
  }
};

// Everything is [parameter]; `mean` and `square` are the running averages of the gradient and of
// its square.
template <class Lanes>
void adam_step(const AdamOptions& options, const AdamClock& clock, std::size_t count,
               const Lanes* gradient, Lanes* mean, Lanes* square, Lanes* parameters) {
  using T = typename Lanes::Element;
  const auto number = [](double value) { return Lanes::of(static_cast<T>(value)); };
  const Lanes keep_mean = number(options.beta1);
  const Lanes take_mean = number(1 - options.beta1);
  const Lanes keep_square = number(options.beta2);
  const Lanes take_square = number(1 - options.beta2);
  const Lanes rate = number(options.learning_rate / (1 - clock.beta1_power));
  const Lanes correction = number(1 / std::sqrt(1 - clock.beta2_power));
  const Lanes epsilon = number(options.epsilon);
  const Lanes shrink = number(1 - options.learning_rate * options.weight_decay);
  for (std::size_t i = 0; i < count; ++i) {
    const Lanes slope = gradient[i];
    mean[i] = fma(keep_mean, mean[i], take_mean * slope);
    square[i] = fma(keep_square, square[i], take_square * slope * slope);
    const Lanes size = fma(sqrt(square[i]), correction, epsilon);
    parameters[i] = parameters[i] * shrink - rate * mean[i] / size;
  }
}

}  // namespace refran::referent::kernel
