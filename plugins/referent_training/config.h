// The config of referent-training: the task, the model, how it is trained, what is kept of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <referent_model/jobs.h>
#include <referent_model/task.h>
#include <referent_model/training.h>

#include <refran/config.h>
#include <refran/error.h>

namespace refran::referent_training {

using Words = std::vector<std::string>;

// What is kept while a model learns, and of the trained one.
struct RecordConfig {
  std::optional<std::vector<std::int32_t>> steps;
  std::optional<std::vector<Words>> sentences;
  bool maps = true;
  bool answers = true;
  bool weights = true;

  void describe(Fields& field);
};

struct ControlsConfig {
  bool uniform_attention = true;
  std::int32_t hold_out = 8;

  void describe(Fields& field);
};

struct Config {
  std::string sentence_template =
      "the {animal} didn't cross the {place} because it was {adjective}";
  Map<Words> nouns = {{"animal", {"animal", "dog", "cat", "horse"}},
                      {"place", {"street", "road", "field", "bridge"}}};
  Map<Words> adjectives = {{"animal", {"tired", "hungry", "scared"}},
                           {"place", {"wide", "flooded", "icy"}}};
  std::vector<Words> held_out;

  std::int32_t heads = 2;
  std::int32_t model_dim = 16;
  std::int32_t key_dim = 2;
  std::int32_t value_dim = 8;
  bool positions = true;
  double initial_scale = 0.5;

  std::int32_t steps = 500;
  referent::AdamOptions adam;
  std::string implementation = "fast";
  std::string precision = "float32";

  RecordConfig record;
  bool ablation = true;
  ControlsConfig controls;
  referent::JobRule job;

  void describe(Fields& field);
  void check(Problems& problems) const;

  // What follows holds for a config without problems.
  referent::TaskSpec task_spec() const;
  referent::TrainingSpec training_spec(const referent::Task& task) const;
  // The task of the control that trains on some combinations and is asked the others.
  referent::Task task_of_hold_out(const referent::Task& task) const;
  std::vector<std::size_t> recorded_steps() const;
  std::vector<referent::Sentence> recorded_sentences(const referent::Task& task) const;
};

}  // namespace refran::referent_training
