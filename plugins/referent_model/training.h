// Training many seeds of one config side by side, a lane per seed.
#pragma once

#include <cstddef>
#include <memory>

#include "model.h"
#include "task.h"

namespace refran::referent {

enum class Precision { float32, float64 };

// Which processor the lanes are made for; `best` is the fastest this one can run. They give the
// same bytes.
enum class Processor { best, avx2, plain };

struct TrainingSpec {
  ModelShape shape;
  AdamOptions adam;
  AttentionKind attention = AttentionKind::learned;
  Precision precision = Precision::float32;
};

// Full-batch training. `measure` looks at the parameters as they are and forms their gradient,
// `update` takes one step of Adam along it; in between, everything can be read.
class LaneTraining {
 public:
  virtual ~LaneTraining();

  // Seeds side by side: 8 in float32, 4 in float64.
  virtual std::size_t width() const = 0;
  // Sets one seed's parameters (as ParameterLayout says; rounded to the precision) and forgets what
  // Adam knew of it. Lanes never set hold zeros.
  virtual void start(std::size_t lane, const double* parameters) = 0;
  virtual void measure() = 0;
  virtual void update() = 0;

  // Mean cross-entropy over the training sentences, in nat; share of them whose referent is the
  // most likely word. Of the last `measure`.
  virtual double loss(std::size_t lane) const = 0;
  virtual double accuracy(std::size_t lane) const = 0;
  // Both are written as ParameterLayout says.
  virtual void parameters(std::size_t lane, double* values) const = 0;
  virtual void gradient(std::size_t lane, double* values) const = 0;
};

// Throws std::runtime_error where `processor` is not what this one can run.
std::unique_ptr<LaneTraining> make_training(const Task& task, const TrainingSpec& spec,
                                            Processor processor = Processor::best);

}  // namespace refran::referent
