"""Statistics across seeds. The seed is the unit: what differs within one run is no replication.

All random draws come from a fixed seed, so that the same result gives the same numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

LEVEL = 0.95
RESAMPLES = 10_000
EXACT = 12  # seeds up to which the test takes all sign patterns
FOLDS = 10
PAIRS = 2_000  # pairs of seeds that are matched at most

_DRAWS = 20261130  # of all random draws


class Interval(NamedTuple):
    """An estimate and its interval; arrays of the same shape."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def errors(self) -> np.ndarray:
        """How far the interval reaches below and above, [2, …], as matplotlib wants it."""
        return np.stack([self.mean - self.low, self.high - self.mean]).clip(min=0)


def _resampled_means(values: np.ndarray, resamples: int, stream: int) -> np.ndarray:
    """Means of values[seed, …] over seeds drawn with replacement: [resample, …]."""
    count = len(values)
    flat = values.reshape(count, -1)
    means = times_drawn(count, resamples, stream) @ flat / count
    return means.reshape(resamples, *values.shape[1:])


@lru_cache(maxsize=2)  # one picture asks many times
def times_drawn(count: int, resamples: int, *stream: int) -> np.ndarray:
    """How often each of `count` seeds, or sentences, is in each resample, [resample, seed]."""
    random = np.random.default_rng((_DRAWS, *stream))
    return random.multinomial(count, np.full(count, 1 / count), size=resamples).astype(float)


def bootstrap(values: np.ndarray, resamples: int = RESAMPLES, level: float = LEVEL) -> Interval:
    """The mean of values[seed, …] with its percentile bootstrap interval over the seeds."""
    means = _resampled_means(values, resamples, 0)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Interval(values.mean(axis=0), low, high)


def bootstrap_difference(
    one: np.ndarray, other: np.ndarray, resamples: int = RESAMPLES, level: float = LEVEL
) -> Interval:
    """Mean of other[seed, …] minus that of one[seed, …], two groups of seeds drawn apart."""
    means = _resampled_means(other, resamples, 1) - _resampled_means(one, resamples, 0)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Interval(other.mean(axis=0) - one.mean(axis=0), low, high)


def sign_flip_test(differences: np.ndarray, flips: int = RESAMPLES) -> np.ndarray:
    """Two-sided p of differences[seed, …] having mean 0, each seed's sign being a coin's.

    Up to EXACT seeds all 2^n patterns of signs are taken; else so many random ones, of which the
    one observed is one more.
    """
    count = len(differences)
    flat = differences.reshape(count, -1)
    if count <= EXACT:
        signs = 1.0 - 2 * ((np.arange(2**count)[:, np.newaxis] >> np.arange(count)) & 1)
        added = 0
    else:
        random = np.random.default_rng((_DRAWS, 2))
        signs = random.choice([-1.0, 1.0], size=(flips, count))
        added = 1
    sums, observed = np.abs(signs @ flat), np.abs(flat.sum(axis=0))
    as_large = (sums >= observed * (1 - 1e-9)).sum(axis=0)  # not undone by rounding
    p = (as_large + added) / (len(signs) + added)
    return p.reshape(differences.shape[1:])


def holm(p: np.ndarray) -> np.ndarray:
    """P values adjusted for their number after Holm (1979), in the order given."""
    flat = np.asarray(p, dtype=float).ravel()
    order = np.argsort(flat, kind="stable")
    factors = len(flat) - np.arange(len(flat))
    adjusted = np.empty_like(flat)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(factors * flat[order]))
    return adjusted.reshape(np.shape(p))


# Heads across seeds ------------------------------------------------------------------------------


class Similarity(NamedTuple):
    """Cosine similarities of the heads of two seeds, a number per pair of seeds."""

    matched: np.ndarray
    same_slot: np.ndarray


def _unit_rows(attention: np.ndarray) -> np.ndarray:
    """attention[seed, sentence, head, position] as vectors of length 1, [seed, head, …].

    Uniform attention is taken off first: near it, as at a random start, all heads would be alike.
    """
    beyond = np.moveaxis(attention - 1 / attention.shape[-1], 2, 1)
    vectors = beyond.reshape(*beyond.shape[:2], -1)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def best_match(similarity: np.ndarray) -> np.ndarray:
    """For each row of similarity[head, head] the other's head, the sum being the largest."""
    return linear_sum_assignment(similarity, maximize=True)[1]


