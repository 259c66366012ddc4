"""What the pictures of opus-mt-probe need of a result: its heads, sentences and options."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import alignments
import attention_view
import numpy as np
from attention_view import Step
from referent_runs import leave_out
from refran_result import Array, Item, Result, ResultError


class Kind(NamedTuple):
    """A kind of attention: its name in a title, the side its heads are of, who looks where."""

    title: str
    side: str
    rows: str
    columns: str
    looks: str

    def question(self, unit: str) -> str:
        """What its weights show, in a title."""
        return self.looks.format(unit=unit)


KINDS = {
    "cross": Kind(
        "Cross-attention", "decoder", "target", "source",
        "where each output {unit} looks",
    ),
    "encoder_self": Kind(
        "Encoder self-attention", "encoder", "source", "source",
        "where each source {unit} looks",
    ),
    "decoder_self": Kind(
        "Decoder self-attention", "decoder", "target", "target",
        "where each output {unit} looks",
    ),
}  # fmt: skip


class Head(NamedTuple):
    """A head of one kind; layer and head count from 1."""

    layer: int
    head: int

    @property
    def name(self) -> str:
        """As `L6H1`."""
        return f"L{self.layer}H{self.head}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """The head of a name; ResultError where it is none."""
        found = re.fullmatch(r"L(\d+)H(\d+)", text.strip())
        if found is None:
            raise ResultError(f"--option heads: {text.strip()!r} is not a head such as L6H1")
        return cls(int(found[1]), int(found[2]))


@dataclass(frozen=True)
class Options:
    """What `draw.py --option` may set; the defaults are those of the pictures."""

    rows: str = "predicted"
    special: str = "show"
    units: str = "pieces"
    heads: str = ""
    source: str = "all"
    sentences: str = "2"

    def __post_init__(self) -> None:
        choices = {"rows": ("predicted", "input"), "special": ("show", "hide", "renormalise"),
                   "units": ("pieces", "words")}  # fmt: skip
        for name, allowed in choices.items():
            value = getattr(self, name)
            if value not in allowed:
                text = f"{value!r} is not a choice; allowed are {', '.join(allowed)}"
                raise ResultError(f"--option {name}: {text}")
        if not re.fullmatch("[1-9][0-9]*", self.sentences):
            raise ResultError(f"--option sentences: {self.sentences!r} is not a number from 1 on")

    @property
    def unit(self) -> str:
        """`piece` or `word`."""
        return self.units.removesuffix("s")

    def more_heads(self) -> list[tuple[str, Head]]:
        """The heads asked for: `L3H2` of cross-attention, `encoder_self L1H1` of another kind."""
        found = []
        for text in filter(None, (part.strip() for part in self.heads.split(","))):
            kind, _, name = text.rpartition(" ")
            if kind and kind not in KINDS:
                allowed = ", ".join(KINDS)
                raise ResultError(f"--option heads: {kind!r} is not a kind; there are {allowed}")
            found.append((kind or "cross", Head.parse(name)))
        return found


class Heads(NamedTuple):
    """The layers and heads, from 1, along the first two dimensions of `values`."""

    values: np.ndarray  # [layer, head, …]
    layers: list[int]
    heads: list[int]

    @classmethod
    def of(cls, array: Array) -> Heads:
        """Those of an output, whose labels are `L1` and `H1`."""
        layers, heads = (
            [int(label[1:]) for label in array.labels[dim]] for dim in array.dims[:2]
        )
        return cls(array.values, layers, heads)

    def __contains__(self, head: object) -> bool:
        return isinstance(head, Head) and head.layer in self.layers and head.head in self.heads

    def place(self, head: Head) -> tuple[int, int]:
        """The position of a head along the first two dimensions."""
        return self.layers.index(head.layer), self.heads.index(head.head)

    def every(self) -> list[Head]:
        """All heads, layer by layer."""
        return [Head(layer, head) for layer in self.layers for head in self.heads]


class Shown(NamedTuple):
    """The weights of a kind as they are drawn: `heads.values` is [layer, head, row, column]."""

    heads: Heads
    rows: list[str]
    columns: list[str]
    row_name: str
    column_name: str
    about: str  # units and special tokens; {share} is their part of the weight
    special: np.ndarray  # [layer, head]: the weight on special tokens, the mean over rows

    def of(self, head: Head) -> np.ndarray:
        """The weights of a head, [row, column]."""
        return self.heads.values[self.heads.place(head)]

    def note(self, chosen: np.ndarray | tuple[int, ...] = ()) -> str:
        """What is shown and what is not: of the heads chosen, [layer, head], of one, or of all."""
        return self.about.format(share=f"{self.special[chosen].mean():.2f}")


class Average(NamedTuple):
    """Cross-attention in words, averaged over heads."""

    name: str
    weights: np.ndarray  # [row, column]
    shown: Shown
    links: list[tuple[int, int]]  # rows and columns, special tokens left out
    note: str

    @property
    def limit(self) -> float:
        """The end of the scale: the largest weight, rounded up to a tenth."""
        return float(np.ceil(10 * np.nanmax(self.weights, initial=0.0) - 1e-6) / 10) or 0.1


class Sentence:
    """A sentence of the result, and its weights as the options want them."""

    def __init__(self, item: Item, options: Options, count: int, warning: str) -> None:
        """count: how many sentences the result has; warning: what has to be said of the model."""
        self.item = item
        self.options = options
        self.file_name = f"sentence-{item.index}"
        self.kinds = [kind for kind in KINDS if _weights_name(kind) in item]
        self.number = f"Sentence {item.index + 1} of {count}" if count > 1 else "The sentence"
        self.where = f"{warning}{self.number}: “{_shortened(item.label)}”."

    @property
    def has_text(self) -> bool:
        """Whether there are pieces that are not special, on both sides."""
        sides = (self._side("source", "input"), self._side("target", "output"))
        return not any(side.is_special.all() for side in sides)

    def shown(self, kind: str, units: str = "") -> Shown:
        """The weights of a kind, in the units given, else in those of the options."""
        units = units or self.options.units
        array, about = self.item[_weights_name(kind)], KINDS[kind]
        step: Step = "input" if self.options.rows == "input" else "output"
        rows = self._side(about.rows, step)
        columns = self._side(about.columns, "input")
        at_special = attention_view.view(
            array.values, rows.is_special, columns.is_special, "hide"
        ).hidden.mean(axis=-1)
        drawn = attention_view.view(
            array.values, rows.is_special, columns.is_special, self.options.special
        )
        rows, columns, weights = rows.part(drawn.queries), columns.part(drawn.keys), drawn.attention
        if units == "words":
            weights = attention_view.merge_words(weights, rows.word_of, columns.word_of)
        unit = units.removesuffix("s")
        row_name = f"source {unit}"
        if about.rows == "target":
            row_name = f"output {unit} {'read' if step == 'input' else 'predicted'}"
        return Shown(
            Heads.of(array)._replace(values=weights), rows.labels(units), columns.labels(units),
            row_name, f"source {unit}" if about.columns == "source" else f"output {unit} read",
            f"In {units}{_MERGED[units]}; {_SPECIAL[self.options.special]}.", at_special,
        )  # fmt: skip

    def _side(self, side: str, step: Step) -> _Side:
        """The pieces of the source, or those of the output that a step predicts or reads."""
        item = self.item
        if side == "source":
            pieces, words = item["source_word_of"].labels["source_key"], item["source_word"].values
            return _Side(pieces, item["source_word_of"].values, words)
        which = "input" if step == "input" else "predicted"
        pieces = item[f"{which}_token"].values.tolist()
        return _Side(pieces, item[f"{which}_word_of"].values, item["target_word"].values)


class _Side(NamedTuple):
    """Pieces along one dimension, the word of each, and all words."""

    pieces: list[str]
    word_of: np.ndarray
    words: np.ndarray

    @property
    def is_special(self) -> np.ndarray:
        """Whether each piece is special; an unknown one is not, as it stands for text."""
        return attention_view.is_special(self.pieces, unknown=False)

    def part(self, positions: np.ndarray) -> _Side:
        """Some of the pieces."""
        pieces = [self.pieces[at] for at in positions]
        return self._replace(pieces=pieces, word_of=self.word_of[positions])

    def labels(self, units: str) -> list[str]:
        if units == "pieces":
            return list(self.pieces)
        return attention_view.unit_labels(self.word_of, self.words, self.pieces)


_MERGED = {
    "pieces": "",
    "words": " (sums over the pieces looked at, means over those looking)",
}
_SPECIAL = {
    "show": "special tokens are shown, with {share} of the weight",
    "hide": "special tokens are hidden, with {share} of the weight",
    "renormalise": "special tokens are hidden, with {share} of the weight, and each row is scaled "
    "to sum to 1",
}


def _shortened(text: str, limit: int = 80) -> str:
    """A text that leaves a note room for more, cut after a word."""
    return text if len(text) <= limit else text[:limit].rsplit(" ", 1)[0] + " …"


def _weights_name(kind: str) -> str:
    return "cross_attention" if kind == "cross" else f"{kind}_attention"


class Probe:
    """A result of opus-mt-probe, and what is to be drawn of it."""

    def __init__(self, result: Result, options: Options) -> None:
        self.result = result
        self.options = options
        self.items = result.each("sentence")
        means_nothing = any(text.startswith("the weights are random") for text in result.warnings)
        self.warning = "The weights are random: this means nothing. " if means_nothing else ""
        supervised = Heads.of(result["supervised"])
        self.supervised = {head for head in supervised.every()
                           if supervised.values[supervised.place(head)]}  # fmt: skip

    def sentences(self) -> Iterator[Sentence]:
        """The first ones; those with nothing to draw are left out, which is said."""
        for item in self.items[: int(self.options.sentences)]:
            sentence = Sentence(item, self.options, len(self.items), self.warning)
            if sentence.has_text:
                yield sentence
            else:
                why = "has no text, or no translation, so it is not drawn"
                leave_out(self.result, f"sentence {item.index + 1} {why}")

    @property
    def over_sentences(self) -> str:
        """What the numbers of all sentences are."""
        count = len(self.items)
        number = f"The mean over {count} sentences." if count > 1 else "Of one sentence."
        return self.warning + number

    def supervised_among(self, kind: str, heads: Heads) -> list[Head]:
        """The heads of a kind that were given their job, in order."""
        return [head for head in heads.every() if kind == "cross" and head in self.supervised]

    def chosen(self, sentence: Sentence) -> list[tuple[str, Head]]:
        """The sharpest head of cross-attention that is not supervised, the supervised ones, and
        those asked for."""
        found: list[tuple[str, Head]] = []
        if "cross" in sentence.kinds:
            sharpness = Heads.of(sentence.item["cross_confidence"])
            free = [head for head in sharpness.every() if head not in self.supervised]
            sharpest = max(free, key=lambda head: sharpness.values[sharpness.place(head)],
                           default=None)  # fmt: skip
            given = self.supervised_among("cross", sharpness)
            found += [("cross", head) for head in [sharpest, *given] if head is not None]
        for kind, head in self.options.more_heads():
            array = sentence.item.get(_weights_name(kind))
            if array is None or head not in Heads.of(array):
                text = f"there is no {KINDS[kind].title.lower()} {head.name} in it"
                raise ResultError(f"{self.result.path}: {text}")
            found.append((kind, head))
        return list(dict.fromkeys(found))

    def head_values(self, kind: str, measure: str) -> Heads | None:
        """A measure of the heads of a kind, [layer, head], the mean over all sentences."""
        name = f"{kind}_{measure}"
        having = [item[name] for item in self.items if name in item]
        if not having:
            return None
        mean = np.mean([array.values for array in having], axis=0)
        return Heads.of(having[0])._replace(values=mean)

    def average(self, sentence: Sentence) -> Average:
        """Cross-attention in words over the heads of the option `source`, without supervised ones
        where there are others."""
        shown = sentence.shown("cross", "words")
        names = [[f"{letter}{number}" for number in numbers]
                 for letter, numbers in (("L", shown.heads.layers), ("H", shown.heads.heads))]
        source = self.options.source
        chosen = alignments.chosen_heads(source, *names)
        given = [head for head in self.supervised_among("cross", shown.heads)
                 if chosen[shown.heads.place(head)]]  # fmt: skip
        free = chosen.copy()
        for head in given:
            free[shown.heads.place(head)] = False
        left_out = f"Left out: {heads_text(given)}, supervised." if given else ""
        if not free.any():
            free, left_out = chosen, "All of them are supervised."
        weights = attention_view.mean_of_heads(shown.heads.values, free)
        rows, columns = (attention_view.is_special(words, unknown=False)
                         for words in (shown.rows, shown.columns))  # fmt: skip
        own = np.where(rows[:, np.newaxis] | columns, 0, np.nan_to_num(weights))
        links = [(int(row), int(column)) for row, column in np.argwhere(alignments.links(own))]
        count = int(free.sum())
        name = f"mean of {count} head{'s' if count > 1 else ''} of {_source_text(source, names[0])}"
        return Average(name, weights, shown, links, f"{left_out} {shown.note(free)}".strip())


def _source_text(source: str, layers: list[str]) -> str:
    """What the heads averaged are of, in a title."""
    if source != "all":
        return source.replace(",", ", ")
    return f"{layers[0]} to {layers[-1]}" if len(layers) > 1 else layers[0]


def heads_text(heads: Collection[Head]) -> str:
    """`L6H1 and L6H2`, in order."""
    names = [head.name for head in sorted(heads)]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
