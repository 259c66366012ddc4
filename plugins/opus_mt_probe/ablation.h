// The ablation study: what it costs to switch heads off, over sentence pairs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <marian/generation.h>
#include <marian/reference_scores.h>
#include <marian/tokenizer.h>

#include <refran/run.h>
#include "config.h"
#include "texts.h"

namespace refran::opus_mt_probe {

// A set of heads that are switched off together.
struct Condition {
  std::string label;
  std::vector<marian::HeadId> off;
  // The head it is about: switched off, for all_but_one left on, for greedy added last. None where
  // all heads are on.
  std::optional<marian::HeadId> head;
};

// All heads of these kinds, by kind, layer and head.
std::vector<marian::HeadId> heads_of(const std::vector<std::string>& kinds,
                                     const marian::ModelConfig& model);

// All heads on; then every head of `heads` alone switched off, or (`all_but_one`) all heads of its
// layer and kind but it.
std::vector<Condition> fixed_conditions(const std::vector<marian::HeadId>& heads, bool all_but_one);

class Ablation {
 public:
  // Told about after every question to the model; false = stop.
  using GoOn = std::function<bool()>;

  // `decoding` is that of ablation.translate.
  Ablation(const AblationConfig& config, const marian::Model& model,
           const marian::Tokenizer& tokenizer, const marian::Decoding& decoding,
           marian::Team& team);

  // How often `go_on` will be called.
  std::size_t questions() const;
  // Puts all outputs of the study; ends early where `go_on` says so.
  void run(Run& run, const GoOn& go_on);

 private:
  void put_pairs(Run& run) const;
  void run_fixed(Run& run, const GoOn& go_on);
  void run_greedy(Run& run, const GoOn& go_on);
  std::size_t greedy_steps() const;
  // Asks for the gates of a condition and puts its cells.
  void ask(Condition condition, marian::ReferenceScores& scores, Run& run);
  marian::Gates gates_of(const std::vector<marian::HeadId>& off,
                         const marian::ReferenceScores& scores) const;
  std::vector<std::string> translations(const marian::Gates& gates) const;
  void put_conditions(Run& run) const;

  const AblationConfig& config_;
  const marian::Model& model_;
  const marian::Tokenizer& tokenizer_;
  marian::Decoding decoding_;
  marian::Team& team_;
  std::vector<SentencePair> pairs_;
  std::vector<marian::Ids> sources_;
  std::vector<marian::Ids> references_;
  std::vector<marian::HeadId> heads_;
  std::vector<Condition> asked_;
};

}  // namespace refran::opus_mt_probe
