"""The pictures of referent-training: how it learns, where "it" looks, which head does what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import referent_ablation
import referent_atlas
import referent_attention
import referent_comparison
import referent_controls
import referent_credit
import referent_curves
import referent_jobs
from matplotlib.figure import Figure
from referent_runs import Runs, groups
from refran_result import Result

KINDS = (
    referent_curves,
    referent_attention,
    referent_jobs,
    referent_ablation,
    referent_credit,
    referent_controls,
    referent_atlas,
)


def figures(result: Result) -> Iterator[tuple[str, Figure]]:
    """The pictures of a single run; those of a sweep show all its runs at once."""
    if not result.where:
        yield from _pictures(next(groups(result)), "")


def sweep_figures(result: Result) -> Iterator[tuple[str, Figure]]:
    """The pictures of a sweep: over its seeds, for every point of its other axes, and these points
    side by side."""
    others = [axis for axis in result.axes if axis != "seed"]
    found = list(groups(result))
    for number, runs in enumerate(found):
        yield from _pictures(runs, _suffix(runs, number) if others else "")
    if len(found) > 1:
        yield from referent_comparison.figures(found[: referent_comparison.MOST])


def compare_figures(results: Sequence[Result]) -> Iterator[tuple[str, Figure]]:
    """The pictures of several results side by side."""
    found = [runs for result in results for runs in groups(result)]
    if len(found) > 1:
        yield from referent_comparison.figures(found[: referent_comparison.MOST])


def _suffix(runs: Runs, number: int) -> str:
    """What tells a group's files apart: `-heads-2`, or its number where that is no short word."""
    where = runs.result.where.items()
    parts = [f"-{axis.rpartition('.')[2]}-{value}" for axis, value in where if axis != "seed"]
    text = "".join(parts)
    return text if re.fullmatch(r"[-\w.]{2,40}", text) else f"-{number + 1}"


def _pictures(runs: Runs, suffix: str) -> Iterator[tuple[str, Figure]]:
    for kind in KINDS:
        for name, figure in kind.figures(runs):
            yield name + suffix, figure
