// The arrays the kernel works on, and the algebra that keeps them small.
//
// Layer 2 asks from "it" alone, and reads what layer 1 adds to a position only through matrices. So
// (all exact):
// - Whatever layer 1 forms of an embedding (query, key, value, exp of a score) is the same for a
//   *row*, a word at its position, in every sentence: it is formed once per row.
// - A head's output at a position is a numerator over a denominator, each a sum over keys. The
//   template's own words are keys in every sentence: their part of the sum is formed once per row,
//   the nouns' part once per group of sentences that share them; a sentence adds its adjective's.
// - Values of layer 1 are needed only after W_O and layer 2's matrices: these are multiplied
//   beforehand (`fold`), and numerators are sums of what layer 2 reads of a value: its keys and
//   values (`read`, for every position), and at "it" its queries and the logits (`ask`).
#pragma once

#include <cstddef>
#include <vector>

#include "../model.h"
#include "kernel_task.h"
#include "product.h"

namespace refran::referent::kernel {

// The extents of a model and its task, where they are known when the kernel is compiled.
template <std::size_t kWords, std::size_t kRows, std::size_t kGroup>
struct FixedDims {
  static constexpr bool kIsKnown = true;
  static constexpr std::size_t heads = 2;
  static constexpr std::size_t model = 16;
  static constexpr std::size_t key = 2;
  static constexpr std::size_t value = 8;
  static constexpr std::size_t constants = 7;
  static constexpr std::size_t words = kWords;
  static constexpr std::size_t rows = kRows;
  static constexpr std::size_t group = kGroup;

  FixedDims(const ModelShape&, const KernelTask&) {}

  static bool fits(const ModelShape& shape, const KernelTask& task) {
    return shape.heads == heads && shape.model_dim == model && shape.key_dim == key &&
           shape.value_dim == value && shape.words == words && task.constants == constants &&
           task.rows.size() == rows && task.largest_group <= group;
  }
};

// The page's version of the task (4 animals, 4 places, 6 adjectives) and the one-pool version (4
// nouns in both slots, 8 adjectives), with the model's defaults.
using PageDims = FixedDims<20, 21, 6>;
using OnePoolDims = FixedDims<18, 23, 8>;

// The same, known only when it runs.
struct AnyDims {
  static constexpr bool kIsKnown = false;
  std::size_t heads, model, key, value;
  std::size_t words;
  std::size_t rows;       // distinct words at positions
  std::size_t constants;  // those of the template's own words
  std::size_t group;      // most sentences of a group

  AnyDims(const ModelShape& shape, const KernelTask& task)
      : heads(shape.heads),
        model(shape.model_dim),
        key(shape.key_dim),
        value(shape.value_dim),
        words(shape.words),
        rows(task.rows.size()),
        constants(task.constants),
        group(task.largest_group) {}

  static bool fits(const ModelShape&, const KernelTask&) { return true; }
};

// How wide things are. In a vector of `read` width, layer 2's keys come first [head, key_dim], then
// its values [head, value_dim]; in one of `ask` width its queries [head, key_dim], then the logits
// [word]; in one of `mix` width layer 1's queries, keys and values.
template <class Dims>
struct Extents : Dims {
  using Dims::Dims;

  // Positions whose row a group shares: all but the adjective's.
  std::size_t shared() const { return this->constants + 2; }
  std::size_t positions() const { return shared() + 1; }
  std::size_t keys() const { return this->heads * this->key; }
  std::size_t values() const { return this->heads * this->value; }
  std::size_t read() const { return keys() + values(); }
  std::size_t ask() const { return keys() + this->words; }
  std::size_t mix() const { return 2 * keys() + values(); }
  // What layer 2 reads at the shared positions has this many parts: per position the embedding's,
  // then per head of layer 1 the one it adds. Index: part * shared + position.
  std::size_t parts() const { return (1 + this->heads) * shared(); }
};

// Gives out pieces of one aligned block. Made twice: once to count, once to give.
template <class Lanes>
class Arena {
 public:
  explicit Arena(Lanes* begin) : begin_(begin) {}
  Lanes* take(std::size_t count) {
    Lanes* const piece = begin_ == nullptr ? nullptr : begin_ + used_;
    used_ += count;
    return piece;
  }
  std::size_t used() const { return used_; }

 private:
  Lanes* begin_;
  std::size_t used_ = 0;
};

// Formed once per step from the parameters alone, and (in a second one) the gradient of each.
template <class Lanes>
struct Tables {
  template <class N>
  Tables(const N& n, Arena<Lanes>* arena)
      : mix_weight(arena->take(n.model * n.mix())),
        read_weight(arena->take(n.model * n.read())),
        ask_weight(arena->take(n.model * n.ask())),
        embedding(arena->take(n.rows * n.model)),
        mix(arena->take(n.rows * n.mix())),
        read_fold(arena->take(n.values() * n.read())),
        ask_fold(arena->take(n.values() * n.ask())),
        read(arena->take((1 + n.heads) * n.rows * n.read())),
        ask(arena->take((1 + n.heads) * n.ask())),
        logit_fold(arena->take(n.values() * n.words)),
        read_value(arena->take(n.heads * n.rows * n.read())),
        ask_value(arena->take(n.heads * n.rows * n.ask())),
        exp_score(arena->take(n.heads * n.rows * n.rows)),
        denominator(arena->take(n.heads * n.rows)) {}

