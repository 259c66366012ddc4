"""Over many seeds of referent-training: was it luck which head got which job?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import referent_look as look
import seed_statistics as statistics
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from referent_jobs import short
from referent_runs import ATLAS, Runs

PERCENTILES = (5, 50, 95)
ALIKE = 0.7  # median cosine from which on heads are called alike
TOP = 5  # collections of jobs in the overview


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """The overview, and a slide for each of its questions, where there are enough seeds."""
    if runs.n < ATLAS:
        return
    found = [_layer(runs, layer) for layer in range(len(runs.layers))]
    yield "atlas", overview(runs, found)
    yield "atlas-learning", learning(runs)
    yield "atlas-similarity", similarity(runs, found)
    yield "atlas-start", start(runs, found)


class Layer(NamedTuple):
    """What is measured across the seeds, of one layer."""

    trained: statistics.Similarity
    random: statistics.Similarity
    prediction: statistics.Prediction
    order: tuple[float, int]


def _layer(runs: Runs, layer: int) -> Layer:
    moments = runs.labels("sentence_attention", "moment")
    attention = runs.values("sentence_attention")[:, :, :, layer]  # [seed, moment, sentence, …]
    roles = runs.labels("role_attention", "query_role").index("self")
    # [seed, head, key_role], over both referents.
    begin = runs.values("start_role_attention")[:, :, layer, :, roles].mean(axis=1)
    end = runs.values("role_attention")[:, :, layer, :, roles].mean(axis=1)
    return Layer(
        statistics.match_heads(attention[:, moments.index("trained")]),
        statistics.match_heads(attention[:, moments.index("start")]),
        statistics.predict_jobs(_strongest(runs, begin), runs.values("job")[:, layer]),
        statistics.keeps_order(begin, end),
    )


def _strongest(runs: Runs, weights: np.ndarray) -> np.ndarray:
    """The role most beyond its share of the positions, of weights[seed, head, key_role]."""
    uniform = runs.values("uniform_role_attention")[0]
    names = np.array(runs.labels("role_attention", "key_role"), dtype=object)
    return names[((weights - uniform) / (1 - uniform)).argmax(axis=-1)]


# Panels ------------------------------------------------------------------------------------------


def first_right(runs: Runs) -> np.ndarray:
    """The step from which on every training sentence is right, [seed]; NaN where it never is."""
    wrong = runs.values("accuracy") < 1
    steps = runs.about("accuracy").scales["step"].astype(float)
    last_wrong = wrong.shape[1] - 1 - wrong[:, ::-1].argmax(axis=1)
    after = np.append(steps, np.nan)[np.where(wrong.any(axis=1), last_wrong + 1, 0)]
    return after


def _draw_losses(axes: Axes, runs: Runs) -> None:
    """How many seeds end with which loss."""
    losses = runs.values("final_loss")
    positive = losses[losses > 0]
    low, high = np.log10(positive.min()), np.log10(positive.max())
    axes.hist(positive, np.logspace(low, max(high, low + 0.1), 25), color=style.PALETTE[0],
              edgecolor=style.PAPER)  # fmt: skip
    look.log_axis(axes, "x")
    for value in np.percentile(losses, PERCENTILES):
        axes.axvline(value, color=style.INK, lw=1.5, ls="--")
    axes.set_xlabel("final loss (nat)")
    axes.set_ylabel("seeds")


def _draw_steps(axes: Axes, runs: Runs) -> None:
    """How many seeds have learned it by which step."""
    steps = np.sort(first_right(runs))
    known = steps[np.isfinite(steps)]
    last = float(runs.about("accuracy").scales["step"][-1])
    share = np.arange(len(known) + 1) / runs.n
    axes.step([0, *known, last], [*share, share[-1]], where="post", color=style.PALETTE[0], lw=3)
    look.step_axis(axes, last)
    axes.set_ylim(0, 1.03)
    axes.set_xlabel("step")
    axes.set_ylabel("share of the seeds")


def _draw_similarity(axes: Axes, found: list[Layer], size: float) -> None:
    """Per layer the similarities of trained and of random heads, as violins with their median."""
    names, colors = ("trained, matched", "trained, by slot", "random start, matched"), (0, 3, 1)
    for layer, at in enumerate(found):
        parts = (at.trained.matched, at.trained.same_slot, at.random.matched)
        for number, (values, color) in enumerate(zip(parts, colors, strict=True)):
            place = layer * 4 + number
            body = axes.violinplot(values, [place], widths=0.85, showextrema=False)["bodies"][0]
            body.set(facecolor=look.tint(look.series_color(color), 0.5), edgecolor=style.GREY)
            body.set_alpha(1)
            median = float(np.median(values))
            axes.plot([place - 0.3, place + 0.3], [median] * 2, color=style.INK, lw=3)
            axes.text(place, -0.97, look.signed(median), ha="center", va="bottom", size=size)
    axes.axhline(0, color=style.GREY, lw=0.8)
    axes.set_ylim(-1.02, 1.02)
    axes.set_xlim(-0.7, 4 * len(found) - 1)
    axes.set_ylabel("cosine similarity")
    places = [4 * layer + number for layer in range(len(found)) for number in range(3)]
    texts = [name.replace(", ", ",\n").replace("random ", "random\n") for name in names]
    axes.set_xticks(places, texts * len(found), size=size)
    axes.tick_params(axis="x", length=0)
    for layer in range(len(found)):
        axes.text(4 * layer + 1, 1.04, f"Layer {layer + 1}", ha="center", size=style.TEXT)


BARS = ("told from\nthe start", "most common\njob", "start = job", "the same\nby chance")


def _draw_start(axes: Axes, found: list[Layer], size: float, bars: int = len(BARS)) -> None:
    """Per layer how many jobs the start tells, beside what tells nothing of the start."""
    for layer, at in enumerate(found):
        told = at.prediction
        values = np.array([told.told, told.majority, told.same, told.by_chance])[:bars]
        hits = statistics.bootstrap(np.stack([told.hits, told.majority_hits], axis=1))
        places = np.arange(bars) + (bars + 1) * layer
        axes.bar(places, values, 0.85, color=[style.PALETTE[0], style.FAINT] * (bars // 2),
                 edgecolor=style.GREY)  # fmt: skip
        axes.errorbar(places[:2], hits.mean, hits.errors, fmt="none", ecolor=style.INK, lw=1.5,
                      capsize=4)  # fmt: skip
        tops = values.copy()
        tops[:2] = hits.high
        for place, top, value in zip(places, tops, values):
            axes.text(place, top + 0.02, f"{value:.2f}", ha="center", va="bottom", size=size)
        axes.text(places.mean(), 1.01, f"Layer {layer + 1}", ha="center", size=style.TEXT)
    axes.set_ylim(0, 1)
    axes.set_ylabel("share of heads")
    places = [(bars + 1) * layer + number for layer in range(len(found)) for number in range(bars)]
    axes.set_xticks(places, BARS[:bars] * len(found), size=size)
    axes.tick_params(axis="x", length=0)


def _draw_top(axes: Axes, runs: Runs) -> None:
    """The most common collections of jobs of the last layer."""
    layer = len(runs.layers) - 1
    counts = statistics.unordered(runs.values("job")[:, layer])
    top = sorted(counts, key=lambda key: (-counts[key], key))[:TOP]
    bars = axes.barh(range(len(top)), [counts[key] for key in top], 0.7, color=style.PALETTE[0])
    axes.bar_label(bars, padding=4, size=style.SMALL)
    names = [" +\n".join(map(short, key)) if len(key) <= 2 else " + ".join(map(short, key))
             for key in top]  # fmt: skip
    axes.set_yticks(range(len(top)), names, size=11)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(TOP - 0.4, -0.6)
    axes.margins(x=0.12)
    axes.set_xlabel("seeds")


# Slides ------------------------------------------------------------------------------------------


def _learned(runs: Runs) -> str:
    right = int((runs.values("final_accuracy") == 1).sum())
    text = f"{look.of_seeds(right, runs)} learn it"
    return text[0].upper() + text[1:]


def _foretold(found: list[Layer]) -> str:
    """What the random start says, in half a sentence."""
    better = max(at.prediction.told - at.prediction.majority for at in found)
    return f"the start says {'something' if better > 0.05 else 'little'} about the jobs"


def overview(runs: Runs, found: list[Layer]) -> Figure:
    """Four answers on one slide."""
    slide = look.slide(
        runs,
        f"{_learned(runs)}; {_foretold(found)}",
        "Above: when every training sentence is right, and the most common jobs of layer 2’s heads "
        "together. Below: how alike the heads of two seeds look (1: the same), and how many jobs "
        "the attention at the random start tells. The next slides explain each.",
    )
    panels = slide.grid(2, 2)
    _draw_steps(panels[0, 0], runs)
    _draw_top(panels[0, 1], runs)
    _draw_similarity(panels[1, 0], found, 10)
    _draw_start(panels[1, 1], found, 10, bars=2)
    return slide


def _power(value: float) -> str:
    """A small number as 1.9·10⁻⁷."""
    if value <= 0:
        return "0"
    power = int(np.floor(np.log10(value)))
    return f"{value / 10.0**power:.1f}·{look.power_text(10.0**power, always=True)}"


def learning(runs: Runs) -> Figure:
    """When it is learned, and with which loss training ends."""
    low, middle, high = np.percentile(runs.values("final_loss"), PERCENTILES)
    slide = look.slide(
        runs,
        f"{_learned(runs)}, with very different final losses",
        "Left: the share of the seeds that from that step on have every training sentence right. "
        f"Right: the loss after the last step; dashed lines: 5 % of the seeds are below "
        f"{_power(low)}, half below {_power(middle)}, 95 % below {_power(high)} nat. "
        "Steps are on a log scale from 10 on.",
    )
    panels = slide.grid(1, 2)[0]
    _draw_steps(panels[0], runs)
    _draw_losses(panels[1], runs)
    return slide


def similarity(runs: Runs, found: list[Layer]) -> Figure:
    """How alike heads of two seeds are, matched and not, trained and not."""
    pairs = len(found[0].trained.matched)
    medians = [np.median(at.trained.matched) for at in found]
    alike = "are much alike" if min(medians) >= ALIKE else "are not much alike"
    slide = look.slide(
        runs,
        f"Heads of two seeds {alike}, even when matched",
        f"Cosine of what “it” looks at beyond uniform attention, over {pairs:,} pairs of seeds. "
        "Heads are matched (Hungarian method) on every second sentence and compared on the others; "
        "by slot: H1 with H1. Lines: medians. Matching alone lifts random heads above 0.",
    )
    _draw_similarity(slide.grid()[0, 0], found, style.SMALL)
    return slide


def start(runs: Runs, found: list[Layer]) -> Figure:
    """How well the attention at the random start tells the job."""
    note = (
        "Told from the start: the job most common for heads that start with the same strongest "
        f"role, learned on other seeds ({statistics.FOLDS} folds); beside it the most common job, "
        "told for all. Start = job: the strongest role is the job; beside it what chance gives."
    )
    if found[0].order[1]:
        kept = ", ".join(
            f"{at.order[0]:.0%} in layer {layer + 1}" for layer, at in enumerate(found)
        ).replace("%", " %")
        note += (
            " Of two heads, the one that looks more at what sets them apart in the end did so at "
            f"the start: {kept} (50 % by chance)."
        )
    title = _foretold(found)
    slide = look.slide(runs, title[0].upper() + title[1:], note)
    _draw_start(slide.grid()[0, 0], found, style.SMALL)
    return slide
