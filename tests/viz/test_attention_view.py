"""Special tokens, words, averages and rollout, on attention small enough to work out by hand."""

from __future__ import annotations

import attention_view
import numpy as np
import pytest
from attention_view import Step

# [query, key]: ▁a b ▁c </s>, in eighths.
ATTENTION = np.array([[4, 2, 1, 1], [0, 4, 2, 2], [1, 1, 4, 2], [0, 0, 0, 8]]) / 8
PIECES = ["▁a", "b", "▁c", "</s>"]
SPECIAL = np.array([False, False, False, True])


def _random(*extents: int) -> np.ndarray:
    return np.random.default_rng(1).dirichlet(np.ones(extents[-1]), size=extents[:-1])


# Special tokens ----------------------------------------------------------------------------------


def test_marks_and_language_codes_are_special() -> None:
    tokens = ["<pad>", ">>gl<<", "▁>>", "<unk>", "▁s", "</s>", "<s", ">>", ">><<"]
    found = attention_view.is_special(tokens)
    assert [t for t, s in zip(tokens, found) if s] == ["<pad>", ">>gl<<", "<unk>", "</s>"]
    found = attention_view.is_special(tokens, unknown=False)
    assert [t for t, s in zip(tokens, found) if s] == ["<pad>", ">>gl<<", "</s>"]


def test_tokens_are_special_by_id_too() -> None:
    found = attention_view.is_special(["▁a", "▁b", "</s>"], ids=[7, 3, 0], special_ids={3})
    assert found.tolist() == [False, True, True]


def test_special_tokens_shown_change_nothing() -> None:
    found = attention_view.view(ATTENTION, SPECIAL, SPECIAL)
    assert found.attention is ATTENTION
    assert found.queries.tolist() == found.keys.tolist() == [0, 1, 2, 3]
    assert found.hidden.tolist() == [0, 0, 0, 0]


def test_hidden_tokens_leave_rows_that_lack_the_hidden_weight() -> None:
    found = attention_view.view(ATTENTION, SPECIAL, SPECIAL, "hide")
    assert np.array_equal(found.attention, ATTENTION[:3, :3])
    assert found.queries.tolist() == found.keys.tolist() == [0, 1, 2]
    assert found.hidden.tolist() == [1 / 8, 2 / 8, 2 / 8]


def test_renormalised_rows_sum_to_one_and_tell_what_was_hidden() -> None:
    found = attention_view.view(ATTENTION, SPECIAL, SPECIAL, "renormalise")
    assert np.allclose(found.attention * [[7], [6], [6]], [[4, 2, 1], [0, 4, 2], [1, 1, 4]])
    assert found.hidden.tolist() == [1 / 8, 2 / 8, 2 / 8]


def test_a_row_whose_weight_is_all_hidden_cannot_be_renormalised() -> None:
    every = np.zeros(4, dtype=bool)
    found = attention_view.view(ATTENTION, every, SPECIAL, "renormalise")
    assert np.isnan(found.attention[3]).all()
    assert found.hidden[3] == 1
    assert np.allclose(found.attention[:3].sum(axis=-1), 1)


def test_all_heads_are_viewed_at_once() -> None:
    attention = _random(2, 3, 5, 4)
    queries = np.array([True, False, False, False, False])
    found = attention_view.view(attention, queries, SPECIAL, "hide")
    assert np.array_equal(found.attention, attention[:, :, 1:, :3])
    assert np.array_equal(found.hidden, attention[:, :, 1:, 3])


# Rows and words ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "labels"), [("output", ["a", "</s>"]), ("input", ["<pad>", "a"])])
def test_rows_are_named_by_what_they_predict_or_read(step: Step, labels: list[str]) -> None:
    assert attention_view.row_labels(["<pad>", "a"], ["a", "</s>"], step) == labels


def test_the_row_that_reads_a_token_is_the_next_one() -> None:
    assert attention_view.rows_of_tokens(3, "output").tolist() == [0, 1, 2]
    assert attention_view.rows_of_tokens(3, "input").tolist() == [1, 2]


