"""The pictures of attention-query: the grid, the weights, the field of queries, the outputs, and
the comparison with the encoder's last summary alone."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np
import place
import style
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from refran_result import Array, Result

NUMBERED = 12  # rows and columns up to which cells hold their number
QUERIES = 4  # panels of one picture
RUNS = 6  # of a sweep, side by side
KEYS = 6  # panels of the field; bars of a panel up to which arithmetic is written beside them
PARTS = 6  # source words up to which proportions are stacked bars


def figures(result: Result) -> Iterator[tuple[str, Figure]]:
    """The pictures of one set of queries, keys and values."""
    yield "grid", grid(result)
    count = result["weight"].shape[0]
    for page in range(ceil(count / QUERIES)):
        shown = range(page * QUERIES, min((page + 1) * QUERIES, count))
        suffix = f"-{page + 1}" if count > QUERIES else ""
        yield f"weights{suffix}", weights(result, shown)
        if result["weight"].shape[1] <= PARTS:
            yield f"with-and-without{suffix}", comparison_bars(result, shown)
    if result["weight"].shape[1] > PARTS:
        yield "with-and-without", comparison_map(result)
    if "field_weight" in result:
        yield "field", field(result)
    yield "output", output(result)


def sweep_figures(result: Result) -> Iterator[tuple[str, Figure]]:
    """The attention grids of a sweep along one axis, side by side."""
    weight = result["weight"] if "weight" in result else None
    if weight is not None and len(result.axes) == 1 and weight.shape[0] <= RUNS:
        yield "sweep-grid", sweep_grid(result, weight)


def _page(result: Result, shown: range) -> str:
    count = result["weight"].shape[0]
    if len(shown) == count:
        return ""
    return f" Queries {shown[0] + 1} to {shown[-1] + 1} of {count}."


# The weights -------------------------------------------------------------------------------------


def grid(result: Result) -> Figure:
    """A row per query, a column per key, the weight as darkness and as a number."""
    weight = result["weight"]
    slide = style.Slide(
        result,
        "The attention grid: where each output word looks",
        "Rows: the words being written, each with its query. Columns: the source words, each with "
        "its key. Every row of weights sums to 1.",
    )
    axes = slide.grid()[0, 0]
    image = axes.imshow(weight.values, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
    axes.set_xlabel("source word (key)")
    axes.set_ylabel("output word (query)")
    slide.color_bar(image, "weight")
    style.label_positions(axes, weight.labels["key"], weight.labels["query"])
    if max(weight.shape) <= NUMBERED:
        style.cell_numbers(axes, image, ".3f")
    return slide


def sweep_grid(result: Result, weight: Array) -> Figure:
    """A grid per run of the sweep: weight[axis, query, key]."""
    axis = weight.dims[0]
    slide = style.Slide(
        result,
        f"The attention grid, by {axis}",
        "Rows: the words being written. Columns: the source words. Every row of weights sums to 1.",
    )
    count = weight.shape[0]
    columns = min(count, 3)
    panels = slide.grid(ceil(count / columns), columns, sharex=True, sharey=True)
    for run, axes in enumerate(panels.flat):
        if run >= count:
            axes.set_axis_off()
            continue
        image = axes.imshow(weight.values[run], cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
        name = style.shorten(result.axis_labels(axis)[run])
        axes.set_title(name, loc="left", weight="bold", size=style.TEXT)
        if max(weight.shape[1:]) * columns <= NUMBERED:
            style.cell_numbers(axes, image, ".3f")
    slide.color_bar(image, "weight")
    style.label_positions(panels, weight.labels["key"], weight.labels["query"])
    return slide


def weights(result: Result, shown: range) -> Figure:
    """A panel per query: its scores and weights, [query, key]."""
    slide = style.Slide(
        result,
        "Softmax turns each query’s scores into weights that sum to 1",
        "Numbers: the weight, and in brackets the score: the dot product of query and key"
        + (", divided by the square root of their dimension" if _is_scaled(result) else "")
        + "."
        + _page(result, shown),
    )
    panels = slide.grid(1, max(len(shown), 2), sharey=True)[0]
    for axes, query in zip(panels, shown):
        _weight_panel(axes, result, query)
    for axes in panels[len(shown) :]:
        axes.set_axis_off()
    style.label_positions(panels[0], y=result["weight"].labels["key"])
    return slide


def _is_scaled(result: Result) -> bool:
    return result.setting("config.scoring") == "scaled-dot"


def _weight_panel(axes: Axes, result: Result, query: int) -> None:
    weight, score = result["weight"].at(query=query), result["score"].values[query]
    keys = weight.labels["key"]
    strongest = int(np.argmax(weight.values))
    colors = [style.HIGHLIGHT if k == strongest else style.FAINT for k in range(len(keys))]
    bars = axes.barh(range(len(keys)), weight.values, color=colors, edgecolor=style.GREY)
    few = len(keys) <= KEYS
    texts = [f"{value:.3f}" if few or value >= 0.01 else "" for value in weight.values]
    if few:
        scores = [style.minus(f"({value:.2f})") for value in score]
        texts = [f"{text}  {value}" for text, value in zip(texts, scores, strict=True)]
    axes.bar_label(bars, texts, padding=4, size=style.SMALL if few else 10)
    axes.set_ylim(max(len(keys), 2) - 0.4, -0.6)
    axes.set_xlim(0, 1.75 if few else 1.3)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.spines["bottom"].set_bounds(0, 1)
    axes.tick_params(left=False)
    axes.set_xlabel("weight", loc="left")
    vector = result["query_vector"].values[query]
    where = f"\nquery {style.vector(vector, 2)}" if len(vector) <= 2 else ""
    title = style.shorten(result["weight"].labels["query"][query], 16) + where
    axes.set_title(title, loc="left", weight="bold", size=style.SMALL + 1)


# With and without attention ----------------------------------------------------------------------


def _parts(result: Result) -> tuple[np.ndarray, np.ndarray, list[str], bool]:
    """What each output word gets of each source word, without attention [word] and with it
    [query, word]; the words; whether the first is the encoder's start, left out where it has no
    share."""
    without, with_it = result["box_share"].values[-1], result["weight_by_word"].values
    words = result["box_share"].labels["word"]
    has_start = len(words) > len(result["box_share"].labels["box"])
    if has_start and not without[0] and not with_it[:, 0].any():
        return without[1:], with_it[:, 1:], words[1:], False
    return without, with_it, words, has_start


def comparison_bars(result: Result, shown: range) -> Figure:
    """Three stacked bars per query: the last summary alone, the attention weights of the boxes, and
    what these hold of each word."""
    without, with_it, words, has_start = _parts(result)
    # A box has the name of the word read last; none is the encoder's start.
    by_box = np.pad(result["weight_by_box"].values, ((0, 0), (int(has_start), 0)))
    slide = style.Slide(
        result,
        "What each output word gets, without and with attention",
        "Without attention: what the last summary holds. With it: the weight of each box (the "
        "summary after that word), chosen anew, and what the boxes so weighed hold of each word."
        + _page(result, shown),
    )
    panels = slide.grid(max(len(shown), 2), 1)[:, 0]
    names = result["weight"].labels["query"]
    for axes, query in zip(panels, shown):
        rows = np.vstack([without, by_box[query], with_it[query]])
        style.stacked_bars(axes, rows, words, has_start)
        axes.set_yticks([0, 1, 2], ["without attention:\none vector", "with attention:\nby box",
                                    "with attention:\nas words"])  # fmt: skip
        axes.set_title(f"writing {names[query]}", loc="left", weight="bold", size=style.TEXT)
    for axes in panels[len(shown) :]:
        axes.set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    slide.legend(
        handles, labels, loc="upper right", ncol=len(labels), fontsize=style.TEXT,
        bbox_to_anchor=(1 - style.MARGIN, slide.body[1] + slide.body[3] + 0.015),
        handlelength=1.2, columnspacing=1.5, borderaxespad=0,
    )  # fmt: skip
    return slide


def comparison_map(result: Result) -> Figure:
    """The same for many source words: a row without attention, then one per query."""
    without, with_it, words, _ = _parts(result)
    slide = style.Slide(
        result,
        "What each output word gets, without and with attention",
        "First row: the encoder’s last summary, which is all there is without attention. Other "
        "rows: what each output word gets with attention. Every row sums to 1.",
    )
    axes = slide.grid()[0, 0]
    rows = np.vstack([without, with_it])
    image = axes.imshow(rows, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")
    axes.axhline(0.5, color=style.INK, lw=2)
    slide.color_bar(image, "proportion")
    style.label_positions(axes, words, ["without attention", *result["weight"].labels["query"]])
    return slide


# The field ---------------------------------------------------------------------------------------


def field(result: Result) -> Figure:
    """A plane of queries per key: the weight that key gets, field_weight[query_y, query_x, key]."""
    weight = result["field_weight"]
    keys = weight.labels["key"]
    shown = keys[:KEYS]
    note = "Every place in the plane is a query; dark is a weight near 1. Lines: weights of 0.1, "
    note += "0.5 and 0.9. Squares: keys. Circles: the queries."
    if len(shown) < len(keys):
        note += f" The first {len(shown)} of {len(keys)} keys."
    slide = style.Slide(result, "How much weight each key gets, wherever the query is", note)
    columns = min(len(shown), 3)
    panels = slide.grid(ceil(len(shown) / columns), columns, sharex=True, sharey=True)
    for key, axes in enumerate(panels.flat):
        if key < len(shown):
            image = _field_panel(axes, result, key)
            axes.set_title(f"weight of {shown[key]}", loc="left", weight="bold", size=style.TEXT)
        else:
            axes.set_axis_off()
    slide.color_bar(image, "weight")
    slide.settle()  # labels need to know where the panels are
    for key, axes in enumerate(list(panels.flat)[: len(shown)]):
        _mark_field(axes, result, only_key=key if len(shown) > 3 else None)
    return slide


def _field_panel(axes: Axes, result: Result, key: int) -> QuadMesh:
    """The image of one key's weight, with its contours."""
    x, y = result["field_x"].values, result["field_y"].values
    values = result["field_weight"].values[:, :, key]
    image = axes.pcolormesh(
        x, y, values, cmap=style.WEIGHTS, vmin=0, vmax=1, shading="nearest", rasterized=True
    )
    axes.contour(x, y, values, levels=[0.1, 0.5, 0.9], colors=style.INK, linewidths=[0.8, 1.8, 0.8])
    axes.set_aspect("equal")
    if axes.get_subplotspec().is_last_row():
        axes.set_xlabel("dimension 1")
    if axes.get_subplotspec().is_first_col():
        axes.set_ylabel("dimension 2")
    return image


