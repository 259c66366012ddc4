// Which heads are switched off, and what takes the place of their output.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model_config.h"

namespace refran::marian {

enum class AttentionKind { encoder_self, decoder_self, cross };

// zero: the head's output is 0. uniform: it looks at all keys alike. mean: its output is a given
// vector, whatever the input.
enum class GateMode { open, zero, uniform, mean };

struct HeadId {
  AttentionKind kind = AttentionKind::encoder_self;
  std::size_t layer = 0;
  std::size_t head = 0;
  friend auto operator<=>(const HeadId&, const HeadId&) = default;
};

struct Gate {
  GateMode mode = GateMode::open;
  std::vector<float> mean;  // [head_dim], of mode mean
};

// Heads that are not named are open. With no gate, or with open ones alone, a pass gives the same
// bytes.
class Gates {
 public:
  void set(const HeadId& head, Gate gate) { gates_[head] = std::move(gate); }
  // Null where the head is open.
  const Gate* find(const HeadId& head) const {
    const auto place = gates_.find(head);
    return place == gates_.end() || place->second.mode == GateMode::open ? nullptr : &place->second;
  }
  // Throws Error where a gate is of a head that the model lacks, or its mean is of another length.
  void check(const ModelConfig& config) const;
  // The lowest layer of that side that a gate is in (cross-attention is the decoder's).
  std::optional<std::size_t> lowest_layer(bool of_encoder) const;

 private:
  std::map<HeadId, Gate> gates_;
};

}  // namespace refran::marian
