"""Results of opus-mt-probe for tests: sentences in pieces, made-up attention, an ablation study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from result_files import ResultFile
from results_of import softmax

# The dimensions of each kind's weights.
DIMS = {
    "encoder_self": "encoder_layer encoder_head source_query source_key",
    "decoder_self": "decoder_layer decoder_head target_query target_key",
    "cross": "decoder_layer decoder_head target_query source_key",
}
SOURCE = "▁U nha ▁tía ▁mi ña ▁que ▁todo ▁o ▁solucion aba </s>".split()
TARGET = "▁An ▁a unt ▁of ▁mine ▁who ▁solved ▁everything </s>".split()
END = "</s>"


def words(pieces: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The words, and the index of each piece's word; the end of the sentence is its own."""
    found: list[str] = []
    which = []
    for piece in pieces:
        if piece.startswith("▁") or piece == END or not found:
            found.append("")
        found[-1] += piece.replace("▁", "")
        which.append(len(found) - 1)
    return found, np.array(which, dtype=np.int32)


@dataclass
class Sentence:
    """A sentence in pieces, both ending with </s>, and its weights by kind, as DIMS."""

    source: Sequence[str]
    target: Sequence[str]
    weights: dict[str, np.ndarray]
    log_probability: np.ndarray | None = None

    @classmethod
    def made_up(
        cls, source: Sequence[str], target: Sequence[str], layers: tuple[int, int], heads: int
    ) -> Sentence:
        """Weights of heads that are the sharper, the later their layer and the lower their number;
        layers: of the encoder and the decoder."""
        random = np.random.default_rng(len(source) * len(target))
        sizes = {"encoder_self": (layers[0], len(source), len(source)),
                 "decoder_self": (layers[1], len(target), len(target)),
                 "cross": (layers[1], len(target), len(source))}  # fmt: skip
        weights = {}
        for kind, (count, rows, columns) in sizes.items():
            scores = random.normal(size=(count, heads, rows, columns))
            nearness = -np.abs(np.arange(rows)[:, np.newaxis] / rows - np.arange(columns) / columns)
            sharp = 1 + np.arange(count)[:, np.newaxis] + np.arange(heads)[::-1] / heads
            scores += (sharp[:, :, np.newaxis, np.newaxis] * 8) * nearness
            if kind == "decoder_self":
                scores[..., np.triu_indices(rows, 1)[0], np.triu_indices(rows, 1)[1]] = -np.inf
            weights[kind] = softmax(scores).astype(np.float32)
        return cls(source, target, weights)


@dataclass
class Ablation:
    """Log-probabilities of references with heads off: condition 0 is the open model."""

    heads: Sequence[tuple[str, int, int]]  # (kind, layer, head) of each other condition, from 0
    log_probability: np.ndarray  # [condition, pair]
    length: Sequence[int]  # [pair]
    protocol: str = "single"
    references: Sequence[str] = ()
    translations: np.ndarray | None = None  # [condition, pair]

    def labels(self) -> list[str]:
        """What each condition is called."""
        form = {"single": "{}", "all_but_one": "all but {}", "greedy": "greedy {n}: + {}"}
        names = [f"{kind} L{layer + 1}H{head + 1}" for kind, layer, head in self.heads]
        found = [form[self.protocol].format(name, n=n) for n, name in enumerate(names, 1)]
        return ["none", *found]


