// What is kept of a model while it learns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <referent_model/task.h>
#include <referent_model/training.h>

#include <refran/array.h>

namespace refran::referent_training {

// A seed's training: its curves, what was recorded, where it began and ended.
struct Trained {
  std::vector<double> loss;          // [step]
  std::vector<double> accuracy;      // [step]
  Array<float, 5> it_attention;      // [recorded_step, recorded_sentence, layer, head, position]
  Array<float, 5> layer1_attention;  // [recorded_step, recorded_sentence, head, query, key]
  std::vector<double> start;         // as ParameterLayout says
  std::vector<double> parameters;    // as ParameterLayout says
  std::string failure;               // why it could not go on; "" = it could
};

// Looks at the recorded sentences at the recorded steps, several seeds at once.
class Recording {
 public:
  Recording(const referent::Task& task, std::vector<referent::Sentence> sentences,
            const referent::TrainingSpec& spec, std::vector<std::size_t> steps, bool with_maps);

  const std::vector<std::size_t>& steps() const { return steps_; }
  bool is_recorded(std::size_t step) const;
  // Makes room in what will be recorded of a seed.
  void prepare(Trained& seed) const;
  // `parameters` [seed] are those at `step`.
  void record(std::size_t step, std::span<const std::vector<double>> parameters,
              std::span<Trained* const> seeds) const;

 private:
  referent::Task task_;  // with the recorded sentences for training sentences
  referent::TrainingSpec spec_;
  std::vector<std::size_t> steps_;
  bool with_maps_;
};

}  // namespace refran::referent_training
