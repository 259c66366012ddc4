// One look at all sentences, forward and back: the loss and its gradient by the parameters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backward.h"
#include "forward.h"
#include "tables.h"
#include "workspace.h"

namespace refran::referent::kernel {

// What a step says of each lane.
template <class Lanes>
struct StepResult {
  Lanes loss;    // mean cross-entropy over the sentences, in nat
  Lanes right;   // share of the sentences whose target is the most likely word
  Lanes spread;  // how many nat layer 1's best scores lie above those that are always there
};

template <class Lanes, class Dims>
class Step {
 public:
  // `task` must outlive it.
  Step(const ModelShape& shape, const KernelTask& task, AttentionKind attention)
      : layout_(shape),
        task_(task),
        n_(shape, task),
        attention_(attention),
        has_positions_(shape.has_positions),
        memory_(needed(n_)),
        arena_(memory_.data()),
        tables_(n_, &arena_),
        gradient_(n_, &arena_),
        gradient_end_(memory_.data() + arena_.used()),
        space_(n_, &arena_) {}

  // Both arrays are [parameter], as ParameterLayout says.
  StepResult<Lanes> run(const Lanes* parameters, Lanes* parameter_gradient) {
    using T = typename Lanes::Element;
    const Lanes zero = Lanes::of(T{0});
    const TableContext<Lanes, N> context{n_, task_, layout_, attention_, has_positions_};
    StepResult<Lanes> result{zero, zero, zero};
    result.spread = form_tables(context, parameters, tables_);
    std::fill(gradient_.read, gradient_end_, zero);
    for (const Group& group : task_.groups) {
      const GroupContext<Lanes, N> at_work{n_, task_, group, tables_, space_, attention_};
      forward(at_work);
      answer(at_work, task_.sentences, result.loss, result.right);
      backward(at_work, gradient_);
    }
    tables_back(context, parameters, tables_, gradient_, parameter_gradient);
    const Lanes count = Lanes::of(static_cast<T>(task_.sentences));
    result.loss = result.loss / count;
    result.right = result.right / count;
    return result;
  }

 private:
  using N = Extents<Dims>;

  static std::size_t needed(const N& n) {
    Arena<Lanes> counter(nullptr);
    const Tables<Lanes> tables(n, &counter);
    const Tables<Lanes> gradient(n, &counter);
    const GroupSpace<Lanes> space(n, &counter);
    return counter.used();
  }

  ParameterLayout layout_;
  const KernelTask& task_;
  N n_;
  AttentionKind attention_;
  bool has_positions_;
  std::vector<Lanes> memory_;
  Arena<Lanes> arena_;
  Tables<Lanes> tables_;
  Tables<Lanes> gradient_;
  Lanes* gradient_end_;
  GroupSpace<Lanes> space_;
};

}  // namespace refran::referent::kernel
