// How likely a model with gated heads finds given translations: for ablation studies, which ask it
// for hundreds of gates over the same sentence pairs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "model.h"

namespace refran::marian {

// The open model is run once and what every layer reads is kept (of a model of 6 + 6 layers and 512
// dimensions some 1.3 MB per pair of 25 tokens); a question is then answered from the lowest gated
// layer on. The answers are the same bytes as without that.
class ReferenceScores {
 public:
  // `targets` end with the end of the sentence. Throws Error as `force` does.
  ReferenceScores(const Model& model, std::span<const Ids> sources, std::span<const Ids> targets,
                  Team& team);

  ~ReferenceScores();
  ReferenceScores(ReferenceScores&&) noexcept;

  // [pair]: the sum over the target's tokens, in nat.
  std::vector<double> log_probability(const Gates& gates) const;
  // [head_dim]: a head's output, averaged over all its queries in the open model.
  const std::vector<float>& mean_output(const HeadId& head) const;

 private:
  struct Open;  // the open model's layers
  const Model& model_;
  Team& team_;
  std::unique_ptr<const Open> open_;
};

}  // namespace refran::marian
