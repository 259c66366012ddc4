"""What happens in referent-training when heads are switched off: bars, tests, and the lattice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import referent_look as look
import seed_statistics as statistics
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from referent_runs import Runs, leave_out

MODES = "A head switched off gives nothing (zero), looks everywhere alike (uniform), gives its mean"
MODES += " output (mean), or that of another sentence (resample)."
OUTPUTS = {
    "accuracy": "ablation_accuracy",
    "logit difference": "ablation_logit_difference",
    "loss": "ablation_loss",
}
SUBSETS = 16  # up to which each is drawn; else they are joined by how many are off in each layer
JOINED = "2 + 1 are two of layer 1 and one of layer 2"
ALPHA = 0.05
RADIUS = 22  # points, of the dots of the lattice


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """Single heads in every mode, their test, all subsets, and the lattice of them."""
    if "ablation_loss" not in runs:
        leave_out(runs.result, "ablation was off, so none of its pictures are drawn")
        return
    yield "ablation", single_heads(runs)
    if runs.n > 1:
        for measure in ("accuracy", "logit difference"):
            yield f"ablation-test-{measure.replace(' ', '-')}", tests(runs, measure)
    yield "ablation-subsets", subsets(runs)
    for measure in ("accuracy", "logit difference"):
        yield f"ablation-lattice-{measure.replace(' ', '-')}", lattice(runs, measure)


def off(runs: Runs) -> list[frozenset[str]]:
    """The heads that each subset switches off, none first."""
    names = runs.labels("ablation_loss", "subset")
    return [frozenset() if name == "none" else frozenset(name.split("+")) for name in names]


def modes(runs: Runs) -> list[str]:
    """The modes of switching off."""
    return runs.labels("ablation_loss", "mode")


def single(runs: Runs, measure: str) -> tuple[np.ndarray, np.ndarray]:
    """A measure with one head off, [seed, mode, head], and with none, [seed]."""
    values = runs.values(OUTPUTS[measure])
    order = [off(runs).index(frozenset([head])) for head in runs.heads]
    return values[:, :, order], values[:, 0, 0]


# Single heads ------------------------------------------------------------------------------------


def single_heads(runs: Runs) -> Figure:
    """A panel per measure: a bar per head and mode, and the line of no ablation."""
    slide = look.slide(
        runs,
        _most_important(runs),
        f"{MODES} Dashed: no head is off. {look.whiskers(runs)} The loss is on a log scale.",
    )
    panels = slide.grid(1, len(OUTPUTS))[0]
    names = modes(runs)
    width = 0.84 / len(names)
    for axes, measure in zip(panels, OUTPUTS):
        values, none = single(runs, measure)
        if measure == "loss":
            look.log_axis(axes)
        for number, mode in enumerate(names):
            places = np.arange(len(runs.heads)) + (number - (len(names) - 1) / 2) * width
            look.mean_bars(axes, places, values[:, number], width=width, label=mode,
                           color=look.series_color(number),
                           hatch=style.HATCHES[number])  # fmt: skip
        axes.axhline(none.mean(), color=style.INK, lw=2, ls=(0, (4, 3)), zorder=2)
        axes.set_title(f"{measure} (nat)" if measure == "loss" else measure, loc="left")
        axes.set_xticks(range(len(runs.heads)), runs.heads,
                        rotation=90 if len(runs.heads) > 4 else 0)  # fmt: skip
        axes.tick_params(axis="x", length=0)
    panels[0].set_ylim(0, 1.05)
    look.legend_strip(slide, *panels[0].get_legend_handles_labels())
    return slide


def _most_important(runs: Runs) -> str:
    """In how many seeds the modes agree on the head that matters most."""
    values, none = single(runs, "logit difference")
    most = (values - none[:, np.newaxis, np.newaxis]).argmin(axis=2)  # [seed, mode]
    same = int((most == most[:, :1]).all(axis=1).sum())
    count = len(modes(runs))
    if runs.n == 1:
        verdict = "is the same" if same else "depends on the mode"
        return f"One head switched off: which head matters most {verdict} in the {count} modes"
    return f"One head switched off: all modes agree on the head that matters most in {same} of " + (
        f"{runs.n} seeds"
    )


def tests(runs: Runs, measure: str) -> Figure:
    """A table of heads and modes: the change, its interval, and a p adjusted over the heads."""
    values, none = single(runs, measure)
    change = values - none[:, np.newaxis, np.newaxis]
    found = statistics.bootstrap(change)
    p = np.stack([statistics.holm(row) for row in statistics.sign_flip_test(change)])
    test = "exact" if runs.n <= statistics.EXACT else f"{statistics.RESAMPLES:,} random draws"
    note = (
        f"Mean change of the {measure} with one head off, its 95 % bootstrap interval, and p of a "
        f"sign-flip test over the seeds ({test}), after Holm over the heads of a mode."
    )
    smallest = len(runs.heads) * 2.0 ** (1 - runs.n)
    if smallest > ALPHA:
        note += f" With {runs.n} seeds no p can be below {min(1, smallest):.2g}: more are needed."
    title = _verdict(runs, measure, found.mean, p)
    if smallest > ALPHA:
        title = f"{runs.n} seeds are too few to test what one head does to the {measure}"
    slide = look.slide(runs, title, note)
    axes = slide.grid()[0, 0]
    limit = max(np.abs(found.mean).max(), 1e-9)
    image = axes.imshow(found.mean.T, cmap=look.DELTAS, vmin=-limit, vmax=limit, aspect="auto")
    slide.color_bar(image, f"change of the {measure}")
    roomy, form = len(runs.heads) <= 4, ".1f" if limit >= 10 else ".2f"
    for (mode, head), value in np.ndenumerate(found.mean):
        ends = (look.signed(end[mode, head], form) for end in (found.low, found.high))
        parts = [look.signed(value, form), f"[{', '.join(ends)}]", look.p_text(p[mode, head])]
        text = "\n".join(parts) if roomy else f"{parts[0]}  {parts[1]}\n{parts[2]}"
        axes.text(mode, head, text, ha="center", va="center", size=style.TEXT if roomy else 11,
                  color=style.ink_on(image.cmap(image.norm(value))))  # fmt: skip
    style.label_positions(axes, modes(runs), runs.heads)
    return slide


def _verdict(runs: Runs, measure: str, change: np.ndarray, p: np.ndarray) -> str:
    """Which heads' verdict, by the p[mode, head] and the sign, depends on the mode."""
    verdict = np.where(p < ALPHA, np.sign(change), 0)
    differs = (verdict != verdict[0]).any(axis=0)
    if not verdict.any():
        return f"No single head’s effect on the {measure} stands out from the seeds’ scatter"
    if not differs.any():
        which = "every head" if verdict.all() else "each head"
        return f"One head off: for {which} the verdict on {measure} is the same in all modes"
    names = [head for head, is_so in zip(runs.heads, differs) if is_so]
    return f"One head off: for {', '.join(names)} the verdict on {measure} depends on the mode"