def _mark_field(axes: Axes, result: Result, only_key: int | None) -> None:
    """Keys and queries, with their names; in small panels only with that of the panel's key."""
    keys, queries = result["key_vector"], result["query_vector"]
    names = [*keys.labels["key"], *queries.labels["query"]]
    points = np.vstack([keys.values, queries.values])
    count = len(keys.values)
    marks = {"ls": "", "mec": style.INK, "ms": 9, "zorder": 5}
    axes.plot(*points[:count].T, marker="s", color=style.PALETTE[3], **marks)
    axes.plot(*points[count:].T, marker="o", color=style.HIGHLIGHT, **marks)
    placer = place.Placer(axes)
    placer.keep_clear(points, 5)
    named = np.flatnonzero(_inside(axes, points)) if only_key is None else [only_key]
    box = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1.5}
    placer.label(points[named], [names[index] for index in named], box=box)


def _inside(axes: Axes, points: np.ndarray) -> np.ndarray:
    """Which of points[point, xy] the limits hold."""
    low = np.array([axes.get_xlim()[0], axes.get_ylim()[0]])
    high = np.array([axes.get_xlim()[1], axes.get_ylim()[1]])
    return np.all((points >= low) & (points <= high), axis=1)


# The outputs -------------------------------------------------------------------------------------


