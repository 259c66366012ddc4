// The model as its definition reads, position by position: for measurements after training, and as
// what the fast kernel is tested against. `Lanes` computes several seeds at once;
// lanes::PlainLanes<T, 1> is one.
#pragma once

#include <cstddef>
#include <vector>

#include <lanes/lanes.h>

#include "model.h"
#include "task.h"

namespace refran::referent {

// All that one sentence's way through the model leaves behind.
template <class Lanes>
struct Activations {
  std::vector<Lanes> embedding;   // [position, model_dim]
  std::vector<Lanes> attention1;  // [head, query, key]
  std::vector<Lanes> output1;     // [head, query, value_dim]: before W_O
  std::vector<Lanes> hidden;      // [position, model_dim]: what layer 2 reads
  std::vector<Lanes> attention2;  // [head, key]: from "it"
  std::vector<Lanes> output2;     // [head, value_dim]: before W_O
  std::vector<Lanes> final;       // [model_dim]: what the unembedding reads
  std::vector<Lanes> logit;       // [word]
};

// sum [column] += vector [row] · weight [row, column] for `kColumns` of `columns`, held in
// registers; the rows in order.
template <std::size_t kColumns, class Lanes>
void add_columns(const Lanes* vector, std::size_t rows, const Lanes* weight, std::size_t columns,
                 Lanes* sum) {
  Lanes held[kColumns];
  for (std::size_t i = 0; i < kColumns; ++i) held[i] = sum[i];
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < kColumns; ++i)
      held[i] = fma(vector[r], weight[r * columns + i], held[i]);
  }
  for (std::size_t i = 0; i < kColumns; ++i) sum[i] = held[i];
}

// sum [column] += vector [row] · weight [row, column].
template <class Lanes>
void add_product(const Lanes* vector, std::size_t rows, const Lanes* weight, std::size_t columns,
                 Lanes* sum) {
  std::size_t c = 0;
  for (; c + 8 <= columns; c += 8) add_columns<8>(vector, rows, weight + c, columns, sum + c);
  for (; c + 4 <= columns; c += 4) add_columns<4>(vector, rows, weight + c, columns, sum + c);
  for (; c + 2 <= columns; c += 2) add_columns<2>(vector, rows, weight + c, columns, sum + c);
  for (; c < columns; ++c) add_columns<1>(vector, rows, weight + c, columns, sum + c);
}

template <class Lanes>
class PlainModel {
 public:
  using Element = typename Lanes::Element;

  // `parameters` as ParameterLayout says; they are not copied. `it` is the position that asks.
  PlainModel(const ModelShape& shape, std::size_t it, const Lanes* parameters)
      : shape_(shape), layout_(shape), it_(it), parameters_(parameters) {}

  const ModelShape& shape() const { return shape_; }

  Activations<Lanes> forward(const Sentence& sentence, AttentionKind kind) const {
    Activations<Lanes> result = make_activations();
    embed(sentence, result.embedding.data());
    for (std::size_t head = 0; head < shape_.heads; ++head)
      attend(head, kind, result.embedding.data(), result.attention1.data(), result.output1.data());
    finish(kind, result);
    return result;
  }

  // What follows layer 1's heads: for ablation, which changes `output1` in between.
  void finish(AttentionKind kind, Activations<Lanes>& result) const {
    add_heads(result.embedding.data(), result.output1.data(), result.hidden.data());
    for (std::size_t head = 0; head < shape_.heads; ++head)
      ask(head, kind, result.hidden.data(), result.attention2.data(), result.output2.data());
    answer(result.hidden.data(), result.output2.data(), result.final.data(), result.logit.data());
  }

  Activations<Lanes> make_activations() const {
    const std::size_t positions = shape_.positions;
    Activations<Lanes> result;
    result.embedding.resize(positions * shape_.model_dim);
    result.attention1.resize(shape_.heads * positions * positions);
    result.output1.resize(shape_.heads * positions * shape_.value_dim);
    result.hidden.resize(positions * shape_.model_dim);
    result.attention2.resize(shape_.heads * positions);
    result.output2.resize(shape_.heads * shape_.value_dim);
    result.final.resize(shape_.model_dim);
    result.logit.resize(shape_.words);
    return result;
  }

