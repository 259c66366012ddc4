// The way forward through one group of sentences: from the tables to logits.
#pragma once

#include <cstddef>

#include <lanes/lanes.h>

#include "product.h"
#include "tables.h"
#include "workspace.h"

namespace refran::referent::kernel {

// A group at work.
template <class Lanes, class N>
struct GroupContext {
  const N& n;
  const KernelTask& task;
  const Group& group;
  const Tables<Lanes>& tables;
  const GroupSpace<Lanes>& space;
  AttentionKind attention;

  std::size_t sentences() const { return group.target.size(); }
  // The row at a shared position: the template's words in order, then the two nouns.
  std::size_t row(std::size_t position) const {
    return position < n.constants ? position : group.noun_row[position - n.constants];
  }
  // Where a (head, row) vector of `read` or `ask` width is, and a (head, row, row) number.
  std::size_t read_at(std::size_t head, std::size_t r) const {
    return (head * n.rows + r) * n.read();
  }
  std::size_t ask_at(std::size_t head, std::size_t r) const {
    return (head * n.rows + r) * n.ask();
  }
  std::size_t exp_at(std::size_t head, std::size_t query, std::size_t key) const {
    return (head * n.rows + query) * n.rows + key;
  }
  // Where an (asking or head, sentence) vector of `width` is, and a (sentence, head, position) one.
  std::size_t at(std::size_t head, std::size_t sentence, std::size_t width) const {
    return (head * n.group + sentence) * width;
  }
  std::size_t positions_at(std::size_t sentence, std::size_t head) const {
    return (sentence * n.heads + head) * n.shared();
  }
  // The nouns' two vectors of one head as a matrix [noun, width], from where rows of `width` begin.
  Matrix<Lanes> nouns(Lanes* rows, std::size_t width) const {
    return {rows + group.noun_row[0] * width, (group.noun_row[1] - group.noun_row[0]) * width};
  }
};

template <class Lanes>
void copy(const Lanes* from, std::size_t count, Lanes* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

// What the group's sentences share: base, denominator, ask_base. A noun is no key to be added at
// its own position: it is there already.
template <class Lanes, class N>
void share(const GroupContext<Lanes, N>& context) {
  const N& n = context.n;
  const Tables<Lanes>& tables = context.tables;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t read = n.read();
  const std::size_t shared = n.shared();
  const std::size_t it = context.task.it;
  for (std::size_t p = 0; p < shared; ++p)
    copy(tables.read + context.row(p) * read, read, space.base + p * read);
  copy(tables.ask, n.ask(), space.ask_base);
  for (std::size_t head = 0; head < n.heads; ++head) {
    Lanes* const noun = space.noun + head * 2 * shared;
    Lanes* const base = space.base + (1 + head) * shared * read;
    for (std::size_t p = 0; p < shared; ++p) {
      const std::size_t row = context.row(p);
      Lanes denominator = tables.denominator[head * n.rows + row];
      for (std::size_t i = 0; i < 2; ++i) {
        noun[i * shared + p] =
            p == n.constants + i
                ? Lanes::of(typename Lanes::Element{0})
                : tables.exp_score[context.exp_at(head, row, context.group.noun_row[i])];
        denominator = denominator + noun[i * shared + p];
      }
      space.denominator[head * shared + p] = denominator;
      copy(tables.numerator + context.read_at(head, row), read, base + p * read);
    }
    multiply<Lanes>(n, shared, 2, read, {noun, 1, shared},
                    context.nouns(tables.read_value + context.read_at(head, 0), read), {base, read},
                    Store::add);
    Lanes* const ask_base = space.ask_base + (1 + head) * n.ask();
    copy(tables.ask_numerator + head * n.ask(), n.ask(), ask_base);
    multiply<Lanes>(n, 1, 2, n.ask(), {noun + it, 1, shared},
                    context.nouns(tables.ask_value + context.ask_at(head, 0), n.ask()),
                    {ask_base, n.ask()}, Store::add);
  }
}

// The adjective's own position as a query of layer 1: own_base, own_inverse.
template <class Lanes, class N>
void mix_own(const GroupContext<Lanes, N>& context) {
  const N& n = context.n;
  const Tables<Lanes>& tables = context.tables;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t read = n.read();
  const Lanes one = Lanes::of(typename Lanes::Element{1});
  for (std::size_t head = 0; head < n.heads; ++head) {
    Lanes* const noun = space.own_noun + context.at(head, 0, 2);
    Lanes* const base = space.own_base + context.at(head, 0, read);
    for (std::size_t s = 0; s < context.sentences(); ++s) {
      const std::size_t word = context.group.adjective_row[s];
      Lanes denominator = tables.denominator[head * n.rows + word];
      for (std::size_t i = 0; i < 2; ++i) {
        noun[s * 2 + i] = tables.exp_score[context.exp_at(head, word, context.group.noun_row[i])];
        denominator = denominator + noun[s * 2 + i];
      }
      space.own_inverse[context.at(head, s, 1)] = one / denominator;
      copy(tables.numerator + context.read_at(head, word), read, base + s * read);
    }
    multiply<Lanes>(n, context.sentences(), 2, read, {noun, 2},
                    context.nouns(tables.read_value + context.read_at(head, 0), read), {base, read},
                    Store::add);
  }
}

// What each sentence's adjective changes elsewhere: inverse denominators, and what layer 2 asks
// with at "it".
template <class Lanes, class N>
void mix(const GroupContext<Lanes, N>& context) {
  const N& n = context.n;
  const Tables<Lanes>& tables = context.tables;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t it = context.task.it;
  const std::size_t weights = 1 + 2 * n.heads;
  const Lanes one = Lanes::of(typename Lanes::Element{1});
  for (std::size_t s = 0; s < context.sentences(); ++s) {
    const std::size_t word = context.group.adjective_row[s];
    Lanes* const ask_weight = space.ask_weight + s * weights;
    ask_weight[0] = one;
    for (std::size_t head = 0; head < n.heads; ++head) {
      Lanes* const adjective = space.adjective + context.positions_at(s, head);
      Lanes* const inverse = space.inverse + context.positions_at(s, head);
      for (std::size_t p = 0; p < n.shared(); ++p) {
        adjective[p] = tables.exp_score[context.exp_at(head, context.row(p), word)];
        inverse[p] = one / (space.denominator[head * n.shared() + p] + adjective[p]);
      }
      ask_weight[1 + head] = inverse[it];
      ask_weight[1 + n.heads + head] = inverse[it] * adjective[it];
    }
  }
  multiply<Lanes>(n, context.sentences(), 1 + n.heads, n.ask(), {space.ask_weight, weights},
                  {space.ask_base, n.ask()}, {space.ask, n.ask()});
  for (std::size_t s = 0; s < context.sentences(); ++s) {
    multiply<Lanes>(n, 1, n.heads, n.ask(), {space.ask_weight + s * weights + 1 + n.heads, weights},
                    {tables.ask_value + context.ask_at(0, context.group.adjective_row[s]),
                     context.ask_at(1, 0)},
                    {space.ask + s * n.ask(), n.ask()}, Store::add);
  }
}

// Turns the scores of one query in place into softmax weights: `score` [position], then `own`.
template <class Lanes>
void softmax(Lanes* score, std::size_t count, Lanes* own) {
  Lanes best = *own;
  for (std::size_t i = 0; i < count; ++i) best = max(score[i], best);
  *own = exp(*own - best);
  Lanes sum = *own;
  for (std::size_t i = 0; i < count; ++i) {
    score[i] = exp(score[i] - best);
    sum = sum + score[i];
  }
  const Lanes inverse = Lanes::of(typename Lanes::Element{1}) / sum;
  for (std::size_t i = 0; i < count; ++i) score[i] = score[i] * inverse;
  *own = *own * inverse;
}

// The scores of one head of layer 2 in one sentence, summed over their parts, in weight's part 0
// and own_weight: `score` holds query · base, and gets the adjective's part.
template <class Lanes, class N>
void score(const GroupContext<Lanes, N>& context, std::size_t asking, std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t word = context.group.adjective_row[sentence];
  const std::size_t column = asking * n.key;
  const Lanes* const query = space.ask + sentence * n.ask() + column;
  Lanes* const parts = space.score + context.at(asking, sentence, n.parts());
  Lanes* const weight = space.weight + context.at(asking, sentence, n.parts());
  Lanes* const own = space.own_score + context.at(asking, sentence, 1 + n.heads);
  Lanes* const key_dot = space.key_dot + context.at(asking, sentence, n.heads);

  own[0] = dot(query, context.tables.read + word * n.read() + column, n.key);
  Lanes own_sum = own[0];
  for (std::size_t head = 0; head < n.heads; ++head) {
    key_dot[head] =
        dot(query, context.tables.read_value + context.read_at(head, word) + column, n.key);
    own[1 + head] =
        dot(query, space.own_base + context.at(head, sentence, n.read()) + column, n.key);
    own_sum = fma(space.own_inverse[context.at(head, sentence, 1)], own[1 + head], own_sum);
  }
  space.own_weight[context.at(asking, sentence, 1)] = own_sum;
  for (std::size_t p = 0; p < n.shared(); ++p) {
    Lanes sum = parts[p];
    for (std::size_t head = 0; head < n.heads; ++head) {
      const std::size_t at = context.positions_at(sentence, head) + p;
      Lanes& part = parts[(1 + head) * n.shared() + p];
      part = fma(space.adjective[at], key_dot[head], part);
      sum = fma(space.inverse[at], part, sum);
    }
    weight[p] = sum;
  }
}

// Attention from the scores, in place; its heads' parts; and `mixed`.
template <class Lanes, class N>
void weigh(const GroupContext<Lanes, N>& context, std::size_t asking, std::size_t sentence) {
  using T = typename Lanes::Element;
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  Lanes* const weight = space.weight + context.at(asking, sentence, n.parts());
  Lanes* const own = space.own_weight + context.at(asking, sentence, 1);
  if (context.attention == AttentionKind::uniform) {
    *own = Lanes::of(T{1} / static_cast<T>(n.shared() + 1));
    for (std::size_t p = 0; p < n.shared(); ++p) weight[p] = *own;
  } else {
    softmax(weight, n.shared(), own);
  }
  for (std::size_t head = 0; head < n.heads; ++head) {
    const std::size_t at = context.positions_at(sentence, head);
    Lanes* const part = weight + (1 + head) * n.shared();
    for (std::size_t p = 0; p < n.shared(); ++p) part[p] = weight[p] * space.inverse[at + p];
    space.mixed[context.at(asking, sentence, n.heads) + head] =
        dot(part, space.adjective + at, n.shared());
  }
}

// The adjective's part of a layer-2 head's output [value_dim]: at its own position, and as a key of
// layer 1 at every other.
template <class Lanes, class N>
void add_adjective(const GroupContext<Lanes, N>& context, std::size_t asking,
                   std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t word = context.group.adjective_row[sentence];
  const std::size_t column = n.keys() + asking * n.value;
  const Lanes own_weight = space.own_weight[context.at(asking, sentence, 1)];
  const Lanes* const mixed = space.mixed + context.at(asking, sentence, n.heads);
  Lanes* const output = space.output + context.at(asking, sentence, n.value);
  add_scaled(own_weight, context.tables.read + word * n.read() + column, output, n.value);
  for (std::size_t head = 0; head < n.heads; ++head) {
    add_scaled(mixed[head], context.tables.read_value + context.read_at(head, word) + column,
               output, n.value);
    add_scaled(own_weight * space.own_inverse[context.at(head, sentence, 1)],
               space.own_base + context.at(head, sentence, n.read()) + column, output, n.value);
  }
}

// The group's logits, in `ask` behind the queries.
template <class Lanes, class N>
void forward(const GroupContext<Lanes, N>& context) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  share(context);
  mix_own(context);
  mix(context);
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    const std::size_t at = context.at(asking, 0, 1);
    const Lanes* const keys = space.base + asking * n.key;
    const Lanes* const values = space.base + n.keys() + asking * n.value;
    multiply<Lanes>(n, sentences, n.key, n.parts(), {space.ask + asking * n.key, n.ask()},
                    {keys, 1, n.read()}, {space.score + at * n.parts(), n.parts()});
    for (std::size_t s = 0; s < sentences; ++s) {
      score(context, asking, s);
      weigh(context, asking, s);
    }
    multiply<Lanes>(n, sentences, n.parts(), n.value, {space.weight + at * n.parts(), n.parts()},
                    {values, n.read()}, {space.output + at * n.value, n.value});
    for (std::size_t s = 0; s < sentences; ++s) add_adjective(context, asking, s);
  }
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    multiply<Lanes>(n, sentences, n.value, n.words,
                    {space.output + context.at(asking, 0, n.value), n.value},
                    {context.tables.logit_fold + asking * n.value * n.words, n.words},
                    {space.ask + n.keys(), n.ask()}, Store::add);
  }
}

