// A run: loads the model, translates the sentences, writes what is kept of each, then does the
// ablation study.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <marian/generation.h>
#include <marian/model.h>
#include <marian/model_config.h>
#include <marian/team.h>
#include <marian/tokenizer.h>

#include <refran/run.h>
#include "ablation.h"
#include "batches.h"
#include "config.h"
#include "recording.h"

namespace refran::opus_mt_probe {

class Probe {
 public:
  // Throws marian::ModelError.
  Probe(const Config& config, Run& run);

  void run();

 private:
  void tokenize();
  bool go_on(std::size_t done);

  // What the model is, what is odd about its files, and what `auto` became.
  void tell();
  void note_selection(std::string_view name, const Selection& selection, std::size_t count);
  void note_decoding();

  // [sentence]: of all that the model keeps while it translates.
  std::vector<std::uint64_t> expected_bytes() const;
  marian::GenerationOptions generation_options() const;
  std::vector<marian::Translation> translate(const Batch& batch, const marian::Gates& gates,
                                             const marian::GenerationOptions& options);
  bool needs_means() const;
  marian::Gates make_gates();

  void announce(const std::vector<marian::Translation>& first);
  void put(std::size_t sentence, const marian::Translation& translation);
  void put_texts();
  void put_supervised();

  const Config& config_;
  Run& run_;
  const marian::ModelFolder folder_;
  const marian::Tokenizer tokenizer_;
  const marian::Model model_;
  const marian::Decoding decoding_;
  marian::Team team_;
  const Recording recording_;
  std::optional<Ablation> ablation_;
  std::vector<std::string> texts_;
  std::vector<marian::Tokens> sources_;
  std::vector<marian::Ids> source_ids_;
  std::vector<marian::Tokens> targets_;  // where they are forced
  std::vector<marian::Ids> target_ids_;
  std::size_t done_ = 0;  // translations and questions of the study
  std::size_t total_ = 0;

  // [sentence], as far as they are translated.
  std::vector<std::string> translation_;
  std::vector<double> score_;
  std::vector<std::int32_t> target_length_;
  std::vector<std::int32_t> ended_;
};

}  // namespace refran::opus_mt_probe
