#include "ablation.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "batches.h"
#include "outputs.h"

namespace refran::opus_mt_probe {
namespace {

// Pairs take turns: even ones are for choosing heads, odd ones for scoring them.
constexpr std::size_t kHalves = 2;

std::vector<marian::Ids> chosen_on(const std::vector<marian::Ids>& pairs) {
  std::vector<marian::Ids> half;
  for (std::size_t pair = 0; pair < pairs.size(); pair += kHalves) half.push_back(pairs[pair]);
  return half;
}

}  // namespace

std::vector<marian::HeadId> heads_of(const std::vector<std::string>& kinds,
                                     const marian::ModelConfig& model) {
  std::vector<marian::HeadId> heads;
  for (const AttentionKind kind : kKinds) {
    if (std::ranges::find(kinds, name_of(kind)) == kinds.end()) continue;
    for (std::size_t layer = 0; layer < layers_of(kind, model); ++layer) {
      for (std::size_t head = 0; head < heads_of(kind, model); ++head)
        heads.push_back({kind, layer, head});
    }
  }
  return heads;
}

std::vector<Condition> fixed_conditions(const std::vector<marian::HeadId>& heads,
                                        bool all_but_one) {
  std::vector<Condition> conditions = {{"none", {}, std::nullopt}};
  for (const marian::HeadId& head : heads) {
    if (!all_but_one) {
      conditions.push_back({label_of(head), {head}, head});
      continue;
    }
    Condition condition{"all but " + label_of(head), {}, head};
    std::ranges::copy_if(
        heads, std::back_inserter(condition.off), [&](const marian::HeadId& other) {
          return other.kind == head.kind && other.layer == head.layer && other != head;
        });
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

Ablation::Ablation(const AblationConfig& config, const marian::Model& model,
                   const marian::Tokenizer& tokenizer, const marian::Decoding& decoding,
                   marian::Team& team)
    : config_(config),
      model_(model),
      tokenizer_(tokenizer),
      decoding_(decoding),
      team_(team),
      pairs_(read_pairs(config.pairs)),
      heads_(heads_of(config.kinds, model.config)) {
  for (const SentencePair& pair : pairs_) {
    sources_.push_back(tokenizer.encode_source(pair.source).ids);
    references_.push_back(tokenizer.encode_target(pair.reference).ids);
  }
}

std::size_t Ablation::greedy_steps() const {
  const auto limit =
      static_cast<std::size_t>(config_.limit.value_or(std::numeric_limits<std::int32_t>::max()));
  return std::min(heads_.size(), limit);
}

std::size_t Ablation::questions() const {
  if (config_.protocol != "greedy") return 1 + heads_.size();
  std::size_t count = 1;
  for (std::size_t step = 0; step < greedy_steps(); ++step) count += heads_.size() - step + 1;
  return count;
}

void Ablation::run(Run& run, const GoOn& go_on) {
  put_pairs(run);
  if (config_.protocol == "greedy") {
    run_greedy(run, go_on);
  } else {
    run_fixed(run, go_on);
  }
  put_conditions(run);
}

void Ablation::run_fixed(Run& run, const GoOn& go_on) {
  marian::ReferenceScores scores(model_, sources_, references_, team_);
  for (Condition& condition : fixed_conditions(heads_, config_.protocol == "all_but_one")) {
    ask(std::move(condition), scores, run);
    if (!go_on()) return;
  }
}

// Heads are chosen by the pairs of one half alone; all pairs are scored.
void Ablation::run_greedy(Run& run, const GoOn& go_on) {
  marian::ReferenceScores scores(model_, sources_, references_, team_);
  marian::ReferenceScores choice(model_, chosen_on(sources_), chosen_on(references_), team_);
  ask({"none", {}, std::nullopt}, scores, run);
  if (!go_on()) return;

  std::vector<marian::HeadId> off;
  std::vector<marian::HeadId> left = heads_;
  for (std::size_t step = 1; step <= greedy_steps(); ++step) {
    double best = -std::numeric_limits<double>::infinity();
    auto cheapest = left.begin();
    for (auto head = left.begin(); head != left.end(); ++head) {
      off.push_back(*head);
      const std::vector<double> each = choice.log_probability(gates_of(off, scores));
      off.pop_back();
      const double total = std::accumulate(each.begin(), each.end(), 0.0);
      if (total > best) {
        best = total;
        cheapest = head;
      }
      if (!go_on()) return;
    }
    const marian::HeadId added = *cheapest;
    left.erase(cheapest);
    off.push_back(added);
    ask({fmt::format("greedy {}: + {}", step, label_of(added)), off, added}, scores, run);
    if (!go_on()) return;
  }
}

void Ablation::ask(Condition condition, marian::ReferenceScores& scores, Run& run) {
  const marian::Gates gates = gates_of(condition.off, scores);
  run.append(kAblationLogProbability, scores.log_probability(gates));
  if (config_.translate) run.append(kAblationTranslation, translations(gates));
  asked_.push_back(std::move(condition));
}

marian::Gates Ablation::gates_of(const std::vector<marian::HeadId>& off,
                                 const marian::ReferenceScores& scores) const {
  const marian::GateMode mode = gate_mode(config_.mode);
  marian::Gates gates;
  for (const marian::HeadId& head : off) {
    marian::Gate gate{mode, {}};
    if (mode == marian::GateMode::mean) gate.mean = scores.mean_output(head);
    gates.set(head, std::move(gate));
  }
  return gates;
}

std::vector<std::string> Ablation::translations(const marian::Gates& gates) const {
  marian::GenerationOptions options;
  options.keep.attention = false;
  std::vector<std::string> texts;
  const std::vector<std::uint64_t> nothing_kept(sources_.size(), 0);
  for (const Batch& batch : batches(nothing_kept)) {
    const auto sources = std::span(sources_).subspan(batch.first, batch.count);
    for (const marian::Translation& translation :
         marian::translate(model_, sources, decoding_, gates, options, team_))
      texts.push_back(tokenizer_.decode_target(translation.predicted));
  }
  return texts;
}

void Ablation::put_pairs(Run& run) const {
  std::vector<std::string> source;
  std::vector<std::string> reference;
  std::vector<std::int32_t> length;
  std::vector<std::int32_t> half;
  for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
    source.push_back(pairs_[pair].source);
    reference.push_back(pairs_[pair].reference);
    length.push_back(static_cast<std::int32_t>(references_[pair].size()));
    half.push_back(static_cast<std::int32_t>(pair % kHalves));
  }
  run.put(kPairSource, source);
  run.put(kReference, reference);
  run.put(kReferenceLength, length);
  run.put(kAblationHalf, half);
}

void Ablation::put_conditions(Run& run) const {
  std::vector<std::string> labels;
  std::vector<std::string> kind;
  std::vector<std::int32_t> layer;
  std::vector<std::int32_t> head;
  for (const Condition& condition : asked_) {
    labels.push_back(condition.label);
    kind.emplace_back(condition.head ? name_of(condition.head->kind) : "none");
    layer.push_back(condition.head ? static_cast<std::int32_t>(condition.head->layer) : -1);
    head.push_back(condition.head ? static_cast<std::int32_t>(condition.head->head) : -1);
  }
  run.labels("condition", labels);
  run.put(kAblationKind, kind);
  run.put(kAblationLayer, layer);
  run.put(kAblationHead, head);
}

}  // namespace refran::opus_mt_probe
