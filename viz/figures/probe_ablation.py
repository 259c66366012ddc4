#!/usr/bin/python3
"""What heads do in opus-mt-probe: scores with heads off beside those with none off, as a table.

A study is a text of sentence pairs, translated and scored anew under every condition.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import seed_statistics as statistics
import translation_scores as translation
from refran_result import Result, ResultError
from translation_scores import Comparison

ALPHA = 0.05
PARTS = {"all": None, "half 0": 0, "half 1": 1}  # the pairs' half; None: both

EPILOG = """\
A row per condition, score and part of the pairs. Log-probability is of the reference, per token of
the corpus; BLEU and chrF are of the model's own translations (sacreBLEU's definitions), and
`changed` is the share of translations that differ from those with no head off. Intervals (95 %) and
p come from the paired bootstrap over pairs (Koehn 2004; Michel et al. 2019); p is two-sided.

Heads are chosen on half 0 of the pairs, by their p there, and reported on half 1, so that none is
there by luck. `p_holm` is adjusted after Holm over all conditions; on half 1, over those chosen.
"""


class Score(NamedTuple):
    """A corpus score of every condition, as sums over pairs."""

    unit: str
    base: np.ndarray  # [pair, statistic], with no head off
    others: np.ndarray  # [condition, pair, statistic]
    of_sums: Callable[[np.ndarray], np.ndarray]  # from [..., statistic]


class Study(NamedTuple):
    """An ablation study; its conditions are without the one that has no head off."""

    protocol: str  # single, all_but_one or greedy
    conditions: list[str]
    kinds: np.ndarray  # [condition]: encoder_self, decoder_self, cross
    layers: np.ndarray  # [condition], from 0
    heads: np.ndarray  # [condition], from 0
    supervised: np.ndarray  # [condition]: whether the head was trained to align
    half: np.ndarray  # [pair]
    scores: dict[str, Score]

    def part(self, name: str) -> np.ndarray:
        """The positions, [pair], of one of the PARTS."""
        wanted = PARTS[name]
        return np.flatnonzero(np.isin(self.half, [0, 1] if wanted is None else [wanted]))


class Effect(NamedTuple):
    """How the conditions change a score on a part of the pairs; arrays are [condition]."""

    found: Comparison
    p_holm: np.ndarray  # NaN where a condition is not among those tested
    chosen: np.ndarray  # whether half 0 alone tells the condition from none off


# Reading -----------------------------------------------------------------------------------------


def read_study(result: Result) -> Study:
    """The study of a run; ResultError where it has none."""
    if "ablation_log_probability" not in result:
        raise ResultError(f"{result.path}: it has no ablation study; `ablation.pairs` asks for one")
    kinds = result["ablation_kind"].values.astype(str)
    is_base = kinds == "none"
    if is_base.sum() != 1:
        raise ResultError(f"{result.path}: its study has no single condition with no head off")
    order = np.concatenate([np.flatnonzero(is_base), np.flatnonzero(~is_base)])
    labels = result["ablation_log_probability"].labels["condition"]
    kinds, others = kinds[order[1:]], order[1:]
    layers, heads = (result[f"ablation_{name}"].values[others] for name in ("layer", "head"))
    supervised = kinds == "cross"
    supervised[supervised] = result["supervised"].values[layers[supervised], heads[supervised]] == 1
    protocol = str(result.setting("config.ablation.protocol") or "single")
    return Study(
        protocol, [labels[k] for k in others], kinds, layers, heads, supervised,
        result["ablation_half"].values, dict(_scores(result, order)),
    )  # fmt: skip


def _scores(result: Result, order: np.ndarray) -> Iterator[tuple[str, Score]]:
    """The scores a run has; `order` has its conditions, the one with no head off first."""
    sums = result["ablation_log_probability"].values[order]
    lengths = np.broadcast_to(result["reference_length"].values, sums.shape)
    yield "log_probability", _score(np.stack([sums, lengths], -1), "nat", translation.per_token)
    if "ablation_translation" not in result:
        return
    written, references = result["ablation_translation"].values[order], result["reference"].values
    bleu = [translation.bleu_statistics(texts, references) for texts in written]
    yield "bleu", _score(np.stack(bleu), "point", translation.bleu)
    chrf = [translation.chrf_statistics(texts, references) for texts in written]
    yield "chrf", _score(np.stack(chrf), "point", translation.chrf)
    changed = np.stack([written != written[0], np.ones_like(written, dtype=bool)], -1)
    yield "changed", _score(changed.astype(float), "1", translation.per_token)


def _score(systems: np.ndarray, unit: str, of_sums: Callable[[np.ndarray], np.ndarray]) -> Score:
    return Score(unit, systems[0], systems[1:], of_sums)


# Statistics --------------------------------------------------------------------------------------


def compare(study: Study, score: str, part: str, resamples: int | None = None) -> Comparison:
    """How each condition changes a score on one of the PARTS, with interval and p."""
    pairs, one = study.part(part), study.scores[score]
    if resamples is None:
        resamples = translation.enough_resamples(len(study.conditions), ALPHA)
    found = translation.paired_bootstrap(
        one.base[pairs], one.others[:, pairs], one.of_sums, resamples
    )
    if score == "changed":  # it cannot fall, so that there is nothing to test
        found = found._replace(p=np.full_like(found.p, np.nan))
    return found


def effects(study: Study, score: str, resamples: int | None = None) -> dict[str, Effect]:
    """The effect of every condition on a score, by part of the pairs."""
    found = {part: compare(study, score, part, resamples) for part in PARTS}
    every = np.ones(len(study.conditions), dtype=bool)
    chosen = _holm(found["half 0"].p, every) < ALPHA
    tested = {"all": every, "half 0": every, "half 1": chosen}
    return {part: Effect(found[part], _holm(found[part].p, tested[part]), chosen) for part in PARTS}


def _holm(p: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """P values, [condition], adjusted over those tested[condition]; NaN for the others."""
    tested = tested & ~np.isnan(p)
    adjusted = np.full(p.shape, np.nan)
    adjusted[tested] = statistics.holm(p[tested])
    return adjusted


def head_map(study: Study, kind: str, values: np.ndarray) -> np.ndarray:
    """The values[condition] of a kind as [layer, head]; NaN where a head was not studied."""
    own = study.kinds == kind
    layers, heads = study.layers[own], study.heads[own]
    shape = (layers.max(initial=-1) + 1, heads.max(initial=-1) + 1)
    placed = np.full(shape, np.nan)
    placed[layers, heads] = values[own]
    return placed


class Average(NamedTuple):
    """The mean change over the heads of a kind, or over those that are not supervised."""

    kind: str
    with_supervised: bool
    mean: float


def averages(study: Study, changes: np.ndarray) -> list[Average]:
    """Means of changes[condition] by kind; without supervised heads too, where there are any.

    Conditions of the greedy protocol build on each other, so that they have no mean.
    """
    means = []
    for kind in dict.fromkeys(study.kinds.tolist()) if study.protocol != "greedy" else ():
        own = study.kinds == kind
        means.append(Average(kind, True, float(changes[own].mean())))
        left = own & ~study.supervised
        if left.any() and not np.array_equal(left, own):
            means.append(Average(kind, False, float(changes[left].mean())))
    return means


# The program -------------------------------------------------------------------------------------

COLUMNS = (
    "condition kind layer head supervised score unit part pairs none change low high p p_holm "
    "chosen"
).split()


def table(study: Study, resamples: int | None = None) -> Iterator[list[str]]:
    """The rows of the program's table, as texts under COLUMNS."""
    for score, one in study.scores.items():
        for part, effect in effects(study, score, resamples).items():
            about = [score, one.unit, part, str(len(study.part(part)))]
            about.append(_text(effect.found.base))
            yield from _rows(study, about, effect)
            for kind, with_supervised, mean in averages(study, effect.found.change):
                name = f"mean of {kind}" + ("" if with_supervised else " without supervised")
                yield [name, kind, "", "", "", *about, _text(mean), "", "", "", "", ""]


