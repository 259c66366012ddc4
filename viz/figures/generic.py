"""Pictures of any result, after what it says of itself: its outputs' dimensions, labels and units.

Numbers along one numbered dimension become a curve, along a labelled one bars, along two a
heatmap, along three or four small heatmaps; single values become a table. Of a sweep, what each
run has one number or one curve of is drawn over all runs, and the rest of the first run.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from refran_result import Array, Item, Result

PANELS = 12  # at most, of one picture
ITEMS = 6  # at most, of one list
ROWS = 16  # at most, of a table
GROUPS = 5  # points of a sweep in one picture
THIN = 20  # up to so many runs each has its own line

Picture = tuple[str, Figure]


def pictures(result: Result) -> Iterator[Picture]:
    """One picture per output, and one table of all single values."""
    run = result.first_run()
    if result.axes:
        yield from _sweep_pictures(result)
    yield from _table(run)
    for name, array in run.items():
        if array.dims:
            yield from _picture(run, name, array, "")
    for list_name in run.lists:
        items = run.each(list_name)
        for item in items[:ITEMS]:
            yield from _item_pictures(run, list_name, item, len(items))


def _item_pictures(run: Result, list_name: str, item: Item, count: int) -> Iterator[Picture]:
    where = f"{list_name} {item.index + 1}: {item.label}"
    if count > ITEMS:
        where += f" (the first {ITEMS} of {count} are drawn)"
    for name, array in item.items():
        if array.dims:
            yield from _picture(run, f"{list_name}-{item.index}-{name}", array, where)


def _picture(run: Result, name: str, array: Array, where: str) -> Iterator[Picture]:
    """The picture that suits an output's rank; none for texts along several dimensions."""
    if not all(array.shape):
        return
    file_name = name.replace("/", "-").replace("=", "-")
    note = " ".join(part for part in (where and where + ".", _extents(array)) if part)
    if array.is_text:
        if len(array.dims) == 1:
            rows = list(zip(array.labels[array.dims[0]], map(str, array.values), strict=True))
            yield file_name, _table_slide(run, _sentence(array), note, rows)
        return
    draw = {1: _line, 2: _heatmap}.get(len(array.dims), _panels)
    yield file_name, draw(run, array, note)


def _sentence(array: Array) -> str:
    """What an output is, as a title."""
    return array.doc.rstrip(".") or array.name.replace("_", " ")


def _extents(array: Array) -> str:
    """The dimensions and their extents: `share[step 27, part 27]`."""
    sizes = ", ".join(f"{dim} {size}" for dim, size in zip(array.dims, array.shape, strict=True))
    return f"{array.name}[{sizes}]"


# One run -----------------------------------------------------------------------------------------


def _line(run: Result, array: Array, note: str) -> Figure:
    """A curve along a numbered dimension, bars along a labelled one."""
    slide = style.Slide(run, _sentence(array), note)
    axes = slide.grid()[0, 0]
    dim = array.dims[0]
    axes.set_ylabel(style.quantity(array))
    if array.has_labels(dim):
        axes.bar(range(len(array.values)), array.values, color=style.PALETTE[0])
        axes.axhline(0, color=style.GREY, lw=0.8)
        axes.set_xlim(-0.6, len(array.values) - 0.4)
        style.label_positions(axes, array.labels[dim])
        return slide
    marker = "o" if len(array.values) <= 40 else ""
    axes.plot(array.scales[dim], array.values, color=style.PALETTE[0], lw=2, marker=marker)
    axes.set_xlabel(dim.replace("_", " "))
    return slide


def _heatmap(run: Result, array: Array, note: str) -> Figure:
    """Rows and columns as the dataset has them."""
    slide = style.Slide(run, _sentence(array), note)
    axes = slide.grid()[0, 0]
    image = _image(axes, array, _range(array.values))
    slide.color_bar(image, style.quantity(array))
    rows, columns = array.dims
    axes.set_xlabel(columns.replace("_", " "))
    axes.set_ylabel(rows.replace("_", " "))
    style.label_positions(axes, array.labels[columns], array.labels[rows])
    if array.shape[0] <= 10 and array.shape[1] <= 10:
        style.cell_numbers(axes, image, ".3g")
    return slide