  // embedding [position, model_dim].
  void embed(const Sentence& sentence, Lanes* embedding) const {
    const std::size_t dims = shape_.model_dim;
    for (std::size_t p = 0; p < shape_.positions; ++p) {
      const Lanes* const word = at(layout_.word_embedding) + sentence.word[p] * dims;
      const Lanes* const position = at(layout_.position_embedding) + p * dims;
      for (std::size_t d = 0; d < dims; ++d)
        embedding[p * dims + d] = shape_.has_positions ? word[d] + position[d] : word[d];
    }
  }

  // One head of layer 1, every position asking every position: its part of attention1 [head, query,
  // key] and of output1 [head, query, value_dim].
  void attend(std::size_t head, AttentionKind kind, const Lanes* embedding, Lanes* attention1,
              Lanes* output1) const {
    const std::size_t positions = shape_.positions;
    Looking looking = look_at(0, head, embedding);
    for (std::size_t query = 0; query < positions; ++query) {
      const std::size_t row = head * positions + query;
      look(looking, kind, embedding + query * shape_.model_dim, attention1 + row * positions,
           output1 + row * shape_.value_dim);
    }
  }

  // hidden [position, model_dim] = embedding + Σ_head output1 W_O.
  void add_heads(const Lanes* embedding, const Lanes* output1, Lanes* hidden) const {
    const std::size_t dims = shape_.model_dim;
    for (std::size_t p = 0; p < shape_.positions; ++p) {
      for (std::size_t d = 0; d < dims; ++d) hidden[p * dims + d] = embedding[p * dims + d];
      for (std::size_t head = 0; head < shape_.heads; ++head) {
        add_output(0, head, output1 + (head * shape_.positions + p) * shape_.value_dim,
                   hidden + p * dims);
      }
    }
  }

  // One head of layer 2, "it" asking every position: its part of attention2 [head, key] and of
  // output2 [head, value_dim].
  void ask(std::size_t head, AttentionKind kind, const Lanes* hidden, Lanes* attention2,
           Lanes* output2) const {
    Looking looking = look_at(1, head, hidden);
    look(looking, kind, hidden + it_ * shape_.model_dim, attention2 + head * shape_.positions,
         output2 + head * shape_.value_dim);
  }

  // final [model_dim] and logit [word].
  void answer(const Lanes* hidden, const Lanes* output2, Lanes* final, Lanes* logit) const {
    for (std::size_t d = 0; d < shape_.model_dim; ++d)
      final[d] = hidden[it_ * shape_.model_dim + d];
    for (std::size_t head = 0; head < shape_.heads; ++head)
      add_output(1, head, output2 + head * shape_.value_dim, final);
    unembed(final, logit);
  }

  // vector [model_dim] += output [value_dim] W_O, of one head.
  void add_output(std::size_t layer, std::size_t head, const Lanes* output, Lanes* vector) const {
    add_product(output, shape_.value_dim, matrix(layout_.output, layer, head, shape_.value_dim),
                shape_.model_dim, vector);
  }

  // logit [word] = vector [model_dim] · unembedding.
  void unembed(const Lanes* vector, Lanes* logit) const {
    multiply(vector, at(layout_.unembedding), shape_.words, logit);
  }

 private:
  const Lanes* at(std::size_t offset) const { return parameters_ + offset; }

  // The [model_dim, columns] (or, for W_O, [value_dim, model_dim]) matrix of one head.
  const Lanes* matrix(std::size_t offset, std::size_t layer, std::size_t head,
                      std::size_t columns) const {
    return at(offset) + (layer * shape_.heads + head) * shape_.model_dim * columns;
  }

  // result [column] = vector [model_dim] · weight [model_dim, column].
  void multiply(const Lanes* vector, const Lanes* weight, std::size_t columns,
                Lanes* result) const {
    for (std::size_t c = 0; c < columns; ++c) result[c] = Lanes::of(Element{0});
    add_product(vector, shape_.model_dim, weight, columns, result);
  }

