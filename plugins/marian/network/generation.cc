#include "../generation.h"

#include <algorithm>
#include <utility>

#include "decoder.h"
#include "records.h"
#include "search.h"
#include "target_scores.h"

namespace refran::marian {
namespace {

// The nodes of a hypothesis, the start token's first.
std::vector<const Node*> path_to(const Node* last) {
  std::vector<const Node*> path;
  for (const Node* node = last; node != nullptr; node = node->parent.get()) path.push_back(node);
  std::ranges::reverse(path);
  return path;
}

// Weights of the rows of a path, from a buffer [layer, head, positions] each, into one record.
void gather(std::span<const Node* const> path, Rows Node::*buffer, AttentionRecord& record) {
  const auto [layers, heads, queries, keys] = record.weight.extents();
  for (std::size_t query = 0; query < queries; ++query) {
    const Rows& weights = path[query]->*buffer;
    const std::size_t positions = weights.size() / (layers * heads);
    for (std::size_t layer = 0; layer < layers; ++layer)
      for (std::size_t head = 0; head < heads; ++head)
        std::copy_n(weights.data() + (layer * heads + head) * positions, positions,
                    record.weight.row(layer, head, query).data());
  }
}

// Sentences side by side, token by token.
class Translator {
 public:
  Translator(const Model& model, const Decoding& decoding, const Gates& gates,
             const GenerationOptions& options, Encoded encoded, Team& team)
      : model_(model),
        options_(options),
        encoded_(std::move(encoded)),
        forward_(model, gates, team),
        decoder_(forward_, encoded_) {
    std::size_t rows = 0;
    for (std::size_t sentence = 0; sentence < encoded_.sentences(); ++sentence) {
      const std::size_t length = encoded_.length(sentence);
      searches_.emplace_back(model.config, decoding, length);
      rows += decoding.beam_size * (length + length / 2 + 8);
    }
    // For translations that are not much longer than their sources.
    decoder_.reserve(rows);
  }

  std::vector<Translation> translate() {
    while (read_step()) choose();
    std::vector<Translation> translations;
    for (std::size_t sentence = 0; sentence < searches_.size(); ++sentence)
      translations.push_back(found(sentence));
    return translations;
  }

 private:
  // Reads the chosen token of every live hypothesis; false where there is none left.
  bool read_step() {
    nodes_.clear();
    first_node_.assign(1, 0);
    std::vector<std::vector<std::uint32_t>> before;
    std::vector<DecoderRow> rows;
    for (std::size_t sentence = 0; sentence < searches_.size(); ++sentence) {
      for (const Hypothesis& hypothesis : searches_[sentence].live()) {
        std::vector<std::uint32_t>& ids = before.emplace_back();
        for (const Node* node : path_to(hypothesis.last.get())) ids.push_back(node->row);
        nodes_.push_back(make_node(hypothesis, sentence, ids.size()));
        rows.push_back(row_of(*nodes_.back(), sentence, ids.size()));
      }
      first_node_.push_back(nodes_.size());
    }
    if (rows.empty()) return false;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].before = before[i];
    decoder_.read(rows);
    output_logits(forward_, decoder_.output().data(), rows.size(), logits_);
    return true;
  }

  std::shared_ptr<Node> make_node(const Hypothesis& hypothesis, std::size_t sentence,
                                  std::size_t position) {
    auto node = std::make_shared<Node>();
    node->parent = hypothesis.last;
    node->row = static_cast<std::uint32_t>(decoder_.rows_read() + nodes_.size());
    node->token = hypothesis.chosen;
    node->logit = hypothesis.chosen_logit;
    if (!options_.keep.attention) return node;
    const std::size_t maps = model_.config.decoder_layers * model_.config.decoder_heads;
    node->self.resize(maps * (position + 1));
    node->cross.resize(maps * encoded_.length(sentence));
    return node;
  }

  DecoderRow row_of(Node& node, std::size_t sentence, std::size_t position) const {
    const std::size_t heads = model_.config.decoder_heads;
    const auto record = [&](Rows& weights, std::size_t positions) {
      return weights.empty() ? RowRecord{}
                             : RowRecord{weights.data(), heads * positions, positions};
    };
    return {.token = node.token,
            .sentence = sentence,
            .before = {},
            .self = record(node.self, position + 1),
            .cross = record(node.cross, encoded_.length(sentence))};
  }

