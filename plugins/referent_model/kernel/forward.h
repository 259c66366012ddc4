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
  // Where a (head or part, row) vector of `read` or `ask` width is, and a (head, row, row) number.
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
  template <class AnyLanes>
  Matrix<AnyLanes> nouns(AnyLanes* rows, std::size_t width) const {
    return {rows + group.noun_row[0] * width, (group.noun_row[1] - group.noun_row[0]) * width};
  }
};

// A head's exp_scores with the nouns as keys, and its denominators, at the shared positions.
template <class Lanes, class N>
void share_exp_scores(const GroupContext<Lanes, N>& context, std::size_t head) {
  const N& n = context.n;
  const std::size_t shared = n.shared();
  const auto [first, second] = context.group.noun_row;
  const Lanes* const always = context.tables.denominator + head * n.rows;
  Lanes* const noun = context.space.noun + head * 2 * shared;
  Lanes* const denominator = context.space.denominator + head * shared;
  for (std::size_t p = 0; p < shared; ++p) {
    const std::size_t row = context.row(p);
    const Lanes* const exp_score = context.tables.exp_score + context.exp_at(head, row, 0);
    const Lanes zero = Lanes::of(typename Lanes::Element{0});
    noun[p] = row == first ? zero : exp_score[first];
    noun[shared + p] = row == second ? zero : exp_score[second];
    denominator[p] = always[row] + noun[p] + noun[shared + p];
  }
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
  const std::size_t nouns_at = n.constants * read;
  copy(tables.read, space.base, nouns_at);
  for (std::size_t i = 0; i < 2; ++i)
    copy(tables.read + context.group.noun_row[i] * read, space.base + nouns_at + i * read, read);
  copy(tables.ask, space.ask_base, n.ask());
  for (std::size_t head = 0; head < n.heads; ++head) {
    share_exp_scores(context, head);
    const Lanes* const noun = space.noun + head * 2 * shared;
    const Lanes* const numerator = tables.read + context.read_at(1 + head, 0);
    Lanes* const base = space.base + (1 + head) * shared * read;
    const Matrix<const Lanes> values =
        context.nouns(tables.read_value + context.read_at(head, 0), read);
    multiply_onto<Lanes>(n, n.constants, 2, read, {numerator, read}, {noun, 1, shared}, values,
                         {base, read});
    multiply_onto<Lanes>(n, 2, 2, read, context.nouns(numerator, read),
                         {noun + n.constants, 1, shared}, values, {base + nouns_at, read});
    multiply_onto<Lanes>(n, 1, 2, n.ask(), {tables.ask + (1 + head) * n.ask(), n.ask()},
                         {noun + context.task.it, 1, shared},
                         context.nouns(tables.ask_value + context.ask_at(head, 0), n.ask()),
                         {space.ask_base + (1 + head) * n.ask(), n.ask()});
  }
}

// The adjective's own position as a query of layer 1: own_read.
template <class Lanes, class N>
void mix_own(const GroupContext<Lanes, N>& context) {
  const N& n = context.n;
  const Tables<Lanes>& tables = context.tables;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  const std::size_t read = n.read();
  const auto [first, second] = context.group.noun_row;
  const Lanes one = Lanes::of(typename Lanes::Element{1});
  for (std::size_t s = 0; s < sentences; ++s) {
    const std::size_t word = context.group.adjective_row[s];
    Lanes* const weight = space.own_weight + s * (1 + n.heads);
    weight[0] = one;
    for (std::size_t head = 0; head < n.heads; ++head) {
      const Lanes* const exp_score = tables.exp_score + context.exp_at(head, word, 0);
      const Lanes inverse =
          one / (tables.denominator[head * n.rows + word] + exp_score[first] + exp_score[second]);
      Lanes* const noun = space.own_noun + context.at(head, s, 2);
      noun[0] = inverse * exp_score[first];
      noun[1] = inverse * exp_score[second];
      weight[1 + head] = inverse;
    }
    multiply<Lanes>(n, 1, 1 + n.heads, read, {weight, 1 + n.heads},
                    {tables.read + context.read_at(0, word), context.read_at(1, 0)},
                    {space.own_read + s * read, read});
  }
  for (std::size_t head = 0; head < n.heads; ++head) {
    add_product<Lanes>(n, sentences, 2, read, {space.own_noun + context.at(head, 0, 2), 2},
                       context.nouns(tables.read_value + context.read_at(head, 0), read),
                       {space.own_read, read});
  }
}

