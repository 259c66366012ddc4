"""The pictures of greedy-decoder: the probabilities at every step, and the path of the state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from math import ceil, exp

import numpy as np
import place
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from refran_result import Array, Item, Result

STEPS = 3  # panels of one picture
CANDIDATES = 14  # bars of one panel
SENTENCES = 12  # bars of one picture of a sweep
INPUTS = 9  # rows of the overview
HOW = {
    "greedy": "the most likely word is written",
    "sample": "a word is drawn with its probability",
    "beam": "beam search chooses the word",
}


def figures(result: Result) -> Iterator[tuple[str, Figure]]:
    """The pictures of all inputs."""
    yield "sentences", sentences(result)
    for item in result.each("input"):
        count = len(item["chosen"].values)
        for page in range(ceil(count / STEPS)):
            name = f"input-{item.index}-steps" + (f"-{page + 1}" if count > STEPS else "")
            last = min((page + 1) * STEPS, count)
            yield name, steps(result, item, range(page * STEPS, last))
        yield f"input-{item.index}-path", path(result, item)
        if "hypothesis" in item:
            yield f"input-{item.index}-hypotheses", hypotheses(result, item)


def sweep_figures(result: Result) -> Iterator[tuple[str, Figure]]:
    """How often each sentence was written, over the seeds of a sweep."""
    if "seed" not in result.axes or "sentence" not in result:
        return
    written = result["sentence"]
    others = [axis for axis in result.axes if axis != "seed"]
    points = list(np.ndindex(*(written.shape[written.dims.index(axis)] for axis in others)))
    for number, point in enumerate(points[:6]):
        where = dict(zip(others, point, strict=True))
        complete = result.completed[tuple(where.get(axis, slice(None)) for axis in result.axes)]
        inputs = written.dims[-1]
        for index, label in enumerate(written.labels[inputs]):
            name = f"sweep-input-{index}" + (f"-{number + 1}" if len(points) > 1 else "")
            part = written.at(**where, **{inputs: index}).values[complete]
            values = {axis: result.axis_labels(axis)[at] for axis, at in where.items()}
            yield name, counts(result, part, label, values)


def _strategy(result: Result) -> str:
    return str(result.setting("config.strategy"))


def _probability(value: float) -> str:
    """A probability, to three decimals."""
    return f"{value:.3f}" if value >= 0.0005 or value == 0 else "<.001"


# All inputs --------------------------------------------------------------------------------------


def sentences(result: Result) -> Figure:
    """Each input, what was written for it, and how likely that was."""
    written, probability = result["sentence"], np.exp(result["log_probability"].values)
    inputs = written.labels[written.dims[-1]]
    rows = list(zip(inputs, written.values, probability, strict=True))
    note = f"At every step {HOW[_strategy(result)]}."
    if len(rows) > INPUTS:
        note += f" The first {INPUTS} of {len(rows)} inputs."
    slide = style.Slide(result, "What the decoder writes for every input", note)
    columns = ("Galician input", "English sentence", "probability")
    rows_text = [(a, b or "(nothing)", _probability(p)) for a, b, p in rows[:INPUTS]]
    _table(slide, columns, rows_text, (0, 0.46, 0.9))
    return slide


def _table(
    slide: style.Slide,
    header: tuple[str, ...],
    rows: list[tuple[str, ...]],
    starts: tuple[float, ...],
) -> None:
    """Rows of texts; starts: where each column begins, as a share of the body's width."""
    left, bottom, width, height = slide.body
    ends = (*starts[1:], 1.02)
    line = height / (max(len(rows), 5) + 1)
    for number, row in enumerate([header, *rows]):
        y = bottom + height - (number + 0.5) * line
        size, color = (style.TEXT + 2, style.INK) if number else (style.SMALL, style.GREY)
        for text, start, end in zip(row, starts, ends, strict=True):
            room = (end - start - 0.02) * width * style.SLIDE[0] * 72
            text = style.cut(slide, text, size, room)
            slide.text(left + start * width, y, text, va="center", size=size, color=color)


# The steps of one input --------------------------------------------------------------------------


def steps(result: Result, item: Item, shown: range) -> Figure:
    """A panel per step: the probability of every word, [step, candidate]."""
    count = len(item["chosen"].values)
    title = f"{item.label}: step by step, {HOW[_strategy(result)]}"
    note = "Orange: the word written. Hatched: the runner-up. Numbers: probability, and logit."
    if len(shown) < count:
        note += f" Steps {shown[0] + 1} to {shown[-1] + 1} of {count}."
    candidates = item["probability"].shape[1]
    if candidates > CANDIDATES:
        note += f" Each panel has its {CANDIDATES} likeliest words of {candidates}."
    slide = style.Slide(result, title, note)
    grid = slide.grid(1, max(len(shown), 2))
    for axes, step in zip(grid[0], shown):
        _step_panel(axes, item, step)
    for axes in grid[0, len(shown) :]:
        axes.set_axis_off()
    return slide


