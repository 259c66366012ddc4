// The way back through one group of sentences: from the gradient by the logits to that of the
// tables. Every function undoes the one of forward.h that its comment names.
#pragma once

#include <cstddef>

#include "forward.h"
#include "product.h"
#include "tables.h"
#include "workspace.h"

namespace refran::referent::kernel {

// forward: from the gradient by the logits to that by layer 2's outputs and attention.
template <class Lanes, class N>
void logits_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  const Matrix<const Lanes> by_logits{space.ask_gradient + n.keys(), n.ask()};
  multiply<Lanes>(n, sentences, n.words, n.values(), by_logits,
                  {context.tables.logit_fold, 1, n.words}, {space.output_gradient, n.values()});
  add_product<Lanes>(n, n.values(), sentences, n.words, {space.output, 1, n.values()}, by_logits,
                     {gradient.logit_fold, n.words});
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    const std::size_t column = n.keys() + asking * n.value;
    const std::size_t at = context.at(asking, 0, n.parts());
    const Matrix<const Lanes> by_output{space.output_gradient + asking * n.value, n.values()};
    multiply<Lanes>(n, sentences, n.value, n.parts(), by_output, {space.base + column, 1, n.read()},
                    {space.part_gradient + at, n.parts()});
    multiply<Lanes>(n, n.parts(), sentences, n.value, {space.weight + at, 1, n.parts()}, by_output,
                    {space.base_gradient + column, n.read()});
  }
}

// read_adjective, weigh, attend: from the gradient by the outputs of layer 2's heads in one
// sentence to that by their scores: in part 0 of `part_gradient`, which holds output_gradient ·
// base, and in `own_score_gradient`. An attention's gradient is taken relative to its mean,
// weighted by the attention, which is output · output_gradient.
template <class Lanes, class N>
void attend_back(const GroupContext<Lanes, N>& context, std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t shared = n.shared();
  const std::size_t word = context.group.adjective_row[sentence];
  const bool learns = context.attention == AttentionKind::learned;
  const Lanes zero = Lanes::of(typename Lanes::Element{0});
  const Lanes* const adjective = space.adjective + context.positions_at(sentence, 0);
  const Lanes* const inverse = space.inverse + context.positions_at(sentence, 0);
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    const std::size_t column = n.keys() + asking * n.value;
    const std::size_t pair = sentence * n.heads + asking;
    const Lanes* const by_output = space.output_gradient + pair * n.value;
    const Lanes* const attention = space.weight + context.at(asking, sentence, n.parts());
    Lanes* const by = space.part_gradient + context.at(asking, sentence, n.parts());
    Lanes* const value_dot = space.value_dot + pair * n.heads;
    for (std::size_t head = 0; head < n.heads; ++head) {
      value_dot[head] =
          dot(by_output, context.tables.read_value + context.read_at(head, word) + column, n.value);
    }
    const Lanes mean = dot(by_output, space.output + pair * n.value, n.value);
    const Lanes by_own =
        dot(by_output, space.own_read + sentence * n.read() + column, n.value) - mean;
    space.own_score_gradient[pair] = learns ? space.own_attention[pair] * by_own : zero;
    for (std::size_t p = 0; p < shared; ++p) {
      Lanes sum = by[p] - mean;
      for (std::size_t head = 0; head < n.heads; ++head) {
        const std::size_t at = head * shared + p;
        sum = fma(inverse[at], fma(adjective[at], value_dot[head], by[shared + at]), sum);
      }
      by[p] = learns ? attention[p] * sum : zero;
    }
  }
}

