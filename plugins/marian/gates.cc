#include "gates.h"

#include <fmt/format.h>

#include <refran/error.h>

namespace refran::marian {

void Gates::check(const ModelConfig& config) const {
  for (const auto& [head, gate] : gates_) {
    const bool is_of_encoder = head.kind == AttentionKind::encoder_self;
    const std::size_t layers = is_of_encoder ? config.encoder_layers : config.decoder_layers;
    const std::size_t heads = is_of_encoder ? config.encoder_heads : config.decoder_heads;
    if (head.layer >= layers || head.head >= heads) {
      throw Error(
          fmt::format("gate: found head {} of layer {}, allowed: {} heads in each of {} layers",
                      head.head + 1, head.layer + 1, heads, layers));
    }
    const std::size_t head_dim = config.model_dim / heads;
    if (gate.mode == GateMode::mean && gate.mean.size() != head_dim) {
      throw Error(
          fmt::format("gate of head {} of layer {}: found a mean of {} numbers, allowed: {}",
                      head.head + 1, head.layer + 1, gate.mean.size(), head_dim));
    }
  }
}

std::optional<std::size_t> Gates::lowest_layer(bool of_encoder) const {
  std::optional<std::size_t> lowest;
  for (const auto& [head, gate] : gates_) {
    const bool is_of_encoder = head.kind == AttentionKind::encoder_self;
    if (gate.mode == GateMode::open || is_of_encoder != of_encoder) continue;
    if (!lowest || head.layer < *lowest) lowest = head.layer;
  }
  return lowest;
}

}  // namespace refran::marian
