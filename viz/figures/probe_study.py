"""What opus-mt-probe loses with heads switched off: maps of all heads, the worst, and the curve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import probe_ablation as ablation
import probe_look as look
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from probe_ablation import ALPHA, Effect, Study
from probe_run import KINDS, Head, Heads, Probe, heads_text
from referent_look import DELTAS, legend_strip, p_text

WORST = 12  # bars


class Measure(NamedTuple):
    """A score: its name in a title, the label of its axis, how many digits are written."""

    title: str
    label: str
    digits: str


MEASURES = {
    "log_probability": Measure(
        "the reference’s log-probability", "change, nat per token", ".2f"
    ),
    "bleu": Measure("BLEU", "change of BLEU, points", ".1f"),
    "chrf": Measure("chrF", "change of chrF, points", ".1f"),
}
OFF = {
    "single": "One head off",
    "all_but_one": "All heads of a layer off but one",
    "greedy": "Ever more heads off",
}


def figures(probe: Probe) -> Iterator[tuple[str, Figure]]:
    """Per score a map of layers and heads, and bars of the worst; of a greedy study, its curve."""
    if "ablation_log_probability" not in probe.result:
        return
    study = ablation.read_study(probe.result)
    for score in MEASURES:
        if score not in study.scores or not study.conditions:
            continue
        effects = ablation.effects(study, score)
        name = f"ablation-{score.replace('_', '-')}"
        if study.protocol == "greedy":
            yield f"{name}-curve", curve(probe, study, score, effects)
            continue
        yield name, head_map(probe, study, score, effects["all"])
        if all(len(study.part(part)) for part in ("half 0", "half 1")):
            yield f"{name}-worst", worst(probe, study, score, effects)


def _how(probe: Probe, study: Study, pairs: int) -> str:
    """How heads were switched off, and over how many pairs, for a note."""
    mode = probe.result.setting("config.ablation.mode")
    given = f" (mode {mode})" if mode else ""
    return f"{OFF[study.protocol]}{given}, over {pairs} sentence pairs."


def _head(study: Study, condition: int) -> Head:
    return Head(int(study.layers[condition]) + 1, int(study.heads[condition]) + 1)


def _head_text(study: Study, condition: int) -> str:
    """The head that a condition is about, as `encoder self L1H1`."""
    return f"{study.kinds[condition].replace('_', ' ')} {_head(study, condition).name}"


# The map -----------------------------------------------------------------------------------------


def head_map(probe: Probe, study: Study, score: str, effect: Effect) -> Figure:
    """The change with each head off, a panel per kind; a star marks what the test tells from 0."""
    measure, change = MEASURES[score], effect.found.change
    told = effect.p_holm < ALPHA
    maps, stars = {}, []
    for kind, about in KINDS.items():
        own = study.kinds == kind
        if own.any():
            maps[about.title] = _map_of(study, kind, change)
            stars.append(ablation.head_map(study, kind, told.astype(float)) == 1)
    slide = style.Slide(
        probe.result,
        f"{OFF[study.protocol]}: {int(told.sum())} of {len(told)} change {measure.title}",
        f"{_how(probe, study, len(study.half))} Below 0 (orange): worse than the open model. "
        f"*: p < {ALPHA} by a paired bootstrap, after Holm over the {len(told)} heads."
        + _boxed(study),
    )
    limit = max(float(np.abs(change).max()), 1e-9)
    images = look.head_maps(slide, maps, DELTAS, (-limit, limit), measure.label,
                            style.INK)  # fmt: skip
    for image, drawn, star in zip(images, maps.values(), stars, strict=True):
        marks = np.where(star, "*", "").astype(object)
        numbers = [look.signed(value, measure.digits) if np.isfinite(value) else ""
                   for value in drawn.values.ravel()]  # fmt: skip
        both = np.array(numbers, dtype=object).reshape(marks.shape) + marks
        if not look.write_texts(image, both):
            look.write_texts(image, marks)
    return slide


def _map_of(study: Study, kind: str, values: np.ndarray) -> look.HeadMap:
    """The values[condition] of a kind; supervised heads have a box."""
    placed = ablation.head_map(study, kind, values)
    layers, heads = (list(range(1, extent + 1)) for extent in placed.shape)
    own = (study.kinds == kind) & study.supervised
    boxed = [_head(study, k) for k in np.flatnonzero(own)]
    return look.HeadMap.of(Heads(placed, layers, heads), boxed)


def _boxed(study: Study) -> str:
    given = [_head(study, k) for k in np.flatnonzero(study.supervised)]
    return f" Boxed: supervised ({heads_text(given)})." if given else ""


# The worst ---------------------------------------------------------------------------------------


def worst(probe: Probe, study: Study, score: str, effects: dict[str, Effect]) -> Figure:
    """The heads whose loss is worst on half 0 of the pairs, with what they lose on half 1."""
    measure, effect = MEASURES[score], effects["half 1"]
    order = np.argsort(effects["half 0"].found.change, kind="stable")[:WORST]
    note = (
        f"{_how(probe, study, len(study.part('half 1')))} The {len(order)} heads are the worst on "
        f"the other {len(study.part('half 0'))} pairs; blue: those that a test there tells from 0. "
        "Whiskers: 95 % bootstrap intervals over the pairs; p: after Holm over all those told from "
        f"0 there ({int(effect.chosen.sum())})."
    )
    title = f"{OFF[study.protocol]}: the worst for {measure.title}"
    slide = style.Slide(probe.result, title, note + _hatched(study, order))
    axes = slide.grid()[0, 0]
    found = effect.found
    places = np.arange(len(order))
    errors = np.stack([found.change - found.low, found.high - found.change]).clip(min=0)[:, order]
    axes.barh(
        places, found.change[order], 0.7,
        color=[style.PALETTE[0] if effect.chosen[k] else style.FAINT for k in order],
        hatch=["//" if study.supervised[k] else "" for k in order],
        edgecolor=[style.PAPER if effect.chosen[k] else style.GREY for k in order],
    )  # fmt: skip
    axes.errorbar(found.change[order], places, xerr=errors, fmt="none", ecolor=style.INK, lw=1.5,
                  capsize=4)  # fmt: skip
    axes.axvline(0, color=style.INK, lw=1)
    _write_values(axes, effect, order, measure)
    axes.set_ylim(max(len(order), 4) - 0.4, -0.6)
    axes.set_xlabel(measure.label)
    style.label_positions(axes, y=[_head_text(study, k) for k in order])
    return slide


def _hatched(study: Study, order: np.ndarray) -> str:
    return " Hatched: supervised." if study.supervised[order].any() else ""


def _write_values(axes: Axes, effect: Effect, order: np.ndarray, measure: Measure) -> None:
    """The change and its p at the right of every bar."""
    for place, k in enumerate(order):
        text = look.signed(effect.found.change[k], measure.digits)
        if np.isfinite(effect.p_holm[k]):
            text += f"  {p_text(effect.p_holm[k])}"
        axes.text(1.01, place, text, transform=axes.get_yaxis_transform(), va="center",
                  size=style.SMALL)  # fmt: skip


# Greedy ------------------------------------------------------------------------------------------


def curve(probe: Probe, study: Study, score: str, effects: dict[str, Effect]) -> Figure:
    """The change with ever more heads off, on the half they were chosen on, and on the other."""
    measure = MEASURES[score]
    count = len(study.conditions)
    slide = style.Slide(
        probe.result,
        f"{count} heads off one after the other: the change of {measure.title}",
        f"{_how(probe, study, len(study.half))} At every step the head is added whose loss is "
        "least on half of the pairs (dashed); the line is the other half, with its 95 % bootstrap "
        f"interval.{_boxed(study).replace(' Boxed: supervised', ' Supervised')}",
    )
    axes = slide.grid()[0, 0]
    places = np.arange(count + 1)
    for part, label, look_of in (
        ("half 0", "the half that the heads were chosen on", {"ls": "--", "marker": "o"}),
        ("half 1", "the other half", {"ls": "-", "marker": "s"}),
    ):
        found = effects[part].found
        color = style.PALETTE[0] if part == "half 1" else style.GREY
        axes.plot(places, [0, *found.change], color=color, lw=2, label=label, **look_of)
        if part == "half 1":
            axes.fill_between(places, [0, *found.low], [0, *found.high], color=color, alpha=0.2,
                              lw=0)  # fmt: skip
    axes.axhline(0, color=style.GREY, lw=0.8)
    axes.set_ylabel(measure.label)
    axes.set_xlim(-0.4, count + 0.4)
    legend_strip(slide, *axes.get_legend_handles_labels(), size=style.SMALL)
    added = [f"+ {_head_text(study, k)}" for k in range(count)]
    style.label_positions(axes, ["none", *added])
    return slide
