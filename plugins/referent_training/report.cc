#include "report.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <referent_model/controls.h>
#include <referent_model/jobs.h>
#include <referent_model/shapley.h>

#include <refran/random.h>
#include "outputs.h"

namespace refran::referent_training {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::array kModes = {"zero", "uniform", "mean", "resample"};
constexpr std::array kMeasures = {"accuracy", "logit difference", "loss"};

std::vector<std::vector<double>> parameters_of(const std::vector<Trained>& trained,
                                               bool at_start = false) {
  std::vector<std::vector<double>> all;
  for (const Trained& seed : trained) all.push_back(at_start ? seed.start : seed.parameters);
  return all;
}

// For each sentence another training sentence, drawn evenly.
std::vector<std::size_t> draw_resampled(std::uint64_t seed, std::size_t sentences) {
  Stream stream(seed, "resample");
  std::vector<std::size_t> result(sentences);
  for (std::size_t s = 0; s < sentences && sentences > 1; ++s)
    result[s] = (s + 1 + stream.below(sentences - 1)) % sentences;
  return result;
}

// Index of a control by its name.
std::size_t control(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(kControls, name) - kControls.begin());
}

void set(std::string_view name, const referent::Score& score, ControlScores& scores) {
  const std::size_t index = control(name);
  scores.accuracy[index] = score.accuracy;
  scores.accuracy_by_referent[index] = score.accuracy_by_referent;
  scores.loss[index] = score.loss;
}

void set(std::string_view name, const referent::ControlScore& score, ControlScores& scores) {
  const std::size_t index = control(name);
  scores.accuracy[index] = score.accuracy;
  scores.accuracy_by_referent[index] = score.accuracy_by_referent;
}

ControlScores empty_scores() {
  ControlScores scores;
  scores.accuracy.fill(kNaN);
  scores.accuracy_by_referent.fill({kNaN, kNaN});
  scores.loss.fill(kNaN);
  return scores;
}

// Scores every control of every seed.
void score_controls(const Config& config, const referent::Task& task, const TrainedModels& models,
                    std::vector<SeedResult>& results) {
  const referent::TrainingSpec spec = config.training_spec(task);
  const auto score = [&](std::string_view name, std::span<const referent::Sentence> sentences,
                         const std::vector<std::vector<double>>& parameters,
                         referent::AttentionKind attention) {
    referent::TrainingSpec asked = spec;
    asked.attention = attention;
    const std::vector<referent::Score> scores =
        referent::measure_score(task, asked, sentences, parameters);
    for (std::size_t i = 0; i < scores.size(); ++i) set(name, scores[i], results[i].controls);
  };
  const auto learned = referent::AttentionKind::learned;
  const std::vector<std::vector<double>> trained = parameters_of(models.trained);
  score("trained", task.training, trained, learned);
  score("random start", task.training, parameters_of(models.trained, true), learned);
  std::vector<referent::Sentence> swapped;
  for (const referent::Sentence& sentence : task.training)
    swapped.push_back(task.swapped(sentence));
  score("swapped nouns", swapped, trained, learned);
  if (!models.uniform.empty()) {
    score("uniform attention", task.training, parameters_of(models.uniform),
          referent::AttentionKind::uniform);
  }
  if (!task.held_out.empty()) {
    score("held out", task.held_out, trained, learned);
  } else if (!models.hold_out.empty()) {
    score("held out", config.task_of_hold_out(task).held_out, parameters_of(models.hold_out),
          learned);
  }
  for (SeedResult& result : results) {
    set("nearest noun", nearest_noun(task, task.training), result.controls);
    set("first noun", first_noun(task, task.training), result.controls);
    set("bag of words", bag_of_words(task, task.training), result.controls);
  }
}

std::string head_name(std::size_t layer, std::size_t head) {
  return fmt::format("L{}H{}", layer + 1, head + 1);
}

// All heads, layer by layer.
std::vector<std::string> head_names(std::size_t heads) {
  std::vector<std::string> names;
  for (std::size_t layer = 0; layer < referent::kLayers; ++layer) {
    for (std::size_t head = 0; head < heads; ++head) names.push_back(head_name(layer, head));
  }
  return names;
}

// "none", "L1H1", …, "L1H1+L2H2": the heads that are off.
std::vector<std::string> subset_names(std::size_t heads) {
  const std::vector<std::string> names = head_names(heads);
  std::vector<std::string> result;
  for (std::size_t subset = 0; subset < std::size_t{1} << names.size(); ++subset) {
    std::string text;
    for (std::size_t head = 0; head < names.size(); ++head) {
      if ((subset >> head & 1) == 0) continue;
      text += (text.empty() ? "" : "+") + names[head];
    }
    result.push_back(text.empty() ? "none" : text);
  }
  return result;
}