// mix, score, weigh: inverse denominators and the adjective as a key, from all that was multiplied
// by them in one sentence of layer 2; and from the gradient by the weight of every part to that by
// its score. Factors are multiplied in the order that stays in range where `inverse` is far from 1.
template <class Lanes, class N>
void denominators_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient,
                       std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t shared = n.shared();
  const std::size_t word = context.group.adjective_row[sentence];
  const std::size_t next = context.at(1, 0, n.parts());  // from one asking head to the next
  const std::size_t pair = sentence * n.heads;
  const Lanes zero = Lanes::of(typename Lanes::Element{0});
  const Lanes* const attention = space.weight + context.at(0, sentence, n.parts());
  const Lanes* const query = space.ask + sentence * n.ask();
  Lanes* const by_score = space.part_gradient + context.at(0, sentence, n.parts());
  for (std::size_t head = 0; head < n.heads; ++head) {
    Lanes* const by_part = by_score + (1 + head) * shared;
    const Lanes* const base = space.base + (1 + head) * shared * n.read();
    const Lanes* const value_dot = space.value_dot + pair * n.heads + head;
    const Lanes* const key_dot = space.key_dot + pair * n.heads + head;
    const Lanes* const adjective = space.adjective + context.positions_at(sentence, head);
    const Lanes* const inverse = space.inverse + context.positions_at(sentence, head);
    Lanes* const denominator = space.denominator_gradient + head * shared;
    Lanes* const by_exp = gradient.exp_score + context.exp_at(head, 0, word);
    for (std::size_t p = 0; p < shared; ++p) {
      const Lanes factor = inverse[p];
      Lanes by_inverse = zero;
      Lanes by_adjective = zero;
      for (std::size_t asking = 0; asking < n.heads; ++asking) {
        const Lanes weight = attention[asking * next + p];
        const Lanes by = by_score[asking * next + p];
        Lanes& part = by_part[asking * next + p];
        by_inverse = fma(weight, part, by_inverse);
        by_inverse =
            fma(by, dot(query + asking * n.key, base + p * n.read() + asking * n.key, n.key),
                by_inverse);
        by_adjective = fma(weight, value_dot[asking * n.heads], by_adjective);
        by_adjective = fma(by, key_dot[asking * n.heads], by_adjective);
        part = by * factor;
      }
      by_inverse = fma(adjective[p], by_adjective, by_inverse);
      const Lanes by_denominator = zero - by_inverse * factor * factor;
      denominator[p] = denominator[p] + by_denominator;
      Lanes& key = by_exp[context.row(p) * n.rows];
      key = key + fma(by_adjective, factor, by_denominator);
    }
  }
}

// read_adjective, score: the gradients by the adjective's vectors and by the query, where
// `ask_gradient` holds part_gradient · base.
template <class Lanes, class N>
void adjective_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient,
                    std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t shared = n.shared();
  const std::size_t read_at = context.read_at(0, context.group.adjective_row[sentence]);
  const Lanes* const adjective = space.adjective + context.positions_at(sentence, 0);
  Lanes* const own_read_gradient = space.own_read_gradient + sentence * n.read();
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    const std::size_t keys = asking * n.key;
    const std::size_t values = n.keys() + asking * n.value;
    const std::size_t pair = sentence * n.heads + asking;
    const Lanes* const output = space.output_gradient + pair * n.value;
    const Lanes* const query = space.ask + sentence * n.ask() + keys;
    const Lanes* const own_read = space.own_read + sentence * n.read();
    const Lanes* const by_score = space.part_gradient + context.at(asking, sentence, n.parts());
    Lanes* const by_query = space.ask_gradient + sentence * n.ask() + keys;
    const Lanes own_attention = space.own_attention[pair];
    const Lanes own_score = space.own_score_gradient[pair];
    for (std::size_t v = 0; v < n.value; ++v)
      own_read_gradient[values + v] = own_attention * output[v];
    for (std::size_t k = 0; k < n.key; ++k) own_read_gradient[keys + k] = own_score * query[k];
    add_scaled(own_score, own_read + keys, by_query, n.key);
    for (std::size_t head = 0; head < n.heads; ++head) {
      const Lanes* const value = context.tables.read_value + read_at + context.read_at(head, 0);
      Lanes* const by_value = gradient.read_value + read_at + context.read_at(head, 0);
      const Lanes scored = dot(by_score + (1 + head) * shared, adjective + head * shared, shared);
      add_scaled(scored, query, by_value + keys, n.key);
      add_scaled(scored, value + keys, by_query, n.key);
    }
    add_product<Lanes>(n, n.heads, 1, n.value, {space.mixed + pair * n.heads, 1}, {output, n.value},
                       {gradient.read_value + read_at + values, context.read_at(1, 0)});
  }
}

