"""BLEU and chrF by sacreBLEU's definitions, and the paired bootstrap between systems.

Scores of a corpus come from sums of sentence statistics, so that a resample costs one product.
Papineni et al. 2002 (BLEU), Popović 2015 and 2017 (chrF, chrF++), Post 2018 (sacreBLEU).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np
from seed_statistics import LEVEL, times_drawn

BLEU_ORDER = 4
CHARACTER_ORDER = 6
BETA = 2
RESAMPLES = 1000  # as in Koehn 2004 and Michel et al. 2019

_ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_ALWAYS_APART = re.compile(r"([!-&(-+/:-@\[-`{-~])")  # ASCII punctuation but ' , - .
_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])-")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

_KEPT = 1 << 17  # sentence pairs whose statistics are remembered: heads often change no output
_TEXTS = 1 << 12  # texts whose n-grams are: references come again and again
_BLOCK = 500  # resamples at a time
_STREAM = 16  # of random draws; those of seed_statistics are below


# BLEU --------------------------------------------------------------------------------------------


def tokenize_13a(text: str) -> list[str]:
    """The tokens of mteval-v13a, which is sacreBLEU's default."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in _ENTITIES.items():
        text = text.replace(entity, character)
    text = _ALWAYS_APART.sub(r" \1 ", f" {text} ")
    text = _AFTER_NO_DIGIT.sub(r"\1 \2 ", text)
    text = _BEFORE_NO_DIGIT.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 - ", text).split()


