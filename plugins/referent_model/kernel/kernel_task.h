// The task as the kernel goes through it: what is distinct in it, and the sentences in groups.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "../task.h"

namespace refran::referent::kernel {

// A row is a word at a position; whatever layer 1 forms of the embedding alone is the same in all
// sentences that share the row. Rows are those of the template's own words, in order (`constants`
// of them), then those of the first noun's words, the second's, and the adjectives.
struct Row {
  std::size_t position;
  std::size_t word;
};

// Sentences that share their nouns: they differ in the adjective alone.
struct Group {
  std::array<std::size_t, 2> noun_row;
  std::vector<std::size_t> adjective_row;  // [sentence of the group]
  std::vector<std::size_t> target;         // [sentence of the group], of the vocabulary
};

struct KernelTask {
  explicit KernelTask(const Task& task);

  std::vector<Row> rows;
  std::size_t constants = 0;
  std::array<std::size_t, kSlots + 1> slot_begin{};  // rows of slot s: slot_begin[s] … [s + 1]
  std::size_t it = 0;                                // its row
  std::vector<Group> groups;
  std::size_t sentences = 0;
  std::size_t largest_group = 0;

  // Whether a sentence can have both rows.
  bool meet(std::size_t a, std::size_t b) const { return meets[a * rows.size() + b] != 0; }

  std::vector<unsigned char> meets;  // [row, row]
};

}  // namespace refran::referent::kernel