def made_up_ablation(
    layers: tuple[int, int], heads: int, pairs: int, protocol: str = "single"
) -> Ablation:
    """Every head off alone; cross L1H1 hurts by 1 nat a token, cross L2H2 helps, others do little.

    Of the greedy protocol: heads off one after the other, each hurting more.
    """
    random = np.random.default_rng(pairs)
    sizes = {"encoder_self": layers[0], "decoder_self": layers[1], "cross": layers[1]}
    every = [(kind, layer, head) for kind, count in sizes.items()
             for layer in range(count) for head in range(heads)]  # fmt: skip
    length = random.integers(4, 12, size=pairs)
    effect = random.normal(scale=0.02, size=(1 + len(every), pairs))
    effect[1 + every.index(("cross", 0, 0))] -= 1
    effect[1 + every.index(("cross", 1, 1))] += 0.2
    effect[0] = 0
    if protocol == "greedy":
        every = every[:: max(1, len(every) // 12)]
        effect = -np.arange(1 + len(every))[:, np.newaxis] ** 2 * 0.01 + effect[: 1 + len(every)]
        effect[0] = 0
    scores = -2.0 * length + effect * length
    return Ablation(every, scores, length.tolist(), protocol)


@dataclass
class Probe:
    """A result of opus-mt-probe in the making."""

    path: Path
    sentences: Sequence[Sentence]
    supervised: Sequence[tuple[int, int]] = ()  # (layer, head) from 0
    ablation: Ablation | None = None
    kept: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)  # layers, heads

    def write(self) -> Path:
        """Writes the file and gives its path."""
        names = [f"L{layer + 1}H{head + 1}" for layer, head in self.supervised]
        protocol = self.ablation.protocol if self.ablation else "single"
        config = f"config:\n  supervised_heads: {names}\n  ablation: {{protocol: {protocol}}}\n"
        file = ResultFile(
            self.path, "opus-mt-probe", "Which source words does the model look at?", config=config
        )
        for index, sentence in enumerate(self.sentences):
            self._write_sentence(file, f"sentence/{index}", sentence)
        self._write_texts(file)
        if self.ablation is not None:
            _write_ablation(file, self.ablation)
        return file.write()

    def _write_texts(self, file: ResultFile) -> None:
        texts = [["".join(part).replace("▁", " ").replace(END, "").strip() for part in pair]
                 for pair in ((s.source, s.target) for s in self.sentences)]  # fmt: skip
        file.labels("text", [source for source, _ in texts])
        file.output("source_text", [source for source, _ in texts], "text")
        file.output("translation", [target for _, target in texts], "text")
        file.output("score", np.full(len(texts), -1.0), "text", unit="nat")
        for side, sizes in (("source", [len(s.source) for s in self.sentences]),
                            ("target", [len(s.target) for s in self.sentences])):  # fmt: skip
            file.output(f"{side}_length", np.array(sizes, dtype=np.int32), "text")
        file.output("ended", np.ones(len(texts), dtype=np.int32), "text")
        layers, heads = self.sentences[0].weights["cross"].shape[:2]
        supervised = np.zeros((layers, heads), dtype=np.int32)
        for place in self.supervised:
            supervised[place] = 1
        file.labels("decoder_layer", [f"L{n + 1}" for n in range(layers)])
        file.labels("decoder_head", [f"H{n + 1}" for n in range(heads)])
        file.output("supervised", supervised, "decoder_layer decoder_head")

    def _write_sentence(self, file: ResultFile, path: str, sentence: Sentence) -> None:
        source, target = sentence.source, sentence.target
        read = ["<pad>", *target[:-1]]
        file.item(path, "".join(source[:-1]).replace("▁", " ").strip())
        file.labels(f"{path}/source_query", source)
        file.labels(f"{path}/source_key", source)
        file.labels(f"{path}/target_query", read)
        file.labels(f"{path}/target_key", read)
        for kind, weights in sentence.weights.items():
            _write_weights(file, path, kind, weights, self.kept.get(kind))
        source_words, source_word_of = words(source)
        target_words, target_word_of = words(target)
        input_word_of = np.concatenate([[-1], target_word_of[:-1]]).astype(np.int32)
        file.output(f"{path}/source_id", np.arange(len(source), dtype=np.int32), "source_key")
        file.output(f"{path}/source_word", source_words, "source_word_index")
        file.output(f"{path}/source_word_of", source_word_of, "source_key")
        file.output(f"{path}/target_word", target_words, "target_word_index")
        file.output(f"{path}/input_token", read, "target_query")
        file.output(f"{path}/predicted_token", list(target), "target_query")
        file.output(f"{path}/predicted_word_of", target_word_of, "target_query")
        file.output(f"{path}/input_word_of", input_word_of, "target_query")
        given = sentence.log_probability
        given = np.full(len(target), -0.5) if given is None else given
        file.output(f"{path}/log_probability", given.astype(np.float32), "target_query", unit="nat")


def _write_weights(
    file: ResultFile,
    path: str,
    kind: str,
    weights: np.ndarray,
    kept: tuple[list[int], list[int]] | None,
) -> None:
    """The weights of the layers and heads that are kept, and their entropy and confidence."""
    layers, heads = kept or (range(weights.shape[0]), range(weights.shape[1]))
    dims = DIMS[kind].split()
    file.labels(f"{path}/{dims[0]}", [f"L{layer + 1}" for layer in layers])
    file.labels(f"{path}/{dims[1]}", [f"H{head + 1}" for head in heads])
    own = weights[np.ix_(layers, heads)]
    name = "cross_attention" if kind == "cross" else f"{kind}_attention"
    file.output(f"{path}/{name}", own, DIMS[kind], rows_sum_to_one=True)
    logs = np.log(own, out=np.zeros_like(own), where=own > 0)
    words_alone = own[:, :, : max(1, own.shape[2] - 1)]  # without the row of </s>
    entropy, confidence = -(own * logs).sum(-1).mean(-1), words_alone.max(-1).mean(-1)
    file.output(f"{path}/{kind}_entropy", entropy, " ".join(dims[:2]), unit="nat")
    file.output(f"{path}/{kind}_confidence", confidence, " ".join(dims[:2]))


def _write_ablation(file: ResultFile, ablation: Ablation) -> None:
    pairs = len(ablation.length)
    every = [("none", -1, -1), *ablation.heads]
    file.labels("condition", ablation.labels())
    file.labels("pair", [f"source {n}" for n in range(pairs)])
    file.output("ablation_kind", [kind for kind, _, _ in every], "condition")
    for name, at in (("layer", 1), ("head", 2)):
        numbers = np.array([entry[at] for entry in every], dtype=np.int32)
        file.output(f"ablation_{name}", numbers, "condition")
    scores = ablation.log_probability
    file.output("ablation_log_probability", scores, "condition pair", unit="nat")
    file.output("reference_length", np.array(ablation.length, dtype=np.int32), "pair")
    file.output("ablation_half", np.arange(pairs, dtype=np.int32) % 2, "pair")
    texts = list(ablation.references) or [f"the reference number {n}" for n in range(pairs)]
    file.output("reference", texts, "pair")
    file.output("pair_source", [f"source {n}" for n in range(pairs)], "pair")
    if ablation.translations is not None:
        file.output("ablation_translation", ablation.translations, "condition pair")


# Kinds of results -------------------------------------------------------------------------------


def long_sentence(count: int) -> list[str]:
    """So many pieces, a third of which go on with the word before."""
    return [f"▁word{n}" if n % 3 else f"s{n}" for n in range(1, count)] + ["</s>"]


def _small(path: Path) -> Path:
    ablation = made_up_ablation((2, 2), 4, pairs=40)
    texts = np.array(["the reference number 3 it is", "another one"], dtype=object)
    ablation.translations = texts[np.arange(25 * 40).reshape(25, 40) % 7 // 6]
    sentences = [Sentence.made_up(SOURCE, TARGET, (2, 2), 4),
                 Sentence.made_up(SOURCE[6:], TARGET[5:], (2, 2), 4)]  # fmt: skip
    return Probe(path, sentences, [(1, 0)], ablation).write()


def _large(path: Path) -> Path:
    sentence = Sentence.made_up(SOURCE, TARGET, (6, 6), 8)
    ablation = made_up_ablation((6, 6), 8, pairs=12, protocol="all_but_one")
    return Probe(path, [sentence], [(5, 0), (5, 3)], ablation).write()


def _wide(path: Path) -> Path:
    sentence = Sentence.made_up(SOURCE, TARGET, (6, 6), 16)
    del sentence.weights["decoder_self"]
    return Probe(path, [sentence], [(5, 0)], made_up_ablation((6, 6), 16, pairs=12)).write()


def _part(path: Path) -> Path:
    sentence = Sentence.made_up(SOURCE, TARGET, (3, 3), 4)
    del sentence.weights["decoder_self"]
    del sentence.weights["encoder_self"]
    kept = {"cross": ([1, 2], [1, 3])}
    ablation = made_up_ablation((3, 3), 4, pairs=10, protocol="greedy")
    return Probe(path, [sentence], [(2, 3)], ablation, kept).write()


def _long_sentence(path: Path) -> Path:
    sentences = [Sentence.made_up(long_sentence(60), long_sentence(57), (1, 1), 2),
                 Sentence.made_up([END], [END], (1, 1), 2)]  # fmt: skip
    return Probe(path, sentences, [(0, 0)]).write()


# Names of results, and how each is made.
KINDS: dict[str, Callable[[Path], Path]] = {
    "2x4": _small,
    "6x8": _large,
    "6x16": _wide,
    "a part kept": _part,
    "long sentence": _long_sentence,
}
