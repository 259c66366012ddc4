// Puts what is kept of a translated sentence into its item.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <marian/generation.h>
#include <marian/model_config.h>
#include <marian/tokenizer.h>

#include <refran/run.h>
#include "config.h"
#include "outputs.h"

namespace refran::opus_mt_probe {

// "L1", "L2", … of layers or heads, by their indices from 0.
std::vector<std::string> numbered(char letter, const std::vector<std::size_t>& indices);

const KindOutputs& outputs_of(AttentionKind kind);

// Mean over queries, in nat. `weight` [query, key].
double mean_entropy(ArrayView<float, 2> weight);
// The largest weight of a query, mean over the queries whose token is not `</s>` (Voita et al.
// 2019); NaN where there is none. `weight` [query, key], `query_id` [query].
double mean_confidence(ArrayView<float, 2> weight, const marian::Ids& query_id,
                       std::int32_t eos_id);

class Recording {
 public:
  Recording(const KeepConfig& keep, const marian::ModelConfig& model,
            const marian::Tokenizer& tokenizer);

  // Bytes of the arrays that are kept of a sentence of so many source tokens and steps.
  std::uint64_t bytes(std::size_t source_length, std::size_t steps) const;
  // `target` are the tokens of translation.predicted.
  void put(const marian::Tokens& source, const marian::Tokens& target,
           const marian::Translation& translation, Item item) const;

 private:
  // Layers and heads that are kept, as indices from 0.
  struct Side {
    std::vector<std::size_t> layers;
    std::vector<std::size_t> heads;
    bool is_whole = true;
  };

  const Side& side_of(AttentionKind kind) const {
    return kind == AttentionKind::encoder_self ? encoder_ : decoder_;
  }
  void put_labels(const marian::Tokens& source, const std::vector<std::string>& input_token,
                  Item item) const;
  void put_tokens(const marian::Tokens& source, const marian::Tokens& target,
                  const marian::Translation& translation, Item item) const;
  void put_runners_up(const marian::Translation& translation, Item item) const;
  void put_kind(AttentionKind kind, const marian::AttentionRecord& record,
                const marian::Ids& query_id, Item item) const;
  void put_measures(AttentionKind kind, const Array<float, 4>& weight, const marian::Ids& query_id,
                    Item item) const;
  // Puts the layers and heads that are kept of [layer, head, …].
  void put_selected(const Output<float, 4>& output, const Side& side, const Array<float, 4>& all,
                    Item item) const;
  std::vector<std::string> input_tokens(const marian::Tokens& target) const;

  const KeepConfig& keep_;
  const marian::ModelConfig& model_;
  const marian::Tokenizer& tokenizer_;
  Side encoder_;
  Side decoder_;
};

}  // namespace refran::opus_mt_probe
