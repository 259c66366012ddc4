"""The runs of referent-training that share one config: their outputs, a seed each."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from refran_result import Array, Result

FEW = 4  # seeds up to which each has its own picture
THIN = 20  # seeds up to which each has its own line or mark
ATLAS = 20  # seeds from which on an atlas is drawn


class Runs:
    """The completed runs of one config.

    result: what a slide's last line names; name: the values of the axes beside the seed, empty
    where there are none; n: the number of runs; failed: of those that are left out.
    """

    def __init__(self, result: Result, points: list[dict[str, int]], failed: int) -> None:
        """points: the position of each completed run along the axes of the whole sweep."""
        self.result = result
        self.failed = failed
        self.n = len(points)
        self.one = result.run(points[0]) if points[0] else result  # it has the labels
        self._points = points
        where = {axis: text for axis, text in result.where.items() if axis != "seed"}
        self.name = ", ".join(f"{axis} {value}" for axis, value in where.items())

    def __contains__(self, name: str) -> bool:
        return name in self.one and all(self.one[name].shape)

    @property
    def _seeds_axis(self) -> bool:
        return "seed" in self.result.axes

    def about(self, name: str) -> Array:
        """An output of the first run, for its labels, unit and words."""
        return self.one[name]

    def values(self, name: str) -> np.ndarray:
        """An output of all runs, [seed, dims…]; numbers as float64."""
        if not self._seeds_axis:
            stacked = self.one[name].values[np.newaxis]
        else:
            stacked = self.result[name].values[[point["seed"] for point in self._points]]
        return stacked if stacked.dtype.kind in "OSU" else stacked.astype(float)

    def labels(self, name: str, dim: str) -> list[str]:
        """The names along a dimension of an output."""
        return self.one[name].labels[dim]

    def setting(self, key: str) -> Any:
        """A key of the config, as `config.heads`."""
        return self.one.setting(key)

    @cached_property
    def seeds(self) -> list[str]:
        """The seed of each run."""
        if self._seeds_axis:
            names = self.result.axis_labels("seed")
            return [names[point["seed"]] for point in self._points]
        return [str(self.setting("seed"))]

    @cached_property
    def heads(self) -> list[str]:
        """The names of all heads: L1H1, …, layer by layer."""
        labels = self.one["job"].labels
        return [layer + head for layer in labels["layer"] for head in labels["head"]]

    @property
    def per_layer(self) -> int:
        """The heads of a layer."""
        return len(self.one["job"].labels["head"])

    @property
    def layers(self) -> list[str]:
        """The names of the layers: L1, L2."""
        return self.one["job"].labels["layer"]

    @cached_property
    def sentence(self) -> str:
        """The template: `the {animal} didn't …`."""
        return str(self.setting("config.template"))

    @property
    def count(self) -> str:
        """`n = 3 seeds`, for notes."""
        seeds = f"n = {self.n} seeds" if self.n > 1 else f"n = 1 seed ({self.seeds[0]})"
        return seeds + (f", {self.failed} failed and left out" if self.failed else "")

    @cached_property
    def guessing(self) -> float | None:
        """The loss of a uniform guess among all words; None where the words are not known."""
        nouns, adjectives = self.setting("config.nouns"), self.setting("config.adjectives")
        if not (isinstance(nouns, dict) and isinstance(adjectives, dict)):
            return None
        words = set(re.sub(r"\{[^}]*\}", " ", self.sentence).split())
        for lists in (nouns, adjectives):
            words.update(word for group in lists.values() for word in group)
        return math.log(len(words))

    def roles_of_positions(self, name: str) -> list[str]:
        """What stands at each position of an output's sentences: a slot's name, it, other words."""
        return [
            label[1:-1] if label.startswith("{") else label if label == "it" else "other words"
            for label in self.labels(name, "position")
        ]


def groups(result: Result) -> Iterator[Runs]:
    """The runs of every point of the axes beside the seed, where any is complete."""
    others = [axis for axis in result.axes if axis != "seed"]
    extents = [len(result.axis(axis)) for axis in others]
    done = result.completed
    for position in np.ndindex(*extents):
        point = dict(zip(others, position))
        if "seed" in result.axes:
            here = done[tuple(point.get(axis, slice(None)) for axis in result.axes)]
            points = [{**point, "seed": int(at)} for at in np.flatnonzero(here)]
            failed = int((~here).sum())
        else:
            complete = not others or bool(done[position])
            points, failed = ([point] if complete else []), int(not complete)
        part = result.run(point) if point else result
        if points:
            yield Runs(part, points, failed)
        else:
            where = ", ".join(f"{axis} = {value}" for axis, value in part.where.items())
            leave_out(result, f"every run with {where} failed, so nothing is drawn of them")


def leave_out(result: Result, why: str) -> None:
    """Says which pictures are not drawn, and why."""
    print(f"draw.py: {result.path}: {why}", file=sys.stderr)