def _rows(study: Study, about: list[str], effect: Effect) -> Iterator[list[str]]:
    found = effect.found
    columns = zip(found.change, found.low, found.high, found.p, effect.p_holm)
    for k, numbers in enumerate(columns):
        head = [f"L{study.layers[k] + 1}", f"H{study.heads[k] + 1}"]
        flags = [str(int(flag[k])) for flag in (study.supervised, effect.chosen)]
        name = [study.conditions[k], study.kinds[k], *head, flags[0]]
        yield [*name, *about, *map(_text, numbers), flags[1]]


def _text(number: float) -> str:
    return "" if np.isnan(number) else f"{number:.6g}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table of a study; gives the exit code."""
    options = _parser().parse_args(arguments)
    try:
        with Result.open(options.result) as result:
            study = read_study(result.first_run())
    except ResultError as error:
        print(f"probe_ablation.py: {error}", file=sys.stderr)
        return 2
    _warn(study, options.resamples)
    rows = [COLUMNS, *table(study, options.resamples)]
    if options.csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        return 0
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(map(str.ljust, row, widths)).rstrip())
    return 0


def _warn(study: Study, resamples: int | None) -> None:
    """Says where no head could pass the test, however large its effect."""
    count = len(study.conditions)
    if resamples is not None and 2 * count / (resamples + 1) >= ALPHA:
        print(
            f"probe_ablation.py: with {resamples} resamples no p adjusted for {count} conditions "
            f"can be below {ALPHA}; {translation.enough_resamples(count, ALPHA)} are enough",
            file=sys.stderr,
        )


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a count of resamples")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="probe_ablation.py", description=__doc__, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("result", metavar="RESULT", type=Path, help="a result of opus-mt-probe")
    parser.add_argument("--csv", action="store_true", help="comma-separated, not in columns")
    parser.add_argument(
        "--resamples", type=_count, metavar="N",
        help="of the bootstrap (default: 1000, or more where Holm over the heads needs more)",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