  Lanes* mix_weight;   // [model_dim, mix]: layer 1's matrices side by side
  Lanes* read_weight;  // [model_dim, read]: layer 2's, for keys and values
  Lanes* ask_weight;   // [model_dim, ask]: layer 2's for queries, and the unembedding
  Lanes* embedding;    // [row, model_dim]
  Lanes* mix;          // [row, mix]: layer 1's queries (divided by √key_dim), keys, values
  Lanes* read_fold;    // [head, value_dim, read]: layer 1's W_O times read_weight
  Lanes* ask_fold;     // [head, value_dim, ask]: layer 1's W_O times ask_weight
  // Those from here on are what the groups read; their gradients are sums over the groups.
  Lanes* read;         // [1 + head, row, read]: what layer 2 reads of the embedding, then of each
                       // head's numerator over the keys that are always there
  Lanes* ask;          // [1 + head, ask]: the same of the row "it"
  Lanes* logit_fold;   // [head, value_dim, word]: layer 2's W_O times the unembedding
  Lanes* read_value;   // [head, row, read]: what layer 2 reads of a value
  Lanes* ask_value;    // [head, row, ask]
  Lanes* exp_score;    // [head, row, row]: of query and key, relative to a bound of the query's
  Lanes* denominator;  // [head, row]: over the keys that are always there
};

// What one group of sentences needs; used again by the next. "part" is part * shared + position;
// "asking" is a head of layer 2, "head" one of layer 1; "own" is what the adjective's position has
// for itself.
template <class Lanes>
struct GroupSpace {
  template <class N>
  GroupSpace(const N& n, Arena<Lanes>* arena)
      : base(arena->take(n.parts() * n.read())),
        base_gradient(arena->take(n.parts() * n.read())),
        noun(arena->take(n.heads * 2 * n.shared())),
        noun_gradient(arena->take(n.heads * 2 * n.shared())),
        denominator(arena->take(n.heads * n.shared())),
        denominator_gradient(arena->take(n.heads * n.shared())),
        ask_base(arena->take((1 + n.heads) * n.ask())),
        ask_base_gradient(arena->take((1 + n.heads) * n.ask())),
        adjective(arena->take(n.group * n.heads * n.shared())),
        inverse(arena->take(n.group * n.heads * n.shared())),
        own_noun(arena->take(n.heads * n.group * 2)),
        own_noun_gradient(arena->take(n.heads * n.group * 2)),
        own_weight(arena->take(n.group * (1 + n.heads))),
        own_read(arena->take(n.group * n.read())),
        own_read_gradient(arena->take(n.group * n.read())),
        ask_weight(arena->take(n.group * (1 + 2 * n.heads))),
        ask_weight_gradient(arena->take(n.group * n.heads)),
        ask(arena->take(n.group * n.ask())),
        ask_gradient(arena->take(n.group * n.ask())),
        own_attention(arena->take(n.group * n.heads)),
        weight(arena->take(n.heads * n.group * n.parts())),
        part_gradient(arena->take(n.heads * n.group * n.parts())),
        own_score_gradient(arena->take(n.group * n.heads)),
        key_dot(arena->take(n.group * n.heads * n.heads)),
        value_dot(arena->take(n.group * n.heads * n.heads)),
        mixed(arena->take(n.group * n.heads * n.heads)),
        output(arena->take(n.group * n.values())),
        output_gradient(arena->take(n.group * n.values())) {}

  // Shared by the group.
  Lanes* base;           // [part, read]
  Lanes* base_gradient;  // [part, read]
  Lanes* noun;           // [head, noun, position]: exp_score with the noun as key, 0 at its own
  Lanes* noun_gradient;  // [head, noun, position]
  Lanes* denominator;    // [head, position]: without the adjective
  Lanes* denominator_gradient;  // [head, position]
  Lanes* ask_base;              // [1 + head, ask]: of the embedding, then what each head adds
  Lanes* ask_base_gradient;     // [1 + head, ask]
  // Of each sentence.
  Lanes* adjective;          // [sentence, head, position]: exp_score with the adjective as key
  Lanes* inverse;            // [sentence, head, position]: 1 / denominator
  Lanes* own_noun;           // [head, sentence, noun]: attention of the adjective's query
  Lanes* own_noun_gradient;  // [head, sentence, noun]
  Lanes* own_weight;         // [sentence, 1 + head]: 1, then 1 / denominator of the query
  Lanes* own_read;           // [sentence, read]: what layer 2 reads at the adjective's position
  Lanes* own_read_gradient;  // [sentence, read]
  Lanes* ask_weight;         // [sentence, 1 + 2 head]: of ask_base, then of the adjective's values
  Lanes* ask_weight_gradient;  // [sentence, head]: by the weight of what a head adds to ask_base
  Lanes* ask;                  // [sentence, ask]: layer 2's queries, then logits
  Lanes* ask_gradient;         // [sentence, ask]
  Lanes* own_attention;        // [sentence, asking]: to the adjective's position
  Lanes* weight;               // [asking, sentence, part]: attention, times inverse for heads
  Lanes* part_gradient;        // [asking, sentence, part]: by weight, then by the part of the score
  Lanes* own_score_gradient;   // [sentence, asking]
  Lanes* key_dot;              // [sentence, asking, head]: query · the adjective's value as a key
  Lanes* value_dot;            // [sentence, asking, head]: output_gradient · the adjective's value
  Lanes* mixed;                // [sentence, asking, head]: how much of that value is in the output
  Lanes* output;               // [sentence, asking, value_dim]
  Lanes* output_gradient;      // [sentence, asking, value_dim]
};

}  // namespace refran::referent::kernel
