// Filling the records of a pass: what is kept of a layer beside its attention weights, which the
// pass writes in place.
#pragma once

#include <cstddef>

#include "forward.h"

namespace refran::marian {

// An empty record of attention of `queries` positions over `keys` positions, as `keep` asks.
AttentionRecord make_record(const ModelConfig& config, AttentionKind kind, std::size_t queries,
                            std::size_t keys, const Keep& keep);

// Where row `query` of a record goes; nowhere, where no weights are kept.
RowRecord record_row(AttentionRecord& record, std::size_t query);

// Keeps values, head outputs and norms of one layer. Its keys are rows first_key … of `memory`, its
// queries rows first_query … of `heads_out`.
void record_layer(AttentionRecord& record, std::size_t layer, const LinearWeights& output,
                  const KeysAndValues& memory, std::size_t first_key, const Rows& heads_out,
                  std::size_t first_query);

// residual[depth] of the positions whose rows begin at `first_row` of x.
void record_residual(Array<float, 3>& residual, std::size_t depth, const Rows& x,
                     std::size_t first_row);

}  // namespace refran::marian
