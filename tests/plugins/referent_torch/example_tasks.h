// The two tasks of the experiments, for the tests of this folder.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <referent_torch/torch_model.h>

namespace refran::referent {

// The page's sentence: animals and places are disjoint.
inline Task page_task() {
  return make_task(
      {.sentence_template = "the {animal} didn't cross the {place} because it was {adjective}",
       .nouns = {{{"animal", {"animal", "dog", "cat", "horse"}},
                  {"place", {"street", "road", "field", "bridge"}}}},
       .adjectives = {{{"tired", "hungry", "scared"}, {"wide", "flooded", "icy"}}},
       .held_out = {}});
}

// Both nouns from one pool, so that a bag of words does not tell.
inline Task one_pool_task() {
  const std::vector<std::string> animals = {"dog", "cat", "horse", "fox"};
  return make_task(
      {.sentence_template = "the {chaser} didn't catch the {chased} because it was {adjective}",
       .nouns = {{{"chaser", animals}, {"chased", animals}}},
       .adjectives = {{{"slow", "tired", "lame", "lazy"}, {"fast", "quick", "nimble", "swift"}}},
       .held_out = {}});
}

// The page's model of a task, in float64.
inline TrainingSpec page_spec(const Task& task) {
  TrainingSpec spec;
  spec.shape.words = task.vocabulary.size();
  spec.shape.positions = task.positions;
  spec.precision = Precision::float64;
  return spec;
}

// A task and a model of it.
struct Example {
  const char* name;
  Task task;
  TrainingSpec spec;

  friend void PrintTo(const Example& example, std::ostream* out) { *out << example.name; }
};

// The page's model, and others that differ from it in one thing each.
inline std::vector<Example> examples() {
  const Task page = page_task();
  const Task one_pool = one_pool_task();
  std::vector<Example> examples;
  const auto add = [&](const char* name, const Task& task) -> TrainingSpec& {
    return examples.emplace_back(Example{name, task, page_spec(task)}).spec;
  };
  add("Page", page);
  ModelShape& shape = add("OtherShape", page).shape;
  shape.heads = 3;
  shape.model_dim = 12;
  shape.key_dim = 3;
  shape.value_dim = 5;
  add("NoPositions", page).shape.has_positions = false;
  add("OnePool", one_pool);
  add("Uniform", page).attention = AttentionKind::uniform;
  add("OnePoolUniform", one_pool).attention = AttentionKind::uniform;
  add("WeightDecay", page).adam.weight_decay = 0.1;
  return examples;
}

inline std::vector<double> start_of(const Example& example, std::uint64_t seed) {
  return random_start(example.spec.shape, seed, 0.5);
}

}  // namespace refran::referent