  // One head that looks at a stream [position, model_dim], and room for its arithmetic.
  struct Looking {
    std::size_t layer;
    std::size_t head;
    const Lanes* stream;
    std::vector<Lanes> key;      // [position, key_dim]
    std::vector<Lanes> query;    // [key_dim]
    std::vector<Lanes> average;  // [model_dim]
  };

  Looking look_at(std::size_t layer, std::size_t head, const Lanes* stream) const {
    const std::size_t dims = shape_.key_dim;
    Looking looking{layer, head, stream, {}, {}, {}};
    looking.key.resize(shape_.positions * dims);
    looking.query.resize(dims);
    looking.average.resize(shape_.model_dim);
    for (std::size_t p = 0; p < shape_.positions; ++p) {
      multiply(stream + p * shape_.model_dim, matrix(layout_.key, layer, head, dims), dims,
               &looking.key[p * dims]);
    }
    return looking;
  }

  // One query's look at all positions: weight [key] and the average of the values [value_dim].
  void look(Looking& looking, AttentionKind kind, const Lanes* asking, Lanes* weight,
            Lanes* output) const {
    const std::size_t positions = shape_.positions;
    if (kind == AttentionKind::learned) {
      weigh(looking, asking, weight);
    } else {
      for (std::size_t p = 0; p < positions; ++p)
        weight[p] = Lanes::of(Element{1}) / Lanes::of(static_cast<Element>(positions));
    }
    // The average of values is the value of the average, since values are linear.
    for (Lanes& value : looking.average) value = Lanes::of(Element{0});
    add_product(weight, positions, looking.stream, shape_.model_dim, looking.average.data());
    multiply(looking.average.data(),
             matrix(layout_.value, looking.layer, looking.head, shape_.value_dim), shape_.value_dim,
             output);
  }

  // weight [key] = softmax of query · key / √key_dim.
  void weigh(Looking& looking, const Lanes* asking, Lanes* weight) const {
    const std::size_t dims = shape_.key_dim;
    multiply(asking, matrix(layout_.query, looking.layer, looking.head, dims), dims,
             looking.query.data());
    const Lanes root = sqrt(Lanes::of(static_cast<Element>(dims)));
    for (std::size_t p = 0; p < shape_.positions; ++p) {
      Lanes score = Lanes::of(Element{0});
      for (std::size_t k = 0; k < dims; ++k)
        score = fma(looking.query[k], looking.key[p * dims + k], score);
      weight[p] = score / root;
    }
    softmax(weight, shape_.positions);
  }

  // In place. [key]
  static void softmax(Lanes* weight, std::size_t count) {
    Lanes best = weight[0];
    for (std::size_t i = 1; i < count; ++i) best = max(weight[i], best);
    Lanes sum = Lanes::of(Element{0});
    for (std::size_t i = 0; i < count; ++i) {
      weight[i] = exp(weight[i] - best);
      sum = sum + weight[i];
    }
    for (std::size_t i = 0; i < count; ++i) weight[i] = weight[i] / sum;
  }

  ModelShape shape_;
  ParameterLayout layout_;
  std::size_t it_;
  const Lanes* parameters_;
};

// The loss of one sentence in nat: -log softmax(logit)[target]. logit is [word].
template <class Lanes>
Lanes cross_entropy(const Lanes* logit, std::size_t words, std::size_t target) {
  using T = typename Lanes::Element;
  Lanes best = logit[0];
  for (std::size_t w = 1; w < words; ++w) best = max(logit[w], best);
  Lanes sum = Lanes::of(T{0});
  for (std::size_t w = 0; w < words; ++w) sum = sum + exp(logit[w] - best);
  return log_of_sum(sum) - (logit[target] - best);
}

// 1 where the target is the most likely word, else 0. logit is [word].
template <class Lanes>
Lanes is_right(const Lanes* logit, std::size_t words, std::size_t target) {
  using T = typename Lanes::Element;
  Lanes best_other = logit[target == 0 ? 1 : 0];
  for (std::size_t w = 0; w < words; ++w) {
    if (w != target) best_other = max(logit[w], best_other);
  }
  return if_less(best_other, logit[target], Lanes::of(T{1}), Lanes::of(T{0}));
}

}  // namespace refran::referent
