#!/usr/bin/python3
"""Word alignments from the cross-attention of opus-mt-probe, and how well they fit gold ones."""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, get_args

import attention_view
import numpy as np
from alignment_error import Fit, Gold, fit, read_gold, total
from attention_view import Step
from refran_result import Array, Item, Result, ResultError

STEPS: tuple[Step, ...] = get_args(Step)
UNITS = ("words", "pieces")
OUTPUTS = {"alpha": "cross_attention", "norm": "cross_norm_attention"}

EPILOG = """\
Without --gold, a line per sentence: its links, `source-target`, as 0-0 1-2; both count from 0, and
special tokens (</s>, <pad>, >>gl<<) neither count nor link. With --gold, a CSV table: precision,
recall and AER (Och & Ney 2003) of the source and of every head, at both steps.

A gold file has a line per sentence: links i-j (sure), ipj or i?j (possible), i in the source and j
in the target, counted in the units chosen. Sure links count as possible too. For AER, let the probe
translate with the gold file's own targets (`target_text`).
"""


@dataclass(frozen=True)
class Options:
    """How alignments are made of attention."""

    source: str = "all"  # heads as `L6H1,L5H3`, the mean of a layer as `L5`, or of `all` heads
    units: str = "words"  # or pieces
    weight: str = "alpha"  # or norm: norm-weighted attention (Kobayashi et al. 2020)
    threshold: float | None = None  # of the weight; None: the largest of each row
    without_supervised: bool = False
    allow_cut: bool = False  # translations that ended at the limit of their length


# Sentences ---------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """The weights between the units of one sentence and its translation, without special tokens."""

    weights: np.ndarray  # [layer, head, target, source]; zeros where no row reads a target
    chosen: np.ndarray  # [layer, head]: whether a head is of the source
    layers: list[str]
    heads: list[str]

    @property
    def mean(self) -> np.ndarray:
        """The mean over the heads of the source: [target, source]."""
        return attention_view.mean_of_heads(self.weights, self.chosen)


def read_pairs(result: Result, options: Options, step: Step) -> Iterator[Pair]:
    """The sentences of a run, in order, with the weights of every head that was kept.

    A target's row is the one that predicts it, at step `output` (the usual choice), or the one that
    reads it, at step `input` (Chen et al. 2020). ResultError says which sentence cannot be aligned.
    """
    items = result.each("sentence")
    if not items:
        raise ResultError(f"{result.path}: there is no text in it: it has no sentences")
    for item in items:
        if OUTPUTS[options.weight] not in item:
            raise ResultError(f"{result.path}: {_missing(options.weight)}")
        if not options.allow_cut:
            _check_ended(result, item)
        array = item[OUTPUTS[options.weight]]
        layers, heads = (array.labels[dim] for dim in ("decoder_layer", "decoder_head"))
        chosen = chosen_heads(options.source, layers, heads)
        if options.without_supervised:
            chosen = _unsupervised(result, array, chosen, options.source)
        yield Pair(_weights(result, item, options, step), chosen, layers, heads)


def _missing(weight: str) -> str:
    if weight == "norm":
        return "it has no norm-weighted cross-attention; `keep.norms` keeps it"
    return "it has no cross-attention; `keep.kinds` keeps it"


def _check_ended(result: Result, item: Item) -> None:
    if not result["ended"].values[item.index]:
        length = int(result["target_length"].values[item.index])
        raise ResultError(
            f"{result.path}: sentence {item.index + 1} is too long: its translation was cut at the "
            f"limit, after {length} tokens; --allow-cut aligns what there is"
        )


