"""Statistics across seeds, against closed forms, SciPy and examples with a known answer."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import referent_jobs
import seed_statistics as statistics
from scipy import stats


def _normal(count: int, *extents: int, stream: int = 1) -> np.ndarray:
    return np.random.default_rng(stream).normal(size=(count, *extents))


# Intervals ---------------------------------------------------------------------------------------


def test_a_bootstrap_interval_is_that_of_scipy() -> None:
    values = np.exp(_normal(40))
    found = statistics.bootstrap(values)
    draws = np.random.default_rng(7)
    scipy = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", random_state=draws
    ).confidence_interval
    width = scipy.high - scipy.low
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(scipy.low, abs=0.05 * width)
    assert found.high == pytest.approx(scipy.high, abs=0.05 * width)


def test_a_bootstrap_interval_of_many_is_the_normal_one() -> None:
    values = _normal(400, 3)
    found = statistics.bootstrap(values)
    error = values.std(axis=0) / np.sqrt(len(values))
    assert np.allclose((found.high - found.low) / error, 2 * stats.norm.ppf(0.975), rtol=0.04)
    assert found.errors.shape == (2, 3)
    assert np.array_equal(found.errors[0], found.mean - found.low)


def test_equal_seeds_have_no_interval() -> None:
    found = statistics.bootstrap(np.full((5, 2), 0.25))
    assert np.allclose([found.mean, found.low, found.high], 0.25, atol=1e-15)


def test_the_same_values_give_the_same_interval() -> None:
    values = _normal(30, 2)
    assert np.array_equal(statistics.bootstrap(values), statistics.bootstrap(values.copy()))


def test_the_interval_of_a_difference_adds_both_variances() -> None:
    one, other = _normal(300, stream=1), 2 * _normal(200, stream=2) + 1
    found = statistics.bootstrap_difference(one, other)
    error = np.sqrt(one.var() / 300 + other.var() / 200)
    assert found.mean == pytest.approx(other.mean() - one.mean())
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.04)


# Tests -------------------------------------------------------------------------------------------


def test_with_few_seeds_the_sign_flip_test_is_exact() -> None:
    differences = _normal(9, 4) + 0.4
    scipy = stats.permutation_test(
        (differences,), lambda x, axis: x.sum(axis=axis), permutation_type="samples",
        n_resamples=np.inf, vectorized=True,
    )  # fmt: skip
    assert np.allclose(statistics.sign_flip_test(differences), scipy.pvalue)


def test_seeds_that_all_agree_have_the_smallest_p() -> None:
    p = statistics.sign_flip_test(np.stack([np.arange(1.0, 9), -np.arange(1.0, 9)], axis=1))
    assert p.tolist() == [2 / 2**8, 2 / 2**8]
    assert statistics.sign_flip_test(np.zeros((8, 1))).tolist() == [1.0]


def test_with_many_seeds_the_sign_flip_test_draws_signs() -> None:
    differences = _normal(200) + 0.13
    z = differences.sum() / np.sqrt((differences**2).sum())
    p = statistics.sign_flip_test(differences[:, np.newaxis])[0]
    assert p == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.01)
    assert statistics.sign_flip_test(np.ones((200, 1)))[0] == 1 / 10_001


def test_holm_adjusts_the_smallest_most_and_keeps_the_order() -> None:
    found = statistics.holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert np.allclose(found, [0.03, 0.06, 0.06, 0.02])
    assert statistics.holm(np.array([0.9, 0.5])).tolist() == [1, 1]


# Heads -------------------------------------------------------------------------------------------


def _attention(seeds: int, heads: int, stream: int = 3) -> np.ndarray:
    """Attention of the same heads in every seed, [seed, sentence, head, position]."""
    one = np.random.default_rng(stream).dirichlet(np.full(6, 0.3), size=(20, heads))
    return np.repeat(one[np.newaxis], seeds, axis=0)


def test_a_match_takes_the_largest_sum_not_the_largest_first() -> None:
    assert statistics.best_match(np.array([[0.9, 0.8], [0.85, 0.1]])).tolist() == [1, 0]


def test_heads_in_another_order_are_found_again() -> None:
    attention = _attention(6, 3)
    orders = np.array([np.random.default_rng(seed).permutation(3) for seed in range(6)])
    shuffled = np.stack([part[:, order] for part, order in zip(attention, orders)])
    found = statistics.match_heads(shuffled)
    assert np.allclose(found.matched, 1)
    same_order = [np.array_equal(orders[i], orders[j]) for i in range(6) for j in range(i + 1, 6)]
    assert np.array_equal(np.isclose(found.same_slot, 1), same_order)
    assert not all(same_order)


def test_heads_are_matched_on_some_sentences_and_compared_on_others() -> None:
    attention = _attention(2, 2)
    attention[1, 0::2] = attention[1, 0::2, ::-1]  # the halves call for opposite matches
    found = statistics.match_heads(attention)
    unit = attention[:, 1::2] - 1 / 6
    unit = np.moveaxis(unit, 2, 1).reshape(2, 2, -1)
    unit /= np.linalg.norm(unit, axis=-1, keepdims=True)
    assert found.matched[0] == pytest.approx((unit[0] * unit[0][::-1]).sum(axis=-1).mean())
    assert found.same_slot[0] == pytest.approx(1)


def test_heads_that_look_everywhere_alike_are_not_alike() -> None:
    attention = np.full((2, 8, 2, 6), 1 / 6) + 1e-6 * _normal(2, 8, 2, 6)
    assert abs(statistics.match_heads(attention).matched[0]) < 0.6


def test_of_many_pairs_of_seeds_some_are_drawn() -> None:
    found = statistics.match_heads(_attention(30, 2), pairs=50)
    assert found.matched.shape == found.same_slot.shape == (50,)


# Jobs --------------------------------------------------------------------------------------------


def test_jobs_that_the_start_decides_are_told() -> None:
    start = np.random.default_rng(5).choice(["a", "b", "c"], size=(60, 2)).astype(object)
    jobs = np.vectorize({"a": "x", "b": "b", "c": "z"}.get, otypes=[object])(start)
    found = statistics.predict_jobs(start, jobs)
    assert found.told == 1
    assert found.hits.tolist() == [1] * 60
    assert found.majority < 0.6
    assert found.same == (start == "b").mean()
    assert found.by_chance == pytest.approx((start == "b").mean() ** 2)


def test_jobs_that_the_start_does_not_decide_are_told_no_better_than_the_most_common() -> None:
    random = np.random.default_rng(6)
    start = random.choice(["a", "b"], size=(300, 2)).astype(object)
    jobs = random.choice(["x", "y"], p=[0.7, 0.3], size=(300, 2)).astype(object)
    found = statistics.predict_jobs(start, jobs)
    assert found.told == pytest.approx(found.majority, abs=0.02)
    assert found.majority == pytest.approx((jobs == "x").mean(), abs=0.02)


def test_jobs_are_told_from_other_seeds_only() -> None:
    start = np.array([[f"role {seed}"] for seed in range(10)], dtype=object)
    jobs = np.array([[f"job {seed}"] for seed in range(10)], dtype=object)
    assert statistics.predict_jobs(start, jobs).told == 0


def test_the_order_of_two_heads_is_kept_or_turned() -> None:
    start = np.random.default_rng(8).random((40, 2, 3))
    assert statistics.keeps_order(start, 2 * start) == (1.0, 40)
    assert statistics.keeps_order(start, -start) == (0.0, 40)
    assert statistics.keeps_order(start[:, :1], start[:, :1])[1] == 0


def test_jobs_together_are_counted_in_any_order() -> None:
    jobs = np.array([["b", "a"], ["a", "b"], ["a", "a"]], dtype=object)
    assert statistics.unordered(jobs) == {("a", "b"): 2, ("a", "a"): 1}


def test_independent_jobs_are_expected_in_all_their_orders() -> None:
    share = {"a": 0.5, "b": 0.3, "c": 0.2}
    assert referent_jobs.expected(("a", "b"), share, 100) == pytest.approx(2 * 0.5 * 0.3 * 100)
    collections = {tuple(sorted(jobs)) for jobs in product(share, repeat=3)}
    total = sum(referent_jobs.expected(jobs, share, 100) for jobs in collections)
    assert total == pytest.approx(100)
