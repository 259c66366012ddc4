// The job each head ended up with: what it looks at from "it", said in a word.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <refran/array.h>
#include "measurements.h"
#include "task.h"

namespace refran::referent {

// The labels of roles, with the task's names of its noun slots, and of parts.
std::array<std::string, kRoles> role_names(const Task& task);
std::array<std::string, kParts> part_names();

// Each role's share of the positions: the weight that uniform attention gives it. [role]
std::array<double, kRoles> uniform_roles(const Task& task);

// The rule "excess". A role's excess over uniform attention is (weight - u) / (1 - u), u being its
// share of the positions: 1 where a head looks at nothing else, 0 where it looks at it as at
// everything. A head looks at the role with the largest excess (of equal ones the first), where
// that is at least `threshold`; else at none.
struct JobRule {
  static constexpr const char* kName = "excess";
  double threshold = 0.4;
};

// (weight - share) / (1 - share); NaN where every position has the role.
double excess_over_uniform(double weight, double share);

// The job of a head by its weights from "it" for each referent, weight[referent] being [role]:
//   one role for both referents → its name;
//   the noun that is meant → "referent";
//   two other roles → "switches with the adjective";
//   no role for one of them or both → "mixed".
std::string job_of(const std::array<std::span<const double>, 2>& weight, const Task& task,
                   const JobRule& rule);

// The jobs of all heads, [layer, head], from AttentionMeasures::role_attention.
Array<std::string, 2> jobs_of(const Array<double, 5>& role_attention, const Task& task,
                              const JobRule& rule);

}  // namespace refran::referent