def test_pieces_of_no_word_are_units_of_their_own() -> None:
    assert attention_view.word_units([-1, 0, 0, 1, -1]).tolist() == [0, 1, 1, 2, 3]
    names = attention_view.unit_labels(
        [-1, 0, 0, 1, -1], ["ab", "c"], ["<pad>", "▁a", "b", "▁c", "</s>"]
    )
    assert names == ["<pad>", "ab", "c", "</s>"]


def test_words_have_the_sum_over_keys_and_the_mean_over_queries() -> None:
    word_of = [0, 0, 1, -1]
    found = attention_view.merge_words(ATTENTION, word_of, word_of)
    assert np.allclose(found * 8, [[(6 + 4) / 2, (1 + 2) / 2, (1 + 2) / 2], [2, 4, 2], [0, 0, 8]])
    assert attention_view.unit_labels(word_of, ["ab", "c"], PIECES) == ["ab", "c", "</s>"]


def test_rows_between_words_still_sum_to_one() -> None:
    attention = _random(2, 3, 6, 7).astype(np.float32)
    found = attention_view.merge_words(attention, [-1, 0, 0, 1, 1, 1], [0, 1, 1, 2, 3, 3, 4])
    assert found.shape == (2, 3, 3, 5)
    assert np.allclose(found.sum(axis=-1), 1, atol=1e-6)


def test_tokens_of_no_unit_are_left_out() -> None:
    found = attention_view.merge(ATTENTION, np.array([1, -1, 1, 0]), np.array([-1, 0, 0, -1]))
    assert np.allclose(found * 8, [[0], [(3 + 5) / 2]])


def test_a_unit_without_a_query_has_no_weight() -> None:
    found = attention_view.merge(ATTENTION, np.array([0, 2, -1, -1]), np.arange(4))
    assert np.array_equal(found, np.stack([ATTENTION[0], np.zeros(4), ATTENTION[1]]))


# Heads -------------------------------------------------------------------------------------------


def test_means_are_over_the_heads_chosen() -> None:
    attention = _random(2, 2, 3, 3)
    chosen = np.array([[True, False], [True, True]])
    three = (attention[0, 0] + attention[1, 0] + attention[1, 1]) / 3
    assert np.allclose(attention_view.mean_of_heads(attention, chosen), three)
    assert np.allclose(attention_view.mean_of_heads(attention), attention.mean(axis=(0, 1)))
    layers = attention_view.mean_of_layers(attention, chosen)
    assert np.allclose(layers, [attention[0, 0], attention[1].mean(axis=0)])


def test_a_layer_without_a_head_chosen_has_no_mean() -> None:
    chosen = np.array([[False, False], [True, False]])
    layers = attention_view.mean_of_layers(_random(2, 2, 3, 3), chosen)
    assert np.isnan(layers[0]).all()
    assert np.isfinite(layers[1]).all()


def test_rollout_multiplies_layers_with_the_residual_stream() -> None:
    first, second = np.array([[1.0, 0], [1, 0]]), np.array([[0, 1.0], [1, 0]])
    found = attention_view.rollout(np.array([[first, first], [first, second]]))
    one = np.array([[1, 0], [0.5, 0.5]])
    mean = (first + second) / 2  # [[0.5, 0.5], [1, 0]]
    assert np.array_equal(found[0], one)
    assert np.array_equal(found[1], (mean + np.eye(2)) / 2 @ one)
    assert found[1].tolist() == [[0.875, 0.125], [0.75, 0.25]]


def test_rows_of_a_rollout_sum_to_one() -> None:
    found = attention_view.rollout(_random(6, 8, 9, 9))
    assert found.shape == (6, 9, 9)
    assert np.allclose(found.sum(axis=-1), 1)


def test_heads_that_look_at_themselves_roll_out_to_themselves() -> None:
    assert np.array_equal(
        attention_view.rollout(np.tile(np.eye(4), (3, 2, 1, 1))), np.tile(np.eye(4), (3, 1, 1))
    )
