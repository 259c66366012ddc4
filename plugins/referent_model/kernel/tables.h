// What a step forms once from the parameters, before it goes through the sentences, and the way
// back: from the gradients of the tables to those of the parameters.
#pragma once

#include <cstddef>

#include <lanes/lanes.h>

#include "product.h"
#include "workspace.h"

namespace refran::referent::kernel {

// All that the functions below need.
template <class Lanes, class N>
struct TableContext {
  const N& n;
  const KernelTask& task;
  const ParameterLayout& layout;
  AttentionKind attention;
  bool has_positions;
};

// Calls place(offset of a parameter matrix [model_dim, columns], columns, column in the wide
// matrix, whether it makes queries) for every head matrix that is packed side by side with others.
template <class Lanes, class N, class Place>
void for_mix(const TableContext<Lanes, N>& context, Place place) {
  const N& n = context.n;
  for (std::size_t head = 0; head < n.heads; ++head) {
    place(context.layout.query + head * n.model * n.key, n.key, head * n.key, true);
    place(context.layout.key + head * n.model * n.key, n.key, n.keys() + head * n.key, false);
    place(context.layout.value + head * n.model * n.value, n.value, 2 * n.keys() + head * n.value,
          false);
  }
}

template <class Lanes, class N, class Place>
void for_read(const TableContext<Lanes, N>& context, Place place) {
  const N& n = context.n;
  for (std::size_t head = 0; head < n.heads; ++head) {
    place(context.layout.key + (n.heads + head) * n.model * n.key, n.key, head * n.key, false);
    place(context.layout.value + (n.heads + head) * n.model * n.value, n.value,
          n.keys() + head * n.value, false);
  }
}

template <class Lanes, class N, class Place>
void for_ask(const TableContext<Lanes, N>& context, Place place) {
  const N& n = context.n;
  for (std::size_t head = 0; head < n.heads; ++head)
    place(context.layout.query + (n.heads + head) * n.model * n.key, n.key, head * n.key, true);
  place(context.layout.unembedding, n.words, n.keys(), false);
}

// Queries are divided by √key_dim where they are packed, which scales every score.
template <class Lanes, class N>
Lanes query_scale(const N& n) {
  using T = typename Lanes::Element;
  return Lanes::of(T{1}) / sqrt(Lanes::of(static_cast<T>(n.key)));
}

template <class Lanes, class N>
void pack(const TableContext<Lanes, N>& context, const Lanes* parameters,
          const Tables<Lanes>& tables) {
  const N& n = context.n;
  const Lanes scale = query_scale<Lanes>(n);
  const auto into = [&](Lanes* wide, std::size_t width) {
    return [&n, scale, parameters, wide, width](std::size_t offset, std::size_t columns,
                                                std::size_t column, bool is_query) {
      for (std::size_t d = 0; d < n.model; ++d) {
        for (std::size_t c = 0; c < columns; ++c) {
          const Lanes weight = parameters[offset + d * columns + c];
          wide[d * width + column + c] = is_query ? weight * scale : weight;
        }
      }
    };
  };
  for_mix(context, into(tables.mix_weight, n.mix()));
  for_read(context, into(tables.read_weight, n.read()));
  for_ask(context, into(tables.ask_weight, n.ask()));
}

template <class Lanes, class N>
void unpack(const TableContext<Lanes, N>& context, const Tables<Lanes>& gradient,
            Lanes* parameter_gradient) {
  const N& n = context.n;
  const Lanes scale = query_scale<Lanes>(n);
  const auto from = [&](const Lanes* wide, std::size_t width) {
    return [&n, scale, parameter_gradient, wide, width](std::size_t offset, std::size_t columns,
                                                        std::size_t column, bool is_query) {
      for (std::size_t d = 0; d < n.model; ++d) {
        for (std::size_t c = 0; c < columns; ++c) {
          const Lanes weight = wide[d * width + column + c];
          parameter_gradient[offset + d * columns + c] = is_query ? weight * scale : weight;
        }
      }
    };
  };
  for_mix(context, from(gradient.mix_weight, n.mix()));
  for_read(context, from(gradient.read_weight, n.read()));
  for_ask(context, from(gradient.ask_weight, n.ask()));
}

// exp_score [head, row, row] of every pair that meets in a sentence, 0 of others. Scores are taken
// relative to a bound of the query's row: half-way between its best score among the keys that are
// always there, and its best of all where that is better. So a sentence without the best key still
// has a denominator far from 0. Returns the widest distance between the two bests.
template <class Lanes, class N>
Lanes form_exp_scores(const TableContext<Lanes, N>& context, const Tables<Lanes>& tables) {
  using T = typename Lanes::Element;
  const N& n = context.n;
  const Lanes zero = Lanes::of(T{0});
  Lanes widest = zero;
  for (std::size_t head = 0; head < n.heads; ++head) {
    const Lanes* const query = tables.mix + head * n.key;
    const Lanes* const key = tables.mix + n.keys() + head * n.key;
    Lanes* const score = tables.exp_score + head * n.rows * n.rows;
    multiply<Lanes>(n, n.rows, n.key, n.rows, {query, n.mix()}, {key, 1, n.mix()}, {score, n.rows});
    for (std::size_t r = 0; r < n.rows; ++r) {
      Lanes* const row = score + r * n.rows;
      Lanes always = row[0];
      for (std::size_t c = 1; c < n.constants; ++c) always = max(row[c], always);
      if (r >= n.constants) always = max(row[r], always);
      Lanes best = always;
      for (std::size_t c = n.constants; c < n.rows; ++c) {
        if (context.task.meet(r, c)) best = max(row[c], best);
      }
      widest = max(best - always, widest);
      const Lanes bound = always + (best - always) * Lanes::of(T{0.5});
      for (std::size_t c = 0; c < n.rows; ++c)
        row[c] = context.task.meet(r, c) ? exp(row[c] - bound) : zero;
    }
  }
  return widest;
}

// The same where every head looks everywhere alike.
template <class Lanes, class N>
Lanes form_uniform_scores(const TableContext<Lanes, N>& context, const Tables<Lanes>& tables) {
  using T = typename Lanes::Element;
  const N& n = context.n;
  for (std::size_t head = 0; head < n.heads; ++head) {
    for (std::size_t r = 0; r < n.rows; ++r) {
      for (std::size_t c = 0; c < n.rows; ++c) {
        tables.exp_score[(head * n.rows + r) * n.rows + c] =
            Lanes::of(context.task.meet(r, c) ? T{1} : T{0});
      }
    }
  }
  return Lanes::of(T{0});
}

// The parts of layer 1's sums that every sentence has: the template's words as keys, and a slot's
// word as a key of its own query.
template <class Lanes, class N>
void form_numerators(const TableContext<Lanes, N>& context, const Tables<Lanes>& tables) {
  const N& n = context.n;
  for (std::size_t head = 0; head < n.heads; ++head) {
    const Lanes* const exp_score = tables.exp_score + head * n.rows * n.rows;
    const Lanes* const value = tables.read_value + head * n.rows * n.read();
    Lanes* const numerator = tables.read + (1 + head) * n.rows * n.read();
    Lanes* const denominator = tables.denominator + head * n.rows;
    multiply<Lanes>(n, n.rows, n.constants, n.read(), {exp_score, n.rows}, {value, n.read()},
                    {numerator, n.read()});
    for (std::size_t r = 0; r < n.rows; ++r) {
      const Lanes* const row = exp_score + r * n.rows;
      denominator[r] = row[0];
      for (std::size_t c = 1; c < n.constants; ++c) denominator[r] = denominator[r] + row[c];
      if (r < n.constants) continue;
      denominator[r] = denominator[r] + row[r];
      add_scaled(row[r], value + r * n.read(), numerator + r * n.read(), n.read());
    }
    multiply<Lanes>(n, 1, n.constants, n.ask(), {exp_score + context.task.it * n.rows, n.rows},
                    {tables.ask_value + head * n.rows * n.ask(), n.ask()},
                    {tables.ask + (1 + head) * n.ask(), n.ask()});
  }
}

// What layer 1 sees of every row.
template <class Lanes, class N>
void form_embeddings(const TableContext<Lanes, N>& context, const Lanes* parameters,
                     const Tables<Lanes>& tables) {
  const N& n = context.n;
  for (std::size_t r = 0; r < n.rows; ++r) {
    const auto [position, word] = context.task.rows[r];
    const Lanes* const of_word = parameters + context.layout.word_embedding + word * n.model;
    const Lanes* const of_position =
        parameters + context.layout.position_embedding + position * n.model;
    Lanes* const row = tables.embedding + r * n.model;
    for (std::size_t d = 0; d < n.model; ++d)
      row[d] = context.has_positions ? of_word[d] + of_position[d] : of_word[d];
  }
}

// Fills `tables`. Returns, per lane, how many nat the best score of a query lies above the best
// among the keys that are always there, at most.
template <class Lanes, class N>
Lanes form_tables(const TableContext<Lanes, N>& context, const Lanes* parameters,
                  const Tables<Lanes>& tables) {
  const N& n = context.n;
  const ParameterLayout& layout = context.layout;
  pack(context, parameters, tables);
  form_embeddings(context, parameters, tables);
  const Matrix<const Lanes> embedding{tables.embedding, n.model};
  const Matrix<const Lanes> output1{parameters + layout.output, n.model};
  const Matrix<const Lanes> output2{parameters + layout.output + n.values() * n.model, n.model};
  const Matrix<const Lanes> read_weight{tables.read_weight, n.read()};
  const Matrix<const Lanes> ask_weight{tables.ask_weight, n.ask()};
  multiply<Lanes>(n, n.rows, n.model, n.mix(), embedding, {tables.mix_weight, n.mix()},
                  {tables.mix, n.mix()});
  multiply<Lanes>(n, n.rows, n.model, n.read(), embedding, read_weight, {tables.read, n.read()});
  multiply<Lanes>(n, 1, n.model, n.ask(), {tables.embedding + context.task.it * n.model, n.model},
                  ask_weight, {tables.ask, n.ask()});
  multiply<Lanes>(n, n.values(), n.model, n.read(), output1, read_weight,
                  {tables.read_fold, n.read()});
  multiply<Lanes>(n, n.values(), n.model, n.ask(), output1, ask_weight, {tables.ask_fold, n.ask()});
  multiply<Lanes>(n, n.values(), n.model, n.words, output2,
                  {parameters + layout.unembedding, n.words}, {tables.logit_fold, n.words});
  for (std::size_t head = 0; head < n.heads; ++head) {
    const Matrix<const Lanes> value{tables.mix + 2 * n.keys() + head * n.value, n.mix()};
    multiply<Lanes>(n, n.rows, n.value, n.read(), value,
                    {tables.read_fold + head * n.value * n.read(), n.read()},
                    {tables.read_value + head * n.rows * n.read(), n.read()});
    multiply<Lanes>(n, n.rows, n.value, n.ask(), value,
                    {tables.ask_fold + head * n.value * n.ask(), n.ask()},
                    {tables.ask_value + head * n.rows * n.ask(), n.ask()});
  }
  const Lanes widest = context.attention == AttentionKind::learned
                           ? form_exp_scores(context, tables)
                           : form_uniform_scores(context, tables);
  form_numerators(context, tables);
  return widest;
}

// From the gradients of numerators and denominators to those of values and exp_scores.
template <class Lanes, class N>
void numerators_back(const TableContext<Lanes, N>& context, const Tables<Lanes>& tables,
                     const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const std::size_t it = context.task.it;
  for (std::size_t head = 0; head < n.heads; ++head) {
    const Lanes* const exp_score = tables.exp_score + head * n.rows * n.rows;
    Lanes* const exp_gradient = gradient.exp_score + head * n.rows * n.rows;
    const Lanes* const value = tables.read_value + head * n.rows * n.read();
    Lanes* const value_gradient = gradient.read_value + head * n.rows * n.read();
    const Lanes* const ask_value = tables.ask_value + head * n.rows * n.ask();
    Lanes* const ask_value_gradient = gradient.ask_value + head * n.rows * n.ask();
    const Lanes* const numerator = gradient.read + (1 + head) * n.rows * n.read();
    const Lanes* const ask_numerator = gradient.ask + (1 + head) * n.ask();
    const Lanes* const denominator = gradient.denominator + head * n.rows;

    add_product<Lanes>(n, n.constants, n.rows, n.read(), {exp_score, 1, n.rows},
                       {numerator, n.read()}, {value_gradient, n.read()});
    add_product<Lanes>(n, n.rows, n.read(), n.constants, {numerator, n.read()},
                       {value, 1, n.read()}, {exp_gradient, n.rows});
    for (std::size_t r = 0; r < n.rows; ++r) {
      Lanes* const row = exp_gradient + r * n.rows;
      for (std::size_t c = 0; c < n.constants; ++c) row[c] = row[c] + denominator[r];
      if (r < n.constants) continue;
      const Lanes* const own = numerator + r * n.read();
      row[r] = row[r] + denominator[r] + dot(own, value + r * n.read(), n.read());
      add_scaled(exp_score[r * n.rows + r], own, value_gradient + r * n.read(), n.read());
    }
    for (std::size_t c = 0; c < n.constants; ++c) {
      const std::size_t pair = it * n.rows + c;
      exp_gradient[pair] =
          exp_gradient[pair] + dot(ask_numerator, ask_value + c * n.ask(), n.ask());
      add_scaled(exp_score[pair], ask_numerator, ask_value_gradient + c * n.ask(), n.ask());
    }
  }
}

// From the gradients of layer 1's exp_scores and values to those of its queries, keys and values.
template <class Lanes, class N>
void mix_back(const TableContext<Lanes, N>& context, const Tables<Lanes>& tables,
              const Tables<Lanes>& gradient) {
  const N& n = context.n;
  for (std::size_t head = 0; head < n.heads; ++head) {
    // The bound drops out of the weights, so an exp's derivative is itself.
    Lanes* const score = gradient.exp_score + head * n.rows * n.rows;
    const Lanes* const exp_score = tables.exp_score + head * n.rows * n.rows;
    const bool learns = context.attention == AttentionKind::learned;
    for (std::size_t i = 0; i < n.rows * n.rows; ++i) {
      score[i] = learns ? score[i] * exp_score[i] : Lanes::of(typename Lanes::Element{0});
    }
    const std::size_t query = head * n.key;
    const std::size_t key = n.keys() + head * n.key;
    const std::size_t value = 2 * n.keys() + head * n.value;
    multiply<Lanes>(n, n.rows, n.rows, n.key, {score, n.rows}, {tables.mix + key, n.mix()},
                    {gradient.mix + query, n.mix()});
    multiply<Lanes>(n, n.rows, n.rows, n.key, {score, 1, n.rows}, {tables.mix + query, n.mix()},
                    {gradient.mix + key, n.mix()});

    const Matrix<const Lanes> read{gradient.read_value + head * n.rows * n.read(), n.read()};
    const Matrix<const Lanes> ask{gradient.ask_value + head * n.rows * n.ask(), n.ask()};
    const std::size_t read_fold = head * n.value * n.read();
    const std::size_t ask_fold = head * n.value * n.ask();
    multiply<Lanes>(n, n.rows, n.read(), n.value, read, {tables.read_fold + read_fold, 1, n.read()},
                    {gradient.mix + value, n.mix()});
    add_product<Lanes>(n, n.rows, n.ask(), n.value, ask, {tables.ask_fold + ask_fold, 1, n.ask()},
                       {gradient.mix + value, n.mix()});
    const Matrix<const Lanes> values_across{tables.mix + value, 1, n.mix()};
    multiply<Lanes>(n, n.value, n.rows, n.read(), values_across, read,
                    {gradient.read_fold + read_fold, n.read()});
    multiply<Lanes>(n, n.value, n.rows, n.ask(), values_across, ask,
                    {gradient.ask_fold + ask_fold, n.ask()});
  }
}

// From the gradients of all tables to that of the embeddings, [row, model_dim].
template <class Lanes, class N>
void embedding_back(const TableContext<Lanes, N>& context, const Tables<Lanes>& tables,
                    const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const Matrix<Lanes> result{gradient.embedding, n.model};
  multiply<Lanes>(n, n.rows, n.mix(), n.model, {gradient.mix, n.mix()},
                  {tables.mix_weight, 1, n.mix()}, result);
  add_product<Lanes>(n, n.rows, n.read(), n.model, {gradient.read, n.read()},
                     {tables.read_weight, 1, n.read()}, result);
  add_product<Lanes>(n, 1, n.ask(), n.model, {gradient.ask, n.ask()},
                     {tables.ask_weight, 1, n.ask()},
                     {gradient.embedding + context.task.it * n.model, n.model});
}

// From the gradients of the tables to those of the wide matrices.
template <class Lanes, class N>
void weights_back(const TableContext<Lanes, N>& context, const Lanes* parameters,
                  const Tables<Lanes>& tables, const Tables<Lanes>& gradient) {
  const N& n = context.n;
  const Lanes* const output1 = parameters + context.layout.output;
  const Lanes* const output2 = output1 + n.values() * n.model;
  const Matrix<const Lanes> embedding_across{tables.embedding, 1, n.model};
  const Matrix<const Lanes> output1_across{output1, 1, n.model};
  multiply<Lanes>(n, n.model, n.rows, n.mix(), embedding_across, {gradient.mix, n.mix()},
                  {gradient.mix_weight, n.mix()});
  multiply<Lanes>(n, n.model, n.rows, n.read(), embedding_across, {gradient.read, n.read()},
                  {gradient.read_weight, n.read()});
  add_product<Lanes>(n, n.model, n.values(), n.read(), output1_across,
                     {gradient.read_fold, n.read()}, {gradient.read_weight, n.read()});
  multiply<Lanes>(n, n.model, 1, n.ask(), {tables.embedding + context.task.it * n.model, 1},
                  {gradient.ask, n.ask()}, {gradient.ask_weight, n.ask()});
  add_product<Lanes>(n, n.model, n.values(), n.ask(), output1_across, {gradient.ask_fold, n.ask()},
                     {gradient.ask_weight, n.ask()});
  add_product<Lanes>(n, n.model, n.values(), n.words, {output2, 1, n.model},
                     {gradient.logit_fold, n.words}, {gradient.ask_weight + n.keys(), n.ask()});
}

// From the gradients of the tables, which the groups have filled, to `parameter_gradient`.
template <class Lanes, class N>
void tables_back(const TableContext<Lanes, N>& context, const Lanes* parameters,
                 const Tables<Lanes>& tables, const Tables<Lanes>& gradient,
                 Lanes* parameter_gradient) {
  const N& n = context.n;
  const ParameterLayout& layout = context.layout;
  numerators_back(context, tables, gradient);
  mix_back(context, tables, gradient);
  embedding_back(context, tables, gradient);
  weights_back(context, parameters, tables, gradient);
  unpack(context, gradient, parameter_gradient);

  Lanes* const output1 = parameter_gradient + layout.output;
  Lanes* const output2 = output1 + n.values() * n.model;
  multiply<Lanes>(n, n.values(), n.read(), n.model, {gradient.read_fold, n.read()},
                  {tables.read_weight, 1, n.read()}, {output1, n.model});
  add_product<Lanes>(n, n.values(), n.ask(), n.model, {gradient.ask_fold, n.ask()},
                     {tables.ask_weight, 1, n.ask()}, {output1, n.model});
  multiply<Lanes>(n, n.values(), n.words, n.model, {gradient.logit_fold, n.words},
                  {parameters + layout.unembedding, 1, n.words}, {output2, n.model});

  for (std::size_t i = 0; i < layout.query; ++i)
    parameter_gradient[i] = Lanes::of(typename Lanes::Element{0});
  for (std::size_t r = 0; r < n.rows; ++r) {
    const auto [position, word] = context.task.rows[r];
    const Lanes* const row = gradient.embedding + r * n.model;
    add(row, parameter_gradient + layout.word_embedding + word * n.model, n.model);
    if (!context.has_positions) continue;
    add(row, parameter_gradient + layout.position_embedding + position * n.model, n.model);
  }
}

}  // namespace refran::referent::kernel
