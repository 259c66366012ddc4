// The way back through one group of sentences: from the gradient by the logits to that of the
// tables. Every function undoes the one of forward.h that its comment names.
#pragma once

#include <cstddef>

#include "forward.h"
#include "product.h"
#include "tables.h"
#include "workspace.h"

namespace refran::referent::kernel {

// add_adjective, weigh: the gradient by the attention of one head of layer 2 in one sentence, then
// by its scores. `weight_gradient` holds output_gradient · base.
template <class Lanes, class N>
void weigh_back(const GroupContext<Lanes, N>& context, std::size_t asking, std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t word = context.group.adjective_row[sentence];
  const std::size_t column = n.keys() + asking * n.value;
  const Lanes* const output = space.output_gradient + context.at(asking, sentence, n.value);
  const Lanes* const weight = space.weight + context.at(asking, sentence, n.parts());
  Lanes* const by_weight = space.weight_gradient + context.at(asking, sentence, n.parts());
  Lanes* const by_score = space.score_gradient + context.at(asking, sentence, n.parts());
  Lanes* const value_dot = space.value_dot + context.at(asking, sentence, n.heads);
  Lanes* const own_dot = space.own_dot + context.at(asking, sentence, n.heads);
  const Lanes own_weight = space.own_weight[context.at(asking, sentence, 1)];

  Lanes by_own = dot(output, context.tables.read + word * n.read() + column, n.value);
  for (std::size_t head = 0; head < n.heads; ++head) {
    value_dot[head] =
        dot(output, context.tables.read_value + context.read_at(head, word) + column, n.value);
    own_dot[head] =
        dot(output, space.own_base + context.at(head, sentence, n.read()) + column, n.value);
    by_own = fma(space.own_inverse[context.at(head, sentence, 1)], own_dot[head], by_own);
  }
  Lanes mean = own_weight * by_own;
  for (std::size_t p = 0; p < n.shared(); ++p) {
    Lanes sum = by_weight[p];
    for (std::size_t head = 0; head < n.heads; ++head) {
      const std::size_t at = context.positions_at(sentence, head) + p;
      Lanes& part = by_weight[(1 + head) * n.shared() + p];
      part = fma(space.adjective[at], value_dot[head], part);
      sum = fma(space.inverse[at], part, sum);
    }
    by_score[p] = sum;
    mean = fma(weight[p], sum, mean);
  }
  const bool learns = context.attention == AttentionKind::learned;
  const Lanes zero = Lanes::of(typename Lanes::Element{0});
  space.own_score_gradient[context.at(asking, sentence, 1)] =
      learns ? own_weight * (by_own - mean) : zero;
  for (std::size_t p = 0; p < n.shared(); ++p) {
    by_score[p] = learns ? weight[p] * (by_score[p] - mean) : zero;
    for (std::size_t head = 0; head < n.heads; ++head) {
      by_score[(1 + head) * n.shared() + p] =
          by_score[p] * space.inverse[context.positions_at(sentence, head) + p];
    }
  }
}

// add_adjective, score: the gradient by the adjective's vectors and by the query, where
// `ask_gradient` holds score_gradient · base.
template <class Lanes, class N>
void adjective_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient,
                    std::size_t asking, std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t word = context.group.adjective_row[sentence];
  const std::size_t keys = asking * n.key;
  const std::size_t values = n.keys() + asking * n.value;
  const Lanes* const output = space.output_gradient + context.at(asking, sentence, n.value);
  const Lanes* const by_score = space.score_gradient + context.at(asking, sentence, n.parts());
  const Lanes* const mixed = space.mixed + context.at(asking, sentence, n.heads);
  const Lanes own_weight = space.own_weight[context.at(asking, sentence, 1)];
  const Lanes own_score = space.own_score_gradient[context.at(asking, sentence, 1)];
  const Lanes* const query = space.ask + sentence * n.ask() + keys;
  Lanes* const by_query = space.ask_gradient + sentence * n.ask() + keys;