def output(result: Result) -> Figure:
    """Values and outputs in the plane of the first two value dimensions."""
    value, averaged = result["value"], result["output"]
    count, dims = value.shape
    on_line = count == 2 or dims == 1
    place_name = "on the line between the values" if on_line else "among the values"
    note = "Squares: the values of the source words. Circles: each query’s output, their average, "
    note += "nearest to where the weights are large."
    if dims > 2:
        note += f" Shown are the first 2 of {dims} dimensions."
    title = f"Every output lies {place_name}"
    slide = style.Slide(result, title, note)
    left, bottom, width, height = slide.body
    axes = slide.add_axes((left + 0.06, bottom + 0.07, 0.56 * width, height - 0.08))
    _draw_outputs(axes, value, averaged)
    start = left + 0.56 * width + 0.1
    panel = slide.add_axes((start, bottom, left + width - start, height))
    panel.set_axis_off()
    _list_outputs(panel, result)
    return slide


def _draw_outputs(axes: Axes, value: Array, averaged: Array) -> None:
    """value[key, value_dim] and averaged[query, value_dim]."""
    values, outputs = style.plane(value.values), style.plane(averaged.values)
    _limits(axes, values)
    names = value.labels["value_dim"]
    numbered = not value.has_labels("value_dim")
    axes.set_xlabel(f"value dimension {names[0]}" if numbered else names[0])
    if value.shape[1] > 1:
        axes.set_ylabel(f"value dimension {names[1]}" if numbered else names[1])
    else:
        axes.set_yticks([])
    axes.grid(color=style.FAINT, linewidth=0.6)
    placer = place.Placer(axes)
    outline = values[_hull(values)]
    if len(outline) > 2:
        outline = np.vstack([outline, outline[:1]])
    axes.plot(*outline.T, color=style.GREY, lw=1.5, ls=(0, (4, 3)), zorder=2)
    placer.avoid_line(outline)
    axes.plot(*values.T, "s", ms=13, color=style.PALETTE[0], mec=style.INK, ls="", zorder=4)
    axes.plot(*outputs.T, "o", ms=11, color=style.HIGHLIGHT, mec=style.INK, ls="", zorder=5)
    placer.keep_clear(values, 7)
    placer.keep_clear(outputs, 6)
    size = style.TEXT if len(values) + len(outputs) <= 12 else 12
    placer.label(outputs, averaged.labels["query"], size=size, weight="bold", radius=6)
    placer.label(values, value.labels["key"], size=size, radius=7)


