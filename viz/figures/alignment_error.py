"""Gold word alignments, and how well found ones fit them: precision, recall and AER."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from refran_result import ResultError


class Gold:
    """Gold links of one sentence, counted from 0, and the line they are from, as `roen.gold:7`."""

    def __init__(self, line: str, where: str, base: int) -> None:
        self.where = where
        self._base = base
        self._links = [self._link(text) for text in line.split()]

    def _link(self, text: str) -> tuple[int, int, bool]:
        """Source, target, and whether it is sure."""
        match = re.fullmatch(r"([0-9]+)([-p?])([0-9]+)", text)
        if not match:
            allowed = "links are i-j (sure) and ipj or i?j (possible)"
            raise ResultError(f"{self.where}: {text!r} is no link; {allowed}")
        source, target = int(match[1]), int(match[3])
        if min(source, target) < self._base:
            raise ResultError(f"{self.where}: {text} has index 0, but --gold-base is 1")
        return source - self._base, target - self._base, match[2] == "-"

    def masks(self, targets: int, sources: int) -> tuple[np.ndarray, np.ndarray]:
        """Sure links, and sure or possible ones, of a pair of so many units: [target, source]."""
        sure, possible = np.zeros((2, targets, sources), dtype=bool)
        for source, target, is_sure in self._links:
            for name, index, extent in (("source", source, sources), ("target", target, targets)):
                if index >= extent:
                    raise ResultError(
                        f"{self.where}: {name} index {index + self._base} is out of range, as the "
                        f"sentence has {extent}, counted from {self._base}"
                    )
            possible[target, source] = True
            sure[target, source] |= is_sure
        return sure, possible


def read_gold(path: Path, base: int) -> list[Gold]:
    """The gold links of each sentence of a file, whose indices count from `base`, 0 or 1."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ResultError(f"{path}: cannot be read: it is no UTF-8 text") from None
    return [Gold(line, f"{path}:{number}", base) for number, line in enumerate(lines, 1)]


class Fit(NamedTuple):
    """How links fit gold ones: summable counts, of each head or of one source alone."""

    links: np.ndarray  # [layer, head], or a number
    sure_hits: np.ndarray
    possible_hits: np.ndarray
    sure: int
    possible: int  # the sure ones among them

    def at(self, layer: int, head: int) -> Fit:
        """That of one head."""
        counts = (count[layer, head] for count in self[:3])
        return Fit(*counts, self.sure, self.possible)

    @property
    def precision(self) -> np.ndarray:
        """The share of links that are possible; NaN without links."""
        return _ratio(self.possible_hits, self.links)

    @property
    def recall(self) -> np.ndarray:
        """The share of sure links that are found."""
        return _ratio(self.sure_hits, self.sure)

    @property
    def error_rate(self) -> np.ndarray:
        """The alignment error rate, AER (Och & Ney 2003): 0 is best."""
        return 1 - _ratio(self.sure_hits + self.possible_hits, self.links + self.sure)


def _ratio(part: np.ndarray, whole: np.ndarray | int) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.divide(part, whole)


def fit(linked: np.ndarray, sure: np.ndarray, possible: np.ndarray) -> Fit:
    """Fits links of one sentence, [..., target, source], with its gold masks, [target, source]."""
    counts = (found.sum(axis=(-2, -1)) for found in (linked, linked & sure, linked & possible))
    return Fit(*counts, int(sure.sum()), int(possible.sum()))


def total(fits: Sequence[Fit]) -> Fit:
    """The fit of a text, from those of its sentences."""
    return Fit(*(np.sum(column, axis=0) for column in zip(*fits, strict=True)))
