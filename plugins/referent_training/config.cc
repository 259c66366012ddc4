#include "config.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace refran::referent_training {
namespace {

// Beyond these the 2^(2 · heads) subsets of heads, or one look at all sentences, are no longer a
// matter of seconds.
constexpr std::int32_t kMostHeads = 8;
constexpr std::int32_t kMostAblatedHeads = 4;
constexpr std::int32_t kMostDims = 256;
constexpr std::int32_t kMostSteps = 1000000;
constexpr std::int32_t kAutoSpacing = 5;

const referent::Sentence* find(const std::vector<referent::Sentence>& sentences,
                               const referent::Task& task, const Words& words) {
  const auto has_words = [&](const referent::Sentence& sentence) {
    for (std::size_t slot = 0; slot < referent::kSlots; ++slot) {
      const std::size_t word = sentence.word[task.slot_position[slot]];
      if (task.vocabulary[word] != words[slot]) return false;
    }
    return true;
  };
  const auto place = std::ranges::find_if(sentences, has_words);
  return place == sentences.end() ? nullptr : &*place;
}

void check_triples(const std::string& field, const std::vector<Words>& triples,
                   Problems& problems) {
  for (std::size_t i = 0; i < triples.size(); ++i) {
    if (triples[i].size() == referent::kSlots) continue;
    problems.add(fmt::format("{}[{}]", field, i),
                 fmt::format("found {} words, allowed: 3, the first noun, the second and the "
                             "adjective",
                             triples[i].size()));
  }
}

void check_recorded_steps(const std::vector<std::int32_t>& steps, std::int32_t last,
                          Problems& problems) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string field = fmt::format("record.steps[{}]", i);
    if (steps[i] < 0 || steps[i] > last) {
      problems.add(field,
                   fmt::format("found {}, allowed: 0 to {}, the number of steps", steps[i], last));
    } else if (i > 0 && steps[i] <= steps[i - 1]) {
      problems.add(field, fmt::format("found {} after {}, allowed: steps in order, each once",
                                      steps[i], steps[i - 1]));
    }
  }
}

// Some combination of every word has to be left in `rest`, what the hold-out control trains on.
void check_hold_out(std::int32_t hold_out, const referent::Task& rest, Problems& problems) {
  for (std::size_t slot = 0; slot < referent::kSlots; ++slot) {
    for (std::size_t filler = 0; filler < rest.slot_words[slot].size(); ++filler) {
      const bool is_trained = std::ranges::any_of(
          rest.training,
          [&](const referent::Sentence& sentence) { return sentence.filler[slot] == filler; });
      if (is_trained) continue;
      problems.add("controls.hold_out",
                   fmt::format("found {}, which leaves no training sentence with '{}' as '{}', "
                               "allowed: 0, or a number that leaves every word some",
                               hold_out, rest.vocabulary[rest.slot_words[slot][filler]],
                               rest.slot_name[slot]));
      return;
    }
  }
}

}  // namespace

void RecordConfig::describe(Fields& field) {
  field("steps", steps,
        "The steps at which attention is kept, 0 being the random start; auto = every fifth")
      .items(1);
  field(
      "sentences", sentences,
      "The sentences it is kept for, each as first noun, second noun, adjective; auto = the first "
      "of each referent")
      .items(1);
  field("maps", maps,
        "Keep layer 1's whole maps too, of the recorded sentences and, at the end, of all");
  field("answers", answers, "Keep what is named in every sentence under every ablation");
  field("weights", weights, "Keep the trained weights");
}

void ControlsConfig::describe(Fields& field) {
  field("uniform_attention", uniform_attention,
        "Train a second model from the same start whose heads look everywhere alike");
  field("hold_out", hold_out,
        "Train one from the same start without one in so many combinations, and ask it those; 0 = "
        "do not")
      .range(0, 1000);
}

void Config::describe(Fields& field) {
  field("template", sentence_template,
        "The sentence, its slots in braces: the two nouns and {adjective}; 'it' asks");
  field("nouns", nouns, "The words of the two noun slots; a sentence never has one word in both")
      .items(2, 2);
  field("adjectives", adjectives, "For each noun slot, the adjectives that mean it").items(2, 2);
  field("held_out", held_out,
        "Combinations (first noun, second noun, adjective) that are not trained on");
  field("heads", heads, "Heads of each of the two layers").range(1, kMostHeads);
  field("model_dim", model_dim, "Dimensions of the residual stream").range(1, kMostDims);
  field("key_dim", key_dim, "Dimensions of keys and queries").range(1, kMostDims);
  field("value_dim", value_dim, "Dimensions of a head's values").range(1, kMostDims);
  field("positions", positions, "Whether a position has an embedding of its own");
  field("initial_scale", initial_scale,
        "Standard deviation of the random start: of embeddings, and of a matrix's output")
      .above(0);
  field("steps", steps, "Steps of Adam, each on all sentences").range(0, kMostSteps);
  field("learning_rate", adam.learning_rate, "Adam's learning rate").above(0);
  field("beta1", adam.beta1, "Adam's decay of the mean gradient").range(0, 0.9999999);
  field("beta2", adam.beta2, "Adam's decay of the mean squared gradient").range(0, 0.9999999);
  field("epsilon", adam.epsilon, "Added to the root of the mean squared gradient").above(0);
  field("weight_decay", adam.weight_decay, "Decoupled weight decay, as in AdamW").at_least(0);
  field("implementation", implementation,
        "fast trains many seeds side by side and is bitwise reproducible; torch is the plain "
        "reference, by libtorch")
      .one_of({"fast", "torch"});
  field("precision", precision, "The numbers a model is trained in").one_of({"float32", "float64"});
  field("record", record, "What is kept");
  field("ablation", ablation,
        "Switch every subset of heads off after training, in four modes (at most 4 heads a layer)");
  field("controls", controls, "Models trained beside it, to compare with");
  field("job_threshold", job.threshold,
        "How much of the attention beyond a uniform head's share makes a job")
      .range(0, 1);
}

