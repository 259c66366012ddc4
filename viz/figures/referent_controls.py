"""What referent-training has to be compared with: accuracy of the model and of its controls."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import referent_look as look
import seed_statistics as statistics
import style
from matplotlib.figure import Figure
from referent_runs import Runs, leave_out

CLOSE = 0.05  # accuracies that differ by less are called as good
MEANING = (
    "Uniform attention: trained with heads that look everywhere alike. Held out: combinations not "
    "trained on. Swapped nouns: in each other’s place, the same word counted as right (where both "
    "nouns come from one list, it is not). Bag of words: the best without the words’ order."
)


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Accuracy of every control, and by referent."""
    yield "controls", controls(runs)


def drawn(runs: Runs) -> list[int]:
    """The controls that were on in every run."""
    known = np.isfinite(runs.values("control_accuracy")).all(axis=0)
    return np.flatnonzero(known).tolist()


def _title(runs: Runs, accuracy: dict[str, float]) -> str:
    """What the controls say of the need for attention."""
    control, who = "uniform attention", "A model that cannot choose where to look"
    if control not in accuracy:
        control, who = "bag of words", "The best without the words’ order"
    does = "as well" if accuracy[control] > accuracy["trained"] - CLOSE else "worse"
    return f"{who} does {does} here"


def controls(runs: Runs) -> Figure:
    """A bar per control, with its interval, and a mark per referent."""
    shown = drawn(runs)
    names = runs.labels("control_accuracy", "control")
    absent = [name for number, name in enumerate(names) if number not in shown]
    if absent:
        leave_out(runs.result, f"controls that were off are not drawn: {', '.join(absent)}")
    values = runs.values("control_accuracy")[:, shown]
    by_referent = runs.values("control_accuracy_by_referent")[:, shown]
    names = [names[number] for number in shown]
    found = statistics.bootstrap(values)
    means = dict(zip(names, found.mean.tolist(), strict=True))
    interval = f" {look.interval(runs)}" if runs.n > 1 else ""
    slide = look.slide(runs, _title(runs, means), f"Bars: mean accuracy.{interval} {MEANING}")
    axes = slide.grid()[0, 0]
    places = np.arange(len(names))
    colors = [style.PALETTE[0] if name == "trained" else style.FAINT for name in names]
    axes.barh(places, found.mean, 0.7, color=colors, edgecolor=style.GREY)
    if runs.n > 1:
        axes.errorbar(found.mean, places, xerr=found.errors, fmt="none", ecolor=style.INK, lw=1.5,
                      capsize=5)  # fmt: skip
    referents = runs.labels("control_accuracy_by_referent", "referent")
    for number, referent in enumerate(referents):
        axes.plot(by_referent[:, :, number].mean(axis=0), places + 0.19 * (2 * number - 1), ls="",
                  marker=style.MARKERS[number], color=style.PALETTE[1 + number], mec=style.INK,
                  ms=9, zorder=4, clip_on=False, label=f"where “it” is the {referent}")  # fmt: skip
    for place, value in zip(places, found.mean):
        axes.text(1.04, place, f"{value:.3f}", va="center", size=style.TEXT)
    axes.set_xlim(0, 1.12)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    axes.spines["bottom"].set_bounds(0, 1)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("accuracy", loc="left")
    style.label_positions(axes, y=names)
    look.legend_strip(slide, *axes.get_legend_handles_labels())
    return slide
