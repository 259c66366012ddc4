"""Results of the experiments, and of plugins nobody knows, for tests.

The values are computed from the page's arithmetic, with NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from result_files import ResultFile

SENTENCE = (
    "Unha tía miña que todo o solucionaba con ditos e refráns dicía algo así como "
    "un é escravo do que di e dono do que cala"
).split()
POINTS = {"Unha": (0.4, 0.9), "tía": (1.0, 0.1), "miña": (-0.6, 0.8)}


def softmax(scores: np.ndarray) -> np.ndarray:
    """Weights along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def made_up_points(words: Sequence[str], dims: int = 2) -> dict[str, np.ndarray]:
    """A point for every word type, dims numbers each; the same in every test."""
    random = np.random.default_rng(7)
    types = list(dict.fromkeys(words))
    return {word: random.uniform(-1, 1, dims).round(1) for word in types}


def encode(embedding: np.ndarray, rate: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """summary[step, dim] and share[step, part] of the halving encoder; embedding[word, dim]."""
    count, dims = embedding.shape
    summary, share = np.zeros((count + 1, dims)), np.zeros((count + 1, count + 1))
    share[0, 0] = 1
    for step in range(1, count + 1):
        summary[step] = summary[step - 1] + rate * (embedding[step - 1] - summary[step - 1])
        share[step] = share[step - 1] * (1 - rate)
        share[step, step] += rate
    return summary, share


def toy_encoder(path: Path, words: Sequence[str], dims: int = 2, rate: float = 0.5) -> Path:
    """A result of toy-encoder for a sentence."""
    known = {**made_up_points(words, dims), **(POINTS if dims == 2 else {})}
    embedding = np.array([known[word] for word in words])
    summary, share = encode(embedding, rate)
    file = ResultFile(path, "toy-encoder", "How much of each word does one summary keep?")
    file.labels("word", words)
    file.labels("part", ["start", *words])
    file.labels("step", ["start", *words])
    file.output("embedding", embedding, "word dim", doc="The point of each word")
    file.output("rate", np.full(len(words), rate), "word", doc="How far each word moves it")
    file.output("summary", summary, "step dim", doc="The summary after every step")
    file.output("share", share, "step part", doc="How much of each part", rows_sum_to_one=True)
    return file.write()


def rate_sweep(path: Path) -> Path:
    """A sweep of toy-encoder over its rate."""
    words, rates = SENTENCE[:3], [0.25, 0.5, 0.75]
    axes = {"config.rate": rates}
    file = ResultFile(path, "toy-encoder", "How much of each word is kept?", axes=axes)
    embedding = np.array([POINTS[word] for word in words])
    runs = [encode(embedding, rate) for rate in rates]
    file.labels("word", words)
    file.labels("part", ["start", *words])
    file.output("embedding", [embedding] * 3, "word dim")
    file.output("rate", [[rate] * 3 for rate in rates], "word")
    file.output("summary", [summary for summary, _ in runs], "step dim")
    file.output("share", [share for _, share in runs], "step part", rows_sum_to_one=True)
    return file.write()


def unknown(path: Path) -> Path:
    """A result of a plugin without pictures of its own: outputs of every rank and type."""
    random = np.random.default_rng(3)
    file = ResultFile(path, "mystery")
    file.labels("word", SENTENCE[:5])
    file.labels("head", ["L1H1", "L1H2", "L2H1", "L2H2"])
    file.output("accuracy", 0.875, doc="How many answers were right")
    file.output("verdict", "a sentence that a run wrote", doc="What the run found")
    file.output("loss", np.exp(-np.arange(50) / 20), "step", unit="nat", doc="Loss by step")
    file.output("weight", softmax(random.normal(size=5)), "word", doc="The weight of each word")
    file.output("delta", random.normal(size=(6, 5)), "layer word", doc="Change by layer and word")
    maps = softmax(random.normal(size=(2, 4, 5, 5)))
    file.output("attention", maps, "epoch head query word", doc="Attention of every head")
    many = random.normal(size=(30, 6, 8))
    file.output("state", many, "example unit time", doc="State of every unit")
    file.output("token", SENTENCE[:4], "piece", doc="The pieces of the input")
    for k, words in enumerate((SENTENCE[:3], SENTENCE[3:8])):
        file.item(f"sentence/{k}", " ".join(words))
        file.labels(f"sentence/{k}/source", words)
        count = len(words)
        scores = softmax(random.normal(size=(count, count)))
        file.output(f"sentence/{k}/map", scores, "target source", doc="Attention of a sentence")
    return file.write()


def seed_sweep(path: Path, seeds: int = 8) -> Path:
    """A sweep of a plugin without pictures of its own, over heads and seeds; one run failed."""
    random = np.random.default_rng(5)
    axes = {"config.heads": [1, 2, 4], "seed": range(1, seeds + 1)}
    file = ResultFile(path, "mystery-sweep", axes=axes, failed=[(0, 0)])
    file.output("right", random.integers(50, 97, (3, seeds)), doc="How many answers were right")
    noise = random.normal(scale=0.05, size=(3, seeds, 40))
    speed = np.array([20, 15, 10]).reshape(3, 1, 1)
    loss = np.exp(-np.arange(40) / speed) + noise
    file.output("loss", loss, "step", unit="nat", doc="Loss by step")
    for heads in (1, 2, 4):
        maps = softmax(random.normal(size=(seeds, heads, 3, 4)))
        where = f"config.heads={heads}/attention"
        file.output(where, maps, "head query key", doc="Attention of every head")
    return file.write()


def one_axis_of_seeds(path: Path, seeds: int) -> Path:
    """A sweep of a plugin without pictures of its own over seeds alone."""
    random = np.random.default_rng(6)
    file = ResultFile(path, "mystery-seeds", axes={"seed": range(1, seeds + 1)})
    loss = np.exp(-np.arange(40) / 15) + random.normal(scale=0.05, size=(seeds, 40))
    file.output("loss", loss, "step", unit="nat", doc="Loss by step")
    return file.write()


# What the decoder of the fixtures can write: output embedding and step vector of every word.
VOCABULARY = {
    "my": ((-1.0, 2.0), (1.2, -1.6)),
    "your": ((-2.4, -0.4), (1.6, -0.4)),
    "aunt": ((2.2, 0.6), (-0.8, -0.9)),
    "uncle": ((1.1, -2.0), (-0.9, 0.6)),
    "the": ((0.3, 0.4), (0.2, -0.8)),
    "</s>": ((-0.3, -1.6), (0.0, 0.0)),
}
INPUTS = {"Unha tía miña": (0.1, 0.9), "tía túa": (-0.8, 0.3), "tío meu": (0.5, -0.6)}


def decode(start: Sequence[float], random: np.random.Generator | None = None) -> dict:
    """The arrays of one input: greedy, or drawn with `random`."""
    words = list(VOCABULARY)
    embedding = np.array([VOCABULARY[word][0] for word in words])
    state, logit, probability, chosen, runner_up = [np.array(start)], [], [], [], []
    while len(chosen) < 6 and (not chosen or chosen[-1] != "</s>"):
        logit.append(embedding @ state[-1])
        probability.append(softmax(logit[-1]))
        order = np.argsort(-probability[-1], kind="stable").tolist()
        best = order[0] if random is None else random.choice(len(words), p=probability[-1])
        chosen.append(words[best])
        runner_up.append(words[next(word for word in order if word != best)])
        if chosen[-1] != "</s>":
            state.append(state[-1] + np.array(VOCABULARY[chosen[-1]][1]))
    return {
        "state": np.array(state), "logit": np.array(logit), "probability": np.array(probability),
        "chosen": chosen, "runner_up": runner_up,
    }  # fmt: skip


def _sentence(chosen: Sequence[str]) -> str:
    return " ".join(word for word in chosen if word != "</s>")


def _log_probability(decoding: dict) -> float:
    picked = [list(VOCABULARY).index(word) for word in decoding["chosen"]]
    return float(np.log(decoding["probability"][range(len(picked)), picked]).sum())


def greedy_decoder(path: Path, strategy: str = "greedy") -> Path:
    """A result of greedy-decoder; with `beam` it has hypotheses, those of a few draws."""
    config = f"experiment: greedy-decoder\nconfig:\n  strategy: {strategy}\n"
    file = ResultFile(path, "greedy-decoder", "What does the decoder write?", config=config)
    words = list(VOCABULARY)
    decodings = [decode(start) for start in INPUTS.values()]
    file.labels("candidate", words)
    file.labels("source", list(INPUTS))
    for number, name in enumerate(("output_embedding", "step_vector")):
        vectors = [VOCABULARY[word][number] for word in words]
        file.output(name, vectors, "candidate dim", doc=f"The {name} of each word")
    file.output("sentence", [_sentence(d["chosen"]) for d in decodings], "source")
    logs = [_log_probability(decoding) for decoding in decodings]
    file.output("log_probability", logs, "source", unit="nat")
    for k, (name, decoding) in enumerate(zip(INPUTS, decodings, strict=True)):
        file.item(f"input/{k}", name)
        _write_decoding(file, f"input/{k}", decoding)
        if strategy == "beam":
            _write_hypotheses(file, f"input/{k}", list(INPUTS.values())[k])
    return file.write()


def _write_decoding(file: ResultFile, group: str, decoding: dict) -> None:
    words = list(VOCABULARY)
    file.labels(f"{group}/candidate", words)
    dims = {
        "state": "position dim", "logit": "step candidate", "probability": "step candidate",
        "chosen": "step", "runner_up": "step",
    }  # fmt: skip
    for name, values in decoding.items():
        file.output(f"{group}/{name}", values, dims[name], doc=f"The {name} at each step")
    steps = range(len(decoding["chosen"]))
    for name in ("chosen", "runner_up"):
        picked = [words.index(word) for word in decoding[name]]
        values = decoding["probability"][steps, picked]
        file.output(f"{group}/{name}_probability", values, "step", doc="Its probability")


def _write_hypotheses(file: ResultFile, group: str, start: Sequence[float]) -> None:
    random = np.random.default_rng(2)
    found = {}
    for _ in range(6):
        decoding = decode(start, random)
        found[_sentence(decoding["chosen"])] = _log_probability(decoding)
    ranked = sorted(found.items(), key=lambda entry: -entry[1])
    file.output(f"{group}/hypothesis", [text for text, _ in ranked], "rank")
    logs = [log for _, log in ranked]
    file.output(f"{group}/hypothesis_log_probability", logs, "rank", unit="nat")


def sample_sweep(path: Path, seeds: int = 40) -> Path:
    """A sweep of greedy-decoder with `strategy: sample` over seeds; steps differ between runs."""
    config = "experiment: greedy-decoder\nconfig:\n  strategy: sample\n"
    axes = {"seed": range(1, seeds + 1)}
    file = ResultFile(path, "greedy-decoder", "What does it write?", axes=axes, config=config)
    file.labels("candidate", list(VOCABULARY))
    file.labels("source", list(INPUTS))
    words = list(VOCABULARY)
    for number, name in enumerate(("output_embedding", "step_vector")):
        vectors = np.array([VOCABULARY[word][number] for word in words])
        stacked = np.broadcast_to(vectors, (seeds, *vectors.shape))
        file.output(name, stacked, "candidate dim", doc=f"The {name} of each word")
    streams = [np.random.default_rng(seed) for seed in axes["seed"]]
    runs = [[decode(start, stream) for start in INPUTS.values()] for stream in streams]
    file.output("sentence", [[_sentence(d["chosen"]) for d in run] for run in runs], "source")
    logs = [[_log_probability(decoding) for decoding in run] for run in runs]
    file.output("log_probability", logs, "source", unit="nat")
    for seed, run in zip(axes["seed"], runs, strict=True):
        for k, (name, decoding) in enumerate(zip(INPUTS, run, strict=True)):
            file.item(f"seed={seed}/input/{k}", name)
            _write_decoding(file, f"seed={seed}/input/{k}", decoding)
    return file.write()


KEYS = {"tía": (1.0, 0.0), "miña": (0.0, 1.0)}
VALUES = {"tía": (0.9, 0.1), "miña": (0.2, 0.8)}
QUERIES = {"aunt": (3.0, 0.0), "my": (0.0, 3.0)}


def attention_query(path: Path, source: int = 2, output: int = 2, resolution: int = 31) -> Path:
    """A result of attention-query: the page's numbers, or drawn ones where more are asked for."""
    random = np.random.default_rng(11)
    keys, values, queries = dict(KEYS), dict(VALUES), dict(QUERIES)
    for k in range(2, source):
        name = SENTENCE[k + 1]
        keys[name] = tuple(random.normal(size=2))
        values[name] = tuple(random.uniform(0, 1, 2))
    for k in range(2, output):
        queries[f"word{k}"] = tuple(random.normal(scale=3, size=2))
    config = "experiment: attention-query\nconfig:\n  scoring: dot\n"
    file = ResultFile(path, "attention-query", "Where does each word look?", config=config)
    _label_attention(file, list(keys), list(queries))
    _write_attention(file, *(np.array(list(d.values())) for d in (keys, values, queries)))
    if resolution:
        _write_field(file, np.array(list(keys.values())), resolution)
    return file.write()


def scoring_sweep(path: Path) -> Path:
    """A sweep of attention-query with the page's numbers over its scoring."""
    scorings = {"dot": 1.0, "scaled-dot": np.sqrt(2)}
    axes = {"config.scoring": list(scorings)}
    file = ResultFile(path, "attention-query", "Where does each word look?", axes=axes)
    _label_attention(file, list(KEYS), list(QUERIES))
    arrays = (np.array(list(d.values())) for d in (KEYS, VALUES, QUERIES))
    _write_attention(file, *arrays, list(scorings.values()))
    return file.write()


def _label_attention(file: ResultFile, keys: list[str], queries: list[str]) -> None:
    file.labels("key", keys)
    file.labels("box", keys)
    file.labels("word", ["start", *keys])
    file.labels("query", queries)
    file.labels("value_dim", ["is a relative", "is mine"])


def _write_attention(
    file: ResultFile,
    keys: np.ndarray,
    values: np.ndarray,
    queries: np.ndarray,
    scales: Sequence[float] | None = None,
) -> None:
    """keys[key, dim], values[key, value_dim], queries[query, dim]; scales: of each run's scores."""
    _, share = encode(np.zeros((len(keys), 1)))
    box_share = share[1:]

    def stacked(array: np.ndarray) -> np.ndarray:
        return array if scales is None else np.stack([array] * len(scales))

    score = queries @ keys.T
    if scales is not None:
        score = np.stack([score / scale for scale in scales])
    weight = softmax(score)
    entropy = -(weight * np.log(weight)).sum(axis=-1)
    file.output("key_vector", stacked(keys), "key dim")
    file.output("value", stacked(values), "key value_dim")
    file.output("query_vector", stacked(queries), "query dim")
    file.output("score", score, "query key")
    file.output("weight", weight, "query key", rows_sum_to_one=True)
    file.output("output", weight @ values, "query value_dim")
    file.output("entropy", entropy, "query", unit="nat")
    file.output("box_share", stacked(box_share), "box word", rows_sum_to_one=True)
    file.output("weight_by_box", weight, "query box", rows_sum_to_one=True)
    file.output("weight_by_word", weight @ box_share, "query word", rows_sum_to_one=True)


def _write_field(file: ResultFile, keys: np.ndarray, resolution: int) -> None:
    line = np.linspace(-1, 4, resolution)
    x, y = np.meshgrid(line, line)
    weight = softmax(np.stack([x, y], axis=-1) @ keys.T)
    file.output("field_x", line, "query_x")
    file.output("field_y", line, "query_y")
    file.output("field_weight", weight, "query_y query_x key", rows_sum_to_one=True)