def _step_panel(axes: Axes, item: Item, step: int) -> None:
    probability = item["probability"].at(step=step)
    logit = item["logit"].values[step]
    words = probability.labels["candidate"]
    chosen, runner_up = item["chosen"].values[step], item["runner_up"].values[step]
    likeliest = np.argsort(-probability.values, kind="stable")[:CANDIDATES]
    shown = sorted({*likeliest.tolist(), words.index(chosen)})
    for row, candidate in enumerate(shown):
        value = probability.values[candidate]
        axes.barh(row, value, height=0.7, **_bar_look(words[candidate], chosen, runner_up))
        text = f"{_probability(value)}  ({style.minus(f'{logit[candidate]:.2f}')})"
        weight = "bold" if words[candidate] == chosen else "normal"
        axes.text(value + 0.03, row, text, va="center", size=style.SMALL, weight=weight)
    names = [style.shorten(words[candidate], 14) for candidate in shown]
    axes.set_yticks(range(len(shown)), names, size=style.TEXT)
    for label, candidate in zip(axes.get_yticklabels(), shown, strict=True):
        label.set_weight("bold" if words[candidate] == chosen else "normal")
    axes.set_ylim(max(len(shown), 5) - 0.4, -0.6)
    axes.set_xlim(0, 1.75)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.spines["bottom"].set_bounds(0, 1)
    axes.set_title(f"step {step + 1}: {chosen}", loc="left", weight="bold", size=style.TEXT + 2)
    axes.set_xlabel("probability", loc="left")
    axes.tick_params(left=False)


def _bar_look(word: str, chosen: str, runner_up: str) -> dict[str, str]:
    if word == chosen:
        return {"color": style.HIGHLIGHT, "edgecolor": style.INK}
    if word == runner_up:
        return {"color": style.PAPER, "edgecolor": style.PALETTE[0], "hatch": "///"}
    return {"color": style.FAINT, "edgecolor": style.GREY}


def path(result: Result, item: Item) -> Figure:
    """The state before every step, moved by the step vectors of the words written."""
    state, embedding = item["state"].values, result["output_embedding"]
    written = " ".join(word for word in item["chosen"].values if word != "</s>")
    title = f"{item.label}: every word written moves the state"
    note = "Numbers: the state before each step. Thick arrows: step vectors. Thin arrows: the "
    note += "output embeddings, which the state is scored against."
    if state.shape[1] > 2:
        note += f" Shown are the first 2 of {state.shape[1]} dimensions."
    slide = style.Slide(result, title, note)
    left, bottom, width, height = slide.body
    axes = slide.add_axes((left + 0.05, bottom + 0.07, 0.62 * width, height - 0.08))
    _draw_path(axes, style.plane(state), embedding, item)
    start = left + 0.62 * width + 0.085
    panel = slide.add_axes((start, bottom, left + width - start, height))
    panel.set_axis_off()
    _list_steps(panel, item, written)
    return slide


def _draw_path(axes: Axes, state: np.ndarray, embeddings: Array, item: Item) -> None:
    """state[position, xy] and embeddings[candidate, dim] in one plane."""
    embedding, words = style.plane(embeddings.values), embeddings.labels["candidate"]
    style.square_limits(axes, np.vstack([state, embedding, np.zeros((1, 2))]), pad=0.15)
    axes.set_xlabel("dimension 1")
    axes.set_ylabel("dimension 2")
    axes.grid(color=style.FAINT, linewidth=0.6)
    placer = place.Placer(axes)
    thin = {"arrowstyle": "-|>", "color": style.GREY, "lw": 1, "shrinkA": 0, "shrinkB": 0}
    for point in embedding:
        axes.annotate("", point, xytext=(0, 0), arrowprops=thin)
        placer.avoid_line(np.array([(0, 0), point]))
    thick = {"arrowstyle": "-|>", "color": style.PALETTE[0], "lw": 3, "mutation_scale": 22}
    moves = list(zip(state, state[1:]))
    for before, after in moves:
        arrow = {**thick, "shrinkA": 10, "shrinkB": 10}
        axes.annotate("", after, xytext=before, arrowprops=arrow, zorder=3)
        placer.avoid_line(np.array([before, after]))
    _number_states(axes, placer, state)
    placer.keep_clear(embedding, 4)
    if moves:
        middles = np.array([(before + after) / 2 for before, after in moves])
        names = [f"+ {word}" for word in item["chosen"].values[: len(moves)]]
        placer.label(middles, names, size=style.TEXT, weight="bold", color=style.PALETTE[0])
    placer.label(embedding, words, size=style.SMALL + 1)