// What each sentence's adjective changes elsewhere: inverse denominators, and what layer 2 asks
// with at "it".
template <class Lanes, class N>
void mix(const GroupContext<Lanes, N>& context) {
  const N& n = context.n;
  const Tables<Lanes>& tables = context.tables;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t sentences = context.sentences();
  const std::size_t it = context.task.it;
  const std::size_t weights = 1 + 2 * n.heads;
  const Lanes one = Lanes::of(typename Lanes::Element{1});
  for (std::size_t s = 0; s < sentences; ++s) {
    const std::size_t word = context.group.adjective_row[s];
    Lanes* const ask_weight = space.ask_weight + s * weights;
    ask_weight[0] = one;
    for (std::size_t head = 0; head < n.heads; ++head) {
      const Lanes* const exp_score = tables.exp_score + context.exp_at(head, 0, word);
      const Lanes* const denominator = space.denominator + head * n.shared();
      Lanes* const adjective = space.adjective + context.positions_at(s, head);
      Lanes* const inverse = space.inverse + context.positions_at(s, head);
      for (std::size_t p = 0; p < n.shared(); ++p) {
        const Lanes key = exp_score[context.row(p) * n.rows];
        adjective[p] = key;
        inverse[p] = one / (denominator[p] + key);
      }
      ask_weight[1 + head] = inverse[it];
      ask_weight[1 + n.heads + head] = inverse[it] * adjective[it];
    }
  }
  multiply<Lanes>(n, sentences, 1 + n.heads, n.ask(), {space.ask_weight, weights},
                  {space.ask_base, n.ask()}, {space.ask, n.ask()});
  for (std::size_t s = 0; s < sentences; ++s) {
    add_product<Lanes>(n, 1, n.heads, n.ask(),
                       {space.ask_weight + s * weights + 1 + n.heads, weights},
                       {tables.ask_value + context.ask_at(0, context.group.adjective_row[s]),
                        context.ask_at(1, 0)},
                       {space.ask + s * n.ask(), n.ask()});
  }
}

// The scores of layer 2's heads in one sentence, where their attention will be: in part 0 of
// `weight`, and in `own_attention`.
template <class Lanes, class N>
void score(const GroupContext<Lanes, N>& context, std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t read = n.read();
  const std::size_t shared = n.shared();
  const std::size_t word = context.group.adjective_row[sentence];
  const Lanes* const adjective = space.adjective + context.positions_at(sentence, 0);
  const Lanes* const inverse = space.inverse + context.positions_at(sentence, 0);
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    const std::size_t column = asking * n.key;
    const std::size_t pair = sentence * n.heads + asking;
    const Lanes* const query = space.ask + sentence * n.ask() + column;
    const Lanes* const base = space.base + column;
    Lanes* const key_dot = space.key_dot + pair * n.heads;
    Lanes* const score = space.weight + context.at(asking, sentence, n.parts());
    for (std::size_t head = 0; head < n.heads; ++head) {
      key_dot[head] =
          dot(query, context.tables.read_value + context.read_at(head, word) + column, n.key);
    }
    for (std::size_t p = 0; p < shared; ++p) {
      Lanes sum = dot(query, base + p * read, n.key);
      for (std::size_t head = 0; head < n.heads; ++head) {
        const std::size_t at = head * shared + p;
        const Lanes part =
            fma(adjective[at], key_dot[head], dot(query, base + (shared + at) * read, n.key));
        sum = fma(inverse[at], part, sum);
      }
      score[p] = sum;
    }
    space.own_attention[pair] = dot(query, space.own_read + sentence * read + column, n.key);
  }
}

// Attention from the group's scores, in place: a softmax over the shared positions and the own. One
// pass for each thing that is done, so that a row does not wait for the one before it.
template <class Lanes, class N>
void attend(const GroupContext<Lanes, N>& context) {
  using T = typename Lanes::Element;
  const N& n = context.n;
  const std::size_t shared = n.shared();
  const auto for_rows = [&](auto each) {
    for (std::size_t s = 0; s < context.sentences(); ++s) {
      for (std::size_t asking = 0; asking < n.heads; ++asking) {
        each(context.space.weight + context.at(asking, s, n.parts()),
             context.space.own_attention[s * n.heads + asking]);
      }
    }
  };
  if (context.attention == AttentionKind::uniform) {
    const Lanes weight = Lanes::of(T{1} / static_cast<T>(n.positions()));
    for_rows([&](Lanes* row, Lanes& own) {
      for (std::size_t p = 0; p < shared; ++p) row[p] = weight;
      own = weight;
    });
    return;
  }
  for_rows([&](Lanes* row, Lanes& own) {
    Lanes best = own;
    for (std::size_t p = 0; p < shared; ++p) best = max(row[p], best);
    for (std::size_t p = 0; p < shared; ++p) row[p] = row[p] - best;
    own = own - best;
  });
  for_rows([&](Lanes* row, Lanes& own) {
    for (std::size_t p = 0; p < shared; ++p) row[p] = exp(row[p]);
    own = exp(own);
  });
  for_rows([&](Lanes* row, Lanes& own) {
    const Lanes inverse = Lanes::of(T{1}) / (sum_of(row, shared) + own);
    for (std::size_t p = 0; p < shared; ++p) row[p] = row[p] * inverse;
    own = own * inverse;
  });
}

