"""The look of all figures: colours, fonts, and the slide with its title and run id.

Colours differ in lightness, so that they stay apart in greyscale and for the colour-blind; where
there are more series than colours, hatches and markers tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, MultipleLocator
from refran_result import Array, Result

SLIDE = (40 / 3, 7.5)  # inches, 16:9
MARGIN = 0.035  # of the slide's width
GAP = 0.012  # between axes, beside the room of their labels
BAR = 0.012  # the width of a colour bar

# Points. A slide shown at half its size halves them.
TITLE, TEXT, SMALL, FOOTER = 24, 16, 13, 10

INK, GREY, FAINT, PAPER = "#1A1A1A", "#595959", "#D4D4D4", "#FFFFFF"
# After Okabe and Ito (2008); their lightness is 46, 71, 25, 89 and 58.
PALETTE = ("#0072B2", "#E69F00", "#4B2A6E", "#F0E442", "#009E73")
HATCHES = ("", "//", "..", "xx", "\\\\", "oo")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")
HIGHLIGHT = "#E69F00"

# White is 0, so that cells without weight look empty; its lightness falls all the way.
WEIGHTS = LinearSegmentedColormap.from_list(
    "weights", ["#FFFFFF", "#C9E3F4", "#5BA6D6", "#0072B2", "#00365A"]
).with_extremes(bad=FAINT)
NUMBERS = matplotlib.colormaps["cividis"].with_extremes(bad=FAINT)

_SETTINGS = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],  # matplotlib brings it along
    "font.size": TEXT,
    "axes.labelsize": TEXT,
    "axes.titlesize": TEXT,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "hatch.linewidth": 0.8,
    "text.color": INK,
    "text.parse_math": False,  # a `$` in a word is a `$`
    "text.hinting": "none",
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "refran",  # the same names in every file
    "pdf.fonttype": 42,  # fonts embedded as TrueType
}


def apply() -> None:
    """Sets the look, whatever a matplotlibrc of the user says."""
    matplotlib.use("agg")
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(_SETTINGS)


class Series(NamedTuple):
    """How the n-th of several things is told from the others, in colour and without."""

    color: str
    hatch: str
    marker: str
    line: str


def series(index: int) -> Series:
    """The look of series `index`; colours repeat with another hatch, marker and line."""
    turn, color = divmod(index, len(PALETTE))
    return Series(
        PALETTE[color],
        HATCHES[turn % len(HATCHES)],
        MARKERS[index % len(MARKERS)],
        LINES[index % len(LINES)],
    )


def lightness(color: str | Sequence[float]) -> float:
    """CIE L*, 0 (black) to 100 (white): what is left of a colour in greyscale."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 116 * luminance ** (1 / 3) - 16 if luminance > 0.008856 else 903.3 * luminance


def ink_on(color: str | Sequence[float]) -> str:
    """The colour of text that is legible on `color`."""
    return INK if lightness(color) > 52 else PAPER


# Slides ------------------------------------------------------------------------------------------


