// Tasks and models for the tests of the kernel, and what the plain model says of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <lanes/lanes.h>
#include <referent_model/kernel/kernel_task.h>
#include <referent_model/plain_model.h>
#include <referent_model/training.h>

namespace refran::referent {

// One lane of double: the kernel at its plainest.
using Number = lanes::PlainLanes<double, 1>;

inline Task page_task() {
  return make_task(
      {.sentence_template = "the {animal} didn't cross the {place} because it was {adjective}",
       .nouns = {{{"animal", {"animal", "dog", "cat", "horse"}},
                  {"place", {"street", "road", "field", "bridge"}}}},
       .adjectives = {{{"tired", "hungry", "scared"}, {"wide", "flooded", "icy"}}},
       .held_out = {}});
}

// 12 sentences in a template of another order of things: "it" comes first.
inline Task small_task() {
  return make_task({.sentence_template = "it was {adjective} when the {animal} saw a {place}",
                    .nouns = {{{"animal", {"dog", "cat"}}, {"place", {"street", "road"}}}},
                    .adjectives = {{{"tired"}, {"wide", "icy"}}},
                    .held_out = {}});
}

inline Task one_pool_task() {
  const std::vector<std::string> pool = {"dog", "cat", "fox"};
  return make_task({.sentence_template = "the {chaser} caught the {chased} as it was {adjective}",
                    .nouns = {{{"chaser", pool}, {"chased", pool}}},
                    .adjectives = {{{"fast", "quick"}, {"slow"}}},
                    .held_out = {}});
}

// Groups of 3, 2 and 1 sentences.
inline Task held_out_task() {
  return make_task(
      {.sentence_template = "it was {adjective} when the {animal} saw a {place}",
       .nouns = {{{"animal", {"dog", "cat"}}, {"place", {"street", "road"}}}},
       .adjectives = {{{"tired"}, {"wide", "icy"}}},
       .held_out = {{"dog", "road", "tired"}, {"dog", "road", "icy"}, {"cat", "street", "wide"}}});
}

inline Task one_sentence_task() {
  Task task = small_task();
  task.training.resize(1);
  return task;
}

// A task and a model of it.
struct KernelExample {
  const char* name;
  Task task;
  TrainingSpec spec;

  friend void PrintTo(const KernelExample& example, std::ostream* out) { *out << example.name; }
};

inline KernelExample kernel_example(const char* name, const Task& task) {
  KernelExample example{name, task, {}};
  example.spec.shape.words = task.vocabulary.size();
  example.spec.shape.positions = task.positions;
  example.spec.precision = Precision::float64;
  return example;
}

inline KernelExample page_example() { return kernel_example("Page", page_task()); }

// Models that differ from the page's in one thing each.
inline std::vector<KernelExample> kernel_examples() {
  std::vector<KernelExample> examples;
  const auto add = [&](const char* name, const Task& task) -> TrainingSpec& {
    return examples.emplace_back(kernel_example(name, task)).spec;
  };
  add("Default", small_task());
  ModelShape& shape = add("ThreeHeads", small_task()).shape;
  shape.heads = 3;
  shape.model_dim = 6;
  shape.key_dim = 3;
  shape.value_dim = 5;
  ModelShape& smallest = add("OneOfEverything", small_task()).shape;
  smallest.heads = smallest.model_dim = smallest.key_dim = smallest.value_dim = 1;
  add("NoPositions", small_task()).shape.has_positions = false;
  add("Uniform", small_task()).attention = AttentionKind::uniform;
  add("OnePool", one_pool_task());
  add("HeldOut", held_out_task());
  add("OneSentence", one_sentence_task());
  return examples;
}

inline std::vector<KernelExample> kernel_examples_and_page() {
  std::vector<KernelExample> examples = kernel_examples();
  examples.push_back(page_example());
  return examples;
}

inline std::string example_name(const testing::TestParamInfo<KernelExample>& info) {
  return info.param.name;
}

// A start wide enough that attention is far from uniform.
inline std::vector<double> start_of(const KernelExample& example, std::uint64_t seed) {
  return random_start(example.spec.shape, seed, 1);
}

template <class Lanes>
std::vector<Lanes> all_lanes(const std::vector<double>& values) {
  std::vector<Lanes> lanes;
  for (const double value : values)
    lanes.push_back(Lanes::of(static_cast<typename Lanes::Element>(value)));
  return lanes;
}

// Of a lane type of one lane.
template <class Lanes>
std::vector<double> first_lane(const std::vector<Lanes>& lanes) {
  std::vector<double> values;
  for (const Lanes& lane : lanes) values.push_back(static_cast<double>(lane.v[0]));
  return values;
}

// The training sentences as the definition of the model has it.
struct PlainAnswers {
  double loss = 0;      // mean
  double accuracy = 0;  // mean
};

inline PlainAnswers plain_answers(const KernelExample& example,
                                  const std::vector<double>& parameters) {
  const std::vector<Number> numbers = all_lanes<Number>(parameters);
  const PlainModel<Number> model(example.spec.shape, example.task.it, numbers.data());
  PlainAnswers answers;
  for (const Sentence& sentence : example.task.training) {
    const auto whole = model.forward(sentence, example.spec.attention);
    const std::size_t words = example.spec.shape.words;
    answers.loss += cross_entropy(whole.logit.data(), words, sentence.target).v[0];
    answers.accuracy += is_right(whole.logit.data(), words, sentence.target).v[0];
  }
  const auto count = static_cast<double>(example.task.training.size());
  return {answers.loss / count, answers.accuracy / count};
}

}  // namespace refran::referent
