"""Several configs of referent-training side by side: how they learn, their controls, their jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import referent_ablation as ablation
import referent_controls
import referent_curves
import referent_look as look
import seed_statistics as statistics
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from referent_jobs import SWITCHES, short
from referent_runs import Runs

MOST = 4  # configs side by side

DIFFERENCE = "the differences to the first, with 95 % bootstrap intervals over the seeds"


def figures(groups: Sequence[Runs]) -> Iterator[tuple[str, Figure]]:
    """Learning curves, controls, jobs and what one head off does, of every config."""
    yield "compare-learning", learning(groups)
    yield "compare-controls", controls(groups)
    yield "compare-jobs", jobs(groups)
    if all("ablation_loss" in runs for runs in groups):
        yield "compare-ablation", one_head_off(groups)


def names(groups: Sequence[Runs]) -> list[str]:
    """What tells the configs apart: their sentences, the values of their axes, or their runs."""
    parts = [[runs.sentence for runs in groups], [runs.name for runs in groups]]
    telling = [part for part in parts if len(set(part)) > 1]
    found = [" ".join(part[number] for part in telling) for number in range(len(groups))]
    if len(set(found)) < len(groups):
        found = [f"{name} (run {runs.result.run_id})".strip() for name, runs in zip(found, groups)]
    return found


def _slide(groups: Sequence[Runs], title: str, note: str) -> style.Slide:
    counts = " and ".join(runs.count.removeprefix("n = ") for runs in groups)
    return style.Slide([runs.result for runs in groups], title, f"n = {counts}. {note}")


def learning(groups: Sequence[Runs]) -> Figure:
    """Loss above and accuracy below, a column per config."""
    title = "How the two learn" if len(groups) == 2 else f"How the {len(groups)} learn"
    most = max(groups, key=lambda runs: runs.n)
    slide = _slide(groups, title, referent_curves.curves_note(most))
    panels = slide.grid(2, len(groups), sharex="col", sharey="row")
    room = 0.9 * slide.bbox.width / len(groups)
    for column, (runs, name) in enumerate(zip(groups, names(groups), strict=True)):
        color = look.series_color(column)
        referent_curves.draw_curves(panels[:, column], runs, color, with_numbers=False)
        heading = panels[0, column].set_title("", loc="left", size=style.SMALL, weight="bold")
        heading.set_text(style.wrap(heading, name, room))
    for axes in panels[:, 1:].flat:
        axes.set_ylabel("")
    look.legend_strip(slide, *panels[0, 0].get_legend_handles_labels(), size=style.SMALL)
    return slide


# Bars --------------------------------------------------------------------------------------------


def _grouped_bars(
    above: Axes, below: Axes, values: Sequence[np.ndarray], labels: Sequence[str]
) -> None:
    """Means of values[config][seed, bar] above, differences to the first config below."""
    count = len(values)
    width = 0.84 / count
    places = np.arange(values[0].shape[1])
    for number, (part, label) in enumerate(zip(values, labels, strict=True)):
        at = places + (number - (count - 1) / 2) * width
        color, hatch = look.series_color(number), style.HATCHES[number]
        found = statistics.bootstrap(part)
        above.bar(at, found.mean, width, color=color, hatch=hatch, edgecolor=style.PAPER,
                  label=label)  # fmt: skip
        errors = {"fmt": "none", "ecolor": style.INK, "lw": 1.5, "capsize": 3}
        if len(part) > 1:
            above.errorbar(at, found.mean, found.errors, **errors)
        if number:
            change = statistics.bootstrap_difference(values[0], part)
            below.errorbar(at, change.mean, change.errors, **{**errors, "fmt": "none"})
            below.plot(at, change.mean, ls="", marker=style.MARKERS[number], ms=9, color=color,
                       mec=style.INK)  # fmt: skip
    below.axhline(0, color=style.INK, lw=1)
    above.set_xlim(-0.6, len(places) - 0.4)
    above.tick_params(axis="x", length=0)
    below.tick_params(axis="x", length=0)


def _ticks(axes: Axes, texts: Sequence[str], size: float) -> None:
    lines = ["\n".join(text.rsplit(" ", 1)) for text in texts]
    axes.set_xticks(range(len(lines)), lines, size=size)


def controls(groups: Sequence[Runs]) -> Figure:
    """The accuracy of every control that is on in all configs, and its differences."""
    all_names = groups[0].labels("control_accuracy", "control")
    shown = sorted(set.intersection(*(set(referent_controls.drawn(runs)) for runs in groups)))
    values = [runs.values("control_accuracy")[:, shown] for runs in groups]
    slide = _slide(
        groups,
        "What can be done without choosing where to look",
        f"Above: mean accuracy. Below: {DIFFERENCE}. {referent_controls.MEANING}",
    )
    panels = slide.grid(2, 1, sharex=True)[:, 0]
    _grouped_bars(*panels, values, names(groups))
    panels[0].set_ylim(0, 1.05)
    panels[0].set_ylabel("accuracy")
    panels[1].set_ylabel("difference")
    _ticks(panels[1], [all_names[number] for number in shown], style.TEXT)
    look.legend_strip(slide, *panels[0].get_legend_handles_labels(), size=style.SMALL)
    return slide


def same_words(runs: Runs) -> np.ndarray:
    """The jobs, [seed, layer, head], with the nouns by their place in the sentence."""
    first, second = runs.labels("role_attention", "referent")
    jobs = runs.values("job").astype(object)
    renamed = {first: "first noun", second: "second noun", SWITCHES: short(SWITCHES), "self": "it"}
    return np.vectorize(lambda job: renamed.get(job, job), otypes=[object])(jobs)


JOBS = ("referent", "first noun", "second noun", "adjective", "it", "other words")


def jobs(groups: Sequence[Runs]) -> Figure:
    """Per layer the share of heads with each job, and its differences."""
    found = [same_words(runs) for runs in groups]
    kinds = [*JOBS, short(SWITCHES), "mixed"]
    slide = _slide(
        groups,
        "The jobs that heads end up with",
        f"Above: the share of a layer’s heads, whichever slot has which job. Below: {DIFFERENCE}. "
        "“Switches”: another role for each referent. “Mixed”: no role stands out.",
    )
    layers = len(groups[0].layers)
    panels = slide.grid(2, layers, sharex=True, sharey="row")
    for layer in range(layers):
        has = [
            np.stack([(jobs[:, layer] == kind).mean(axis=1) for kind in kinds], axis=1)
            for jobs in found
        ]
        _grouped_bars(*panels[:, layer], has, names(groups))
        panels[0, layer].set_title(f"Layer {layer + 1}", loc="left", weight="bold")
        _ticks(panels[1, layer], kinds, 11)
    panels[0, 0].set_ylabel("share of heads")
    panels[1, 0].set_ylabel("difference")
    look.legend_strip(slide, *panels[0, 0].get_legend_handles_labels(), size=style.SMALL)
    return slide


def one_head_off(groups: Sequence[Runs]) -> Figure:
    """Per layer the accuracy lost with one of its heads off, in every mode."""
    slide = _slide(
        groups,
        "What one head of a layer is worth",
        "Above: the mean change of accuracy with one of the layer’s heads off, over its heads. "
        f"Below: {DIFFERENCE}. {ablation.MODES}",
    )
    layers, modes = len(groups[0].layers), ablation.modes(groups[0])
    panels = slide.grid(2, layers, sharex=True, sharey="row")
    for layer in range(layers):
        values = []
        for runs in groups:
            one, none = ablation.single(runs, "accuracy")
            heads = slice(layer * runs.per_layer, (layer + 1) * runs.per_layer)
            values.append((one - none[:, np.newaxis, np.newaxis])[:, :, heads].mean(axis=2))
        _grouped_bars(*panels[:, layer], values, names(groups))
        panels[0, layer].set_title(f"Layer {layer + 1}", loc="left", weight="bold")
        _ticks(panels[1, layer], modes, style.TEXT)
    panels[0, 0].set_ylabel("change of accuracy")
    panels[1, 0].set_ylabel("difference")
    look.legend_strip(slide, *panels[0, 0].get_legend_handles_labels(), size=style.SMALL)
    return slide