class Slide(Figure):
    """A 16:9 figure: a sentence above, the run id below, room for axes between.

    `body` is that room as (left, bottom, width, height), in fractions of the figure. Axes made by
    `grid` lay themselves out in it; axes added with `add_axes` stay where they are put.
    """

    def __init__(self, result: Result | Sequence[Result], title: str, note: str = "") -> None:
        """result: one, or those compared; title: what is shown, in a sentence; note: what else a
        reader should know."""
        super().__init__(figsize=SLIDE)
        FigureCanvasAgg(self)
        self.headline = title
        self.note = note
        width = 1 - 2 * MARGIN
        top = self._paragraph(title, 0.965, TITLE, width, weight="bold")
        if note:
            top = self._paragraph(note, top - 0.012, SMALL, width, color=GREY)
        bottom = self._footer(result)
        self.body = (MARGIN, bottom + 0.02, width, top - bottom - 0.042)
        self._grid: np.ndarray | None = None
        self._bar: Axes | None = None

    def grid(self, rows: int = 1, columns: int = 1, **options: Any) -> np.ndarray:
        """Fills the body with axes, [row, column]; options are those of `Figure.subplots`."""
        self._grid = self.subplots(rows, columns, squeeze=False, **options)
        return self._grid

    def color_bar(self, image: ScalarMappable, label: str) -> None:
        """Explains the colours of an image at the right of the grid."""
        self._bar = self.add_axes((0.9, 0.2, BAR, 0.6))
        self.colorbar(image, cax=self._bar).outline.set_visible(False)
        self._bar.set_ylabel(label)

    def settle(self, rounds: int = 2) -> None:
        """Gives the axes of the grid all the room that their labels leave.

        Ticks may change with the room, hence two rounds. matplotlib's own layouts do not serve:
        they differ from run to run in the last digits.
        """
        for _ in range(rounds if self._grid is not None else 0):
            left, bottom, width, height = self.body
            if self._bar is not None:
                width -= BAR + _margins(self._bar)[2] + 2 * GAP
            # [row, column, side]: what the labels of each of the axes need.
            need = np.array([[_margins(axes) for axes in row] for row in self._grid])
            x, wide = _tracks(width, need[:, :, 0].max(axis=0), need[:, :, 2].max(axis=0))
            y, high = _tracks(height, need[::-1, :, 1].max(axis=1), need[::-1, :, 3].max(axis=1))
            for (row, column), axes in np.ndenumerate(self._grid):
                axes.set_position((left + x[column], bottom + y[::-1][row], wide, high))
            if self._bar is not None:
                tall = y[-1] + high - y[0]
                self._bar.set_position((left + width + 2 * GAP, bottom + y[0], BAR, tall))

    def _paragraph(self, text: str, top: float, size: float, width: float, **look: str) -> float:
        """Writes a text in lines no wider than `width`; gives where its lower edge is."""
        artist = self.text(MARGIN, top, "", size=size, va="top", linespacing=1.25, **look)
        artist.set_text(wrap(artist, text, width * self.bbox.width))
        return artist.get_window_extent().y0 / self.bbox.height

    def _footer(self, results: Result | Sequence[Result]) -> float:
        """Writes where the numbers come from; gives where the upper edge is."""
        if not isinstance(results, Result):
            ids = list(dict.fromkeys(result.run_id for result in results))
            return self._last_line(results[0].experiment, ids)
        result, left = results, results.experiment
        if result.where:
            run = ", ".join(f"{axis} = {value}" for axis, value in result.where.items())
            left += f": {'part' if result.axes else 'one run'} of a sweep, {run}"
        failed = int((~result.completed).sum())
        if failed:
            left += f" ({failed} of {result.completed.size} runs failed)"
        return self._last_line(left, [result.run_id])

    def _last_line(self, left: str, run_ids: list[str]) -> float:
        """Writes the last line; gives where its upper edge is."""
        runs = f"run{'s' if len(run_ids) > 1 else ''} {', '.join(run_ids)}"
        right = self.text(1 - MARGIN, 0.025, runs, size=FOOTER, color=GREY, ha="right")
        room = right.get_window_extent().x0 - MARGIN * self.bbox.width - 2 * FOOTER
        artist = self.text(MARGIN, 0.025, "", size=FOOTER, color=GREY)
        artist.set_text(wrap(artist, left, room))
        return artist.get_window_extent().y1 / self.bbox.height


def _margins(axes: Axes) -> tuple[float, float, float, float]:
    """How far labels reach beyond the axes: left, below, right, above, in parts of the figure."""
    box, around = axes.bbox, axes.get_tightbbox(axes.figure.canvas.get_renderer())
    if not axes.axison or around is None:
        return 0.0, 0.0, 0.0, 0.0
    width, height = axes.figure.bbox.width, axes.figure.bbox.height
    return (
        max(0.0, box.x0 - around.x0) / width,
        max(0.0, box.y0 - around.y0) / height,
        max(0.0, around.x1 - box.x1) / width,
        max(0.0, around.y1 - box.y1) / height,
    )


def _tracks(length: float, before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, float]:
    """Where axes of one size begin, and that size, if each needs room before and after it."""
    count = len(before)
    size = max(0.01, (length - before.sum() - after.sum() - GAP * (count - 1)) / count)
    starts = np.cumsum(before) + np.concatenate([[0], np.cumsum(after)[:-1]])
    return starts + (size + GAP) * np.arange(count), size


def wrap(artist: Text, text: str, width: float) -> str:
    """`text` broken into lines that, in the look of `artist`, are no wider than `width` pixels."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        artist.set_text(longer)
        if lines and artist.get_window_extent().width <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)


def text_width(figure: Figure, text: str, size: float) -> float:
    """The width of a text in points."""
    artist = figure.text(0, 0, text, size=size)
    width = artist.get_window_extent().width * 72 / figure.dpi
    artist.remove()
    return width


def cut(figure: Figure, text: str, size: float, width: float) -> str:
    """As much of a text as fits into `width` points, with … where something is missing."""
    if text_width(figure, text, size) <= width:
        return text
    while text and text_width(figure, text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"


# Axes --------------------------------------------------------------------------------------------


def quantity(array: Array) -> str:
    """An output's name with its unit, for the label of an axis."""
    name = array.name.replace("_", " ")
    return name if array.unit in ("", "1") else f"{name} ({array.unit})"


