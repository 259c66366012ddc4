"""BLEU, chrF and the paired bootstrap, against sacreBLEU's values, closed forms and hand counts."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import translation_scores as scores
from scipy import stats

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "scores" / "scores.json"
EXACT = {"rel": 0, "abs": 1e-9}


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return json.loads(FIXTURE.read_text())


@pytest.fixture(scope="module")
def pairs(expected: dict[str, Any]) -> tuple[list[str], list[str]]:
    sentences = expected["sentences"]
    return tuple([one[side] for one in sentences] for side in ("hypothesis", "reference"))


# Scores ------------------------------------------------------------------------------------------


def test_tokens_are_those_of_13a(expected: dict[str, Any]) -> None:
    for one in expected["sentences"]:
        assert scores.tokenize_13a(one["hypothesis"]) == one["tokens"]


def test_sentence_scores_are_those_of_sacrebleu(
    expected: dict[str, Any], pairs: tuple[list[str], list[str]]
) -> None:
    found = {
        "bleu": scores.sentence_bleu(*pairs),
        "chrf": scores.chrf(scores.chrf_statistics(*pairs)),
        "chrf++": scores.chrf(scores.chrf_statistics(*pairs, word_order=2)),
    }
    for name, values in found.items():
        own = [one[name] for one in expected["sentences"]]
        assert values == pytest.approx(np.array(own), **EXACT), name
        assert len(set(own)) > 40, name  # so that the fixture says something


def test_corpus_scores_are_those_of_sacrebleu(
    expected: dict[str, Any], pairs: tuple[list[str], list[str]]
) -> None:
    for corpus in expected["corpora"]:
        own, others = (side[corpus["first"] : corpus["end"]] for side in pairs)
        assert scores.corpus_bleu(own, others) == pytest.approx(corpus["bleu"], **EXACT)
        assert scores.corpus_chrf(own, others) == pytest.approx(corpus["chrf"], **EXACT)
        assert scores.corpus_chrf(own, others, 2) == pytest.approx(corpus["chrf++"], **EXACT)


def test_bleu_statistics_are_lengths_matches_and_ngrams() -> None:
    found = scores.bleu_statistics(["the the cat."], ["the cat sat ."])
    assert found.tolist() == [[4, 4, 3, 1, 0, 0, 4, 3, 2, 1]]


def test_bleu_by_hand_has_smoothing_and_a_brevity_penalty() -> None:
    sums = np.array([4, 5, 3, 1, 0, 0, 4, 3, 2, 1])
    product = (3 / 4) * (1 / 3) * (1 / 2 / 2) * (1 / 4 / 1)
    assert scores.bleu(sums) == pytest.approx(100 * math.exp(1 - 5 / 4) * product**0.25)


def test_short_sentences_have_bleu_only_with_their_effective_order() -> None:
    assert scores.corpus_bleu(["It rains"], ["It rains"]) == 0
    assert scores.sentence_bleu(["It rains"], ["It rains"]).tolist() == [pytest.approx(100)]


def test_chrf_statistics_count_no_ngrams_that_the_reference_cannot_have() -> None:
    found = scores.chrf_statistics(["a bc"], ["ab"]).reshape(6, 3)
    assert found[:3].tolist() == [[3, 2, 2], [2, 1, 1], [0, 0, 0]]


def test_chrf_by_hand_weighs_recall_four_times() -> None:
    precision, recall = (2 / 3 + 1 / 2) / 2, (2 / 2 + 1 / 1) / 2
    wanted = 500 * precision * recall / (4 * precision + recall)
    assert scores.corpus_chrf(["a bc"], ["ab"]) == pytest.approx(wanted)


def test_many_sums_are_scored_at_once(pairs: tuple[list[str], list[str]]) -> None:
    for score, counts in (
        (scores.bleu, scores.bleu_statistics(*pairs)),
        (scores.chrf, scores.chrf_statistics(*pairs)),
    ):
        sums = counts[:90].reshape(3, 30, -1).sum(axis=1)
        assert score(sums).tolist() == [score(one) for one in sums]


def test_texts_of_different_number_are_refused() -> None:
    for count in (scores.bleu_statistics, scores.chrf_statistics):
        with pytest.raises(ValueError, match="shorter"):
            count(["one", "two"], ["one"])


# Paired bootstrap --------------------------------------------------------------------------------


def _systems(shifts: list[float], count: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """A base, [sentence, 2], and systems better by some shifts: a sum of one token each."""
    random = np.random.default_rng(3)
    base = np.column_stack([random.normal(size=count), np.ones(count)])
    noise = random.normal(size=count)
    return base, np.stack([base + np.outer(shift + noise, [1, 0]) for shift in shifts])


def test_the_bootstrap_of_a_mean_agrees_with_the_normal_one() -> None:
    base, others = _systems([0.0, 0.1, 0.15, 0.2])
    found = scores.paired_bootstrap(base, others, scores.per_token, resamples=20_000)
    differences = others[:, :, 0] - base[:, 0]
    error = differences.std(axis=1) / math.sqrt(len(base))
    assert found.base == pytest.approx(base[:, 0].mean())
    assert found.change == pytest.approx(differences.mean(axis=1))
    assert (found.high - found.low) / error == pytest.approx(2 * 1.96, rel=0.03)
    wanted = 2 * stats.norm.sf(np.abs(found.change / error))
    assert found.p == pytest.approx(wanted, rel=0.1, abs=0.001)
    assert 0.05 < wanted.max() < 0.9


def test_each_resample_has_the_same_sentences_for_all_systems() -> None:
    base, others = _systems([0.0])
    shifted = np.stack([base + [0.01, 0], others[0] + [0.01, 0]])
    found = scores.paired_bootstrap(base, shifted, scores.per_token)
    assert found.low[0] == pytest.approx(0.01) == found.high[0]
    assert found.p[0] == 2 / 1001
    alone = scores.paired_bootstrap(base, shifted[1:], scores.per_token)
    assert alone.low[0] == pytest.approx(found.low[1])
    assert alone.p[0] == found.p[1]


def test_an_equal_system_does_not_differ_even_by_rounding() -> None:
    base, _ = _systems([0.0])
    base[:, 1] = 7  # sums that are not exact
    found = scores.paired_bootstrap(base, np.stack([base] * 5), scores.per_token)
    assert found.p.tolist() == [1] * 5
    assert not np.any([found.change, found.low, found.high])


def test_better_and_worse_translations_are_told_apart() -> None:
    references = [f"the {word} man saw the house number {k}" for k, word in enumerate("abcdefgh")]
    worse = [text.replace("saw the", "looked at") for text in references]
    counts = [scores.bleu_statistics(texts, references) for texts in (references, worse)]
    found = scores.paired_bootstrap(counts[0], np.stack(counts[1:]), scores.bleu)
    assert found.base == pytest.approx(100)
    assert found.change[0] == scores.corpus_bleu(worse, references) - 100
    assert found.low[0] <= found.change[0] <= found.high[0] < 0
    back = scores.paired_bootstrap(counts[1], np.stack(counts[:1]), scores.bleu)
    assert back.change[0] == -found.change[0]
    assert back.p[0] == found.p[0] == 2 / 1001


def test_the_same_seed_gives_the_same_numbers_and_another_does_not() -> None:
    base, others = _systems([0.1])
    first, again, other = (
        scores.paired_bootstrap(base, others, scores.per_token, resamples=700, seed=seed)
        for seed in (5, 5, 6)
    )
    assert first.low == again.low
    assert first.low != other.low


def test_without_sentences_nothing_is_compared() -> None:
    base, others = _systems([0.1, 0.2], count=0)
    found = scores.paired_bootstrap(base, others, scores.per_token)
    assert np.isnan([found.change, found.low, found.high, found.p]).all()
    assert found.p.shape == (2,)


def test_resamples_are_enough_for_holm_over_all_heads() -> None:
    assert scores.enough_resamples(5, 0.05) == 1000
    resamples = scores.enough_resamples(144, 0.01)
    assert 144 * 2 / (resamples + 1) < 0.01 / 2 * 1.01
