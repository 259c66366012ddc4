// Trains the seeds of a group, by the fast implementation or by libtorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <referent_torch/torch_model.h>

#include "recording.h"

namespace refran::referent_training {

// What a training needs beside its seeds.
struct TrainingJob {
  const referent::Task& task;
  const referent::TrainingSpec& spec;
  double initial_scale;
  std::size_t steps;
  const Recording* recording = nullptr;  // null = curves and weights alone
  // Told how many steps of all seeds' are done since the last call; false = stop.
  std::function<bool(std::size_t done)> go_on;
};

// Whether no seed could be trained to its end.
bool have_all_failed(std::span<const Trained> seeds);

// One result per seed; of a training that was stopped they are incomplete.
std::vector<Trained> train_fast(const TrainingJob& job, std::span<const std::uint64_t> seeds);
std::vector<Trained> train_by_torch(const TrainingJob& job, std::span<const std::uint64_t> seeds,
                                    const referent::TorchTraining& torch);

}  // namespace refran::referent_training