// score: from the gradient by layer 2's scores to that by the queries and by the keys at the shared
// positions.
template <class Lanes, class N>
void scores_back(const GroupContext<Lanes, N>& context) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    const std::size_t column = asking * n.key;
    const Lanes* const by_score = space.part_gradient + context.at(asking, 0, n.parts());
    multiply<Lanes>(n, sentences, n.parts(), n.key, {by_score, n.parts()},
                    {space.base + column, n.read()}, {space.ask_gradient + column, n.ask()});
    multiply<Lanes>(n, n.parts(), sentences, n.key, {by_score, 1, n.parts()},
                    {space.ask + column, n.ask()}, {space.base_gradient + column, n.read()});
  }
}

// mix: what layer 2 asks with at "it". `ask_gradient` is whole by now.
template <class Lanes, class N>
void ask_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  const std::size_t weights = 1 + 2 * n.heads;
  const std::size_t it = context.task.it;
  const Lanes zero = Lanes::of(typename Lanes::Element{0});
  multiply<Lanes>(n, 1 + n.heads, sentences, n.ask(), {space.ask_weight, 1, weights},
                  {space.ask_gradient, n.ask()}, {space.ask_base_gradient, n.ask()});
  multiply<Lanes>(n, sentences, n.ask(), n.heads, {space.ask_gradient, n.ask()},
                  {space.ask_base + n.ask(), 1, n.ask()}, {space.ask_weight_gradient, n.heads});
  for (std::size_t s = 0; s < sentences; ++s) {
    const std::size_t word = context.group.adjective_row[s];
    const Lanes* const by_ask = space.ask_gradient + s * n.ask();
    for (std::size_t head = 0; head < n.heads; ++head) {
      const std::size_t at = context.positions_at(s, head) + it;
      const Lanes inverse = space.inverse[at];
      const Lanes by_value =
          dot(by_ask, context.tables.ask_value + context.ask_at(head, word), n.ask());
      const Lanes by_inverse =
          fma(space.adjective[at], by_value, space.ask_weight_gradient[s * n.heads + head]);
      const Lanes by_denominator = zero - by_inverse * inverse * inverse;
      Lanes& denominator = space.denominator_gradient[head * n.shared() + it];
      denominator = denominator + by_denominator;
      Lanes& by_exp = gradient.exp_score[context.exp_at(head, it, word)];
      by_exp = by_exp + fma(inverse, by_value, by_denominator);
    }
    add_product<Lanes>(n, n.heads, 1, n.ask(), {space.ask_weight + s * weights + 1 + n.heads, 1},
                       {by_ask, n.ask()},
                       {gradient.ask_value + context.ask_at(0, word), context.ask_at(1, 0)});
  }
}

// mix_own. What attention weights are multiplied by is taken relative to its mean, as in a softmax.
template <class Lanes, class N>
void own_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  const std::size_t read = n.read();
  const auto [first, second] = context.group.noun_row;
  const Lanes zero = Lanes::of(typename Lanes::Element{0});
  const Matrix<const Lanes> by_own{space.own_read_gradient, read};
  for (std::size_t s = 0; s < sentences; ++s) {
    add_product<Lanes>(n, 1 + n.heads, 1, read, {space.own_weight + s * (1 + n.heads), 1},
                       {by_own.data + s * read, read},
                       {gradient.read + context.read_at(0, context.group.adjective_row[s]),
                        context.read_at(1, 0)});
  }
  for (std::size_t head = 0; head < n.heads; ++head) {
    const Lanes* const noun = space.own_noun + context.at(head, 0, 2);
    Lanes* const by_noun = space.own_noun_gradient + context.at(head, 0, 2);
    const std::size_t rows_at = context.read_at(head, 0);
    multiply<Lanes>(n, sentences, read, 2, by_own,
                    transposed(context.nouns(context.tables.read_value + rows_at, read)),
                    {by_noun, 2});
    add_product<Lanes>(n, read, sentences, 2, transposed(by_own), {noun, 2},
                       transposed(context.nouns(gradient.read_value + rows_at, read)));
    for (std::size_t s = 0; s < sentences; ++s) {
      const std::size_t word = context.group.adjective_row[s];
      const Lanes inverse = space.own_weight[s * (1 + n.heads) + 1 + head];
      const Lanes always =
          inverse *
          dot(by_own.data + s * read, context.tables.read + context.read_at(1 + head, word), read);
      const Lanes mean =
          fma(noun[s * 2], by_noun[s * 2], fma(noun[s * 2 + 1], by_noun[s * 2 + 1], always));
      Lanes& denominator = gradient.denominator[head * n.rows + word];
      denominator = denominator + (zero - inverse * mean);
      Lanes* const by_exp = gradient.exp_score + context.exp_at(head, word, 0);
      by_exp[first] = fma(inverse, by_noun[s * 2] - mean, by_exp[first]);
      by_exp[second] = fma(inverse, by_noun[s * 2 + 1] - mean, by_exp[second]);
    }
  }
}