def bleu_statistics(hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """Summable counts, [sentence, statistic], of one reference each.

    The statistics are: tokens of the hypothesis, of the reference, n-grams in both by order, and
    n-grams of the hypothesis by order.
    """
    pairs = zip(hypotheses, references, strict=True)
    return np.array([_bleu_counts(*pair) for pair in pairs]).reshape(-1, 2 + 2 * BLEU_ORDER)


@lru_cache(_KEPT)
def _bleu_counts(hypothesis: str, reference: str) -> tuple[int, ...]:
    own, other = _bleu_ngrams(hypothesis), _bleu_ngrams(reference)
    totals = [ngrams.total() for ngrams in own]
    return (totals[0], other[0].total(), *map(_matches, own, other), *totals)


@lru_cache(_TEXTS)
def _bleu_ngrams(text: str) -> list[Counter]:
    """The n-grams of a text's tokens, by order."""
    tokens = tokenize_13a(text)
    return [_word_ngrams(tokens, n) for n in range(1, BLEU_ORDER + 1)]


def bleu(statistics: np.ndarray, effective_order: bool = False) -> np.ndarray:
    """BLEU, 0 to 100, [...], of summed statistics[..., statistic], exponentially smoothed.

    With `effective_order`, orders longer than the hypothesis do not count: for single sentences.
    """
    counts = np.asarray(statistics, dtype=float)
    length, reference_length = counts[..., 0], counts[..., 1]
    matches, totals = counts[..., 2 : 2 + BLEU_ORDER], counts[..., 2 + BLEU_ORDER :]
    has_order = np.logical_and.accumulate(totals > 0, axis=-1)
    without_match = has_order & (matches == 0)
    # The k-th order without a match counts as 1 / 2^k matches.
    smoothed = np.where(without_match, 0.5 ** without_match.cumsum(axis=-1), matches)
    with np.errstate(divide="ignore"):
        precision_logs = np.log(np.where(has_order, smoothed / np.maximum(totals, 1), 0))
        ratio = np.where(length > 0, reference_length / np.maximum(length, 1), np.inf)
    if effective_order:
        precision_logs[~has_order] = 0
    orders = np.maximum(has_order.sum(axis=-1), 1) if effective_order else BLEU_ORDER
    brevity = np.minimum(0, 1 - ratio)
    scores = 100 * np.exp(brevity + precision_logs.sum(axis=-1) / orders)
    return np.where(matches.any(axis=-1), scores, 0)


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of a corpus, 0 to 100."""
    return float(bleu(bleu_statistics(hypotheses, references).sum(axis=0)))


def sentence_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """BLEU of each sentence with its effective order, [sentence]."""
    return bleu(bleu_statistics(hypotheses, references), effective_order=True)


# chrF --------------------------------------------------------------------------------------------


def chrf_statistics(
    hypotheses: Sequence[str], references: Sequence[str], word_order: int = 0
) -> np.ndarray:
    """Summable counts, [sentence, statistic], of one reference each; word order 2 is chrF++.

    The statistics are, for every order, character n-grams first: n-grams of the hypothesis (0
    where the reference has none), of the reference, and in both.
    """
    pairs = zip(hypotheses, references, strict=True)
    counts = [_chrf_counts(*pair, word_order) for pair in pairs]
    return np.array(counts).reshape(-1, 3 * (CHARACTER_ORDER + word_order))


@lru_cache(_KEPT)
def _chrf_counts(hypothesis: str, reference: str, word_order: int) -> tuple[int, ...]:
    own, other = _chrf_ngrams(hypothesis, word_order), _chrf_ngrams(reference, word_order)
    counts: list[int] = []
    for mine, theirs in zip(own, other):
        counts += (mine.total() if theirs else 0, theirs.total(), _matches(mine, theirs))
    return tuple(counts)


@lru_cache(_TEXTS)
def _chrf_ngrams(text: str, word_order: int) -> list[Counter]:
    """The n-grams of a text by order: of characters without blanks, then of words."""
    letters = "".join(text.split())
    ngrams = [
        Counter(letters[at : at + n] for at in range(len(letters) - n + 1))
        for n in range(1, CHARACTER_ORDER + 1)
    ]
    words = [part for word in text.split() for part in _without_punctuation(word)]
    return ngrams + [_word_ngrams(words, n) for n in range(1, word_order + 1)]


def _without_punctuation(word: str) -> tuple[str, ...]:
    """A word with the one mark at its end, else at its start, as a word of its own."""
    if len(word) > 1 and word[-1] in _PUNCTUATION:
        return word[:-1], word[-1]
    if len(word) > 1 and word[0] in _PUNCTUATION:
        return word[0], word[1:]
    return (word,)


def chrf(statistics: np.ndarray, beta: float = BETA) -> np.ndarray:
    """chrF, 0 to 100, [...], of summed statistics[..., statistic]: recall counts beta times."""
    counts = np.asarray(statistics, dtype=float)
    own, other, both = np.moveaxis(counts.reshape(*counts.shape[:-1], -1, 3), -1, 0)
    used = (own > 0) & (other > 0)
    orders = np.maximum(used.sum(axis=-1), 1)
    precision = (used * both / np.maximum(own, 1)).sum(axis=-1) / orders
    recall = (used * both / np.maximum(other, 1)).sum(axis=-1) / orders
    weighted = beta**2 * precision + recall
    return 100 * (1 + beta**2) * precision * recall / np.where(weighted > 0, weighted, 1)


def corpus_chrf(hypotheses: Sequence[str], references: Sequence[str], word_order: int = 0) -> float:
    """chrF of a corpus, 0 to 100; word order 2 is chrF++."""
    return float(chrf(chrf_statistics(hypotheses, references, word_order).sum(axis=0)))


def _word_ngrams(words: Sequence[str], n: int) -> Counter:
    return Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))


def _matches(own: Counter, other: Counter) -> int:
    return sum(min(own[ngram], other[ngram]) for ngram in own.keys() & other.keys())


# Other scores of summed statistics ---------------------------------------------------------------


def per_token(statistics: np.ndarray) -> np.ndarray:
    """The mean of a corpus, [...], of summed statistics[..., 2]: a quantity and its tokens."""
    return statistics[..., 0] / statistics[..., 1]


# Paired bootstrap --------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """How systems differ from a base in a corpus score; arrays of the systems' shape."""

    base: float
    change: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray  # two-sided; not adjusted for the number of systems


def paired_bootstrap(
    base: np.ndarray,
    others: np.ndarray,
    score: Callable[[np.ndarray], np.ndarray],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compares systems on resamples of the same sentences (Koehn 2004; Michel et al. 2019).

    base[sentence, statistic] and others[system, sentence, statistic] are summable; `score` takes
    sums[..., statistic]. The interval is the percentile one. p is twice the share of resamples in
    which the difference is 0 or has the rarer sign, the observed sample being one more of them.
    Without a sentence all is NaN.
    """
    if not len(base):
        nothing = np.full(len(others), np.nan)
        return Comparison(np.nan, nothing, nothing, nothing, nothing)
    systems = np.concatenate([base[np.newaxis], others]).astype(float)
    observed = score(systems.sum(axis=1))
    changes = _without_rounding(_resampled_changes(systems, score, resamples, seed), observed[0])
    low, high = np.quantile(changes, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    rarer = np.minimum((changes <= 0).sum(axis=0), (changes >= 0).sum(axis=0))
    p = np.minimum(1, 2 * (rarer + 1) / (resamples + 1))
    change = _without_rounding(observed[1:] - observed[0], observed[0])
    return Comparison(float(observed[0]), change, low, high, p)


def _resampled_changes(
    systems: np.ndarray, score: Callable[[np.ndarray], np.ndarray], resamples: int, seed: int
) -> np.ndarray:
    """Differences of systems[1:, …] from systems[0, sentence, statistic]: [resample, system]."""
    count, sentences, width = systems.shape
    flat = np.moveaxis(systems, 1, 0).reshape(sentences, count * width)
    changes = np.empty((resamples, count - 1))
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        drawn = times_drawn(sentences, size, _STREAM, seed, start)
        scores = score((drawn @ flat).reshape(size, count, width))
        changes[start : start + size] = scores[:, 1:] - scores[:, :1]
    return changes


def _without_rounding(changes: np.ndarray, base: float) -> np.ndarray:
    """Changes, but 0 where they are what a sum in another order would make of equal systems."""
    return np.where(np.abs(changes) <= 1e-12 * max(1, abs(base)), 0, changes)


def enough_resamples(comparisons: int, alpha: float) -> int:
    """So many resamples that a p adjusted for `comparisons` can be well below alpha.

    The smallest p of a bootstrap is 2 / (resamples + 1): with 1000 resamples and 144 heads, Holm
    makes 0.29 of it.
    """
    return max(RESAMPLES, ceil(4 * comparisons / alpha))