def label_positions(
    axes: Axes | np.ndarray, x: Sequence[str] = (), y: Sequence[str] = ()
) -> None:
    """Writes labels at 0 … n-1 along the axes, where there are any; of a grid, along its edge.

    Along x they stand upright where they would touch each other. Where not all fit, they become
    smaller, and then only every second one, third one … is written.
    """
    panels = np.atleast_2d(np.asarray(axes, dtype=object))
    for _ in range(2):  # labels of one side take room from the other
        for which, labels in (("y", y), ("x", x)):
            if labels:
                panels[0, 0].figure.settle(rounds=1)
                box, dpi = panels[0, 0].bbox, panels[0, 0].figure.dpi
                room = (box.width if which == "x" else box.height) * 72 / dpi
                for edge in panels[-1] if which == "x" else panels[:, 0]:
                    _label_axis(edge, which, [shorten(label) for label in labels], room)


def _label_axis(axes: Axes, which: str, labels: Sequence[str], room: float) -> None:
    size, upright = TEXT if len(labels) <= 8 else SMALL, False
    if which == "x":
        widest = max(text_width(axes.figure, label, size) for label in set(labels[:200]))
        upright = (widest + 0.6 * size) * len(labels) > room
    level = which == "x" and not upright
    while not level and size > FOOTER and _step(len(labels), room, size) > 1:
        size -= 1
    step = 1 if level else _step(len(labels), room, size)
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks(range(0, len(labels), step), labels[::step])
    axis.set_tick_params(rotation=90 if upright else 0, length=0, labelsize=size)


def _step(count: int, room: float, size: float) -> int:
    """Every how many positions there is room for a line of text."""
    return max(1, -int(-count * 1.2 * size // room))


def cell_numbers(axes: Axes, image: AxesImage, form: str = ".2f") -> None:
    """Writes the value into every cell of an image, [row, column], in ink that shows on it."""
    values = image.get_array()
    for (row, column), value in np.ndenumerate(np.ma.filled(values, np.nan)):
        if np.isfinite(value):
            ink = ink_on(image.cmap(image.norm(value)))
            text = minus(f"{value:{form}}")
            axes.text(column, row, text, ha="center", va="center", color=ink, size=TEXT)


def stacked_bars(
    axes: Axes, share: np.ndarray, parts: Sequence[str], has_start: bool = False
) -> None:
    """A bar per row of share[row, part], from top to bottom; `has_start`: part 0 is no word."""
    ends = np.cumsum(share, axis=1)
    for part, name in enumerate(parts):
        look = series(part - has_start)
        color, hatch = (FAINT, "//") if has_start and part == 0 else (look.color, look.hatch)
        bars = axes.barh(
            range(len(share)), share[:, part], left=ends[:, part] - share[:, part], height=0.7,
            label=name, color=color, hatch=hatch, edgecolor=PAPER, linewidth=1.5,
        )  # fmt: skip
        texts = [percent(value) if value >= 0.085 else "" for value in share[:, part]]
        axes.bar_label(bars, texts, label_type="center", color=ink_on(color), size=TEXT)
    axes.set_ylim(len(share) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([])
    axes.tick_params(left=False)
    axes.spines[["left", "bottom"]].set_visible(False)


def percent(share: float) -> str:
    """A share in percent, to three digits at most."""
    if 0 < share < 0.001:
        return "<0.1 %"
    return f"{100 * share:.3g} %" if share < 0.9995 else "100 %"


def vector(point: np.ndarray, digits: int = 3) -> str:
    """A point as (x, y), to so many decimals at most."""
    return minus("(" + ", ".join(f"{round(float(x), digits) + 0.0:g}" for x in point) + ")")


def plane(values: np.ndarray) -> np.ndarray:
    """values[point, dim] in two dimensions: the first two, or a second of zeros."""
    return np.pad(values, ((0, 0), (0, max(0, 2 - values.shape[1]))))[:, :2]


def minus(text: str) -> str:
    """A number's text with a true minus sign."""
    return text.replace("-", "−")


def legend_above(axes: Axes) -> None:
    """Names the series in a row above the axes."""
    entries = len(axes.get_legend_handles_labels()[1])
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncol=entries, fontsize=TEXT,
        handlelength=1.2, columnspacing=1.5, borderaxespad=0.2,
    )  # fmt: skip


def shorten(label: str, limit: int = 24) -> str:
    """A text of at most `limit` characters."""
    return label if len(label) <= limit else label[: limit - 1] + "…"


def square_limits(axes: Axes, points: np.ndarray, pad: float = 0.12) -> None:
    """Sets limits that hold all points[point, xy], at one scale for x and y, filling the axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    box = np.array([axes.bbox.width, axes.bbox.height])
    per_pixel = max(float(((high - low) / box).max()) * (1 + 2 * pad), 1e-9)
    half = box * per_pixel / 2
    middle = (low + high) / 2
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    most = int(np.clip(axes.bbox.width * 72 / axes.figure.dpi / 70, 2, 8))
    ticks = MaxNLocator(most).tick_values(0, 2 * float(half[0]))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(ticks[1] - ticks[0]))