void Config::check(Problems& problems) const {
  const std::size_t before = problems.problems().size();
  check_triples("held_out", held_out, problems);
  if (record.sentences) check_triples("record.sentences", *record.sentences, problems);
  if (record.steps) check_recorded_steps(*record.steps, steps, problems);
  if (ablation && heads > kMostAblatedHeads) {
    problems.add("heads", fmt::format("found {} with ablation, which goes through all subsets of "
                                      "heads, allowed: at most {}, or ablation: false",
                                      heads, kMostAblatedHeads));
  }
  for (std::size_t noun = 0; noun < 2; ++noun) {
    if (adjectives[noun].first == nouns[noun].first) continue;
    problems.add("adjectives",
                 fmt::format("found '{}', allowed: the noun slots in their order, '{}' and '{}'",
                             adjectives[noun].first, nouns[0].first, nouns[1].first));
  }
  if (problems.problems().size() != before) return;
  for (auto& [name, text] : referent::problems_of(task_spec())) problems.add(name, text);
  if (problems.problems().size() != before) return;

  const referent::Task task = referent::make_task(task_spec());
  for (std::size_t i = 0; record.sentences && i < record.sentences->size(); ++i) {
    if (find(task.training, task, (*record.sentences)[i]) != nullptr) continue;
    problems.add(fmt::format("record.sentences[{}]", i),
                 fmt::format("found '{}', which is no training sentence",
                             fmt::join((*record.sentences)[i], " ")));
  }
  if (controls.hold_out > 0 && held_out.empty())
    check_hold_out(controls.hold_out, task_of_hold_out(task), problems);
}

referent::TaskSpec Config::task_spec() const {
  referent::TaskSpec spec;
  spec.sentence_template = sentence_template;
  spec.nouns = {nouns[0], nouns[1]};
  spec.adjectives = {adjectives[0].second, adjectives[1].second};
  for (const Words& words : held_out) spec.held_out.push_back({words[0], words[1], words[2]});
  return spec;
}

referent::TrainingSpec Config::training_spec(const referent::Task& task) const {
  const auto size = [](std::int32_t number) { return static_cast<std::size_t>(number); };
  referent::TrainingSpec spec;
  spec.shape = {.words = task.vocabulary.size(),
                .positions = task.positions,
                .heads = size(heads),
                .model_dim = size(model_dim),
                .key_dim = size(key_dim),
                .value_dim = size(value_dim),
                .has_positions = positions};
  spec.adam = adam;
  spec.precision =
      precision == "float64" ? referent::Precision::float64 : referent::Precision::float32;
  return spec;
}

referent::Task Config::task_of_hold_out(const referent::Task& task) const {
  referent::Task result = task;
  result.training.clear();
  result.held_out.clear();
  const auto every = static_cast<std::size_t>(controls.hold_out);
  for (const referent::Sentence& sentence : task.training) {
    // Along the diagonals, so that no word is left out altogether.
    const auto& [first, second, adjective] = sentence.filler;
    const bool is_held_out = (first + second + adjective) % every == every - 1;
    (is_held_out ? result.held_out : result.training).push_back(sentence);
  }
  return result;
}

std::vector<std::size_t> Config::recorded_steps() const {
  std::vector<std::size_t> result;
  if (record.steps) {
    for (const std::int32_t step : *record.steps) result.push_back(static_cast<std::size_t>(step));
    return result;
  }
  for (std::int32_t step = 0; step < steps; step += kAutoSpacing)
    result.push_back(static_cast<std::size_t>(step));
  result.push_back(static_cast<std::size_t>(steps));
  return result;
}

std::vector<referent::Sentence> Config::recorded_sentences(const referent::Task& task) const {
  std::vector<referent::Sentence> result;
  if (record.sentences) {
    for (const Words& words : *record.sentences)
      result.push_back(*find(task.training, task, words));
    return result;
  }
  for (std::size_t noun = 0; noun < 2; ++noun) {
    const auto place = std::ranges::find(task.training, noun, &referent::Sentence::referent);
    if (place != task.training.end()) result.push_back(*place);
  }
  return result;
}

}  // namespace refran::referent_training