  add_scaled(own_weight, output, gradient.read + word * n.read() + values, n.value);
  add_scaled(own_score, query, gradient.read + word * n.read() + keys, n.key);
  add_scaled(own_score, context.tables.read + word * n.read() + keys, by_query, n.key);
  for (std::size_t head = 0; head < n.heads; ++head) {
    const Lanes* const value = context.tables.read_value + context.read_at(head, word);
    Lanes* const by_value = gradient.read_value + context.read_at(head, word);
    const Lanes scored = dot(by_score + (1 + head) * n.shared(),
                             space.adjective + context.positions_at(sentence, head), n.shared());
    add_scaled(mixed[head], output, by_value + values, n.value);
    add_scaled(scored, query, by_value + keys, n.key);
    add_scaled(scored, value + keys, by_query, n.key);

    const Lanes* const own_base = space.own_base + context.at(head, sentence, n.read());
    Lanes* const by_own_base = space.own_base_gradient + context.at(head, sentence, n.read());
    const Lanes own_inverse = space.own_inverse[context.at(head, sentence, 1)];
    const Lanes own_scored = own_score * own_inverse;
    const Lanes own_mixed = own_weight * own_inverse;
    for (std::size_t v = 0; v < n.value; ++v) by_own_base[values + v] = own_mixed * output[v];
    for (std::size_t k = 0; k < n.key; ++k) by_own_base[keys + k] = own_scored * query[k];
    add_scaled(own_scored, own_base + keys, by_query, n.key);
  }
}

// mix: what layer 2 asks with at "it". `ask_gradient` is whole by now.
template <class Lanes, class N>
void ask_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  const std::size_t weights = 1 + 2 * n.heads;
  multiply<Lanes>(n, 1 + n.heads, sentences, n.ask(), {space.ask_weight, 1, weights},
                  {space.ask_gradient, n.ask()}, {space.ask_base_gradient, n.ask()});
  multiply<Lanes>(n, sentences, n.ask(), n.heads, {space.ask_gradient, n.ask()},
                  {space.ask_base + n.ask(), 1, n.ask()}, {space.ask_weight_gradient + 1, weights});
  for (std::size_t s = 0; s < sentences; ++s) {
    const Lanes* const by_ask = space.ask_gradient + s * n.ask();
    for (std::size_t head = 0; head < n.heads; ++head) {
      const std::size_t value = context.ask_at(head, context.group.adjective_row[s]);
      const std::size_t weight = s * weights + 1 + n.heads + head;
      space.ask_weight_gradient[weight] = dot(by_ask, context.tables.ask_value + value, n.ask());
      add_scaled(space.ask_weight[weight], by_ask, gradient.ask_value + value, n.ask());
    }
  }
}

// mix: inverse denominators, from all that was divided by them. Factors are multiplied in the order
// that stays in range where `inverse` is far from 1.
template <class Lanes, class N>
void denominators_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient,
                       std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t word = context.group.adjective_row[sentence];
  const Lanes* const by_ask = space.ask_weight_gradient + sentence * (1 + 2 * n.heads) + 1;
  const Lanes zero = Lanes::of(typename Lanes::Element{0});
  for (std::size_t head = 0; head < n.heads; ++head) {
    for (std::size_t p = 0; p < n.shared(); ++p) {
      const std::size_t at = context.positions_at(sentence, head) + p;
      const std::size_t part = (1 + head) * n.shared() + p;
      const Lanes inverse = space.inverse[at];
      Lanes by_inverse = zero;
      Lanes by_adjective = zero;
      for (std::size_t asking = 0; asking < n.heads; ++asking) {
        const std::size_t parts = context.at(asking, sentence, n.parts());
        const std::size_t dots = context.at(asking, sentence, n.heads) + head;
        by_inverse = fma(space.weight[parts + p], space.weight_gradient[parts + part], by_inverse);
        by_inverse = fma(space.score_gradient[parts + p], space.score[parts + part], by_inverse);
        by_adjective = fma(space.weight[parts + part], space.value_dot[dots], by_adjective);
        by_adjective = fma(space.score_gradient[parts + part], space.key_dot[dots], by_adjective);
      }
      if (p == context.task.it) {
        by_inverse = by_inverse + fma(space.adjective[at], by_ask[n.heads + head], by_ask[head]);
        by_adjective = fma(inverse, by_ask[n.heads + head], by_adjective);
      }
      const Lanes by_denominator = zero - by_inverse * inverse * inverse;
      Lanes& shared = space.denominator_gradient[head * n.shared() + p];
      shared = shared + by_denominator;
      Lanes& by_exp = gradient.exp_score[context.exp_at(head, context.row(p), word)];
      by_exp = by_exp + (by_adjective + by_denominator);
    }
  }
}

