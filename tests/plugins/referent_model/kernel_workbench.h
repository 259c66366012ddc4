// The kernel's steps laid out one by one, with all their arrays, on one lane of double.
#pragma once

#include <vector>

#include <referent_model/kernel/backward.h>
#include <referent_model/kernel/forward.h>
#include <referent_model/kernel/tables.h>

#include "kernel_examples.h"

namespace refran::referent::kernel {

// A group's sentences in its order, as the task has them.
inline std::vector<Sentence> sentences_of(const KernelExample& example, const KernelTask& task,
                                          const Group& group) {
  std::vector<Sentence> sentences;
  for (const Sentence& sentence : example.task.training) {
    if (task.slot_begin[kFirstNoun] + sentence.filler[kFirstNoun] == group.noun_row[0] &&
        task.slot_begin[kSecondNoun] + sentence.filler[kSecondNoun] == group.noun_row[1])
      sentences.push_back(sentence);
  }
  return sentences;
}

class Workbench {
 public:
  using N = Extents<AnyDims>;

  Workbench(const KernelExample& example, const std::vector<double>& parameters)
      : example_(example),
        task_(example.task),
        layout_(example.spec.shape),
        n_(example.spec.shape, task_),
        parameters_(all_lanes<Number>(parameters)),
        memory_(needed(n_), Number::of(kUnset)),
        arena_(memory_.data()),
        tables_(n_, &arena_),
        space_(n_, &arena_) {}

  const N& n() const { return n_; }
  const KernelTask& task() const { return task_; }
  const Tables<Number>& tables() const { return tables_; }
  const GroupSpace<Number>& space() const { return space_; }

  // Returns the spread.
  double form() {
    const TableContext<Number, N> context{n_, task_, layout_, example_.spec.attention,
                                          example_.spec.shape.has_positions};
    return form_tables(context, parameters_.data(), tables_).v[0];
  }
  GroupContext<Number, N> at(const Group& group) const {
    return {n_, task_, group, tables_, space_, example_.spec.attention};
  }

 private:
  // What is there before a step has written: whoever reads it shows.
  static constexpr double kUnset = 1e30;

  static std::size_t needed(const N& n) {
    Arena<Number> counter(nullptr);
    const Tables<Number> tables(n, &counter);
    const GroupSpace<Number> space(n, &counter);
    return counter.used();
  }

  const KernelExample& example_;
  KernelTask task_;
  ParameterLayout layout_;
  N n_;
  std::vector<Number> parameters_;
  std::vector<Number> memory_;
  Arena<Number> arena_;
  Tables<Number> tables_;
  GroupSpace<Number> space_;
};

}  // namespace refran::referent::kernel