def match_heads(attention: np.ndarray, pairs: int = PAIRS) -> Similarity:
    """How alike the heads of two seeds are, from attention[seed, sentence, head, position].

    Heads are matched on every second sentence, since their slots have no order, and compared on
    the others. Of more than `pairs` pairs of seeds, so many drawn at random are taken.
    """
    chosen = list(combinations(range(len(attention)), 2))
    if len(chosen) > pairs:
        random = np.random.default_rng((_DRAWS, 3))
        picked = np.sort(random.choice(len(chosen), size=pairs, replace=False))
        chosen = [chosen[index] for index in picked]
    first, second = _unit_rows(attention[:, 0::2]), _unit_rows(attention[:, 1::2])
    matched, same_slot = np.empty(len(chosen)), np.empty(len(chosen))
    for number, (one, other) in enumerate(chosen):
        match = best_match(first[one] @ first[other].T)
        measured = second[one] @ second[other].T
        matched[number] = measured[np.arange(len(match)), match].mean()
        same_slot[number] = measured.diagonal().mean()
    return Similarity(matched, same_slot)


# Jobs --------------------------------------------------------------------------------------------


def unordered(jobs: np.ndarray) -> Counter[tuple[str, ...]]:
    """How often each collection of jobs arises in jobs[seed, head], whichever head has which."""
    return Counter(tuple(sorted(row)) for row in jobs.tolist())


class Prediction(NamedTuple):
    """Shares of heads whose job is told rightly, and of how many heads."""

    same: float  # the role looked at most at the start is the job
    by_chance: float  # the same, if start and job had nothing to do with each other
    told: float  # the job told from that role, on seeds not learned from
    majority: float  # the most common job told for all, on seeds not learned from
    hits: np.ndarray  # [seed]: the share told from the role, for an interval
    majority_hits: np.ndarray  # [seed]


def predict_jobs(start: np.ndarray, jobs: np.ndarray, folds: int = FOLDS) -> Prediction:
    """How well start[seed, head], a role each, tells jobs[seed, head].

    Seeds are parted into folds; the job most common for a role in the other folds is what the role
    tells, and the most common job of all where the others do not have that role.
    """
    same = (start == jobs).mean()
    words = sorted(set(start.ravel().tolist()))
    by_chance = sum((start == word).mean() * (jobs == word).mean() for word in words)
    fold = np.arange(len(jobs)) % min(folds, len(jobs))
    hits, majority_hits = np.zeros(len(jobs)), np.zeros(len(jobs))
    for number in range(fold.max() + 1):
        rest, here = fold != number, fold == number
        common = _most_common(jobs[rest])
        told = np.full(jobs[here].shape, common, dtype=object)
        for word in words:
            seen = jobs[rest][start[rest] == word]
            told[start[here] == word] = _most_common(seen) if len(seen) else common
        hits[here] = (told == jobs[here]).mean(axis=1)
        majority_hits[here] = (jobs[here] == common).mean(axis=1)
    return Prediction(
        float(same), float(by_chance), float(hits.mean()), float(majority_hits.mean()),
        hits, majority_hits,
    )  # fmt: skip


def _most_common(words: np.ndarray | Sequence[str]) -> str:
    """The most common word; of equally common ones the first in order."""
    counts = Counter(np.asarray(words, dtype=object).ravel().tolist())
    return min(counts, key=lambda word: (-counts[word], word)) if counts else ""


def keeps_order(start: np.ndarray, trained: np.ndarray) -> tuple[float, int]:
    """Of two heads of a layer, how often the one with more at the start has more in the end.

    From start[seed, head, role] and trained[seed, head, role], the weights. For every seed and pair
    of heads the role is taken in which they differ most in the end. Gives the share, which is 0.5
    by chance, and the number of pairs.
    """
    heads = range(start.shape[1])
    kept = []
    for one, other in combinations(heads, 2):
        end = trained[:, one] - trained[:, other]
        role = np.abs(end).argmax(axis=1)
        rows = np.arange(len(end))
        begin = (start[:, one] - start[:, other])[rows, role]
        kept.append(np.sign(begin) == np.sign(end[rows, role]))
    return (float(np.mean(kept)), int(np.size(kept))) if kept else (float("nan"), 0)