# Subsets -----------------------------------------------------------------------------------------


def joined(runs: Runs, measure: str) -> tuple[np.ndarray, list[tuple[int, ...]], list[str]]:
    """All subsets in the first mode, [seed, node]: each its own node where there are few, else
    joined by how many heads are off in each layer; the heads off per layer, and the names."""
    values = runs.values(OUTPUTS[measure])[:, 0]
    subsets = off(runs)
    counts = [
        tuple(sum(head.startswith(layer) for head in heads) for layer in runs.layers)
        for heads in subsets
    ]
    if len(subsets) <= SUBSETS:
        names = ["\n".join(head for head in runs.heads if head in s) or "none" for s in subsets]
        return values, counts, names
    nodes = sorted(set(counts), key=lambda node: (sum(node), [-count for count in node]))
    mean = [values[:, [at == node for at in counts]].mean(axis=1) for node in nodes]
    names = [" + ".join(map(str, node)) for node in nodes]
    return np.stack(mean, axis=1), nodes, names


def subsets(runs: Runs) -> Figure:
    """Accuracy and loss of every subset of heads, fewest off first."""
    is_joined = len(off(runs)) > SUBSETS
    slide = look.slide(
        runs,
        "What is left with several heads switched off",
        (f"Joined by how many heads are off: {JOINED}. " if is_joined else "")
        + f"Mode {modes(runs)[0]}: a head switched off gives nothing. Dashed: no head is off. "
        + f"{look.whiskers(runs)} The loss is on a log scale.",
    )
    panels = slide.grid(2, 1, sharex=True)[:, 0]
    for axes, measure in zip(panels, ("accuracy", "loss")):
        values, counts, names = joined(runs, measure)
        order = sorted(range(len(names)), key=lambda node: (sum(counts[node]), node))
        if measure == "loss":
            look.log_axis(axes)
        for number in range(sum(counts[order[-1]]) + 1):
            places = [at for at, node in enumerate(order) if sum(counts[node]) == number]
            look.mean_bars(
                axes, np.array(places, dtype=float), values[:, [order[at] for at in places]],
                width=0.75, color=look.series_color(number),
            )  # fmt: skip
        none = values[:, order[0]].mean()
        axes.axhline(none, color=style.INK, lw=2, ls=(0, (4, 3)), zorder=2)
        axes.set_ylabel("loss (nat)" if measure == "loss" else measure)
    panels[0].set_ylim(0, 1.08)
    panels[1].set_xlabel("heads that are off")
    panels[1].set_xlim(-0.6, len(names) - 0.4)
    style.label_positions(panels[:, np.newaxis], [names[node] for node in order])
    return slide