template <class Strings>
std::vector<std::string> list(const Strings& strings) {
  return {strings.begin(), strings.end()};
}

void put_labels(const Config& config, const referent::Task& task, Run& run) {
  const auto heads = static_cast<std::size_t>(config.heads);
  const std::array nouns = {task.slot_name[0], task.slot_name[1]};
  std::vector<std::string> position;
  for (std::size_t p = 0; p < task.positions; ++p) {
    const std::size_t word = task.constant_word[p];
    position.push_back(word == referent::Task::kNoWord ? "" : task.vocabulary[word]);
  }
  for (std::size_t slot = 0; slot < referent::kSlots; ++slot)
    position[task.slot_position[slot]] = "{" + task.slot_name[slot] + "}";
  std::vector<std::string> steps;
  for (const std::size_t step : config.recorded_steps()) steps.push_back(std::to_string(step));
  const auto texts = [&task](const std::vector<referent::Sentence>& sentences) {
    std::vector<std::string> result;
    for (const referent::Sentence& sentence : sentences) result.push_back(task.text(sentence));
    return result;
  };
  std::vector<std::string> layer;
  std::vector<std::string> head;
  for (std::size_t i = 0; i < referent::kLayers; ++i) layer.push_back(fmt::format("L{}", i + 1));
  for (std::size_t i = 0; i < heads; ++i) head.push_back(fmt::format("H{}", i + 1));
  std::vector<std::string> component = head_names(heads);
  component.insert(component.begin(), "embedding");

  run.labels("recorded_step", steps);
  run.labels("recorded_sentence", texts(config.recorded_sentences(task)));
  run.labels("sentence", texts(task.training));
  run.labels("moment", {"start", "trained"});
  run.labels("layer", layer);
  run.labels("head", head);
  run.labels("position", position);
  run.labels("referent", list(nouns));
  run.labels("query_role", list(referent::role_names(task)));
  run.labels("key_role", list(referent::role_names(task)));
  run.labels("part", list(referent::part_names()));
  run.labels("component", component);
  run.labels("control", list(kControls));
  if (config.record.maps) {
    run.labels("query", position);
    run.labels("key", position);
  }
  if (config.record.weights) run.labels("word", task.vocabulary);
  if (config.ablation) {
    run.labels("mode", list(kModes));
    run.labels("subset", subset_names(heads));
    run.labels("measure", list(kMeasures));
    run.labels("first_head", head_names(heads));
    run.labels("second_head", head_names(heads));
  }
}

void put_attention(const Config& config, const referent::Task& task, const SeedResult& result,
                   Run& run) {
  const referent::AttentionMeasures& look = result.look;
  run.put(kItAttention, result.trained.it_attention);
  const Extents<4>& extents = look.it_attention.extents();
  Array<float, 5> moments({2, extents[0], extents[1], extents[2], extents[3]});
  std::ranges::copy(result.start_look.it_attention.values(), moments.values().begin());
  std::ranges::copy(
      look.it_attention.values(),
      moments.values().begin() + static_cast<std::ptrdiff_t>(look.it_attention.values().size()));
  run.put(kSentenceAttention, moments);
  if (config.record.maps) {
    run.put(kLayer1Attention, result.trained.layer1_attention);
    run.put(kLayer1SentenceAttention, look.layer1_attention);
  }
  run.put(kRoleAttention, look.role_attention);
  run.put(kStartRoleAttention, result.start_look.role_attention);
  const std::array<double, referent::kRoles> uniform = referent::uniform_roles(task);
  run.put(kUniformRoleAttention, std::span<const double>(uniform));
  run.put(kPartAttention, look.part_attention);
  run.put(kJob, referent::jobs_of(look.role_attention, task, config.job));
  run.put(kStartJob, referent::jobs_of(result.start_look.role_attention, task, config.job));
  run.put(kConfidence, look.confidence);
  run.put(kEntropy, look.entropy);
  run.put(kDirectLogit, look.direct_logit);
  run.put(kLogitDifference, look.logit_difference);
  run.put(kNamed, look.named);
}

// Accuracy, logit difference and loss of every subset in one mode: what heads are given credit for.
std::array<std::span<const double>, kMeasures.size()> games(const referent::AblationMeasures& found,
                                                            std::size_t mode) {
  return {found.accuracy.row(mode), found.logit_difference.row(mode), found.loss.row(mode)};
}