// mix_own.
template <class Lanes, class N>
void own_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  const std::size_t read = n.read();
  const Lanes zero = Lanes::of(typename Lanes::Element{0});
  const Lanes one = Lanes::of(typename Lanes::Element{1});
  for (std::size_t head = 0; head < n.heads; ++head) {
    const Lanes* const by_base = space.own_base_gradient + context.at(head, 0, read);
    const Lanes* const noun = space.own_noun + context.at(head, 0, 2);
    Lanes* const by_noun = space.own_noun_gradient + context.at(head, 0, 2);
    const Matrix<const Lanes> nouns =
        context.nouns(context.tables.read_value + context.read_at(head, 0), read);
    multiply<Lanes>(n, sentences, read, 2, {by_base, read}, transposed(nouns), {by_noun, 2});
    multiply<Lanes>(n, 2, sentences, read, {noun, 1, 2}, {by_base, read},
                    context.nouns(gradient.read_value + context.read_at(head, 0), read),
                    Store::add);
    for (std::size_t s = 0; s < sentences; ++s) {
      const std::size_t word = context.group.adjective_row[s];
      const Lanes inverse = space.own_inverse[context.at(head, s, 1)];
      Lanes by_inverse = zero;
      for (std::size_t asking = 0; asking < n.heads; ++asking) {
        const std::size_t at = context.at(asking, s, 1);
        by_inverse = fma(space.own_weight[at], space.own_dot[at * n.heads + head], by_inverse);
        by_inverse = fma(space.own_score_gradient[at],
                         space.own_score[at * (1 + n.heads) + 1 + head], by_inverse);
      }
      const Lanes by_denominator = zero - by_inverse * inverse * inverse;
      Lanes& always = gradient.denominator[head * n.rows + word];
      always = always + by_denominator;
      add_scaled(one, by_base + s * read, gradient.numerator + context.read_at(head, word), read);
      for (std::size_t i = 0; i < 2; ++i) {
        Lanes& by_exp = gradient.exp_score[context.exp_at(head, word, context.group.noun_row[i])];
        by_exp = by_exp + (by_noun[s * 2 + i] + by_denominator);
      }
    }
  }
}

