#include "jobs.h"

#include <limits>

namespace refran::referent {
namespace {

// The role a head looks at, kRoles where it is none. `weight` is [role].
std::size_t looked_at(std::span<const double> weight, const std::array<double, kRoles>& uniform,
                      const JobRule& rule) {
  std::size_t best = kRoles;
  double best_excess = -std::numeric_limits<double>::infinity();
  for (std::size_t role = 0; role < kRoles; ++role) {
    const double excess = excess_over_uniform(weight[role], uniform[role]);
    if (excess > best_excess && excess >= rule.threshold) {
      best = role;
      best_excess = excess;
    }
  }
  return best;
}

}  // namespace

std::array<std::string, kRoles> role_names(const Task& task) {
  return {task.slot_name[kFirstNoun], task.slot_name[kSecondNoun], task.slot_name[kAdjective],
          "self", "other words"};
}

std::array<std::string, kParts> part_names() {
  return {"referent", "distractor", "adjective", "self", "other words"};
}

std::array<double, kRoles> uniform_roles(const Task& task) {
  const double one = 1 / static_cast<double>(task.positions);
  return {one, one, one, one,
          static_cast<double>(task.positions - kSlots - 1) / static_cast<double>(task.positions)};
}

double excess_over_uniform(double weight, double share) { return (weight - share) / (1 - share); }

std::string job_of(const std::array<std::span<const double>, 2>& weight, const Task& task,
                   const JobRule& rule) {
  const std::array<double, kRoles> uniform = uniform_roles(task);
  const std::size_t first = looked_at(weight[0], uniform, rule);
  const std::size_t second = looked_at(weight[1], uniform, rule);
  if (first == kRoles || second == kRoles) return "mixed";
  if (first == second) return role_names(task)[first];
  if (first == kFirstNounRole && second == kSecondNounRole) return "referent";
  return "switches with the adjective";
}

Array<std::string, 2> jobs_of(const Array<double, 5>& role_attention, const Task& task,
                              const JobRule& rule) {
  const std::size_t heads = role_attention.extent(2);
  Array<std::string, 2> jobs({kLayers, heads});
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    for (std::size_t head = 0; head < heads; ++head) {
      jobs(layer, head) = job_of(
          {role_attention.row(0, layer, head, kSelf), role_attention.row(1, layer, head, kSelf)},
          task, rule);
    }
  }
  return jobs;
}

}  // namespace refran::referent
