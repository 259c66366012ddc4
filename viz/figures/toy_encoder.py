"""The pictures of toy-encoder: the path of the summary, and how much of each word it holds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import place
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from refran_result import Array, Result

FEW = 6  # words: up to here every step is spelled out, and shares are stacked bars


def figures(result: Result) -> Iterator[tuple[str, Figure]]:
    """The pictures of one sentence."""
    sentence = Sentence(result)
    yield "path", path(result, sentence)
    if len(sentence.words) <= 4:
        yield "steps", steps(result, sentence)
    if len(sentence.parts) <= FEW:
        yield "shares", share_bars(result, sentence)
    else:
        yield "shares", share_map(result, sentence)
    yield "final-shares", final_shares(result, sentence)


def sweep_figures(result: Result) -> Iterator[tuple[str, Figure]]:
    """The shares in the last summary for every run of a sweep along one axis."""
    share = result["share"] if "share" in result else None
    if len(result.axes) == 1 and share is not None and 2 <= share.shape[0] <= 12:
        yield "sweep-final-shares", sweep_shares(result, share)


class Sentence:
    """What the pictures need of a result: arrays as read, and what follows from them.

    points[word, xy] and summary[step, xy] have the first two dimensions; share[step, part] has no
    start where nothing of it is ever in the summary; rate[word] is how far each word moves the
    summary. Step k reads word k, counted from 1.
    """

    def __init__(self, result: Result) -> None:
        embedding, share = result["embedding"], result["share"]
        self.words = embedding.labels["word"]
        self.points = style.plane(embedding.values)
        self.summary = style.plane(result["summary"].values)
        self.dims = _dim_names(embedding)
        self.dim_count = embedding.shape[1]
        self.rate = result["rate"].values
        self.start = share.labels["part"][0]
        self.has_start = bool(share.values[:, 0].any())
        skipped = 0 if self.has_start else 1
        self.share = share.values[:, skipped:]
        self.parts = share.labels["part"][skipped:]

    @property
    def step_count(self) -> int:
        return len(self.words)

    def toward(self) -> str:
        """How far the steps go, in words."""
        rates = set(self.rate.tolist())
        if rates == {0.5}:
            return "halfway"
        return f"{style.percent(rates.pop())} of the way" if len(rates) == 1 else "some of the way"

    def note(self) -> str:
        """Says which dimensions are shown, where there are more than two."""
        if self.dim_count <= 2:
            return ""
        return f" Shown are the first 2 of {self.dim_count} dimensions."


def _dim_names(embedding: Array) -> list[str]:
    if embedding.has_labels("dim"):
        return [*embedding.labels["dim"], ""][:2]
    return ["dimension 1", "dimension 2" if embedding.shape[1] > 1 else ""]


# The path ----------------------------------------------------------------------------------------


def path(result: Result, sentence: Sentence) -> Figure:
    """All steps in one plane; beside it the arithmetic, or which word each step reads."""
    title = f"Each word moves the summary {sentence.toward()} toward its point"
    note = (
        "Squares: the words’ points. Line: the summary after every step. Dashed: from a summary "
        "toward the point of the word that is read next." + sentence.note()
    )
    slide = style.Slide(result, title, note)
    left, bottom, width, height = slide.body
    axes = slide.add_axes((left + 0.05, bottom + 0.07, 0.56 * width, height - 0.08))
    _frame(axes, sentence)
    placer = _draw_steps(axes, sentence, range(1, sentence.step_count + 1))
    _number_steps(axes, placer, sentence, range(sentence.step_count + 1))
    _label_words(placer, sentence, range(len(sentence.words)))
    start = left + 0.56 * width + 0.085
    panel = slide.add_axes((start, bottom, left + width - start, height))
    panel.set_axis_off()
    if sentence.step_count <= 4:
        _arithmetic(panel, sentence)
    else:
        _reading_order(panel, sentence)
    return slide


def _frame(axes: Axes, sentence: Sentence) -> None:
    """Sets limits that hold all points, at one scale for both dimensions."""
    style.square_limits(axes, np.vstack([sentence.points, sentence.summary]))
    axes.set_xlabel(sentence.dims[0])
    axes.set_ylabel(sentence.dims[1])
    axes.grid(color=style.FAINT, linewidth=0.6)


def _draw_steps(
    axes: Axes, sentence: Sentence, shown: range, placer: place.Placer | None = None
) -> place.Placer:
    """Draws words, the path up to the last step shown, and the dashed lines of those shown."""
    placer = placer or place.Placer(axes)
    few = sentence.step_count <= FEW
    words = sentence.points
    for step in shown:
        word = words[step - 1]
        ends = np.array([sentence.summary[step - 1], word])
        axes.plot(*ends.T, color=style.GREY, lw=1.4 if few else 0.5, ls=(0, (4, 3)), zorder=2)
        if few:
            placer.avoid_line(ends)
    trail = sentence.summary[: shown.stop]
    axes.plot(*trail.T, color=style.PALETTE[0], lw=2.5 if few else 1.6, zorder=3)
    size = 10 if few else 7
    axes.plot(*words.T, ls="", marker="s", ms=size, color=style.PALETTE[1], mec=style.INK)
    placer.avoid_line(trail)
    placer.keep_clear(words, 5)
    return placer


def _number_steps(
    axes: Axes, placer: place.Placer, sentence: Sentence, steps_shown: range
) -> None:
    """Marks the summary after every step, with its number where there is room for it."""
    first, last = steps_shown[0], steps_shown[-1]
    width, size = (19, 12) if sentence.step_count <= FEW else (15, 10)
    for step in dict.fromkeys([last, first, *steps_shown]):
        point = sentence.summary[step]
        if placer.is_free(point, width / 2 - 1):
            ring = {"color": style.PAPER, "mec": style.PALETTE[0], "mew": 1.8}
            axes.plot(*point, "o", ms=width, zorder=4, **ring)
            look = {"ha": "center", "va": "center", "size": size, "weight": "bold", "zorder": 5}
            axes.annotate(f"{step}", point, **look)
            placer.keep_clear(point[np.newaxis], width / 2)
        else:
            axes.plot(*point, "o", ms=4, color=style.PALETTE[0], zorder=4)


def _label_words(placer: place.Placer, sentence: Sentence, shown: range) -> None:
    """Writes every word type once; words that share a point share a label."""
    texts: dict[tuple[float, ...], list[str]] = {}
    for word in shown:
        names = texts.setdefault(tuple(sentence.points[word]), [])
        if sentence.words[word] not in names:
            names.append(sentence.words[word])
    size = style.TEXT if len(texts) <= FEW else style.SMALL
    labels = [", ".join(names) for names in texts.values()]
    placer.label(np.array(list(texts)), labels, size=size, weight="bold")


def _arithmetic(panel: Axes, sentence: Sentence) -> None:
    """Writes every update with its numbers."""
    names = [f"0  {sentence.start}"]
    lines = [style.vector(sentence.summary[0])]
    for step in range(1, sentence.step_count + 1):
        names.append(f"{step}  {sentence.words[step - 1]}")
        lines.append(_update(sentence, step))
    for step, (name, line) in enumerate(zip(names, lines, strict=True)):
        y = 0.98 - 0.96 / len(names) * step
        panel.text(0, y, name, va="top", weight="bold")
        panel.text(0, y - 0.065, line, va="top", size=style.TEXT - 1)


def _update(sentence: Sentence, step: int) -> str:
    """A step's arithmetic, in two lines."""
    before, after = sentence.summary[step - 1], sentence.summary[step]
    rate, point = sentence.rate[step - 1], sentence.points[step - 1]
    sum_text = f"{1 - rate:.3g} · {style.vector(before)} + {rate:.3g} · {style.vector(point)}"
    return f"{sum_text}\n= {style.vector(after)}"