void put_ablation(const Config& config, const SeedResult& result, Run& run) {
  const referent::AblationMeasures& found = result.ablation;
  const auto heads = static_cast<std::size_t>(config.heads);
  const std::size_t all = referent::kLayers * heads;
  Array<double, 3> shapley({kMeasures.size(), referent::kLayers, heads});
  Array<double, 4> by_mode({kModes.size(), kMeasures.size(), referent::kLayers, heads});
  Array<double, 4> interaction({kModes.size(), kMeasures.size(), all, all});
  for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
    const auto measures = games(found, mode);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      const std::vector<double> values = referent::shapley_values(measures[m]);
      const Array<double, 2> pairs = referent::shapley_interactions(measures[m]);
      std::ranges::copy(values, &by_mode(mode, m, 0, 0));
      std::ranges::copy(pairs.values(), &interaction(mode, m, 0, 0));
      if (mode == 0) std::ranges::copy(values, &shapley(m, 0, 0));
    }
  }
  run.put(kAblationLoss, found.loss);
  run.put(kAblationAccuracy, found.accuracy);
  run.put(kAblationLogitDifference, found.logit_difference);
  run.put(kAblationLossByReferent, found.loss_by_referent);
  run.put(kAblationAccuracyByReferent, found.accuracy_by_referent);
  if (config.record.answers) run.put(kAblationNamed, found.named);
  run.put(kShapley, shapley);
  run.put(kShapleyByMode, by_mode);
  run.put(kShapleyInteraction, interaction);
}

void put_controls(const ControlScores& scores, Run& run) {
  Array<double, 2> by_referent({kControls.size(), 2});
  for (std::size_t i = 0; i < kControls.size(); ++i)
    std::ranges::copy(scores.accuracy_by_referent[i], by_referent.row(i).begin());
  run.put(kControlAccuracy, std::span<const double>(scores.accuracy));
  run.put(kControlAccuracyByReferent, by_referent);
  run.put(kControlLoss, std::span<const double>(scores.loss));
}

void put_weights(const Config& config, const referent::Task& task,
                 const std::vector<double>& parameters, Run& run) {
  const referent::ModelShape shape = config.training_spec(task).shape;
  const referent::ParameterLayout layout(shape);
  const auto put = [&](const auto& output, std::size_t begin, const auto& extents) {
    std::size_t count = 1;
    for (const std::size_t extent : extents) count *= extent;
    run.put(output, {extents, std::span(parameters).subspan(begin, count)});
  };
  using Extents2 = Extents<2>;
  using Extents4 = Extents<4>;
  const Extents4 keys{referent::kLayers, shape.heads, shape.model_dim, shape.key_dim};
  put(kWordEmbedding, layout.word_embedding, Extents2{shape.words, shape.model_dim});
  if (config.positions) {
    put(kPositionEmbedding, layout.position_embedding, Extents2{shape.positions, shape.model_dim});
  }
  put(kQueryWeight, layout.query, keys);
  put(kKeyWeight, layout.key, keys);
  put(kValueWeight, layout.value,
      Extents4{referent::kLayers, shape.heads, shape.model_dim, shape.value_dim});
  put(kOutputWeight, layout.output,
      Extents4{referent::kLayers, shape.heads, shape.value_dim, shape.model_dim});
  put(kUnembedding, layout.unembedding, Extents2{shape.model_dim, shape.words});
}

}  // namespace

std::vector<SeedResult> measure(const Config& config, const referent::Task& task,
                                std::span<const std::uint64_t> seeds, TrainedModels models) {
  const referent::TrainingSpec spec = config.training_spec(task);
  const std::vector<std::vector<double>> trained = parameters_of(models.trained);
  std::vector<SeedResult> results(models.trained.size());
  for (SeedResult& result : results) result.controls = empty_scores();
  score_controls(config, task, models, results);

  std::vector<referent::AttentionMeasures> starts =
      referent::measure_attention(task, spec, parameters_of(models.trained, true), false);
  std::vector<referent::AttentionMeasures> looks =
      referent::measure_attention(task, spec, trained, config.record.maps);
  std::vector<referent::AblationMeasures> ablations;
  if (config.ablation) {
    std::vector<std::vector<std::size_t>> resampled;
    for (const std::uint64_t seed : seeds)
      resampled.push_back(draw_resampled(seed, task.training.size()));
    ablations = referent::measure_ablation(task, spec, trained, resampled);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].trained = std::move(models.trained[i]);
    results[i].start_look = std::move(starts[i]);
    results[i].look = std::move(looks[i]);
    if (config.ablation) results[i].ablation = std::move(ablations[i]);
  }
  return results;
}

void put(const Config& config, const referent::Task& task, const SeedResult& result, Run& run) {
  put_labels(config, task, run);
  run.put(kLoss, result.trained.loss);
  run.put(kAccuracy, result.trained.accuracy);
  run.put(kFinalLoss, result.trained.loss.back());
  run.put(kFinalAccuracy, result.trained.accuracy.back());
  put_attention(config, task, result, run);
  if (config.ablation) put_ablation(config, result, run);
  put_controls(result.controls, run);
  if (config.record.weights) put_weights(config, task, result.trained.parameters, run);
}

}  // namespace refran::referent_training