def _limits(axes: Axes, values: np.ndarray) -> None:
    """Limits round values[key, xy], each dimension at its own scale."""
    low, high = values.min(axis=0), values.max(axis=0)
    pad = np.where(high > low, 0.15 * (high - low), 0.5)
    axes.set_xlim(low[0] - pad[0], high[0] + pad[0])
    axes.set_ylim(low[1] - pad[1], high[1] + pad[1])


def _hull(points: np.ndarray) -> list[int]:
    """Which of points[point, xy] are the corners of their convex hull, in order round it."""
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()

    def chain(indices: list[int]) -> list[int]:
        kept: list[int] = []
        for index in indices:
            while len(kept) >= 2 and _turn(*points[[kept[-2], kept[-1], index]]) <= 0:
                kept.pop()
            kept.append(index)
        return kept[:-1]

    return chain(order) + chain(order[::-1]) or order


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Positive where the way from a over b to c turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _list_outputs(panel: Axes, result: Result) -> None:
    """The arithmetic of each output where it is short, else only the outputs."""
    value, weight, averaged = result["value"], result["weight"], result["output"]
    short = value.shape[0] <= 2 and value.shape[1] <= 2
    rows = min(weight.shape[0], 4 if short else 8)
    for query in range(rows):
        y = 0.98 - 0.92 / max(rows, 3) * query
        panel.text(0, y, weight.labels["query"][query], va="top", weight="bold")
        line = f"= {style.vector(averaged.values[query, :4])}"
        if short:
            pairs = zip(weight.values[query], value.values, strict=True)
            line = "\n+ ".join(f"{w:.3f} · {style.vector(v)}" for w, v in pairs) + f"\n{line}"
        panel.text(0, y - 0.065, line, va="top", size=style.TEXT - 1, linespacing=1.3)
    if rows < weight.shape[0]:
        panel.text(0, 0.02, f"… and {weight.shape[0] - rows} more", size=style.SMALL)
