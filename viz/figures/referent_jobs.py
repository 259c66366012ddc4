"""The job each head of referent-training ended up with: by seed, and counted over many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import factorial, prod

import numpy as np
import referent_look as look
import seed_statistics as statistics
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from referent_runs import THIN, Runs

DETAILED = 6  # seeds up to which the table says the weights too
SHOWN = 9  # collections of jobs, the rest being counted as one
SWITCHES = "switches with the adjective"

RULE = (
    "A head’s job is what “it” looks at most beyond its share of the positions; “switches” is "
    "another role for each referent, “mixed” none that stands out."
)


def figures(runs: Runs) -> Iterator[tuple[str, Figure]]:
    """A table of few seeds; of many the shares of jobs, and which arise together."""
    if runs.n <= THIN:
        yield "jobs", table(runs)
        return
    yield "jobs", shares(runs)
    yield "jobs-together", together(runs)


def short(job: str) -> str:
    """A job in one or two words."""
    return {SWITCHES: "switches", "self": "it"}.get(job, job)


def job_color(job: str, runs: Runs) -> str:
    """The colour of a job: its role’s, where it is a role."""
    roles = runs.labels("role_attention", "key_role")
    if job in ("mixed", SWITCHES):
        return style.PAPER if job == "mixed" else style.GREY
    return style.PALETTE[4] if job == "referent" else look.role_color(job, roles)


# Few seeds ---------------------------------------------------------------------------------------


def table(runs: Runs) -> Figure:
    """A row per seed, a column per head: the job, and for few seeds what it looks at."""
    detailed = runs.n <= DETAILED and runs.per_layer <= 2
    note = "Below the job: what “it” looks at most, for each noun that it can be. "
    slide = look.slide(
        runs, "The job each head ended up with", (note if detailed else "") + RULE
    )
    axes = slide.grid()[0, 0]
    jobs = runs.values("job").reshape(runs.n, -1)
    for (seed, head), job in np.ndenumerate(jobs):
        color = job_color(job, runs)
        box = (head - 0.47, seed - 0.44)
        axes.add_patch(
            Rectangle(box, 0.94, 0.88, facecolor=look.tint(color), edgecolor=style.GREY, lw=1)
        )
        lines = _largest(runs, seed, head) if detailed else []
        height = 0.2 if lines else 0
        size = style.TEXT if runs.per_layer <= 2 and runs.n <= 12 else 11
        axes.text(head, seed - height, short(job), ha="center", va="center", weight="bold",
                  size=size)  # fmt: skip
        if lines:
            axes.text(head, seed + 0.16, "\n".join(lines), ha="center", va="center", size=12,
                      linespacing=1.35)  # fmt: skip
    _table_axes(axes, runs, jobs.shape[1])
    return slide


def _table_axes(axes: Axes, runs: Runs, columns: int) -> None:
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(max(runs.n, 3) - 0.5, -0.5)
    axes.set_xticks(range(columns), runs.heads, size=style.TEXT, weight="bold")
    axes.xaxis.tick_top()
    axes.set_yticks(range(runs.n), [f"seed {seed}" for seed in runs.seeds], size=style.TEXT)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _largest(runs: Runs, seed: int, head: int) -> list[str]:
    """For each referent the role that a head looks at most from "it", with its weight."""
    layer, number = divmod(head, runs.per_layer)
    roles = runs.labels("role_attention", "key_role")
    weights = runs.values("role_attention")[seed, :, layer, number, roles.index("self")]
    names = runs.labels("role_attention", "referent")
    best = weights.argmax(axis=1)
    return [
        f"{style.shorten(name, 12)} → {style.shorten(short(roles[role]), 12)} {row[role]:.2f}"
        for name, row, role in zip(names, weights, best, strict=True)
    ]


# Many seeds --------------------------------------------------------------------------------------


def all_jobs(runs: Runs) -> list[str]:
    """All jobs that arise, roles first."""
    roles = runs.labels("role_attention", "key_role")
    order = ["referent", *roles, SWITCHES, "mixed"]
    seen = set(runs.values("job").ravel().tolist())
    return [job for job in order if job in seen]


def shares(runs: Runs) -> Figure:
    """Per layer the share of heads with each job, with the share in each slot as a check."""
    slide = look.slide(
        runs,
        "The jobs that heads end up with, by layer",
        f"{look.interval(runs)} Marks: the share in each slot (H1, H2, …); slots have no order, so "
        f"they differ by chance alone. {RULE}",
    )
    panels = slide.grid(1, len(runs.layers), sharex=True, sharey=True)[0]
    jobs, names = runs.values("job"), all_jobs(runs)
    for layer, axes in enumerate(panels):
        has = np.stack([jobs[:, layer] == job for job in names], axis=-1).astype(float)
        found = statistics.bootstrap(has.mean(axis=1))
        colors = [look.tint(job_color(job, runs), 0.6) for job in names]
        places = np.arange(len(names))
        axes.barh(places, found.mean, 0.7, color=colors, edgecolor=style.GREY)
        axes.errorbar(found.mean, places, xerr=found.errors, fmt="none", ecolor=style.INK, lw=1.5,
                      capsize=5)  # fmt: skip
        for slot in range(runs.per_layer):
            axes.plot(has[:, slot].mean(axis=0), places + 0.22, ls="", mfc="none", mec=style.INK,
                      marker=style.MARKERS[slot], ms=6, label=f"H{slot + 1}")  # fmt: skip
        axes.set_title(f"Layer {layer + 1}", loc="left", weight="bold")
        axes.set_xlabel("share of the layer’s heads")
        axes.set_ylim(len(names) - 0.5, -0.5)
        most = 1.1 * max(found.high.max(), has.mean(axis=0).max())
        axes.set_xlim(0, max(most, axes.get_xlim()[1] if layer else 0))
    look.legend_strip(slide, *panels[-1].get_legend_handles_labels())
    style.label_positions(panels[np.newaxis], y=[short(job) for job in names])
    return slide


def expected(collection: tuple[str, ...], share: dict[str, float], seeds: int) -> float:
    """How often a collection would arise if each head took its job apart from the others."""
    orders = factorial(len(collection)) / prod(map(factorial, Counter(collection).values()))
    return seeds * orders * prod(share[job] for job in collection)


def together(runs: Runs) -> Figure:
    """Per layer how often which jobs arise together, whichever head has which."""
    what = "jobs" if runs.per_layer != 2 else "pairs of jobs"
    slide = look.slide(
        runs,
        f"Which {what} arise together in a layer",
        "Bars: in how many seeds, whichever head has which. Circles: how many there would be if "
        f"the heads of a layer took their jobs independently. {RULE}",
    )
    panels = slide.grid(1, len(runs.layers), sharex=True)[0]
    for layer, axes in enumerate(panels):
        jobs = runs.values("job")[:, layer]
        counts = statistics.unordered(jobs)
        share = {job: float((jobs == job).mean()) for job in set(jobs.ravel().tolist())}
        ordered = sorted(counts, key=lambda key: (-counts[key], key))
        top, rest = ordered[:SHOWN], ordered[SHOWN:]
        axes.barh(range(len(top)), [counts[key] for key in top], 0.7, color=style.PALETTE[0])
        axes.plot([expected(key, share, runs.n) for key in top], range(len(top)), "o", ms=8,
                  mfc=style.PAPER, mec=style.INK, mew=1.5)  # fmt: skip
        names = [f"{' + '.join(map(short, key))}: {counts[key]}" for key in top]
        axes.set_yticks(range(len(top)), names, size=style.SMALL)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(SHOWN - 0.4, -0.6)
        left_out = sum(counts[key] for key in rest)
        rarer = f" (and {left_out} with {len(rest)} rarer ones)" if rest else ""
        axes.set_xlabel(f"seeds{rarer}")
        axes.set_title(f"Layer {layer + 1}", loc="left", weight="bold")
        axes.margins(x=0.12)
    return slide
