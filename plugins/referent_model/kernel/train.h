// Training on one lane type: steps of the kernel and of Adam, with a way out where float32's range
// does not do.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "../training.h"
#include "adam.h"
#include "step.h"

namespace refran::referent::kernel {

// A number of lanes, all 0.
template <class Lanes>
std::vector<Lanes> zeros(std::size_t count) {
  return std::vector<Lanes>(count, Lanes::of(typename Lanes::Element{0}));
}

// How far, in nat, layer 1's best score of a query may lie above the best of those that every
// sentence has. Both are e^(half of it) away from 1 in form_exp_scores, which has to stay well
// inside the range of the type, with room for what is multiplied by it.
template <class T>
constexpr double kWidestSpread = sizeof(T) == sizeof(float) ? 120 : 1200;

// `Wide` is the lane type of doubles on the same processor.
template <class Lanes, class Wide, class Dims>
class Training final : public LaneTraining {
 public:
  using T = typename Lanes::Element;

  Training(const KernelTask& task, const TrainingSpec& spec)
      : spec_(spec),
        task_(task),
        size_(ParameterLayout(spec.shape).size),
        step_(spec.shape, task, spec.attention),
        parameters_(zeros<Lanes>(size_)),
        gradient_(zeros<Lanes>(size_)),
        mean_(zeros<Lanes>(size_)),
        square_(zeros<Lanes>(size_)) {}

  std::size_t width() const override { return Lanes::kWidth; }

  // A clock is common to the lanes, so all have to start before the first update.
  void start(std::size_t lane, const double* parameters) override {
    for (std::size_t i = 0; i < size_; ++i) {
      put(parameters_[i], lane, parameters[i]);
      put(mean_[i], lane, 0);
      put(square_[i], lane, 0);
    }
    clock_ = {};
  }

  void measure() override {
    result_ = step_.run(parameters_.data(), gradient_.data());
    for (std::size_t first = 0; first < Lanes::kWidth; first += Wide::kWidth) {
      for (std::size_t lane = first; lane < first + Wide::kWidth; ++lane) {
        if (get(result_.spread, lane) > kWidestSpread<T>) {
          measure_widely(first);
          break;
        }
      }
    }
  }

  void update() override {
    clock_.tick(spec_.adam);
    adam_step(spec_.adam, clock_, size_, gradient_.data(), mean_.data(), square_.data(),
              parameters_.data());
  }

  double loss(std::size_t lane) const override { return get(result_.loss, lane); }
  double accuracy(std::size_t lane) const override { return get(result_.right, lane); }
  void parameters(std::size_t lane, double* values) const override {
    for (std::size_t i = 0; i < size_; ++i) values[i] = get(parameters_[i], lane);
  }
  void gradient(std::size_t lane, double* values) const override {
    for (std::size_t i = 0; i < size_; ++i) values[i] = get(gradient_[i], lane);
  }

 private:
  template <class AnyLanes>
  static double get(const AnyLanes& lanes, std::size_t lane) {
    typename AnyLanes::Element elements[AnyLanes::kWidth];
    lanes.store(elements);
    return static_cast<double>(elements[lane]);
  }
  template <class AnyLanes>
  static void put(AnyLanes& lanes, std::size_t lane, double value) {
    typename AnyLanes::Element elements[AnyLanes::kWidth];
    lanes.store(elements);
    elements[lane] = static_cast<typename AnyLanes::Element>(value);
    lanes = AnyLanes::load(elements);
  }

  // Measures lanes first … first + Wide::kWidth - 1 again in double, and takes over the lanes whose
  // spread asks for it: a lane's numbers depend on itself alone. Where double does not do either,
  // the loss is NaN, which ends the run.
  void measure_widely(std::size_t first) {
    if (wide_ == nullptr) {
      wide_ = std::make_unique<Step<Wide, AnyDims>>(spec_.shape, task_, spec_.attention);
      wide_parameters_ = zeros<Wide>(size_);
      wide_gradient_ = zeros<Wide>(size_);
    }
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < Wide::kWidth; ++k)
        put(wide_parameters_[i], k, get(parameters_[i], first + k));
    }
    const StepResult<Wide> result = wide_->run(wide_parameters_.data(), wide_gradient_.data());
    for (std::size_t k = 0; k < Wide::kWidth; ++k) {
      const std::size_t lane = first + k;
      if (!(get(result_.spread, lane) > kWidestSpread<T>)) continue;
      const bool is_beyond = get(result.spread, k) > kWidestSpread<double>;
      put(result_.loss, lane,
          is_beyond ? std::numeric_limits<double>::quiet_NaN() : get(result.loss, k));
      put(result_.right, lane, get(result.right, k));
      for (std::size_t i = 0; i < size_; ++i) put(gradient_[i], lane, get(wide_gradient_[i], k));
    }
  }

  TrainingSpec spec_;
  const KernelTask& task_;
  std::size_t size_;
  Step<Lanes, Dims> step_;
  std::vector<Lanes> parameters_;
  std::vector<Lanes> gradient_;
  std::vector<Lanes> mean_;
  std::vector<Lanes> square_;
  AdamClock clock_;
  StepResult<Lanes> result_{};
  std::unique_ptr<Step<Wide, AnyDims>> wide_;
  std::vector<Wide> wide_parameters_;
  std::vector<Wide> wide_gradient_;
};

// The training for a config: with its extents compiled in, where it is one of `Known`.
template <class Lanes, class Wide, class... Known>
LaneTraining* make(const KernelTask& task, const TrainingSpec& spec) {
  LaneTraining* made = nullptr;
  // The first that fits; AnyDims does.
  ((Known::fits(spec.shape, task) && (made = new Training<Lanes, Wide, Known>(task, spec))) || ...);
  return made;
}

}  // namespace refran::referent::kernel