  // Every sentence's search takes the logits of its rows.
  void choose() {
    const std::size_t vocabulary = model_.config.target_vocabulary;
    forward_.team().share(searches_.size(), [&](std::size_t sentence, std::size_t) {
      const std::size_t first = first_node_[sentence];
      const std::span<const std::shared_ptr<Node>> nodes(nodes_.data() + first,
                                                         first_node_[sentence + 1] - first);
      if (nodes.empty()) return;
      float* logits = logits_.data() + first * vocabulary;
      for (std::size_t i = 0; options_.runners_up > 0 && i < nodes.size(); ++i) {
        const float* row = logits + i * vocabulary;
        nodes[i]->likely = likely_tokens(*model_.kernels, row, vocabulary, options_.runners_up + 1);
        for (const std::int32_t token : nodes[i]->likely)
          nodes[i]->likely_logits.push_back(row[token]);
      }
      searches_[sentence].advance(*model_.kernels, nodes, logits);
    });
  }

  Translation found(std::size_t sentence) {
    const Search& search = searches_[sentence];
    const Hypothesis* best = search.best();
    std::vector<const Node*> path;
    Translation result;
    result.ties = search.ties();
    if (best != nullptr) {
      path = path_to(best->last.get());
      for (const Node* node : path) result.input.push_back(node->token);
      result.predicted.assign(result.input.begin() + 1, result.input.end());
      result.predicted.push_back(best->chosen);
      result.score = best->score;
      result.ended = best->ended;
    }
    make_room(result, path.size(), options_.runners_up);
    for (std::size_t step = 0; step < path.size(); ++step) {
      const Node& node = *path[step];
      const float logit = step + 1 < path.size() ? path[step + 1]->logit : best->chosen_logit;
      result.log_probability[step] =
          static_cast<float>(static_cast<double>(logit) - node.log_normalizer);
      std::vector<double> likely;
      for (const float likely_logit : node.likely_logits)
        likely.push_back(static_cast<double>(likely_logit) - node.log_normalizer);
      put_runners_up(result, step, node.likely, likely);
    }
    put_records(sentence, path, result);
    return result;
  }

  void put_records(std::size_t sentence, std::span<const Node* const> path, Translation& result) {
    result.encoder_self = std::move(encoded_.record[sentence]);
    if (!options_.keep.attention) return;
    const std::size_t steps = path.size();
    result.decoder_self = make_record(model_.config, AttentionKind::decoder_self, steps, steps, {});
    result.cross =
        make_record(model_.config, AttentionKind::cross, steps, encoded_.length(sentence), {});
    gather(path, &Node::self, result.decoder_self);
    gather(path, &Node::cross, result.cross);
  }

  const Model& model_;
  const GenerationOptions& options_;
  Encoded encoded_;
  Forward forward_;
  Decoder decoder_;
  std::vector<Search> searches_;              // [sentence]
  std::vector<std::shared_ptr<Node>> nodes_;  // the rows read in this step
  std::vector<std::size_t> first_node_;       // [sentence + 1]
  Rows logits_;
};

bool keeps_more_than_attention(const Keep& keep) {
  return keep.values || keep.head_outputs || keep.residual || keep.norms;
}

}  // namespace

std::vector<Translation> translate(const Model& model, std::span<const Ids> sources,
                                   const Decoding& decoding, const Gates& gates,
                                   const GenerationOptions& options, Team& team) {
  const Keep attention_alone{.attention = options.keep.attention};
  Encoded encoded = encode(model, sources, gates, attention_alone, team);
  std::vector<Translation> result =
      Translator(model, decoding, gates, options, std::move(encoded), team).translate();
  if (!keeps_more_than_attention(options.keep)) return result;
  // The rest is kept by reading what was found once more, which gives the same bytes.
  std::vector<Ids> targets;
  for (const Translation& translation : result) targets.push_back(translation.predicted);
  std::vector<Translation> again = force(model, sources, targets, gates, {options.keep, 0}, team);
  for (std::size_t sentence = 0; sentence < result.size(); ++sentence) {
    result[sentence].encoder_self = std::move(again[sentence].encoder_self);
    result[sentence].decoder_self = std::move(again[sentence].decoder_self);
    result[sentence].cross = std::move(again[sentence].cross);
    result[sentence].encoder_residual = std::move(again[sentence].encoder_residual);
    result[sentence].decoder_residual = std::move(again[sentence].decoder_residual);
  }
  return result;
}

}  // namespace refran::marian
