"""What the pictures of referent-training share: colours of heads and roles, titles, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
import seed_statistics as statistics
import style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter, NullFormatter
from referent_runs import FEW, THIN, Runs

LINEAR_STEPS = 10
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

DELTAS = matplotlib.colormaps["PuOr"].with_extremes(bad=style.FAINT)

_ROLE_COLORS = (style.PALETTE[0], style.PALETTE[1], style.PALETTE[2], style.PALETTE[3])
_DARK_COLORS = tuple(style.PALETTE[index] for index in (0, 1, 2, 4))  # yellow lines are too pale

STEPS = "Steps are on a log scale from 10 on; step 0 is the random start."


def slide(runs: Runs, title: str, note: str, count: str = "") -> style.Slide:
    """A slide whose note begins with the group and `count`, else the number of runs."""
    count = count or runs.count
    start = f"{runs.name}; {count}." if runs.name else f"{count}."
    return style.Slide(runs.result, title, f"{start} {note}".strip())


def series_color(index: int) -> str:
    """The colour of a head, a referent or a mode, dark enough for a thin line."""
    return _DARK_COLORS[index % len(_DARK_COLORS)]


def role_color(role: str, roles: Sequence[str]) -> str:
    """The colour of what is looked at; `roles` has the two nouns, the adjective and it first."""
    return dict(zip(roles, _ROLE_COLORS)).get(role, style.FAINT)


def tint(color: str, strength: float = 0.25) -> tuple[float, float, float]:
    """A colour mixed with white."""
    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(color))
    return red, green, blue


def legend_strip(
    slide: style.Slide, handles: Sequence[Artist], labels: Sequence[str], size: float = style.TEXT
) -> None:
    """Names series at the top of the body, whose rest is left to the axes: in a row if it fits."""
    left, bottom, width, height = slide.body
    needed = sum(style.text_width(slide, label, size) + 3 * size for label in labels)
    columns = len(labels) if needed < width * style.SLIDE[0] * 72 else 1
    legend = slide.legend(
        handles, labels, loc="upper left", ncol=columns, fontsize=size,
        bbox_to_anchor=(left, bottom + height + 0.01), handlelength=1.2, columnspacing=1.5,
        borderaxespad=0, borderpad=0,
    )  # fmt: skip
    used = legend.get_window_extent().height / slide.bbox.height
    slide.body = (left, bottom, width, height - used - 0.012)


def row_title(axes: Axes, text: str) -> None:
    """A text above a row of panels, over the title of its first."""
    offset: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    place = {"xy": (0, 1), "xytext": (0, 1.9 * style.SMALL), **offset}
    axes.annotate(" ", size=style.TEXT, va="bottom", **place)  # keeps the room
    written = axes.annotate(text, size=style.TEXT, va="bottom", weight="bold", **place)
    written.set_in_layout(False)  # it may reach over the next panels


def mean_bars(
    axes: Axes,
    places: np.ndarray,
    values: np.ndarray,
    *,
    width: float,
    color: str,
    label: str = "",
    hatch: str = "",
) -> statistics.Interval:
    """Bars of the mean of values[seed, bar], with intervals; few seeds are marked too."""
    found = statistics.bootstrap(values)
    axes.bar(
        places, found.mean, width, color=color, hatch=hatch, edgecolor=style.PAPER, label=label
    )
    if len(values) > 1:
        axes.errorbar(places, found.mean, found.errors, fmt="none", ecolor=style.INK, lw=1.5,
                      capsize=min(5.0, 60 * width / len(places)), zorder=3)  # fmt: skip
        if len(values) <= THIN:
            spread = np.linspace(-0.28, 0.28, len(values))[:, np.newaxis] * width
            axes.plot(places + spread, values, ls="", marker="o", ms=4, mfc=style.PAPER,
                      mec=style.INK, mew=0.8, zorder=4)  # fmt: skip
    return found


def log_axis(axes: Axes, which: str = "y") -> None:
    """A log scale whose ticks are plain text: 100, 0.1, 10⁻⁵."""
    axis = axes.yaxis if which == "y" else axes.xaxis
    axes.set(**{f"{which}scale": "log"})
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_text(value)))
    axis.set_minor_formatter(NullFormatter())


def power_text(value: float, always: bool = False) -> str:
    """A power of ten: as a number where it is short and not `always` as 10⁻⁵."""
    power = round(np.log10(value)) if value > 0 else 0
    if -3 <= power <= 3 and not always:
        return f"{value:g}"
    return "10" + str(power).translate(_RAISED)


def step_axis(axes: Axes, last: float, is_narrow: bool = False) -> None:
    """Steps: linear up to LINEAR_STEPS, then on a log scale, since most happens early."""
    axes.set_xlim(0, max(last, 1))
    if last <= 2 * LINEAR_STEPS:
        axes.locator_params(axis="x", nbins=4, integer=True)
        return
    axes.set_xscale("symlog", linthresh=LINEAR_STEPS, linscale=0.6)
    ticks = [0.0, *10.0 ** np.arange(1, np.ceil(np.log10(last)))]
    if is_narrow:
        ticks = [0.0, float(LINEAR_STEPS)]
    if np.log10(last / ticks[-1]) > 0.35:
        ticks.append(last)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def whiskers(runs: Runs) -> str:
    """What whiskers and marks are, for a note."""
    if runs.n == 1:
        return ""
    return f"Bars: means. {interval(runs)}" + (" Marks: the seeds." if runs.n <= THIN else "")


def interval(runs: Runs) -> str:
    """What whiskers are, for a note; with few seeds how far to trust them."""
    text = "Whiskers: 95 % bootstrap intervals over the seeds"
    return text + (f" (rough ones, from {runs.n})." if runs.n <= FEW else ".")


def signed(value: float, form: str = ".2f") -> str:
    """A number with a true minus sign, and none before a zero."""
    text = f"{value:{form}}"
    return style.minus(text.lstrip("-") if float(text) == 0 else text)


def p_text(p: float) -> str:
    """A p value, as `p = 0.03` or `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def of_seeds(count: int, runs: Runs) -> str:
    """`all 200 seeds`, `3 of 200 seeds`, `none of 200 seeds`."""
    if count == runs.n:
        return f"all {runs.n} seeds"
    return f"{count or 'none'} of {runs.n} seeds"