def _weights(result: Result, item: Item, options: Options, step: Step) -> np.ndarray:
    """Weights between units, [layer, head, target, source]."""
    in_words = options.units == "words"
    pieces = item[OUTPUTS[options.weight]].labels["source_key"]
    predicted = item["predicted_token"].values.tolist()
    sources = _units(pieces, item["source_word_of"].values if in_words else None)
    targets = _units(predicted, item["predicted_word_of"].values if in_words else None)
    if sources.max(initial=-1) < 0:
        raise ResultError(f"{result.path}: there is no text in sentence {item.index + 1}")
    weights = item[OUTPUTS[options.weight]].values.astype(float)
    if options.weight == "norm":  # so that a threshold is a share of a row, as it is of attention
        weights = weights / weights.sum(axis=-1, keepdims=True)
    rows = attention_view.rows_of_tokens(len(targets), step)
    merged = attention_view.merge(weights[..., rows, :], targets[: len(rows)], sources)
    missing = targets.max(initial=-1) + 1 - merged.shape[2]  # at the end, where no row reads them
    return np.pad(merged, ((0, 0), (0, 0), (0, missing), (0, 0)))


def _units(pieces: Sequence[str], word_of: np.ndarray | None) -> np.ndarray:
    """The unit of each piece, [piece]: itself or its word, counted from 0; -1 of special tokens.

    An unknown piece stands for a part of the text, and so counts.
    """
    own = ~attention_view.is_special(pieces, unknown=False)
    words = np.arange(len(pieces)) if word_of is None else word_of
    units = np.full(len(pieces), -1)
    units[own] = attention_view.word_units(words[own])
    return units


# Heads -------------------------------------------------------------------------------------------


def chosen_heads(source: str, layers: Sequence[str], heads: Sequence[str]) -> np.ndarray:
    """Which heads, [layer, head], a source names: `L6H1,L5H3`, a layer as `L5`, or `all`.

    layers and heads are the labels of those kept.
    """
    chosen = np.full((len(layers), len(heads)), source == "all")
    for part in source.split(",") if source != "all" else ():
        match = re.fullmatch(r"(L[0-9]+)(H[0-9]+)?", part.strip())
        if not match:
            allowed = "allowed are heads as L6H1,L5H3, a layer as L5, and all"
            raise ResultError(f"--source: {part!r} is no head; {allowed}")
        layer, head = match.groups()
        if layer not in layers or (head and head not in heads):
            kept = f"layers {', '.join(layers)} and heads {', '.join(heads)}"
            raise ResultError(f"--source: {part.strip()} is not among what was kept: {kept}")
        chosen[layers.index(layer), heads.index(head) if head else slice(None)] = True
    return chosen


def _unsupervised(result: Result, array: Array, chosen: np.ndarray, source: str) -> np.ndarray:
    """Those of chosen[layer, head] that were not trained to align."""
    supervised = result["supervised"]
    kept = [
        [supervised.labels[dim].index(label) for label in array.labels[dim]]
        for dim in ("decoder_layer", "decoder_head")
    ]
    left = chosen & (supervised.values[np.ix_(*kept)] == 0)
    if not left.any():
        raise ResultError(f"--without-supervised: all heads of {source} are supervised")
    return left


# Links -------------------------------------------------------------------------------------------


def links(weights: np.ndarray, threshold: float | None = None) -> np.ndarray:
    """Which units are linked, [..., target, source], from weights of the same axes.

    Each target with the source of most weight (the first of equal ones), or, with a threshold,
    with every source of at least so much. A row of zeros has no link.
    """
    if threshold is not None:
        return weights >= threshold
    best = weights.argmax(axis=-1)[..., np.newaxis] == np.arange(weights.shape[-1])
    return best & (weights > 0)


def pharaoh(linked: np.ndarray) -> str:
    """Links of linked[target, source] as `source-target`, by source."""
    return " ".join(f"{source}-{target}" for source, target in np.argwhere(linked.T))


def alignment_lines(result: Result, options: Options, step: Step) -> Iterator[str]:
    """The links of each sentence of a run as a Pharaoh line."""
    for pair in read_pairs(result, options, step):
        yield pharaoh(links(pair.mean, options.threshold))


