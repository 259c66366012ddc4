// What each head is worth, and each pair of heads, from what the model can do with every subset of
// them: the exact indices of cooperative games.
//
// `value` [subset] is any measure of the model, such as its accuracy, indexed as in
// AblationMeasures: bit h of a subset is 1 where head h is off, so that subset 0 is the whole
// model. It has 2^n values for n heads, n >= 1; std::invalid_argument otherwise. N is the set of
// all heads, v(S) the value where those of S are on and the others off.
#pragma once

#include <span>
#include <vector>

#include <refran/array.h>

namespace refran::referent {

// The Shapley value of each head [head] (Shapley 1953): what switching it on adds, averaged over
// all orders in which the heads can be switched on,
//   φ_i = Σ_{S ⊆ N∖i} |S|! (n-|S|-1)! / n! · (v(S∪i) - v(S)).
// They sum to v(N) - v(∅), the value of the whole model over that of its residual stream alone.
std::vector<double> shapley_values(std::span<const double> value);

// The Shapley interaction index of each pair [head, head] (Grabisch and Roubens 1999),
//   I_ij = Σ_{S ⊆ N∖{i,j}} |S|! (n-|S|-2)! / (n-1)! · (v(S∪{i,j}) - v(S∪i) - v(S∪j) + v(S)):
// above 0 where the two do more together than each alone adds up to, below 0 where one can stand in
// for the other. Symmetric; NaN on the diagonal.
Array<double, 2> shapley_interactions(std::span<const double> value);

}  // namespace refran::referent
