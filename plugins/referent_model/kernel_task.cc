#include "kernel/kernel_task.h"

#include <algorithm>

namespace refran::referent::kernel {
namespace {

// The slot a row fills; kSlots where it is one of the template's.
std::size_t slot_of(const KernelTask& task, std::size_t row) {
  std::size_t slot = 0;
  while (slot < kSlots && !(task.slot_begin[slot] <= row && row < task.slot_begin[slot + 1]))
    ++slot;
  return slot;
}

}  // namespace

KernelTask::KernelTask(const Task& task) : sentences(task.training.size()) {
  for (std::size_t p = 0; p < task.positions; ++p) {
    if (task.constant_word[p] == Task::kNoWord) continue;
    if (p == task.it) it = rows.size();
    rows.push_back({p, task.constant_word[p]});
  }
  constants = rows.size();
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    slot_begin[slot] = rows.size();
    for (const std::size_t word : task.slot_words[slot])
      rows.push_back({task.slot_position[slot], word});
  }
  slot_begin[kSlots] = rows.size();
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const std::size_t slot = slot_of(*this, a);
      meets.push_back(a == b || slot == kSlots || slot != slot_of(*this, b));
    }
  }

  for (const Sentence& sentence : task.training) {
    const std::array<std::size_t, 2> nouns = {
        slot_begin[kFirstNoun] + sentence.filler[kFirstNoun],
        slot_begin[kSecondNoun] + sentence.filler[kSecondNoun]};
    auto group = std::ranges::find(groups, nouns, &Group::noun_row);
    if (group == groups.end()) group = groups.insert(group, Group{nouns, {}, {}});
    group->adjective_row.push_back(slot_begin[kAdjective] + sentence.filler[kAdjective]);
    group->target.push_back(sentence.target);
    largest_group = std::max(largest_group, group->target.size());
  }
}

}  // namespace refran::referent::kernel
