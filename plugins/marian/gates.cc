#include "gates.h"

namespace refran::marian {

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