def _reading_order(panel: Axes, sentence: Sentence) -> None:
    """Lists which word each step reads, in two columns; very long sentences are cut."""
    count = sentence.step_count
    rows = min(max((count + 1) // 2, 8), 17)
    panel.text(0, 1, "The steps and their words", va="top", weight="bold", size=style.SMALL + 1)
    for step in range(1, min(count, 2 * rows) + 1):
        column, row = divmod(step - 1, rows)
        y = 0.92 - row * 0.92 / rows
        name = sentence.words[step - 1]
        if step == 2 * rows and count > step:
            name = f"… and {count - step + 1} more"
        panel.text(0.06 + 0.5 * column, y, f"{step}", ha="right", va="top", size=style.SMALL)
        panel.text(0.10 + 0.5 * column, y, name, va="top", size=style.SMALL)


def steps(result: Result, sentence: Sentence) -> Figure:
    """One panel per step: the summary, the word it reads, and where it goes."""
    count = sentence.step_count
    title = f"Reading {' '.join(sentence.words)}, one word at a time"
    note = (
        f"Each step goes {sentence.toward()} along the dashed line, to the point of the word read."
        + sentence.note()
    )
    slide = style.Slide(result, title, note)
    left, bottom, width, height = slide.body
    gap = 0.05
    each = width / count - gap
    tall = min(height - 0.32, each * style.SLIDE[0] / style.SLIDE[1] * 1.1)
    for step in range(1, count + 1):
        x = left + gap + (step - 1) * (each + gap)
        axes = slide.add_axes((x, bottom + height - 0.06 - tall, each, tall))
        _frame(axes, sentence)
        axes.set_ylabel(sentence.dims[1] if step == 1 else "")
        word = sentence.words[step - 1]
        axes.set_title(f"{step}  {word}", weight="bold", loc="left", size=style.TEXT + 2)
        placer = _draw_steps(axes, sentence, range(step, step + 1))
        _number_steps(axes, placer, sentence, range(step + 1))
        _label_words(placer, sentence, range(len(sentence.words)))
        lines = _update(sentence, step).replace(" + ", "\n+ ")
        slide.text(x, bottom + height - 0.19 - tall, lines, va="top", linespacing=1.4)
    return slide


# Shares ------------------------------------------------------------------------------------------


def _step_names(sentence: Sentence) -> list[str]:
    return [sentence.start, *(f"after {word}" for word in sentence.words)]


def share_bars(result: Result, sentence: Sentence) -> Figure:
    """One stacked bar per step."""
    slide = style.Slide(
        result,
        "How much of each word is in the summary after every step",
        "Each bar is one summary; its parts sum to 100 %. "
        "Every further word leaves less of the words before.",
    )
    axes = slide.grid()[0, 0]
    style.stacked_bars(axes, sentence.share, sentence.parts, sentence.has_start)
    axes.set_yticks(range(len(sentence.share)), _step_names(sentence), size=style.TEXT)
    style.legend_above(axes)
    return slide


def share_map(result: Result, sentence: Sentence) -> Figure:
    """Steps down, parts across, the share as darkness."""
    slide = style.Slide(
        result,
        "How much of each word is in the summary after every step",
        "One row per summary, which sums to 100 %; one column per part. "
        "Along a row, only the words just read stand out.",
    )
    axes = slide.grid()[0, 0]
    image = axes.imshow(
        sentence.share, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="auto"
    )
    slide.color_bar(image, "share")
    style.label_positions(axes, sentence.parts, _step_names(sentence))
    return slide


def final_shares(result: Result, sentence: Sentence) -> Figure:
    """What the decoder gets: the shares in the last summary."""
    share, parts = sentence.share[-1], sentence.parts
    heaviest = _last_words_for(share, 0.9)
    title = "How much of each word is in the final summary"
    if heaviest == 1:
        title = f"The last word makes up {style.percent(share[-1])} of the final summary"
    elif heaviest <= len(sentence.words) / 2:
        title = (
            f"The last {heaviest} of {len(sentence.words)} words make up "
            f"{style.percent(share[-heaviest:].sum())} of the final summary"
        )
    slide = style.Slide(result, title, "This one vector is all that the decoder is given.")
    axes = slide.grid()[0, 0]
    colors = [style.FAINT] * sentence.has_start + [style.PALETTE[0]] * len(sentence.words)
    bars = axes.bar(range(len(parts)), 100 * share, width=0.75, color=colors)
    few = len(parts) <= 10
    texts = [_bar_text(100 * v) if few or v >= 0.001 else "" for v in share]
    axes.bar_label(bars, texts, padding=3, size=style.TEXT if few else 11)
    axes.set_ylabel("share of the final summary (%)")
    axes.set_ylim(0, 110 * share.max())
    axes.set_xlim(-0.6, len(parts) - 0.4)
    style.label_positions(axes, parts)
    return slide


def _bar_text(value: float) -> str:
    return f"{value:.3g}" if value >= 1 else f"{value:.2g}"


def _last_words_for(share: np.ndarray, enough: float) -> int:
    """How many of the last parts together hold `enough` of share[part]."""
    return int(np.searchsorted(np.cumsum(share[::-1]), enough - 1e-9)) + 1


def sweep_shares(result: Result, share: Array) -> Figure:
    """One line per run: share[axis, step, part] in the last step."""
    axis = share.dims[0]
    slide = style.Slide(
        result,
        f"How much of each word is in the final summary, by {axis}",
        "One line per run of the sweep.",
    )
    axes = slide.grid()[0, 0]
    parts = share.labels["part"]
    for run, name in enumerate(result.axis_labels(axis)):
        look = style.series(run)
        shape = {"ls": look.line, "marker": look.marker, "lw": 2, "ms": 8}
        axes.plot(share.values[run, -1], color=look.color, label=name, **shape)
    axes.set_ylabel("share of the final summary")
    axes.set_ylim(bottom=0)
    axes.legend(title=axis, loc="upper left", bbox_to_anchor=(1.01, 1), title_fontsize=style.SMALL)
    style.label_positions(axes, parts)
    return slide
