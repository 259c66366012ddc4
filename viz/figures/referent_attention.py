"""Which roles the trained heads of referent-training look at, in small heat maps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import referent_look as look
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from referent_runs import Runs

IT = "self"  # the role of "it" among the query roles


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """From "it", in all heads; and in layer 1 from every role."""
    yield "it-attention", it_attention(runs)
    yield "layer-1-attention", layer_1(runs)


def _role_names(runs: Runs) -> list[str]:
    """The roles, “it” being itself."""
    return ["it" if role == IT else role for role in runs.labels("role_attention", "key_role")]


def _mean(runs: Runs) -> np.ndarray:
    """Mean over the seeds, [referent, layer, head, query_role, key_role]."""
    return runs.values("role_attention").mean(axis=0)


def _over_seeds(runs: Runs) -> str:
    if runs.n == 1:
        return "The weight"
    return "Mean over the seeds (heads of a layer have no order) of the weight"


def it_attention(runs: Runs) -> Figure:
    """A map per referent: a row per head, and one of a head that looks everywhere alike."""
    query = runs.labels("role_attention", "query_role").index(IT)
    weights = _mean(runs)[:, :, :, query]  # [referent, layer, head, key_role]
    weights = weights.reshape(len(weights), -1, weights.shape[-1])
    uniform = runs.values("uniform_role_attention")[0]
    slide = look.slide(
        runs,
        "What each head looks at from “it”, once trained",
        f"{_over_seeds(runs)} from “it” to each role, summed over the role’s positions, in the "
        "sentences of each referent. Last row: a head that looks everywhere alike.",
    )
    panels = slide.grid(1, len(weights), sharey=True)[0]
    rows = [*runs.heads, "uniform"]
    for axes, part, name in zip(panels, weights, runs.labels("role_attention", "referent")):
        image = _map(axes, np.vstack([part, uniform]))
        axes.axhline(len(part) - 0.5, color=style.INK, lw=2)
        _numbers(axes, image, style.TEXT)
        axes.set_title(f"“it” is the {name}", loc="left", weight="bold")
    slide.color_bar(image, "weight")
    style.label_positions(panels[np.newaxis], _role_names(runs), rows)
    return slide


def layer_1(runs: Runs) -> Figure:
    """A map per referent and head of layer 1: from every role to every role."""
    weights = _mean(runs)[:, 0]  # [referent, head, query_role, key_role]
    uniform = runs.values("uniform_role_attention")[0]
    slide = look.slide(
        runs,
        "Layer 1: from which role each head looks at which",
        f"{_over_seeds(runs)} from the row’s role to the column’s, summed over the column’s "
        "positions. Last row: a head that looks everywhere alike.",
    )
    referents = runs.labels("role_attention", "referent")
    panels = slide.grid(len(referents), runs.per_layer, sharex=True, sharey=True)
    for (referent, head), axes in np.ndenumerate(panels):
        image = _map(axes, np.vstack([weights[referent, head], uniform]))
        axes.axhline(len(uniform) - 0.5, color=style.INK, lw=2)
        if runs.per_layer <= 2:
            _numbers(axes, image, 11)
        axes.set_title(
            f"{runs.heads[head]}, “it” is the {referents[referent]}", loc="left", size=style.SMALL
        )
    slide.color_bar(image, "weight")
    names = _role_names(runs)
    style.label_positions(panels, names, [*names, "uniform"])
    return slide


def _map(axes: Axes, values: np.ndarray) -> AxesImage:
    return axes.imshow(values, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto")


def _numbers(axes: Axes, image: AxesImage, size: float) -> None:
    """Two decimals in every cell, in ink that shows."""
    for (row, column), value in np.ndenumerate(np.ma.filled(image.get_array(), np.nan)):
        if np.isfinite(value):
            ink = style.ink_on(image.cmap(image.norm(value)))
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink, size=size)
