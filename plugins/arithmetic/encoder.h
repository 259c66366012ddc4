// The simplified encoder of the page's section 1: one summary vector that moves part of the way
// toward each word's point, and how much of each word is in it after every step.
#pragma once

#include <span>

#include <refran/array.h>

namespace refran::arithmetic {

// Where the summary is before the first word. The origin keeps a share of its own; the first word's
// point makes that share the first word's.
enum class Start { origin, first_word };

// The summary [step, dim] for points `embedding` [word, dim] and the share of the way `rate` [word]
// that each word moves it; step 0 is before the first word, step k after word k. There is at least
// one word.
Array<double, 2> summaries(const Array<double, 2>& embedding, std::span<const double> rate,
                           Start start);

// How much of each part the summary holds, [step, part]: part 0 is the origin it started from, part
// k is word k. Rows sum to 1. The summary is the average of the parts' points with these weights.
// `rate` is [word].
Array<double, 2> shares(std::span<const double> rate, Start start);

// The same without walking through the sentence: word i has, after step k, the share rate_i times
// the product of (1 - rate_j) over the later words j = i+1 … k. Equal to `shares` up to rounding;
// kept as its proof.
Array<double, 2> shares_in_closed_form(std::span<const double> rate, Start start);

}  // namespace refran::arithmetic