class Scores(NamedTuple):
    """How links fit gold ones: those of the source, and of every head kept, [layer, head]."""

    source: Fit
    by_head: Fit
    layers: list[str]
    heads: list[str]


def scores(result: Result, gold: Sequence[Gold], options: Options, step: Step) -> Scores:
    """How the alignments of a run at one step fit gold links, a line of them per sentence."""
    count = len(result.each("sentence"))
    if count and count != len(gold):
        counts = f"{count} sentences, but there are {len(gold)} lines of gold links"
        raise ResultError(f"{result.path}: it has {counts}")
    of_source, of_heads = [], []
    for pair, line in zip(read_pairs(result, options, step), gold, strict=True):
        masks = line.masks(*pair.weights.shape[2:])
        of_source.append(fit(links(pair.mean, options.threshold), *masks))
        of_heads.append(fit(links(pair.weights, options.threshold), *masks))
    return Scores(total(of_source), total(of_heads), pair.layers, pair.heads)


# The program -------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints alignments, or how well they fit; gives the exit code."""
    chosen = _parser().parse_args(arguments)
    options = Options(
        chosen.source, chosen.units, chosen.weight, chosen.extract,
        chosen.without_supervised, chosen.allow_cut,
    )  # fmt: skip
    try:
        with Result.open(chosen.result) as result:
            run = result.first_run()
            if chosen.gold is None:
                for line in alignment_lines(run, options, chosen.step):
                    print(line)
            else:
                _print_scores(run, _gold(chosen), options)
    except ResultError as error:
        print(f"alignments.py: {error}", file=sys.stderr)
        return 2
    return 0


def _gold(chosen: argparse.Namespace) -> list[Gold]:
    if chosen.gold_base is None:
        raise ResultError("--gold: --gold-base must say whether its indices count from 0 or 1")
    return read_gold(chosen.gold, chosen.gold_base)


def _print_scores(result: Result, gold: Sequence[Gold], options: Options) -> None:
    both = {step: scores(result, gold, options, step) for step in STEPS}
    rows = [(options.source, step, found.source) for step, found in both.items()]
    for step, found in both.items():
        for layer, head in np.ndindex(found.by_head.links.shape):
            name = found.layers[layer] + found.heads[head]
            rows.append((name, step, found.by_head.at(layer, head)))
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow("source step precision recall aer links sure possible".split())
    for name, step, one in rows:
        numbers = (f"{number:.4f}" for number in (one.precision, one.recall, one.error_rate))
        table.writerow([name, step, *numbers, one.links, one.sure, one.possible])


def _extract(text: str) -> float | None:
    """The threshold of an argument: None of `argmax`."""
    if text == "argmax":
        return None
    try:
        threshold = float(text)
    except ValueError:
        threshold = -1
    if not 0 < threshold <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is neither argmax nor a number up to 1")
    return threshold


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="alignments.py", description=__doc__, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add = parser.add_argument
    add("result", metavar="RESULT", type=Path, help="a result of opus-mt-probe")
    add("--source", default="all", help="L6H1,L5H3: the mean of heads; L5: of a layer; all")
    add("--step", choices=STEPS, default="output", help="the row that predicts or reads a token")
    add("--extract", type=_extract, metavar="argmax|T", help="one source per target, or all from T")
    add("--units", choices=UNITS, default="words", help="what is linked (default: words)")
    add("--weight", choices=OUTPUTS, default="alpha", help="attention, or norm-weighted attention")
    add("--without-supervised", action="store_true", help="leaves out heads trained to align")
    add("--allow-cut", action="store_true", help="aligns translations cut at their limit too")
    add("--gold", type=Path, metavar="FILE", help="gold links to compare with")
    add("--gold-base", type=int, choices=(0, 1), help="what the indices of --gold count from")
    return parser


if __name__ == "__main__":
    sys.exit(main())