// Adds the group's losses (in nat) and right answers to the sums, and leaves the loss's gradient by
// the logits, divided by `of` sentences, in `ask_gradient` behind the queries.
template <class Lanes, class N>
void answer(const GroupContext<Lanes, N>& context, std::size_t of, Lanes& loss, Lanes& right) {
  using T = typename Lanes::Element;
  const N& n = context.n;
  const Lanes one = Lanes::of(T{1});
  const Lanes share = Lanes::of(T{1} / static_cast<T>(of));
  for (std::size_t s = 0; s < context.sentences(); ++s) {
    const Lanes* const logit = context.space.ask + s * n.ask() + n.keys();
    Lanes* const gradient = context.space.ask_gradient + s * n.ask() + n.keys();
    const std::size_t target = context.group.target[s];
    Lanes best_other = logit[target == 0 ? 1 : 0];
    for (std::size_t w = 0; w < target; ++w) best_other = max(logit[w], best_other);
    for (std::size_t w = target + 1; w < n.words; ++w) best_other = max(logit[w], best_other);
    right = right + if_less(best_other, logit[target], one, Lanes::of(T{0}));
    const Lanes best = max(best_other, logit[target]);
    Lanes sum = Lanes::of(T{0});
    for (std::size_t w = 0; w < n.words; ++w) {
      gradient[w] = exp(logit[w] - best);
      sum = sum + gradient[w];
    }
    loss = loss + (log_of_sum(sum) - (logit[target] - best));
    const Lanes scale = share / sum;
    for (std::size_t w = 0; w < n.words; ++w) gradient[w] = gradient[w] * scale;
    gradient[target] = gradient[target] - share;
  }
}

}  // namespace refran::referent::kernel
