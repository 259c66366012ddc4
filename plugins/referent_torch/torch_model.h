// The tiny model trained by libtorch, one seed at a time: the readable reference of the fast
// training. This header is free of torch, so that code which never loads torch can name what a
// second library offers.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <referent_model/task.h>
#include <referent_model/training.h>

namespace refran::referent {

// A model after `step` updates; step 0 is the random start.
struct TorchStep {
  std::size_t step = 0;
  double loss = 0;      // mean cross-entropy over the training sentences, in nat
  double accuracy = 0;  // share of them whose referent is the most likely word
  // A copy of the parameters that this loss is of, as ParameterLayout says. Asked for only while
  // the observer runs.
  std::function<std::vector<double>()> parameters;
};

// Whether to go on.
using TorchObserver = std::function<bool(const TorchStep&)>;

// Functions that cross from a library that links torch. Both compute in `spec.precision`, and
// arrays of numbers are as ParameterLayout says.
struct TorchTraining {
  // Trains one seed from `start` on so many threads. Shows every step from 0 to `steps`, until the
  // observer wants no more.
  void (*train)(const Task& task, const TrainingSpec& spec, const double* start, std::size_t steps,
                int threads, const TorchObserver& observer);

  // The loss at `parameters`, in nat; writes its gradient. That of what the model does not use
  // (queries and keys where attention is uniform) is 0.
  double (*gradient)(const Task& task, const TrainingSpec& spec, const double* parameters,
                     double* gradient);
};

extern const TorchTraining kTorchTraining;

}  // namespace refran::referent
