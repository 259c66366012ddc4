#include "mean_outputs.h"

#include <span>

namespace refran::opus_mt_probe {
namespace {

const marian::AttentionRecord& record_of(const marian::Translation& translation,
                                         marian::AttentionKind kind) {
  if (kind == marian::AttentionKind::encoder_self) return translation.encoder_self;
  return kind == marian::AttentionKind::decoder_self ? translation.decoder_self : translation.cross;
}

}  // namespace

void MeanOutputs::add(const marian::Translation& translation) {
  for (auto& [head, sum] : sums_) {
    const Array<float, 4>& output = record_of(translation, head.kind).output;
    sum.of_rows.resize(output.extent(3));
    for (std::size_t query = 0; query < output.extent(2); ++query) {
      const std::span<const float> row = output.row(head.layer, head.head, query);
      for (std::size_t dim = 0; dim < row.size(); ++dim)
        sum.of_rows[dim] += static_cast<double>(row[dim]);
    }
    sum.rows += output.extent(2);
  }
}

std::vector<float> MeanOutputs::mean(const marian::HeadId& head) const {
  const Sum& sum = sums_.at(head);
  std::vector<float> result;
  for (const double one : sum.of_rows)
    result.push_back(static_cast<float>(one / static_cast<double>(sum.rows)));
  return result;
}

}  // namespace refran::opus_mt_probe
