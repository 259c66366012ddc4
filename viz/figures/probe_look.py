"""What the pictures of opus-mt-probe share: maps of layers and heads, tokens along axes, values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from probe_run import Head, Heads

LARGEST = 14  # points, of a value in a cell
ORDINALS = {2: "2nd", 3: "3rd"}


def label_tokens(axes: Axes, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Names rows and columns; where not all fit, the axis' label says every how many are named."""
    style.label_positions(axes, columns, rows)
    for axis, labels in ((axes.xaxis, columns), (axes.yaxis, rows)):
        ticks = axis.get_ticklocs()
        if len(ticks) < len(labels):
            step = int(ticks[1] - ticks[0])
            text = f"{axis.get_label_text()}, every {ORDINALS.get(step, f'{step}th')} named"
            axis.set_label_text(text)


def cell_size(axes: Axes, shape: Sequence[int]) -> tuple[float, float]:
    """Width and height in points of a cell of an image of that shape, [row, column]."""
    scale = 72 / axes.figure.dpi
    return axes.bbox.width * scale / shape[1], axes.bbox.height * scale / shape[0]


def number_size(figure: Figure, cell: tuple[float, float], widest: str) -> float | None:
    """The size at which a number fits into a cell; None where none does."""
    at_ten = style.text_width(figure, widest or "0", 10)
    size = min(LARGEST, 10 * (cell[0] - 4) / at_ten, (cell[1] - 2) / 1.2)
    return float(np.floor(size)) if size >= style.FOOTER else None


def write_numbers(image: AxesImage, *forms: Callable[[float], str]) -> None:
    """Writes the value into every cell of an image, in the first of the forms that fits."""
    values = np.ma.filled(image.get_array(), np.nan)
    for form in forms:
        texts = [form(value) if np.isfinite(value) else "" for value in values.ravel()]
        if write_texts(image, np.array(texts, dtype=object).reshape(values.shape)):
            return


def write_texts(image: AxesImage, texts: np.ndarray) -> bool:
    """Writes texts[row, column] into the cells of an image if they fit; whether they did."""
    axes, values = image.axes, np.ma.filled(image.get_array(), np.nan)
    widest = max(texts.ravel(), key=len, default="")
    size = number_size(axes.figure, cell_size(axes, texts.shape), widest.replace("1", "0"))
    if size is None:
        return False
    for (row, column), text in np.ndenumerate(texts):
        if text:
            ink = style.ink_on(image.cmap(image.norm(values[row, column])))
            axes.text(column, row, text, ha="center", va="center", color=ink, size=size)
    return True


def frame(axes: Axes, supervised: bool) -> None:
    """A thin frame round a small map; a thick orange one where the head is supervised."""
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color(style.HIGHLIGHT if supervised else style.FAINT)
        spine.set_linewidth(3 if supervised else 0.8)
    axes.set_xticks([])
    axes.set_yticks([])


def box(
    axes: Axes, row: float, column: float, color: str = style.HIGHLIGHT, width: float = 3
) -> None:
    """A box round a cell of a map."""
    axes.add_patch(
        Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, ec=color, lw=width, zorder=4,
                  clip_on=False)  # fmt: skip
    )


class HeadMap(NamedTuple):
    """A map of layers and heads, to which columns of other numbers are added behind a gap."""

    values: np.ndarray  # [row, column]; NaN in the gap
    rows: list[str]
    columns: list[str]
    boxes: list[tuple[int, int]]  # rows and columns

    @classmethod
    def of(cls, heads: Heads, boxed: Collection[Head] = ()) -> HeadMap:
        """Of values[layer, head]; some heads have a box."""
        rows, columns = [f"L{n}" for n in heads.layers], [f"H{n}" for n in heads.heads]
        return cls(heads.values, rows, columns, [heads.place(head) for head in boxed])

    def beside(self, more: dict[str, np.ndarray]) -> HeadMap:
        """With a gap, and more[name][row] as further columns."""
        gap = np.full((len(self.rows), 1), np.nan)
        values = np.hstack([self.values, gap, np.stack(list(more.values()), axis=1)])
        return self._replace(values=values, columns=[*self.columns, "", *more])


def head_maps(
    slide: style.Slide,
    maps: dict[str, HeadMap],
    colors: Colormap,
    limits: tuple[float, float],
    label: str,
    box_color: str = style.HIGHLIGHT,
) -> list[AxesImage]:
    """A panel per map, under its name, all in one scale that a bar explains."""
    panels = slide.grid(1, len(maps))[0]
    colors = colors.with_extremes(bad=style.PAPER)
    images = []
    for axes, (name, drawn) in zip(panels, maps.items(), strict=True):
        images.append(axes.imshow(drawn.values, cmap=colors, vmin=limits[0], vmax=limits[1],
                                  aspect="auto", interpolation="nearest"))  # fmt: skip
        for place in drawn.boxes:
            box(axes, *place, box_color)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.set_title(name, loc="left", size=style.SMALL, weight="bold")
        axes.set_ylabel("layer", size=style.SMALL)
    slide.color_bar(images[0], label)
    for axes, drawn in zip(panels, maps.values()):
        style.label_positions(axes, drawn.columns, drawn.rows)
    return images


def signed(value: float, form: str = ".2f") -> str:
    """A number with its sign, a true minus, and none before a zero."""
    text = f"{value:+{form}}"
    return text.lstrip("+-") if float(text) == 0 else style.minus(text)
