"""What may be done to attention before it is looked at: all pure functions on arrays.

Special tokens shown, hidden or renormalised; pieces merged into words; means over heads; rollout.
Attention is [..., query, key], with rows that sum to 1 over the keys.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

import numpy as np

Special = Literal["show", "hide", "renormalise"]
Step = Literal["output", "input"]

_MARKS = frozenset({"</s>", "<pad>"})
_UNKNOWN = "<unk>"
_LANGUAGE = re.compile(r">>.+<<")


# Special tokens ----------------------------------------------------------------------------------


def is_special(
    tokens: Sequence[str],
    *,
    unknown: bool = True,
    ids: Sequence[int] | None = None,
    special_ids: Collection[int] = (),
) -> np.ndarray:
    """Whether each of tokens[position] is </s>, <pad>, a code as >>gl<<, or, if `unknown`, <unk>.

    With ids[position], tokens whose id is one of `special_ids` are special too.
    """
    by_name = [
        token in _MARKS or (unknown and token == _UNKNOWN) or bool(_LANGUAGE.fullmatch(token))
        for token in tokens
    ]
    by_id = [token_id in special_ids for token_id in ids] if ids is not None else False
    return np.asarray(by_name, dtype=bool) | by_id


class View(NamedTuple):
    """Attention as it is shown."""

    attention: np.ndarray  # [..., query, key] of the tokens shown
    queries: np.ndarray  # [query]: the position of each query shown
    keys: np.ndarray  # [key]: the position of each key shown
    hidden: np.ndarray  # [..., query]: the weight on keys that are not shown


def view(
    attention: np.ndarray,
    special_queries: np.ndarray,
    special_keys: np.ndarray,
    special: Special = "show",
) -> View:
    """Attention[..., query, key] with its special tokens shown, hidden or renormalised.

    special_queries[query] and special_keys[key] say which tokens are special. Where they are
    hidden, a row sums to 1 - `hidden`; renormalised rows sum to 1 again, or are NaN where all the
    weight was hidden.
    """
    if special == "show":
        every = (np.arange(extent) for extent in attention.shape[-2:])
        return View(attention, *every, np.zeros(attention.shape[:-1]))
    queries, keys = np.flatnonzero(~special_queries), np.flatnonzero(~special_keys)
    rows = attention[..., queries, :].astype(float)
    shown, hidden = rows[..., keys], rows[..., special_keys].sum(axis=-1)
    if special == "renormalise":
        left = shown.sum(axis=-1, keepdims=True)
        shown = np.divide(shown, left, out=np.full_like(shown, np.nan), where=left > 0)
    return View(shown, queries, keys, hidden)


# Rows --------------------------------------------------------------------------------------------


def row_labels(
    input_tokens: Sequence[str], predicted_tokens: Sequence[str], step: Step = "output"
) -> list[str]:
    """Names of decoder rows: the token each predicts (`output`), or the one it reads (`input`)."""
    return list(predicted_tokens if step == "output" else input_tokens)


def rows_of_tokens(count: int, step: Step) -> np.ndarray:
    """Of each of the `count` tokens predicted in turn, the row that predicts it, or that reads it.

    No row reads the last one, so at step `input` there is one fewer.
    """
    return np.arange(count) if step == "output" else np.arange(1, count)


# Words -------------------------------------------------------------------------------------------


def word_units(word_of: Sequence[int]) -> np.ndarray:
    """The unit of each piece, [piece], from its word; a piece of no word (-1) is a unit itself.

    Units are numbered from 0 in the order of their first pieces.
    """
    numbers: dict[tuple[int, int], int] = {}
    names = [(int(word), -1 if word >= 0 else at) for at, word in enumerate(word_of)]
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=int)


def unit_labels(word_of: Sequence[int], words: Sequence[str], pieces: Sequence[str]) -> list[str]:
    """The name of each of the `word_units`: its word, else its piece."""
    labels: dict[int, str] = {}
    for unit, word, piece in zip(word_units(word_of), word_of, pieces, strict=True):
        labels.setdefault(int(unit), words[word] if word >= 0 else piece)
    return list(labels.values())


def merge(attention: np.ndarray, query_unit: np.ndarray, key_unit: np.ndarray) -> np.ndarray:
    """Attention between units, [..., query unit, key unit]: Clark et al. 2019, section 4.1.

    Weights are summed over the keys of a unit and averaged over its queries, so that rows still
    sum to 1 where every key has a unit. query_unit[query] and key_unit[key] count from 0; tokens
    of unit -1 are left out. A unit up to the largest that has no query has a row of zeros.
    """
    queries, keys = _members(query_unit), _members(key_unit)
    shares = queries / np.maximum(queries.sum(axis=0), 1)
    return shares.T @ attention.astype(float) @ keys


def _members(unit: np.ndarray) -> np.ndarray:
    """1 where a position belongs to a unit, [position, unit]."""
    unit = np.asarray(unit)
    return (unit[:, np.newaxis] == np.arange(unit.max(initial=-1) + 1)).astype(float)


def merge_words(
    attention: np.ndarray, query_word_of: Sequence[int], key_word_of: Sequence[int]
) -> np.ndarray:
    """Attention between words, [..., query unit, key unit], whose names `unit_labels` gives."""
    return merge(attention, word_units(query_word_of), word_units(key_word_of))


# Heads and layers --------------------------------------------------------------------------------


def mean_of_heads(attention: np.ndarray, chosen: np.ndarray | None = None) -> np.ndarray:
    """The mean, [query, key], of attention[layer, head, query, key] over the heads chosen.

    chosen[layer, head] says which; None means all. None chosen gives NaN.
    """
    if chosen is None:
        chosen = np.ones(attention.shape[:2], dtype=bool)
    if not chosen.any():
        return np.full(attention.shape[2:], np.nan)
    return attention[chosen].mean(axis=0, dtype=float)


def mean_of_layers(attention: np.ndarray, chosen: np.ndarray | None = None) -> np.ndarray:
    """The mean of each layer's heads, [layer, query, key]; NaN where none of a layer is chosen."""
    if chosen is None:
        chosen = np.ones(attention.shape[:2], dtype=bool)
    return np.stack([mean_of_heads(attention[[k]], chosen[[k]]) for k in range(len(attention))])


def rollout(attention: np.ndarray) -> np.ndarray:
    """How much of each input reaches each position: [layer, query, key], after every layer.

    attention[layer, head, query, key] is the encoder's, of all its layers from the first on. The
    heads of a layer are averaged, the residual stream counts as much as they do, and layers are
    multiplied: Abnar & Zuidema 2020, section 3. Rows sum to 1.
    """
    identity = np.eye(attention.shape[-1])
    reached, layers = identity, []
    for mean in mean_of_layers(attention):
        reached = (mean + identity) / 2 @ reached
        layers.append(reached)
    return np.stack(layers)