// share_exp_scores.
template <class Lanes, class N>
void exp_scores_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient,
                     std::size_t head) {
  const N& n = context.n;
  const std::size_t shared = n.shared();
  const auto [first, second] = context.group.noun_row;
  const Lanes* const by_noun = context.space.noun_gradient + head * 2 * shared;
  const Lanes* const by_denominator = context.space.denominator_gradient + head * shared;
  Lanes* const always = gradient.denominator + head * n.rows;
  for (std::size_t p = 0; p < shared; ++p) {
    const std::size_t row = context.row(p);
    Lanes* const by_exp = gradient.exp_score + context.exp_at(head, row, 0);
    const Lanes by = by_denominator[p];
    always[row] = always[row] + by;
    if (row != first) by_exp[first] = by_exp[first] + (by_noun[p] + by);
    if (row != second) by_exp[second] = by_exp[second] + (by_noun[shared + p] + by);
  }
}

// share: the adjectives' parts are in the tables' gradients by now.
template <class Lanes, class N>
void share_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const Tables<Lanes>& tables = context.tables;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t read = n.read();
  const std::size_t shared = n.shared();
  const std::size_t it = context.task.it;
  for (std::size_t part = 0; part <= n.heads; ++part) {
    const Lanes* const by_base = space.base_gradient + part * shared * read;
    Lanes* const rows = gradient.read + context.read_at(part, 0);
    add(by_base, rows, n.constants * read);
    for (std::size_t i = 0; i < 2; ++i)
      add(by_base + (n.constants + i) * read, rows + context.group.noun_row[i] * read, read);
  }
  add(space.ask_base_gradient, gradient.ask, (1 + n.heads) * n.ask());
  for (std::size_t head = 0; head < n.heads; ++head) {
    const Lanes* const noun = space.noun + head * 2 * shared;
    Lanes* const by_noun = space.noun_gradient + head * 2 * shared;
    const Lanes* const by_base = space.base_gradient + (1 + head) * shared * read;
    const Lanes* const by_ask = space.ask_base_gradient + (1 + head) * n.ask();
    const std::size_t read_at = context.read_at(head, 0);
    const std::size_t ask_at = context.ask_at(head, 0);
    multiply<Lanes>(n, 2, read, shared, context.nouns(tables.read_value + read_at, read),
                    {by_base, 1, read}, {by_noun, shared});
    for (std::size_t i = 0; i < 2; ++i) {
      Lanes& by_key = by_noun[i * shared + it];
      by_key =
          by_key + dot(context.tables.ask_value + context.ask_at(head, context.group.noun_row[i]),
                       by_ask, n.ask());
    }
    add_product<Lanes>(n, read, shared, 2, {by_base, 1, read}, {noun, 1, shared},
                       transposed(context.nouns(gradient.read_value + read_at, read)));
    add_product<Lanes>(n, n.ask(), 1, 2, {by_ask, 1}, {noun + it, 1, shared},
                       transposed(context.nouns(gradient.ask_value + ask_at, n.ask())));
    exp_scores_back(context, gradient, head);
  }
}

// Adds to the tables' `gradient` what the group's logits ask for.
template <class Lanes, class N>
void backward(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const std::size_t sentences = context.sentences();
  logits_back(context, gradient);
  for (std::size_t i = 0; i < n.heads * n.shared(); ++i)
    context.space.denominator_gradient[i] = Lanes::of(typename Lanes::Element{0});
  for (std::size_t s = 0; s < sentences; ++s) {
    attend_back(context, s);
    denominators_back(context, gradient, s);
  }
  scores_back(context);
  for (std::size_t s = 0; s < sentences; ++s) adjective_back(context, gradient, s);
  ask_back(context, gradient);
  own_back(context, gradient);
  share_back(context, gradient);
}

}  // namespace refran::referent::kernel
