"""How referent-training learns: loss and accuracy, and where "it" looks while it learns."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np
import referent_look as look
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from referent_runs import FEW, THIN, Runs, leave_out

BAND = (5, 95)  # percent of the seeds
SENTENCES = 2  # rows of one picture
FEWEST_STEPS = 3  # recorded, for a picture of how attention changes


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """The curves, and where "it" looks, by seed or over the seeds."""
    yield "learning", learning(runs)
    attention = runs.about("it_attention")
    if attention.shape[0] < FEWEST_STEPS:
        leave_out(runs.result, "too few steps are recorded to draw where 'it' looks while learning")
        return
    pages = ceil(attention.shape[1] / SENTENCES)
    for page in range(pages):
        shown = range(page * SENTENCES, min((page + 1) * SENTENCES, attention.shape[1]))
        suffix = f"-{page + 1}" if pages > 1 else ""
        if runs.n <= FEW:
            for seed, name in enumerate(runs.seeds):
                which = f"-seed-{name}" if runs.n > 1 else ""
                yield f"where-it-looks{which}{suffix}", where_it_looks(runs, seed, shown)
        else:
            yield f"where-it-looks{suffix}", seeds_look(runs, shown)
            yield f"where-it-looks-spread{suffix}", spread(runs, shown)


# Loss and accuracy -------------------------------------------------------------------------------


def learning(runs: Runs) -> Figure:
    """Loss above, on a log scale, and accuracy below, over the steps."""
    slide = look.slide(runs, _learned(runs), curves_note(runs))
    panels = slide.grid(2, 1, sharex=True)[:, 0]
    draw_curves(panels, runs)
    panels[0].legend(loc="lower left", fontsize=style.SMALL, borderaxespad=0.2)
    return slide


def _learned(runs: Runs) -> str:
    """Whether it is learned, as a title."""
    accuracy = runs.values("accuracy")[:, -1]
    if runs.n == 1:
        share = "every training sentence"
        if accuracy[0] < 1:
            share = f"{style.percent(accuracy[0])} of the training sentences"
        return f"Seed {runs.seeds[0]} names the referent in {share}"
    text = f"{look.of_seeds(int((accuracy == 1).sum()), runs)} name the referent in every training"
    return f"{text[0].upper()}{text[1:]} sentence"


def curves_note(runs: Runs) -> str:
    """What the lines and bands of learning curves are."""
    parts = []
    if runs.n > 1:
        parts.append("Thin lines: the seeds. Thick: their median.")
    if runs.n > FEW:
        parts.append("Band: from 5 % to 95 % of the seeds.")
    parts.append(f"The loss is on a log scale. {look.STEPS}")
    return " ".join(parts)


def draw_curves(
    panels: np.ndarray, runs: Runs, color: str = style.PALETTE[0], with_numbers: bool = True
) -> None:
    """Loss and accuracy of all seeds on two axes, panels[loss or accuracy]; `with_numbers`: the
    legend has the number of words, which differs between configs."""
    steps = runs.about("loss").scales["step"].astype(float)
    for axes, name in zip(panels, ("loss", "accuracy")):
        values = runs.values(name)
        if name == "loss":
            look.log_axis(axes)
            values = np.where(values > 0, values, np.nan)
        _curves(axes, steps, values, color)
        look.step_axis(axes, steps[-1])
    panels[0].set_ylabel("loss (nat)")
    panels[1].set_ylabel("accuracy")
    panels[1].set_ylim(-0.02, 1.04)
    panels[1].set_xlabel("step")
    _guesses(panels[0], runs, with_numbers)


def _guesses(axes: Axes, runs: Runs, with_numbers: bool) -> None:
    """The losses of those who guess, as lines across."""
    levels = [(np.log(2), "knows the two nouns, guesses which (ln 2)", ":")]
    if runs.guessing is not None:
        words = round(np.exp(runs.guessing))
        name = f"all {words} words (ln {words})" if with_numbers else "all its words"
        levels.insert(0, (runs.guessing, f"guesses among {name}", "--"))
    for level, name, dashes in levels:
        axes.axhline(level, color=style.INK, lw=1.5, ls=dashes, label=name)


def _curves(axes: Axes, steps: np.ndarray, values: np.ndarray, color: str) -> None:
    """values[seed, step]: thin lines, their median, and a band where there are enough seeds."""
    count = len(values)
    many = count > THIN
    if count > 1:
        # Many lines as one image: as paths they would make a large file.
        alpha = min(0.1, 30 / count) if many else 0.55
        axes.plot(steps, values.T, color=color, lw=0.8, alpha=alpha, rasterized=many)
    if count > FEW:
        low, high = np.nanpercentile(values, BAND, axis=0)
        axes.fill_between(steps, low, high, color=color, alpha=0.25, lw=0)
        axes.plot(steps, np.transpose([low, high]), color=style.INK if many else color, lw=1.2)
    axes.plot(steps, np.nanmedian(values, axis=0), color=style.INK if many else color, lw=3)


# Where it looks ----------------------------------------------------------------------------------


def by_role(runs: Runs) -> tuple[np.ndarray, list[str]]:
    """Weights from "it" summed by what is looked at, [seed, step, sentence, layer, head, role]."""
    values = runs.values("it_attention")
    at = runs.roles_of_positions("it_attention")
    roles = [role for role in dict.fromkeys(at) if role not in ("it", "other words")]
    roles += ["it", "other words"]
    summed = [values[..., [role == there for there in at]].sum(axis=-1) for role in roles]
    return np.stack(summed, axis=-1), roles


def where_it_looks(runs: Runs, seed: int, shown: range) -> Figure:
    """Of one seed, per sentence and head: stacked areas over the recorded steps."""
    weights, roles = by_role(runs)
    slide = look.slide(
        runs,
        f"Where “it” looks while seed {runs.seeds[seed]} learns",
        "Height: the share of the attention from “it”. In layer 2 a position holds more than its "
        f"own word, since layer 1 has mixed others into it. {look.STEPS}",
        count=f"One of {runs.n} seeds" if runs.n > 1 else "",
    )
    _areas(slide, runs, shown, weights[seed], roles)
    return slide


def seeds_look(runs: Runs, shown: range) -> Figure:
    """The same as the mean over the seeds."""
    weights, roles = by_role(runs)
    slide = look.slide(
        runs,
        "Where “it” looks while learning, the mean over the seeds",
        "Height: the mean share of the attention from “it”. The heads of a layer have no order, so "
        f"they look alike where chance decides which of them gets a job. {look.STEPS}",
    )
    _areas(slide, runs, shown, weights.mean(axis=0), roles)
    return slide


def spread(runs: Runs, shown: range) -> Figure:
    """A panel per layer and role: the median and the band over all heads of all seeds."""
    weights, roles = by_role(runs)
    sentences = runs.labels("it_attention", "recorded_sentence")
    slide = look.slide(
        runs,
        "How much the seeds differ in where “it” looks",
        f"Lines: the median over the {runs.per_layer} heads of all seeds. Bands: from 5 % to 95 % "
        f"of them. Rows: the layers. {look.STEPS}",
    )
    handles = [_line(number) for number in range(len(shown))]
    look.legend_strip(slide, handles, [sentences[sentence] for sentence in shown], style.SMALL)
    panels = slide.grid(len(runs.layers), len(roles), sharex=True, sharey=True)
    for (layer, role), axes in np.ndenumerate(panels):
        for number, sentence in enumerate(shown):
            part = np.moveaxis(weights[:, :, sentence, layer, :, role], 1, 0)
            part = part.reshape(len(part), -1)
            low, high = np.percentile(part, BAND, axis=1)
            color = look.series_color(number)
            axes.fill_between(_steps(runs), low, high, color=color, alpha=0.2, lw=0)
            axes.plot(_steps(runs), np.median(part, axis=1), color=color, lw=2.5,
                      ls=style.LINES[number])  # fmt: skip
        axes.set_title(f"{runs.layers[layer]}, to {roles[role]}", loc="left", size=style.SMALL)
        _limits(axes, _steps(runs)[-1])
    for axes in panels[:, 0]:
        axes.set_ylabel("weight")
    for axes in panels[-1]:
        axes.set_xlabel("step", size=style.SMALL)
    return slide


def _line(number: int) -> Line2D:
    return Line2D([], [], color=look.series_color(number), ls=style.LINES[number], lw=2.5)


def _areas(
    slide: style.Slide, runs: Runs, shown: range, weights: np.ndarray, roles: list[str]
) -> None:
    """Stacked areas of weights[step, sentence, layer, head, role], a panel per sentence, head."""
    colors = [look.role_color(role, roles) for role in roles]
    look.legend_strip(slide, [Patch(color=color) for color in colors], roles)
    panels = slide.grid(len(shown), len(runs.heads), sharex=True, sharey=True)
    sentences = runs.labels("it_attention", "recorded_sentence")
    for (row, head), axes in np.ndenumerate(panels):
        layer, number = divmod(head, runs.per_layer)
        areas = weights[:, shown[row], layer, number].T
        axes.stackplot(_steps(runs), areas, colors=colors, edgecolor=style.PAPER, lw=0.6)
        axes.set_title(runs.heads[head], loc="left", size=style.TEXT)
        _limits(axes, _steps(runs)[-1], is_narrow=len(runs.heads) > 6)
    for axes in panels[-1]:
        axes.set_xlabel("step", size=style.SMALL)
    for row, sentence in enumerate(shown):
        look.row_title(panels[row, 0], sentences[sentence])
        panels[row, 0].set_ylabel("weight")


def _limits(axes: Axes, last: float, is_narrow: bool = False) -> None:
    look.step_axis(axes, last, is_narrow)
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])


def _steps(runs: Runs) -> np.ndarray:
    return np.array([float(step) for step in runs.labels("it_attention", "recorded_step")])