// share: the adjectives' parts are in the tables' gradients by now.
template <class Lanes, class N>
void share_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const Tables<Lanes>& tables = context.tables;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t shared = n.shared();
  const std::size_t read = n.read();
  const std::size_t it = context.task.it;
  const Lanes one = Lanes::of(typename Lanes::Element{1});
  for (std::size_t p = 0; p < shared; ++p)
    add_scaled(one, space.base_gradient + p * read, gradient.read + context.row(p) * read, read);
  add_scaled(one, space.ask_base_gradient, gradient.ask, n.ask());
  for (std::size_t head = 0; head < n.heads; ++head) {
    const Lanes* const noun = space.noun + head * 2 * shared;
    Lanes* const by_noun = space.noun_gradient + head * 2 * shared;
    const Lanes* const by_base = space.base_gradient + (1 + head) * shared * read;
    const Lanes* const by_ask = space.ask_base_gradient + (1 + head) * n.ask();
    const Matrix<const Lanes> values =
        context.nouns(tables.read_value + context.read_at(head, 0), read);
    const Matrix<const Lanes> ask_values =
        context.nouns(tables.ask_value + context.ask_at(head, 0), n.ask());
    multiply<Lanes>(n, 2, read, shared, values, {by_base, 1, read}, {by_noun, shared});
    multiply<Lanes>(n, 2, n.ask(), 1, ask_values, {by_ask, 1}, {by_noun + it, shared}, Store::add);
    multiply<Lanes>(n, 2, shared, read, {noun, shared}, {by_base, read},
                    context.nouns(gradient.read_value + context.read_at(head, 0), read),
                    Store::add);
    multiply<Lanes>(n, 2, 1, n.ask(), {noun + it, shared}, {by_ask, n.ask()},
                    context.nouns(gradient.ask_value + context.ask_at(head, 0), n.ask()),
                    Store::add);
    add_scaled(one, by_ask, gradient.ask_numerator + head * n.ask(), n.ask());
    for (std::size_t p = 0; p < shared; ++p) {
      const std::size_t row = context.row(p);
      const Lanes by_denominator = space.denominator_gradient[head * shared + p];
      add_scaled(one, by_base + p * read, gradient.numerator + context.read_at(head, row), read);
      Lanes& always = gradient.denominator[head * n.rows + row];
      always = always + by_denominator;
      for (std::size_t i = 0; i < 2; ++i) {
        if (p == n.constants + i) continue;
        Lanes& by_exp = gradient.exp_score[context.exp_at(head, row, context.group.noun_row[i])];
        by_exp = by_exp + (by_noun[i * shared + p] + by_denominator);
      }
    }
  }
}

// One head of layer 2: from the gradient by the logits to that by its output, attention, scores,
// query and what it read.
template <class Lanes, class N>
void asking_back(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient,
                 std::size_t asking) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  const std::size_t at = context.at(asking, 0, 1);
  const std::size_t fold = asking * n.value * n.words;
  const std::size_t keys = asking * n.key;
  const std::size_t values = n.keys() + asking * n.value;
  const Matrix<const Lanes> by_logits{space.ask_gradient + n.keys(), n.ask()};
  const Matrix<const Lanes> by_output{space.output_gradient + at * n.value, n.value};
  multiply<Lanes>(n, sentences, n.words, n.value, by_logits,
                  {context.tables.logit_fold + fold, 1, n.words},
                  {space.output_gradient + at * n.value, n.value});
  multiply<Lanes>(n, n.value, sentences, n.words, {space.output + at * n.value, 1, n.value},
                  by_logits, {gradient.logit_fold + fold, n.words}, Store::add);

  multiply<Lanes>(n, sentences, n.value, n.parts(), by_output, {space.base + values, 1, n.read()},
                  {space.weight_gradient + at * n.parts(), n.parts()});
  multiply<Lanes>(n, n.parts(), sentences, n.value, {space.weight + at * n.parts(), 1, n.parts()},
                  by_output, {space.base_gradient + values, n.read()});
  for (std::size_t s = 0; s < sentences; ++s) weigh_back(context, asking, s);

  const Lanes* const by_score = space.score_gradient + at * n.parts();
  multiply<Lanes>(n, sentences, n.parts(), n.key, {by_score, n.parts()},
                  {space.base + keys, n.read()}, {space.ask_gradient + keys, n.ask()});
  multiply<Lanes>(n, n.parts(), sentences, n.key, {by_score, 1, n.parts()},
                  {space.ask + keys, n.ask()}, {space.base_gradient + keys, n.read()});
  for (std::size_t s = 0; s < sentences; ++s) adjective_back(context, gradient, asking, s);
}

// Adds to the tables' `gradient` what the group's logits ask for.
template <class Lanes, class N>
void backward(const GroupContext<Lanes, N>& context, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  for (std::size_t asking = 0; asking < n.heads; ++asking) asking_back(context, gradient, asking);
  ask_back(context, gradient);
  for (std::size_t i = 0; i < n.heads * n.shared(); ++i)
    context.space.denominator_gradient[i] = Lanes::of(typename Lanes::Element{0});
  for (std::size_t s = 0; s < context.sentences(); ++s) denominators_back(context, gradient, s);
  own_back(context, gradient);
  share_back(context, gradient);
}

}  // namespace refran::referent::kernel