// How much layer 2's heads take of what layer 1's add in one sentence, from their attention: the
// other parts of `weight`, and of the adjective as a key of layer 1, `mixed`.
template <class Lanes, class N>
void weigh(const GroupContext<Lanes, N>& context, std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t shared = n.shared();
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    const std::size_t pair = sentence * n.heads + asking;
    Lanes* const attention = space.weight + context.at(asking, sentence, n.parts());
    for (std::size_t head = 0; head < n.heads; ++head) {
      const Lanes* const adjective = space.adjective + context.positions_at(sentence, head);
      const Lanes* const inverse = space.inverse + context.positions_at(sentence, head);
      Lanes* const part = attention + (1 + head) * shared;
      for (std::size_t p = 0; p < shared; ++p) part[p] = attention[p] * inverse[p];
      space.mixed[pair * n.heads + head] = dot(part, adjective, shared);
    }
  }
}

// The outputs of layer 2's heads in one sentence as far as they come from the adjective: at its own
// position, and as a key of layer 1 at every other.
template <class Lanes, class N>
void read_adjective(const GroupContext<Lanes, N>& context, std::size_t sentence) {
  const N& n = context.n;
  const GroupSpace<Lanes>& space = context.space;
  const std::size_t word = context.group.adjective_row[sentence];
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    const std::size_t column = n.keys() + asking * n.value;
    const std::size_t pair = sentence * n.heads + asking;
    const Matrix<Lanes> output{space.output + pair * n.value, n.value};
    multiply<Lanes>(n, 1, 1, n.value, {space.own_attention + pair, 1},
                    {space.own_read + sentence * n.read() + column, n.read()}, output);
    add_product<Lanes>(
        n, 1, n.heads, n.value, {space.mixed + pair * n.heads, n.heads},
        {context.tables.read_value + context.read_at(0, word) + column, context.read_at(1, 0)},
        output);
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
  for (std::size_t s = 0; s < sentences; ++s) score(context, s);
  attend(context);
  for (std::size_t s = 0; s < sentences; ++s) {
    weigh(context, s);
    read_adjective(context, s);
  }
  for (std::size_t asking = 0; asking < n.heads; ++asking) {
    add_product<Lanes>(n, sentences, n.parts(), n.value,
                       {space.weight + context.at(asking, 0, n.parts()), n.parts()},
                       {space.base + n.keys() + asking * n.value, n.read()},
                       {space.output + asking * n.value, n.values()});
  }
  add_product<Lanes>(n, sentences, n.values(), n.words, {space.output, n.values()},
                     {context.tables.logit_fold, n.words}, {space.ask + n.keys(), n.ask()});
}

// The group's losses and answers: adds to the sums of losses (in nat) and of right answers, and
// leaves the loss's gradient by the logits, divided by `of` sentences, in `ask_gradient` behind the
// queries.
template <class Lanes, class N>
void answer(const GroupContext<Lanes, N>& context, std::size_t of, Lanes& loss, Lanes& right) {
  using T = typename Lanes::Element;
  const N& n = context.n;
  const std::size_t sentences = context.sentences();
  const std::size_t ask = n.ask();
  const Lanes* const logits = context.space.ask + n.keys();
  Lanes* const gradients = context.space.ask_gradient + n.keys();
  const Lanes share = Lanes::of(T{1} / static_cast<T>(of));
  for (std::size_t s = 0; s < sentences; ++s) {
    const Lanes* const logit = logits + s * ask;
    const std::size_t target = context.group.target[s];
    Lanes best_other = logit[target == 0 ? 1 : 0];
    for (std::size_t w = 0; w < target; ++w) best_other = max(logit[w], best_other);
    for (std::size_t w = target + 1; w < n.words; ++w) best_other = max(logit[w], best_other);
    right = right + if_less(best_other, logit[target], Lanes::of(T{1}), Lanes::of(T{0}));
    const Lanes best = max(best_other, logit[target]);
    loss = loss - (logit[target] - best);
    for (std::size_t w = 0; w < n.words; ++w) gradients[s * ask + w] = logit[w] - best;
  }
  for (std::size_t s = 0; s < sentences; ++s) {
    for (std::size_t w = 0; w < n.words; ++w) gradients[s * ask + w] = exp(gradients[s * ask + w]);
  }
  for (std::size_t s = 0; s < sentences; ++s) {
    Lanes* const gradient = gradients + s * ask;
    const Lanes sum = sum_of(gradient, n.words);
    loss = loss + log_of_sum(sum);
    const Lanes scale = share / sum;
    for (std::size_t w = 0; w < n.words; ++w) gradient[w] = gradient[w] * scale;
    const std::size_t target = context.group.target[s];
    gradient[target] = gradient[target] - share;
  }
}

}  // namespace refran::referent::kernel
