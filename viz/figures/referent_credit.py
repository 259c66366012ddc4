"""Which head of referent-training gets the credit: Shapley values, interactions, direct logits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import referent_look as look
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from referent_runs import Runs


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Credit by ablation, where that was on, and by what heads write into the logits."""
    if "shapley" in runs:
        yield "shapley", shapley(runs)
        yield "interaction", interaction(runs)
    yield "direct-logit", direct_logit(runs)


def _measures(runs: Runs) -> list[str]:
    return runs.labels("shapley", "measure")


def shapley(runs: Runs) -> Figure:
    """A panel per measure: a bar per head, [measure, layer, head]."""
    slide = look.slide(
        runs,
        "How much each head adds: Shapley values",
        "What switching a head on (mode zero) adds, averaged over all orders of switching heads on;"
        " the bars sum to all heads on minus all off. A loss that falls is negative. "
        + look.whiskers(runs),
    )
    panels = slide.grid(1, len(_measures(runs)))[0]
    values = runs.values("shapley").reshape(runs.n, len(_measures(runs)), -1)
    for number, (axes, measure) in enumerate(zip(panels, _measures(runs), strict=True)):
        for head in range(len(runs.heads)):
            look.mean_bars(axes, np.array([float(head)]), values[:, number, [head]], width=0.75,
                           color=look.series_color(head % runs.per_layer))  # fmt: skip
        axes.axhline(0, color=style.INK, lw=1)
        _heads(axes, runs)
        axes.set_title(f"{measure} (nat)" if measure == "loss" else measure, loc="left")
    return slide


def interaction(runs: Runs) -> Figure:
    """A map per measure: the mean Shapley interaction index of every pair of heads."""
    slide = look.slide(
        runs,
        "Which heads need each other: Shapley interaction",
        ("Mean over the seeds, mode zero. " if runs.n > 1 else "Mode zero. ")
        + "Above 0: two heads add more together than apart; below 0: one stands in for the other. "
        "For the loss it is the other way round. Each map has its own scale.",
    )
    values = runs.values("shapley_interaction").mean(axis=0)[0]  # [measure, head, head]
    panels = slide.grid(1, len(values), sharey=True)[0]
    for axes, part, measure in zip(panels, values, _measures(runs)):
        known = np.abs(part[np.isfinite(part)])
        limit = max(float(known.max()) if known.size else 0.0, 1e-9)
        image = axes.imshow(part, cmap=look.DELTAS, vmin=-limit, vmax=limit, aspect="auto")
        if len(runs.heads) <= 6:
            for (row, column), value in np.ndenumerate(part):
                if np.isfinite(value):
                    ink = style.ink_on(image.cmap(image.norm(value)))
                    axes.text(column, row, look.signed(value), ha="center", va="center", color=ink,
                              size=style.SMALL if len(runs.heads) <= 4 else 10)  # fmt: skip
        title = f"{measure} (nat)" if measure == "loss" else measure
        reach = f"{limit:.0f}" if limit >= 10 else f"{limit:.2g}"
        axes.set_title(f"{title}, up to ±{reach}", loc="left", size=style.TEXT)
    style.label_positions(panels[np.newaxis], runs.heads, runs.heads)
    return slide


def direct_logit(runs: Runs) -> Figure:
    """Per referent what the embedding and each head write into the logit difference."""
    values = runs.values("direct_logit")  # [seed, referent, component]
    names = runs.labels("direct_logit", "component")
    referents = runs.labels("direct_logit", "referent")
    slide = look.slide(
        runs,
        "What each head writes into the answer directly",
        "Mean direct contribution to the logit of the referent minus that of the other noun; the "
        f"bars of a referent sum to the difference. {look.whiskers(runs)} What layer 1 does by way "
        "of layer 2 is not in it.",
    )
    axes = slide.grid()[0, 0]
    places = np.arange(len(names))
    for number, referent in enumerate(referents):
        look.mean_bars(axes, places + (number - 0.5) * 0.4, values[:, number], width=0.4,
                       color=look.series_color(number), hatch=style.HATCHES[number],
                       label=f"“it” is the {referent}")  # fmt: skip
    axes.axhline(0, color=style.INK, lw=1)
    axes.set_ylabel("logit difference")
    axes.set_xticks(places, names, size=style.TEXT if len(names) <= 7 else 12)
    axes.tick_params(axis="x", length=0)
    look.legend_strip(slide, *axes.get_legend_handles_labels())
    return slide


def _heads(axes: Axes, runs: Runs) -> None:
    axes.set_xticks(range(len(runs.heads)), runs.heads, rotation=90 if len(runs.heads) > 4 else 0)
    axes.tick_params(axis="x", length=0)
