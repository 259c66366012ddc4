"""The pictures of opus-mt-probe, from small results with made-up attention."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import draw
import numpy as np
import probe_ablation
import probe_run
import pytest
import results_of
import style
from drawing import ROOT, drawn_texts, faults_of_texts, pictures_of, run_draw
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from probe_results import KINDS, SOURCE, TARGET, long_sentence
from refran_result import Result
from result_files import RUN_ID

WORDS = ["source", "alignment"]
ALL = ["cross-all", "encoder-self-all", "decoder-self-all"]
MEASURES = ["entropy", "confidence"]
PICTURES = {
    "2x4": [
        *(f"sentence-0-{name}" for name in ["cross-L2H2", "cross-L2H1", *ALL, *WORDS]),
        *(f"sentence-1-{name}" for name in ["cross-L2H3", "cross-L2H1", *ALL, *WORDS]),
        *MEASURES,
        *(f"ablation-{score}{end}" for score in ("log-probability", "bleu", "chrf")
          for end in ("", "-worst")),
    ],
    "6x8": [
        *(f"sentence-0-{name}" for name in ["cross-L6H2", "cross-L6H1", "cross-L6H4", *ALL]),
        *(f"sentence-0-{name}" for name in WORDS), *MEASURES,
        "ablation-log-probability", "ablation-log-probability-worst",
    ],
    "a part kept": [
        *(f"sentence-0-{name}" for name in ["cross-L3H2", "cross-L3H4", "cross-all", *WORDS]),
        *MEASURES, "ablation-log-probability-curve",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A result of every kind."""
    folder = tmp_path_factory.mktemp("probe")
    return {kind: make(folder / f"{kind.replace(' ', '-')}.h5") for kind, make in KINDS.items()}


def _with(path: Path, name: str, **options: str) -> Figure:
    """One picture, drawn with options."""
    with Result.open(path) as result:
        return next(figure for own, figure in draw.pictures(result, (), options) if own == name)


def _texts(figure: Figure) -> list[str]:
    return [text for text, _ in drawn_texts(figure)]


def _weights(path: Path, kind: str = "cross") -> np.ndarray:
    with Result.open(path) as result:
        return result.each("sentence")[0][f"{kind}_attention"].values


def _image(axes: Axes) -> np.ndarray:
    return np.asarray(axes.images[0].get_array(), dtype=float)


def _labels(axes: Axes, which: str) -> list[str]:
    axis = axes.xaxis if which == "x" else axes.yaxis
    return [label.get_text() for label in axis.get_ticklabels()]


def _boxes(axes: Axes, color: str = style.HIGHLIGHT) -> list[tuple[int, int]]:
    """The rows and columns of the cells in a box."""
    boxes = [patch for patch in axes.patches if patch.get_edgecolor() == to_rgba(color)]
    return [(round(box.get_y() + 0.5), round(box.get_x() + 0.5)) for box in boxes]


# All pictures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_picture_is_drawn_and_legible(kind: str, results: dict[str, Path]) -> None:
    pictures = pictures_of(results[kind])
    assert list(pictures) == PICTURES.get(kind, list(pictures))
    faults = {name: faults_of_texts(figure) for name, figure in pictures.items()}
    assert not any(faults.values()), faults
    for name, figure in pictures.items():
        assert tuple(figure.get_size_inches()) == style.SLIDE
        texts = figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_text())
        assert not [text.get_text() for text in texts if text.get_size() < style.FOOTER], name
        assert f"run {RUN_ID}" in [text.get_text() for text in texts]


def test_titles_say_kind_and_heads(results: dict[str, Path]) -> None:
    pictures = pictures_of(results["6x8"])
    titles = {name: figure.headline for name, figure in pictures.items()}
    looks = "where each output piece looks"
    assert titles["sentence-0-cross-L6H2"] == f"Cross-attention L6H2: {looks}"
    assert titles["sentence-0-cross-L6H1"] == f"Cross-attention L6H1, supervised: {looks}"
    assert titles["sentence-0-cross-all"] == f"Cross-attention, L1H1 to L6H8: {looks}"
    assert titles["sentence-0-encoder-self-all"] == (
        "Encoder self-attention, L1H1 to L6H8: where each source piece looks"
    )
    average = "Cross-attention, mean of 46 heads of L1 to L6"
    assert titles["sentence-0-source"] == f"{average}: source shaded"
    assert titles["sentence-0-alignment"] == f"{average}: alignment"


def test_the_description_is_made_of_the_numbers(results: dict[str, Path]) -> None:
    figure = pictures_of(results["2x4"])["sentence-0-cross-L2H2"]
    weights = _weights(results["2x4"])[1, 1]
    row, column = np.unravel_index(weights.argmax(), weights.shape)
    largest = f"“{TARGET[row]}” → “{SOURCE[column]}” {weights.max():.2f}"
    assert figure.note.startswith(
        f"Sentence 1 of 2: “Unha tía miña que todo o solucionaba”. Largest: {largest}, "
    )


