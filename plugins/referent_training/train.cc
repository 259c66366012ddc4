#include "train.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace refran::referent_training {
namespace {

// Tensors this small gain nothing from being split; handing the parts out costs more than doing
// them.
constexpr int kTorchThreads = 1;

std::string failure_at(std::size_t step) {
  return fmt::format("the loss is no number at step {}: the training diverged", step);
}

Trained begin(const TrainingJob& job, std::uint64_t seed) {
  Trained trained;
  trained.start = referent::random_start(job.spec.shape, seed, job.initial_scale);
  if (job.spec.precision == referent::Precision::float32) {
    for (double& weight : trained.start) weight = static_cast<double>(static_cast<float>(weight));
  }
  if (job.recording != nullptr) job.recording->prepare(trained);
  return trained;
}

// As many seeds as there are lanes, in step.
class LaneBlock {
 public:
  LaneBlock(const TrainingJob& job, referent::LaneTraining& training, std::span<Trained> seeds)
      : job_(job), training_(training), seeds_(seeds) {
    for (std::size_t lane = 0; lane < training_.width(); ++lane)
      training_.start(lane, seeds_[std::min(lane, seeds_.size() - 1)].start.data());
  }

  // False where it was told to stop.
  bool train() {
    for (std::size_t step = 0; step <= job_.steps; ++step) {
      if (step > 0) training_.update();
      training_.measure();
      observe(step);
      if (!job_.go_on(seeds_.size())) return false;
      if (have_all_failed(seeds_)) break;
    }
    for (std::size_t lane = 0; lane < seeds_.size(); ++lane)
      seeds_[lane].parameters = parameters_of(lane);
    return true;
  }

 private:
  std::vector<double> parameters_of(std::size_t lane) const {
    std::vector<double> values(seeds_[lane].start.size());
    training_.parameters(lane, values.data());
    return values;
  }

  void observe(std::size_t step) {
    std::vector<std::vector<double>> parameters;
    std::vector<Trained*> recorded;
    for (std::size_t lane = 0; lane < seeds_.size(); ++lane) {
      Trained& seed = seeds_[lane];
      if (!seed.failure.empty()) continue;
      seed.loss.push_back(training_.loss(lane));
      seed.accuracy.push_back(training_.accuracy(lane));
      if (!std::isfinite(seed.loss.back())) {
        seed.failure = failure_at(step);
      } else if (job_.recording != nullptr && job_.recording->is_recorded(step)) {
        parameters.push_back(parameters_of(lane));
        recorded.push_back(&seed);
      }
    }
    if (!recorded.empty()) job_.recording->record(step, parameters, recorded);
  }

  const TrainingJob& job_;
  referent::LaneTraining& training_;
  std::span<Trained> seeds_;
};

}  // namespace

bool have_all_failed(std::span<const Trained> seeds) {
  return std::ranges::none_of(seeds, &std::string::empty, &Trained::failure);
}

std::vector<Trained> train_fast(const TrainingJob& job, std::span<const std::uint64_t> seeds) {
  std::vector<Trained> trained;
  for (const std::uint64_t seed : seeds) trained.push_back(begin(job, seed));
  const auto training = referent::make_training(job.task, job.spec);
  for (std::size_t first = 0; first < trained.size(); first += training->width()) {
    const std::size_t count = std::min(training->width(), trained.size() - first);
    LaneBlock block(job, *training, std::span(trained).subspan(first, count));
    if (!block.train()) break;
  }
  return trained;
}

std::vector<Trained> train_by_torch(const TrainingJob& job, std::span<const std::uint64_t> seeds,
                                    const referent::TorchTraining& torch) {
  std::vector<Trained> all;
  for (const std::uint64_t seed : seeds) {
    Trained& trained = all.emplace_back(begin(job, seed));
    bool goes_on = true;
    const auto observe = [&](const referent::TorchStep& at) {
      trained.loss.push_back(at.loss);
      trained.accuracy.push_back(at.accuracy);
      if (!std::isfinite(at.loss)) {
        trained.failure = failure_at(at.step);
        trained.parameters = at.parameters();
        return false;
      }
      const bool is_recorded = job.recording != nullptr && job.recording->is_recorded(at.step);
      if (is_recorded || at.step == job.steps) trained.parameters = at.parameters();
      Trained* const recorded[] = {&trained};
      if (is_recorded) job.recording->record(at.step, std::span(&trained.parameters, 1), recorded);
      return goes_on = job.go_on(1);
    };
    torch.train(job.task, job.spec, trained.start.data(), job.steps, kTorchThreads, observe);
    if (!goes_on) break;
  }
  return all;
}

}  // namespace refran::referent_training