def lattice(runs: Runs, measure: str) -> Figure:
    """The subsets by inclusion: fewest heads off above, a line to each with one more off."""
    values, counts, names = joined(runs, measure)
    is_joined = len(off(runs)) > SUBSETS
    over = "the mean over the seeds" if runs.n > 1 else "the one seed"
    slide = look.slide(
        runs,
        f"The {measure} with each set of heads switched off",
        f"Colour and number: {over} in mode {modes(runs)[0]}. Written above is "
        + (f"how many heads are off, {JOINED}" if is_joined else "what is off")
        + "; each line switches one more head off.",
    )
    axes = slide.grid()[0, 0]
    mean = values.mean(axis=0)
    where = _layout(counts)
    for one, other in _covers(runs, counts):
        axes.plot(*np.transpose([where[one], where[other]]), color=style.GREY, lw=1, zorder=1)
    limit = max(np.abs(mean).max(), 1e-9)
    high = 1.0 if measure == "accuracy" else limit
    colors, low = (look.DELTAS, -limit) if mean.min() < 0 else (style.WEIGHTS, 0.0)
    dots = axes.scatter(*where.T, c=mean, cmap=colors, vmin=low, vmax=high,
                        s=(2 * RADIUS) ** 2, edgecolors=style.INK, zorder=2)  # fmt: skip
    slide.color_bar(dots, measure)
    behind = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.8}
    for place, value, name in zip(where, mean, names, strict=True):
        ink = style.ink_on(dots.cmap(dots.norm(value)))
        axes.text(*place, look.signed(value), ha="center", va="center", color=ink, size=12)
        text = _lattice_name(name, len(runs.heads) if not is_joined else 0)
        axes.annotate(text, place, (0, RADIUS + 3), textcoords="offset points", ha="center",
                      va="bottom", size=12, bbox=behind)  # fmt: skip
    axes.set_axis_off()
    slide.settle()
    _limits(axes, where)
    return slide


def _lattice_name(name: str, heads: int) -> str:
    """The heads of a node in one line, or `all`."""
    parts = name.split("\n")
    return "all" if len(parts) == heads else " ".join(parts)


def _layout(counts: list[tuple[int, ...]]) -> np.ndarray:
    """Where each node stands, [node, xy]: rows by how many are off, each centred."""
    levels = [sum(count) for count in counts]
    where = np.zeros((len(counts), 2))
    for level in range(max(levels) + 1):
        row = [node for node, at in enumerate(levels) if at == level]
        for number, node in enumerate(row):
            where[node] = (number - (len(row) - 1) / 2, -level)
    return where


def _covers(runs: Runs, counts: list[tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """The pairs of nodes of which the second has one head more off."""
    if len(off(runs)) <= SUBSETS:
        sets: list = off(runs)
        for one, heads in enumerate(sets):
            for other, more in enumerate(sets):
                if heads < more and len(more) == len(heads) + 1:
                    yield one, other
        return
    for one, few in enumerate(counts):
        for other, more in enumerate(counts):
            steps = np.subtract(more, few)
            if steps.min() == 0 and steps.sum() == 1:
                yield one, other


def _limits(axes: Axes, where: np.ndarray) -> None:
    """Room for a dot at every edge, and for a name above the first."""
    width, height = axes.bbox.width * 72 / axes.figure.dpi, axes.bbox.height * 72 / axes.figure.dpi
    columns, rows = np.ptp(where, axis=0)
    side, below, above = 3 * RADIUS, 1.3 * RADIUS, RADIUS + 24
    unit_x, unit_y = (width - 2 * side) / max(columns, 1), (height - below - above) / max(rows, 1)
    axes.set_xlim(where[:, 0].min() - side / unit_x, where[:, 0].max() + side / unit_x)
    axes.set_ylim(where[:, 1].min() - below / unit_y, where[:, 1].max() + above / unit_y)
