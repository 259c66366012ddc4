#include "value_differences.h"

#include <algorithm>

#include <fmt/format.h>

namespace refran::runner {
namespace {

bool are_both(Value::Kind kind, const Value* a, const Value* b) {
  return a != nullptr && b != nullptr && a->kind == kind && b->kind == kind;
}

bool holds_maps(const Value& list) {
  return std::any_of(list.items.begin(), list.items.end(),
                     [](const Value& item) { return item.kind == Value::Kind::map; });
}

void compare(const std::string& key, const Value* was, const Value* is,
             std::vector<ValueDifference>& differences) {
  if (was != nullptr && is != nullptr && *was == *is) return;
  if (are_both(Value::Kind::list, was, is) && was->items.size() == is->items.size() &&
      holds_maps(*was)) {
    for (std::size_t i = 0; i < was->items.size(); ++i)
      compare(fmt::format("{}[{}]", key, i), &was->items[i], &is->items[i], differences);
    return;
  }
  if (!are_both(Value::Kind::map, was, is)) {
    differences.push_back({key, was, is});
    return;
  }
  const std::string prefix = key.empty() ? "" : key + ".";
  const std::size_t before = differences.size();
  for (const Entry& entry : was->entries)
    compare(prefix + entry.key, &entry.value, is->find(entry.key), differences);
  for (const Entry& entry : is->entries) {
    if (was->find(entry.key) == nullptr)
      compare(prefix + entry.key, nullptr, &entry.value, differences);
  }
  const bool is_order_alone = differences.size() == before;
  if (is_order_alone) differences.push_back({key, was, is});
}

}  // namespace

std::vector<ValueDifference> value_differences(const Value& was, const Value& is) {
  std::vector<ValueDifference> differences;
  compare("", &was, &is, differences);
  return differences;
}

}  // namespace refran::runner
