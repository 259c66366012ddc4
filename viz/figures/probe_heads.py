"""The weights of opus-mt-probe: one head's grid of tokens, and small grids of all heads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import probe_look as look
import style
from matplotlib.figure import Figure
from probe_run import KINDS, Head, Heads, Probe, Sentence, Shown, heads_text

NAMED = 3  # weights that a note names
WRITTEN = 0.005  # smaller weights are not written into their cells


def figures(probe: Probe, sentence: Sentence) -> Iterator[tuple[str, Figure]]:
    """The grids of the heads chosen, then small ones of all heads of every kind."""
    for kind, head in probe.chosen(sentence):
        yield f"{sentence.file_name}-{_dashed(kind)}-{head.name}", grid(probe, sentence, kind, head)
    for kind in sentence.kinds:
        yield f"{sentence.file_name}-{_dashed(kind)}-all", all_heads(probe, sentence, kind)


def _dashed(kind: str) -> str:
    return kind.replace("_", "-")


# One head ----------------------------------------------------------------------------------------


def grid(probe: Probe, sentence: Sentence, kind: str, head: Head) -> Figure:
    """Rows look at columns, a token each; where there are many, every n-th is named."""
    shown = sentence.shown(kind)
    weights = shown.of(head)
    about = KINDS[kind]
    supervised = ", supervised" if kind == "cross" and head in probe.supervised else ""
    title = f"{about.title} {head.name}{supervised}: {about.question(probe.options.unit)}"
    note = f"{sentence.where} {strongest(shown, weights)} {shown.note(shown.heads.place(head))}"
    slide = style.Slide(probe.result, title, note)
    axes = slide.grid()[0, 0]
    image = axes.imshow(weights, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto",
                        interpolation="nearest")  # fmt: skip
    axes.set_xlabel(shown.column_name, size=style.SMALL)
    axes.set_ylabel(shown.row_name, size=style.SMALL)
    slide.color_bar(image, "weight, linear scale")
    look.label_tokens(axes, shown.columns, shown.rows)
    look.write_numbers(image, lambda weight: f"{weight:.2f}" if weight >= WRITTEN else "")
    return slide


def strongest(shown: Shown, weights: np.ndarray) -> str:
    """The largest of weights[row, column], with what looks at what."""
    order = np.argsort(-np.nan_to_num(weights), axis=None, kind="stable")[:NAMED]
    places = [np.unravel_index(place, weights.shape) for place in order]
    links = [f"“{shown.rows[row]}” → “{shown.columns[column]}” {weights[row, column]:.2f}"
             for row, column in places]  # fmt: skip
    return f"Largest: {', '.join(links)}."


def _extent(heads: Heads) -> str:
    """`L1H1 to L6H8`."""
    every = heads.every()
    return f"{every[0].name} to {every[-1].name}"


# All heads ---------------------------------------------------------------------------------------


def all_heads(probe: Probe, sentence: Sentence, kind: str) -> Figure:
    """A row of panels per layer, a column per head, all in one scale."""
    shown, about = sentence.shown(kind), KINDS[kind]
    layers, heads = shown.heads.values.shape[:2]
    boxed = probe.supervised_among(kind, shown.heads)
    title = f"{about.title}, {_extent(shown.heads)}: {about.question(probe.options.unit)}"
    note = (
        f"{sentence.where} Each panel: {len(shown.rows)} rows, {shown.row_name}, from above; "
        f"{len(shown.columns)} columns, {shown.column_name}. {shown.note()}"
    )
    if boxed:
        note += f" Orange frame: supervised ({heads_text(boxed)})."
    slide = style.Slide(probe.result, title, note)
    panels = slide.grid(layers, heads)
    for (row, column), axes in np.ndenumerate(panels):
        image = axes.imshow(shown.heads.values[row, column], cmap=style.WEIGHTS, vmin=0, vmax=1,
                            aspect="auto", interpolation="nearest")  # fmt: skip
        look.frame(axes, Head(shown.heads.layers[row], shown.heads.heads[column]) in boxed)
    for axes, head in zip(panels[0], shown.heads.heads):
        axes.set_title(f"H{head}", size=style.SMALL)
    for axes, layer in zip(panels[:, 0], shown.heads.layers):
        axes.set_ylabel(f"L{layer}", size=style.SMALL, rotation=0, ha="right", va="center")
    slide.color_bar(image, "weight, linear scale")
    return slide
