// Measures trained models and puts all that is known of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <referent_model/measurements.h>

#include <refran/run.h>
#include "config.h"
#include "recording.h"

namespace refran::referent_training {

// What is compared with the model, in the order of the axis `control`.
inline constexpr std::array kControls = {"trained",    "random start",  "uniform attention",
                                         "held out",   "swapped nouns", "nearest noun",
                                         "first noun", "bag of words"};

// What a control scores; NaN where it is off, or has no loss.
struct ControlScores {
  std::array<double, kControls.size()> accuracy;
  std::array<std::array<double, 2>, kControls.size()> accuracy_by_referent;
  std::array<double, kControls.size()> loss;
};

// A seed: its training and all measurements.
struct SeedResult {
  Trained trained;
  referent::AttentionMeasures start_look;
  referent::AttentionMeasures look;
  referent::AblationMeasures ablation;
  ControlScores controls;
};

// The models that training gave, one per seed; lists of controls that are off are empty.
struct TrainedModels {
  std::vector<Trained> trained;
  std::vector<Trained> uniform;
  std::vector<Trained> hold_out;
};

// `models.trained` [seed] have all come to their end without a failure.
std::vector<SeedResult> measure(const Config& config, const referent::Task& task,
                                std::span<const std::uint64_t> seeds, TrainedModels models);

void put(const Config& config, const referent::Task& task, const SeedResult& result, Run& run);

}  // namespace refran::referent_training