def _panels(run: Result, array: Array, note: str) -> Figure:
    """A small heatmap per position along the dimensions before the last two."""
    positions = list(np.ndindex(*array.shape[:-2]))
    if len(positions) == 1:
        return _heatmap(run, array.at(**dict.fromkeys(array.dims[:-2], 0)), note)
    if len(positions) > PANELS:
        note += f" Drawn are the first {PANELS} of {len(positions)} panels."
        positions = positions[:PANELS]
    slide = style.Slide(run, _sentence(array), note)
    columns = min(len(positions), max(2, ceil(np.sqrt(1.6 * len(positions)))))
    grid = slide.grid(ceil(len(positions) / columns), columns, sharex=True, sharey=True)
    limits = _range(array.values)
    for axes, position in zip(grid.flat, positions):
        panel = array.at(**dict(zip(array.dims, position)))
        image = _image(axes, panel, limits)
        names = [f"{dim} {array.labels[dim][at]}" for dim, at in zip(array.dims, position)]
        axes.set_title(", ".join(names), size=style.SMALL)
    for axes in list(grid.flat)[len(positions) :]:
        axes.set_axis_off()
    slide.color_bar(image, style.quantity(array))
    rows, columns_dim = array.dims[-2:]
    for axes in grid[-1]:
        axes.set_xlabel(columns_dim.replace("_", " "), size=style.SMALL)
    for axes in grid[:, 0]:
        axes.set_ylabel(rows.replace("_", " "), size=style.SMALL)
    style.label_positions(grid, array.labels[columns_dim], array.labels[rows])
    return slide


