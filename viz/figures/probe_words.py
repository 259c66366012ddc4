"""Averaged cross-attention of opus-mt-probe in words: the source shaded for every output word, and
the alignment."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

import numpy as np
import probe_look as look
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from probe_run import Average, Probe, Sentence

LARGEST = 20  # points, of the text of a row
PAGED = 10  # points, of the text where one picture does not hold all rows
# In parts of the size of the text: between words, beside a word, the height of a line, and of what
# is between rows of several lines.
SPACE, AROUND, LINE, BETWEEN = 0.18, 0.14, 1.35, 0.7
KEY = 20  # points, of the line above the rows that explains the colours
LINKED = 30  # words up to which lines are drawn beside the map


def figures(probe: Probe, sentence: Sentence) -> Iterator[tuple[str, Figure]]:
    """The source shaded for every output word, in pages, and the alignment."""
    if "cross" in sentence.kinds:
        average = probe.average(sentence)
        yield from shaded(probe, sentence, average)
        yield f"{sentence.file_name}-alignment", alignment(probe, sentence, average)


# The source, shaded ------------------------------------------------------------------------------


class Measured(NamedTuple):
    """Output words, cut where they are long, and how wide they and the source's words are, in parts
    of the size of the text."""

    rows: list[str]
    label: float  # the widest of the rows
    widths: np.ndarray

    @classmethod
    def of(cls, slide: Figure, average: Average) -> Measured:
        """The words of an average."""

        def width(word: str) -> float:
            return style.text_width(slide, word, LARGEST) / LARGEST

        rows = [style.shorten(row, 20) for row in average.shown.rows]
        label = 1.12 * max(map(width, set(rows)))  # they are bold
        width_of = {word: width(word) for word in set(average.shown.columns)}
        return cls(rows, label, np.array([width_of[word] for word in average.shown.columns]))


class Plan(NamedTuple):
    """Where the texts of a row stand, in points: the output word ends at `label`, the words of the
    source start at starts[word, xy] right of it, and the largest weight ends at `right`."""

    size: float
    rows: list[str]
    label: float
    starts: np.ndarray
    widths: np.ndarray
    right: float
    lines: int
    per_page: int

    @property
    def height(self) -> float:
        """Of a row, with the room to the next one."""
        return (LINE * self.lines + (BETWEEN if self.lines > 1 else 0)) * self.size

    @classmethod
    def of(cls, measured: Measured, size: float, width: float, height: float) -> Plan:
        """For text of that size, in so much room."""
        label = measured.label * size
        room = width - label - 4 * size  # of the last four three are the number's
        widths = (measured.widths + 2 * AROUND) * size
        starts = np.zeros((len(widths), 2))
        x, line = 0.0, 0
        for number, own in enumerate(widths):
            if x and x + own > room:
                x, line = 0.0, line + 1
            starts[number] = x, line * LINE * size
            x += own + SPACE * size
        right = label + float((starts[:, 0] + widths).max()) + 4 * size
        plan = cls(size, measured.rows, label, starts, widths, right, line + 1, 0)
        return plan._replace(per_page=max(1, int(height // plan.height)))


def shaded(probe: Probe, sentence: Sentence, average: Average) -> Iterator[tuple[str, Figure]]:
    """A row per output word: the words of the source, the darker the more it looks at them."""
    name = f"{sentence.file_name}-source"
    count = len(average.shown.rows)
    longest = f"Output words {count} to {count} of {count}."
    plan = _plan(*_shaded_slide(probe, sentence, average, longest), average)
    pages = ceil(count / plan.per_page)
    each = ceil(count / pages)
    for page in range(pages):
        shown = range(page * each, min((page + 1) * each, count))
        said = f"Output words {shown[0] + 1} to {shown[-1] + 1} of {count}." if pages > 1 else ""
        slide, axes = _shaded_slide(probe, sentence, average, said)
        _draw_rows(axes, plan, average, shown)
        yield name + (f"-{page + 1}" if pages > 1 else ""), slide


def _shaded_slide(
    probe: Probe, sentence: Sentence, average: Average, said: str
) -> tuple[style.Slide, Axes]:
    """A slide whose axes are in points, from the left upper corner."""
    note = (
        f"{sentence.number}. Each row: a word of the output, and the source, the darker the "
        f"larger the weight; boxed, and written at the end: the largest. {average.note} {said}"
    )
    title = f"Cross-attention, {average.name}: source shaded"
    slide = style.Slide(probe.result, title, note.strip())
    axes = slide.grid()[0, 0]
    axes.set_axis_off()
    slide.settle()
    width, height = (side * 72 / slide.dpi for side in (axes.bbox.width, axes.bbox.height))
    _scale(axes, width, average.limit)
    axes.set_xlim(0, width)
    axes.set_ylim(height - KEY, -KEY)
    return slide, axes


def _scale(axes: Axes, width: float, limit: float) -> None:
    """A strip of the colours above the rows, which leaves them the whole width."""
    look_of = {"size": style.SMALL, "va": "center_baseline"}
    middle = -0.6 * KEY
    axes.text(width, middle, f"{limit:.1f}", ha="right", **look_of)
    axes.imshow(np.linspace(0, 1, 101)[np.newaxis], cmap=style.WEIGHTS, aspect="auto",
                extent=(width - 190, width - 30, middle + 6, middle - 6))  # fmt: skip
    axes.text(width - 196, middle, "weight, linear: 0", ha="right", **look_of)


def _plan(slide: style.Slide, axes: Axes, average: Average) -> Plan:
    """The largest text with which all rows fit into one picture, in one line each; else one that
    needs several."""
    height, width = float(axes.get_ylim()[0]), float(axes.get_xlim()[1])
    measured = Measured.of(slide, average)
    for size in range(LARGEST, style.FOOTER - 1, -1):
        plan = Plan.of(measured, size, width, height)
        if plan.lines == 1 and plan.per_page >= len(average.shown.rows):
            return plan
    return Plan.of(measured, PAGED, width, height)


def _draw_rows(axes: Axes, plan: Plan, average: Average, shown: range) -> None:
    size = plan.size
    for place, row in enumerate(shown):
        weights, top = average.weights[row], place * plan.height
        look_of = {"size": size, "va": "center_baseline"}
        middle = top + LINE * size / 2
        axes.text(plan.label, middle, plan.rows[row], ha="right", weight="bold", **look_of)
        largest = int(np.argmax(weights))
        for word, (x, y) in enumerate(plan.starts + [plan.label + size, top]):
            color = style.WEIGHTS(weights[word] / average.limit)
            is_largest = word == largest
            axes.add_patch(Rectangle(
                (x, y + 0.08 * size), plan.widths[word], (LINE - 0.16) * size, fc=color,
                ec=style.INK if is_largest else "none", lw=1.2,
            ))  # fmt: skip
            axes.text(x + AROUND * size, y + LINE * size / 2, average.shown.columns[word],
                      color=style.ink_on(color), **look_of)  # fmt: skip
        axes.text(plan.right, middle, f"{weights[largest]:.2f}", ha="right", color=style.GREY,
                  **look_of)  # fmt: skip


# The alignment -----------------------------------------------------------------------------------


def alignment(probe: Probe, sentence: Sentence, average: Average) -> Figure:
    """A map of weights with the links boxed, and beside it the links as lines."""
    few = max(len(average.shown.rows), len(average.shown.columns)) <= LINKED
    beside = "" if few else " Lines beside the map are left out, as there are too many words."
    note = (
        f"{sentence.where} Boxed: for every output word the source word of most weight, special "
        f"tokens left out. {average.note}{beside}"
    )
    title = f"Cross-attention, {average.name}: alignment"
    slide = style.Slide(probe.result, title, note)
    panels = slide.grid(1, 2 if few else 1)[0]
    image = panels[0].imshow(average.weights, cmap=style.WEIGHTS, vmin=0, vmax=average.limit,
                             aspect="auto", interpolation="nearest")  # fmt: skip
    panels[0].set_xlabel("source word", size=style.SMALL)
    panels[0].set_ylabel(average.shown.row_name, size=style.SMALL)
    slide.color_bar(image, "weight, linear scale")
    if few:
        panels[1].set_axis_off()
    look.label_tokens(panels[0], average.shown.columns, average.shown.rows)
    cell = min(look.cell_size(panels[0], average.weights.shape))
    for row, column in average.links:
        look.box(panels[0], row, column, width=float(np.clip(cell / 8, 1, 3)))
    if few:
        _lines(panels[1], average)
    return slide


def _lines(axes: Axes, average: Average) -> None:
    """The words of the source at the left, those written at the right, and the links."""
    axes.figure.settle()
    most = max(len(average.shown.rows), len(average.shown.columns))
    room = axes.bbox.height * 72 / axes.figure.dpi / most
    size = float(np.clip(np.floor(room / 1.2), style.FOOTER, style.TEXT))
    axes.set_xlim(0, 1)
    axes.set_ylim(1, 0)
    places = [(np.arange(len(words)) + 0.5) / len(words)
              for words in (average.shown.columns, average.shown.rows)]  # fmt: skip
    for x, words, at, side in ((0.36, average.shown.columns, places[0], "right"),
                               (0.64, average.shown.rows, places[1], "left")):  # fmt: skip
        for word, y in zip(words, at):
            axes.text(x, y, style.shorten(word, 20), ha=side, va="center", size=size)
    for row, column in average.links:
        axes.plot([0.37, 0.63], [places[0][column], places[1][row]], color=style.PALETTE[0],
                  lw=0.5 + 4 * average.weights[row, column], solid_capstyle="round")  # fmt: skip