def test_a_sentence_without_text_is_left_out_and_that_is_said(
    results: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = results["long sentence"]
    with Result.open(path) as result:
        drawn = list(probe_run.Probe(result, probe_run.Options()).sentences())
    assert [sentence.file_name for sentence in drawn] == ["sentence-0"]
    said = "sentence 2 has no text, or no translation, so it is not drawn"
    assert capsys.readouterr().err == f"draw.py: {path}: {said}\n"


def test_two_processes_write_the_same_bytes(results: dict[str, Path], tmp_path: Path) -> None:
    program, processes = ROOT / "viz" / "figures" / "draw.py", []
    for number in ("1", "2"):
        command = [sys.executable, "-B", program, results["a part kept"], "--out", number]
        environment = {**os.environ, "PYTHONHASHSEED": number}
        processes.append(subprocess.Popen(command, env=environment, cwd=tmp_path,
                                          stdout=subprocess.DEVNULL))  # fmt: skip
    assert [process.wait() for process in processes] == [0, 0]
    one, two = (sorted((tmp_path / number).rglob("*.svg")) for number in ("1", "2"))
    assert len(one) == len(PICTURES["a part kept"])
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    svg = xml.etree.ElementTree.parse(next(path for path in one if "L3H2" in path.name)).getroot()
    description = svg.findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert description.startswith("Cross-attention L3H2: where each output piece looks. The ")


# Weights -----------------------------------------------------------------------------------------


def test_a_head_s_grid_has_its_weights_and_their_numbers(results: dict[str, Path]) -> None:
    figure = pictures_of(results["2x4"])["sentence-0-cross-L2H1"]
    weights = _weights(results["2x4"])[1, 0]
    axes = figure.axes[0]
    assert np.array_equal(_image(axes), weights)
    assert axes.images[0].get_clim() == (0, 1)
    assert (_labels(axes, "x"), _labels(axes, "y")) == (SOURCE, TARGET)
    numbers = sorted(text for text in _texts(figure) if re.fullmatch(r"\d\.\d\d", text))
    assert numbers == sorted(f"{weight:.2f}" for weight in weights.ravel() if weight >= 0.005)


def test_rows_are_named_by_the_token_read_on_request(results: dict[str, Path]) -> None:
    predicted = pictures_of(results["2x4"])["sentence-0-cross-L2H1"].axes[0]
    read = _with(results["2x4"], "sentence-0-cross-L2H1", rows="input").axes[0]
    assert predicted.get_ylabel() == "output piece predicted"
    assert read.get_ylabel() == "output piece read"
    assert _labels(read, "y") == ["<pad>", *TARGET[:-1]]
    assert np.array_equal(_image(read), _image(predicted))


def test_words_have_the_sum_over_keys_and_the_mean_over_queries(results: dict[str, Path]) -> None:
    axes = _with(results["2x4"], "sentence-0-cross-L2H1", units="words").axes[0]
    weights = _weights(results["2x4"])[1, 0]
    assert _labels(axes, "x")[:3] == ["Unha", "tía", "miña"]
    assert _labels(axes, "y")[:3] == ["An", "aunt", "of"]
    assert np.allclose(_image(axes).sum(axis=1), 1, atol=1e-6)
    assert _image(axes)[1, 0] == pytest.approx(weights[1:3, 0:2].sum(axis=1).mean(), rel=1e-6)


def test_hidden_weight_is_said_and_renormalised_rows_sum_to_one(results: dict[str, Path]) -> None:
    name = "sentence-0-cross-L2H1"
    weights = _weights(results["2x4"])[1, 0, :-1]  # the last row writes </s>
    share = f"{weights[:, -1].mean():.2f}"
    hidden = _with(results["2x4"], name, special="hide")
    assert _labels(hidden.axes[0], "x") == SOURCE[:-1]
    assert np.allclose(_image(hidden.axes[0]), weights[:, :-1])
    assert hidden.note.endswith(f" special tokens are hidden, with {share} of the weight.")
    scaled = _with(results["2x4"], name, special="renormalise")
    assert np.allclose(_image(scaled.axes[0]).sum(axis=1), 1)
    assert scaled.note.endswith(f"with {share} of the weight, and each row is scaled to sum to 1.")


@pytest.mark.parametrize(("kind", "layers", "heads"), [("2x4", 2, 4), ("6x8", 6, 8),
                                                       ("6x16", 6, 16)])  # fmt: skip
def test_all_heads_share_one_scale(
    kind: str, layers: int, heads: int, results: dict[str, Path]
) -> None:
    figure = pictures_of(results[kind])["sentence-0-cross-all"]
    *panels, bar = figure.axes
    weights = _weights(results[kind])
    drawn = np.array([_image(axes) for axes in panels])
    assert np.array_equal(drawn, weights.reshape(drawn.shape))
    assert {axes.images[0].get_clim() for axes in panels} == {(0, 1)}
    assert bar.get_ylabel() == "weight, linear scale"
    assert [axes.get_title() for axes in panels[:heads]] == [f"H{n + 1}" for n in range(heads)]
    assert [axes.get_ylabel() for axes in panels[::heads]] == [f"L{n + 1}" for n in range(layers)]
    marked = [n for n, axes in enumerate(panels)
              if axes.spines["left"].get_edgecolor() == to_rgba(style.HIGHLIGHT)]  # fmt: skip
    assert marked == {"2x4": [4], "6x8": [40, 43], "6x16": [80]}[kind]


def test_more_heads_are_drawn_on_request(results: dict[str, Path]) -> None:
    wanted = {"heads": "L1H3, encoder_self L2H4"}
    cross = _with(results["2x4"], "sentence-0-cross-L1H3", **wanted)
    encoder = _with(results["2x4"], "sentence-0-encoder-self-L2H4", **wanted)
    assert np.array_equal(_image(cross.axes[0]), _weights(results["2x4"])[0, 2])
    drawn = _weights(results["2x4"], "encoder_self")[1, 3]
    assert np.array_equal(_image(encoder.axes[0]), drawn)


def test_of_a_long_sentence_labels_are_left_out_and_that_is_said(
    results: dict[str, Path],
) -> None:
    pictures = pictures_of(results["long sentence"])
    axes = pictures["sentence-0-cross-L1H2"].axes[0]
    assert _labels(axes, "y") == long_sentence(57)[::2]
    assert axes.get_ylabel() == "output piece predicted, every 2nd named"
    pages = [figure for name, figure in pictures.items() if "source" in name]
    assert len(pages) > 1
    said = [re.search(r"Output words (\d+) to (\d+) of 39\.", page.note) for page in pages]
    ends = [(int(match[1]), int(match[2])) for match in said if match]
    assert (ends[0][0], ends[-1][1]) == (1, 39)
    assert all(one[1] + 1 == other[0] for one, other in itertools.pairwise(ends))
    assert "Lines beside the map are left out" in pictures["sentence-0-alignment"].note


# Averages ----------------------------------------------------------------------------------------


def _mean_of_words(path: Path) -> np.ndarray:
    """Cross-attention in words over all heads of the result but the supervised L2H1."""
    weights = _weights(path).reshape(8, 9, 11)[[0, 1, 2, 3, 5, 6, 7]].mean(axis=0)
    weights = np.add.reduceat(weights, [0, 2, 3, 5, 6, 7, 8, 10], axis=1)
    rows = np.split(weights, [1, 3, 4, 5, 6, 7, 8])  # An, a·unt, of, mine …
    return np.stack([row.mean(axis=0) for row in rows])


def test_the_source_is_shaded_by_the_mean_without_supervised_heads(
    results: dict[str, Path],
) -> None:
    figure = pictures_of(results["2x4"])["sentence-0-source"]
    mean = _mean_of_words(results["2x4"])
    assert "Left out: L2H1, supervised." in figure.note
    limit = np.ceil(10 * mean.max()) / 10
    words = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    colors = np.array([word.get_facecolor() for word in words]).reshape(8, 8, 4)
    assert np.allclose(colors, style.WEIGHTS(mean / limit))
    boxed = np.array([word.get_edgecolor()[3] > 0 for word in words]).reshape(8, 8)
    assert boxed.sum() == 8
    assert boxed.argmax(axis=1).tolist() == mean.argmax(axis=1).tolist()
    assert [text for text in _texts(figure) if re.fullmatch(r"0\.\d\d", text)] == [
        f"{value:.2f}" for value in mean.max(axis=1)
    ]


def test_the_alignment_links_every_word_but_the_end(results: dict[str, Path]) -> None:
    panels = pictures_of(results["2x4"])["sentence-0-alignment"].axes
    mean = _mean_of_words(results["2x4"])
    assert np.allclose(_image(panels[0]), mean)
    links = list(enumerate(mean[:-1, :-1].argmax(axis=1).tolist()))
    assert _boxes(panels[0]) == links
    assert len(panels[1].lines) == len(links)


def test_one_layer_is_averaged_on_request(results: dict[str, Path]) -> None:
    figure = _with(results["2x4"], "sentence-0-alignment", source="L2")
    assert figure.headline == "Cross-attention, mean of 3 heads of L2: alignment"


def test_means_of_layers_come_with_and_without_supervised_heads(results: dict[str, Path]) -> None:
    figure = pictures_of(results["6x8"])["entropy"]
    with Result.open(results["6x8"]) as result:
        entropy = result.each("sentence")[0]["cross_entropy"].values
    axes = figure.axes[0]
    assert _labels(axes, "x")[8:] == ["", "mean", "without"]
    drawn = _image(axes)
    assert np.allclose(drawn[:, :8], entropy)
    assert np.allclose(drawn[:, 9], entropy.mean(axis=1))
    assert np.allclose(drawn[5, 10], entropy[5, [1, 2, 4, 5, 6, 7]].mean())
    assert _boxes(axes) == [(5, 0), (5, 3)]
    assert not _boxes(figure.axes[1])
    assert "the supervised heads (boxed: L6H1 and L6H4)" in figure.note


# Ablation ----------------------------------------------------------------------------------------


def test_the_ablation_map_stars_what_the_test_tells_from_none(results: dict[str, Path]) -> None:
    figure = pictures_of(results["2x4"])["ablation-log-probability"]
    assert figure.headline == "One head off: 2 of 24 change the reference’s log-probability"
    with Result.open(results["2x4"]) as result:
        scores, length = (result[name].values for name in ("ablation_log_probability",
                                                           "reference_length"))  # fmt: skip
    change = (scores[1:] - scores[0]).sum(axis=1) / length.sum()
    panels = dict(zip(("encoder", "decoder", "cross"), change.reshape(3, 2, 4), strict=True))
    assert np.allclose(_image(figure.axes[0]), panels["cross"])
    assert np.allclose(_image(figure.axes[1]), panels["encoder"])
    low, high = figure.axes[0].images[0].get_clim()
    assert low == -high == pytest.approx(change.min())
    assert _boxes(figure.axes[0], style.INK) == [(1, 0)]
    starred = [text for text in _texts(figure) if text.endswith("*")]
    assert starred == [f"−{-panels['cross'][0, 0]:.2f}*", f"+{panels['cross'][1, 1]:.2f}*"]


def test_the_worst_are_chosen_on_one_half_and_scored_on_the_other(
    results: dict[str, Path],
) -> None:
    axes = pictures_of(results["2x4"])["ablation-log-probability-worst"].axes[0]
    with Result.open(results["2x4"]) as result:
        study = probe_ablation.read_study(result)
    effects = probe_ablation.effects(study, "log_probability")
    order = np.argsort(effects["half 0"].found.change)[:12]
    widths = [bar.get_width() for bar in axes.patches]
    assert np.allclose(widths, effects["half 1"].found.change[order])
    assert _labels(axes, "y")[0] == "cross L1H1"
    blue = [bar.get_facecolor() == to_rgba(style.PALETTE[0]) for bar in axes.patches]
    assert blue == [True] + [False] * 11


def test_a_greedy_study_is_a_curve_of_both_halves(results: dict[str, Path]) -> None:
    axes = pictures_of(results["a part kept"])["ablation-log-probability-curve"].axes[0]
    with Result.open(results["a part kept"]) as result:
        study = probe_ablation.read_study(result)
    for line, part in zip(axes.lines, ("half 0", "half 1")):
        change = probe_ablation.compare(study, "log_probability", part, 100).change
        assert np.allclose(line.get_ydata(), [0, *change])
    assert _labels(axes, "x")[:2] == ["none", "+ encoder self L1H1"]


# Options -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ("units=syllables",
         "--option units: 'syllables' is not a choice; allowed are pieces, words"),
        ("heads=L9H1", "{path}: there is no cross-attention L9H1 in it"),
        ("heads=nine", "--option heads: 'nine' is not a head such as L6H1"),
        ("heads=self L1H1", "--option heads: 'self' is not a kind; there are cross, encoder_self, "
                            "decoder_self"),
        ("sentences=0", "--option sentences: '0' is not a number from 1 on"),
        ("color=red", "--option color: not an option of opus-mt-probe; there are rows, special, "
                      "units, heads, source, sentences"),
        ("words", "--option: 'words' is not NAME=VALUE"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_said(
    option: str, error: str, results: dict[str, Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = results["2x4"]
    assert run_draw(path, "--option", option, "--out", tmp_path) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"draw.py: {error.format(path=path)}\n")


def test_options_are_refused_where_there_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results_of.toy_encoder(tmp_path / "toy.h5", ["Unha", "tía"])
    assert run_draw(path, "--option", "units=words", "--out", tmp_path) == 2
    assert run_draw(path, path, "--compare", "--option", "a=b", "--out", tmp_path) == 2
    assert capsys.readouterr().err.splitlines() == [
        "draw.py: --option units: not an option of toy-encoder; there are none",
        "draw.py: --option: pictures that compare have no options",
    ]
