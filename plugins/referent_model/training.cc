#include "training.h"

#include "kernel/kernel_task.h"
#include "lane_programs.h"

namespace refran::referent {
namespace {

// Keeps the kernel's view of the task alive beside the training that reads it.
class OwningTraining final : public LaneTraining {
 public:
  OwningTraining(const Task& task, const TrainingSpec& spec, Processor processor)
      : task_(task), training_(make(spec, processor)) {}

  std::size_t width() const override { return training_->width(); }
  void start(std::size_t lane, const double* parameters) override {
    training_->start(lane, parameters);
  }
  void measure() override { training_->measure(); }
  void update() override { training_->update(); }
  double loss(std::size_t lane) const override { return training_->loss(lane); }
  double accuracy(std::size_t lane) const override { return training_->accuracy(lane); }
  void parameters(std::size_t lane, double* values) const override {
    training_->parameters(lane, values);
  }
  void gradient(std::size_t lane, double* values) const override {
    training_->gradient(lane, values);
  }

 private:
  LaneTraining* make(const TrainingSpec& spec, Processor processor) const {
    return with_programs(processor, spec.precision,
                         [&](const auto& programs) { return programs.make_training(task_, spec); });
  }

  kernel::KernelTask task_;
  std::unique_ptr<LaneTraining> training_;
};

}  // namespace

LaneTraining::~LaneTraining() = default;

std::unique_ptr<LaneTraining> make_training(const Task& task, const TrainingSpec& spec,
                                            Processor processor) {
  return std::make_unique<OwningTraining>(task, spec, processor);
}

}  // namespace refran::referent