def _number_states(axes: Axes, placer: place.Placer, state: np.ndarray) -> None:
    """A numbered circle at every state that no earlier one covers."""
    for position, point in enumerate(state):
        if placer.is_free(point, 9):
            axes.plot(*point, "o", ms=20, color=style.PAPER, mec=style.PALETTE[0], mew=2, zorder=4)
            look = {"ha": "center", "va": "center", "size": 12, "weight": "bold", "zorder": 5}
            axes.annotate(str(position), point, **look)
            placer.keep_clear(point[np.newaxis], 10)
        else:
            axes.plot(*point, "o", ms=6, color=style.PALETTE[0], zorder=4)


def _list_steps(panel: Axes, item: Item, written: str) -> None:
    """The sentence, and each step's state and word."""
    chosen = item["chosen"].values
    rows = len(chosen) if len(chosen) <= 5 else 4
    state = item["state"].values[:, :2]
    title = style.wrap(
        panel.text(0, 0.98, "", va="top", weight="bold"), f"→ {written}", panel.bbox.width
    )
    panel.texts[0].set_text(title)
    for step in range(rows):
        y = 0.82 - 0.16 * step
        probability = _probability(item["chosen_probability"].values[step])
        at = ", ".join(f"{x:.3g}" for x in state[step])
        panel.text(0, y, f"{step}  {chosen[step]}", va="top", weight="bold")
        line = style.minus(f"state ({at}), p = {probability}")
        panel.text(0, y - 0.065, line, va="top", size=style.SMALL)
    if rows < len(chosen):
        rest = f"… and {len(chosen) - rows} more steps"
        panel.text(0, 0.82 - 0.16 * rows, rest, va="top", size=style.SMALL)


def hypotheses(result: Result, item: Item) -> Figure:
    """The sentences beam search found, with the probability of each."""
    found, logs = item["hypothesis"].values, item["hypothesis_log_probability"].values
    count = min(len(found), SENTENCES)
    note = "The first is the one written."
    if count < len(found):
        note += f" The first {count} of {len(found)}."
    slide = style.Slide(result, f"{item.label}: the sentences that beam search found", note)
    axes = slide.grid()[0, 0]
    bars = [(text, exp(log)) for text, log in zip(found[:count], logs[:count], strict=True)]
    _sentence_bars(axes, bars, _probability)
    axes.set_xlabel("probability of the whole sentence")
    return slide


def counts(result: Result, written: np.ndarray, label: str, where: dict[str, str]) -> Figure:
    """How many runs wrote each sentence; written[seed], without failed runs."""
    found = Counter(written.tolist())
    order = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    sentences_found = f"{len(order)} different sentences" if len(order) > 1 else "the same sentence"
    note = f"{len(written)} seeds wrote {sentences_found}."
    note += "".join(f" {axis} = {value}." for axis, value in where.items())
    if len(order) > SENTENCES:
        note += f" The {SENTENCES} most frequent are drawn."
    slide = style.Slide(result, f"{label}: how often each sentence was written", note)
    axes = slide.grid()[0, 0]
    _sentence_bars(axes, [(text, float(n)) for text, n in order[:SENTENCES]], "{:.0f}".format)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("seeds")
    return slide


def _sentence_bars(
    axes: Axes, bars: list[tuple[str, float]], form: Callable[[float], str]
) -> None:
    """A bar per sentence, the first highlighted."""
    values = [value for _, value in bars]
    colors = [style.HIGHLIGHT] + [style.FAINT] * (len(bars) - 1)
    drawn = axes.barh(range(len(bars)), values, height=0.7, color=colors, edgecolor=style.GREY)
    axes.bar_label(drawn, [form(value) for value in values], padding=5, size=style.TEXT)
    names = [style.shorten(text, 36) or "(nothing)" for text, _ in bars]
    axes.set_yticks(range(len(bars)), names, size=style.TEXT)
    axes.set_ylim(max(len(bars), 5) - 0.4, -0.6)
    axes.set_xlim(0, 1.12 * max([*values, 1e-12]))
    axes.tick_params(left=False)