def _range(values: np.ndarray) -> tuple[float, float]:
    """The limits of the colours; from 0 where there are no negative numbers."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    low = min(low, 0.0) if low >= 0 else low
    return low, high if high > low else low + 1


def _image(axes: Axes, array: Array, limits: tuple[float, float]) -> AxesImage:
    colors = style.WEIGHTS if limits[0] >= 0 else style.NUMBERS
    return axes.imshow(
        array.values, cmap=colors, vmin=limits[0], vmax=limits[1], aspect="auto",
        interpolation="nearest",
    )  # fmt: skip


def _table(run: Result) -> Iterator[Picture]:
    """All outputs without dimensions, in one table."""
    single = [array for array in run.values() if not array.dims]
    if not single:
        return
    rows = [(_sentence(array), _value_text(array)) for array in single]
    yield "values", _table_slide(run, f"The single values of {run.experiment}", "", rows)


def _value_text(array: Array) -> str:
    value = array.values[()]
    text = str(value) if array.is_text else style.minus(f"{value:.6g}")
    return text if array.unit in ("", "1") else f"{text} {array.unit}"


def _table_slide(run: Result, title: str, note: str, rows: list[tuple[str, str]]) -> Figure:
    """Names at the left, values beside them; long texts are cut."""
    if len(rows) > ROWS:
        note = f"{note} The first {ROWS} of {len(rows)} rows.".strip()
    slide = style.Slide(run, title, note)
    left, bottom, width, height = slide.body
    points = width * style.SLIDE[0] * 72
    for row, (name, value) in enumerate(rows[:ROWS]):
        y = bottom + height * (1 - (row + 0.5) / max(min(len(rows), ROWS), 6))
        name = style.cut(slide, name, style.SMALL, 0.52 * points)
        value = style.cut(slide, value, style.TEXT, 0.45 * points)
        slide.text(left, y, name, va="center", size=style.SMALL, color=style.GREY)
        slide.text(left + 0.55 * width, y, value, va="center")
    return slide


# Sweeps ------------------------------------------------------------------------------------------


def _sweep_pictures(result: Result) -> Iterator[Picture]:
    """What each run has one number or one curve of, over the axes."""
    for name, array in result.items():
        own = array.dims[len(result.axes) :]
        if array.is_text or not all(array.shape):
            continue
        if not own:
            yield from _over_axes(result, name, array)
        elif "seed" in result.axes and len(own) == 1 and not array.has_labels(own[0]):
            yield f"sweep-{name}", _curves(result, array)


def _runs(result: Result, array: Array) -> np.ndarray:
    """The values as floats, [axes…, dims…], NaN where the run failed."""
    done = result.completed.reshape(result.completed.shape + (1,) * len(array.dims))
    done = done.reshape(done.shape[: len(array.dims)])
    return np.where(done, array.values.astype(float), np.nan)


def _mean(values: np.ndarray, axis: int) -> np.ndarray:
    """The mean along an axis without NaN; NaN where there is nothing else."""
    count = np.isfinite(values).sum(axis=axis)
    return np.where(count > 0, np.nansum(values, axis=axis) / np.maximum(count, 1), np.nan)


def _over_axes(result: Result, name: str, array: Array) -> Iterator[Picture]:
    """One number per run: over one axis beside the seeds, or a heatmap over two."""
    others = [axis for axis in array.dims if axis != "seed"]
    if len(others) <= 1:
        yield f"sweep-{name}", _numbers(result, array, others[0] if others else "seed")
    elif len(others) == 2:
        values, note = _runs(result, array), f"{array.name} of every run."
        if "seed" in array.dims:
            values = _mean(values, array.dims.index("seed"))
            note = f"{array.name}, the mean over the seeds."
        scales = {axis: np.array(result.axis_labels(axis), dtype=object) for axis in others}
        about = {"unit": array.unit, "doc": array.doc}
        mean = Array(array.name, values, tuple(others), lambda: scales, **about)
        yield f"sweep-{name}", _heatmap(result, mean, note)


def _numbers(result: Result, array: Array, axis: str) -> Figure:
    """A mark per run, and the mean over the seeds as a line."""
    slide = style.Slide(result, f"{_sentence(array)}, by {axis}", f"{array.name} of every run.")
    axes = slide.grid()[0, 0]
    runs = np.moveaxis(_runs(result, array), array.dims.index(axis), 0)
    runs = runs.reshape(len(runs), -1)
    numeric = not array.has_labels(axis)
    places = array.scales[axis].astype(float) if numeric else np.arange(len(runs))
    look = {"ls": "", "marker": "o", "mfc": "none", "ms": 8}
    axes.plot(np.repeat(places, runs.shape[1]), runs.ravel(), color=style.PALETTE[0], **look)
    if "seed" in array.dims and axis != "seed":
        axes.plot(places, _mean(runs, 1), color=style.INK, lw=2, label="mean over the seeds")
        style.legend_above(axes)
    axes.set_ylabel(style.quantity(array))
    axes.set_xlabel(axis)
    if not numeric or len(places) <= 12:
        axes.set_xticks(places, result.axis_labels(axis))
    return slide


def _curves(result: Result, array: Array) -> Figure:
    """Curves over the seeds, for every point of the other axes: [axes…, dim]."""
    seeds = array.dims.index("seed")
    curves = np.moveaxis(_runs(result, array), seeds, -2)  # [other axes…, seed, dim]
    others = [axis for axis in result.axes if axis != "seed"]
    groups = list(np.ndindex(*curves.shape[:-2]))
    lines = not others and curves.shape[-2] <= THIN
    note = f"{array.name} of {curves.shape[-2]} seeds. "
    note += "Thin lines: the seeds." if lines else "Bands: 95 % of the seeds."
    note += " Thick lines: their mean."
    if len(groups) > GROUPS:
        note += f" Drawn are the first {GROUPS} of {len(groups)} points of the sweep."
    slide = style.Slide(result, f"{_sentence(array)}, over the seeds", note)
    axes = slide.grid()[0, 0]
    x = array.scales[array.dims[-1]].astype(float)
    for number, group in enumerate(groups[:GROUPS]):
        names = [f"{axis} {result.axis_labels(axis)[at]}" for axis, at in zip(others, group)]
        _seeds(axes, x, curves[group], style.series(number), ", ".join(names), lines)
    axes.set_xlabel(array.dims[-1].replace("_", " "))
    axes.set_ylabel(style.quantity(array))
    if others:
        style.legend_above(axes)
    return slide


def _seeds(
    axes: Axes, x: np.ndarray, curves: np.ndarray, look: style.Series, name: str, lines: bool
) -> None:
    """The curves[seed, x] of one point of the sweep: thin lines or a band, and their mean."""
    mean = _mean(curves, 0)
    if lines:
        axes.plot(x, curves.T, color=look.color, lw=0.8, alpha=0.6)
    else:
        known = curves[np.isfinite(curves).any(axis=1)]
        if len(known):
            low, high = np.nanpercentile(known, [2.5, 97.5], axis=0)
            axes.fill_between(x, low, high, color=look.color, alpha=0.25, lw=0)
    axes.plot(x, mean, color=look.color, ls=look.line, lw=3, label=name)
