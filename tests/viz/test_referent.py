"""The pictures of referent-training, from small results of the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import referent_ablation
import referent_atlas
import referent_controls
import referent_curves
import referent_results
import referent_runs
import referent_training
import seed_statistics as statistics
import style
from drawing import ROOT, drawn_texts, faults_of_texts, pictures_of, run_draw
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.text import Text
from referent_results import REFRAN
from refran_result import Result

PROGRAM = pytest.mark.skipif(REFRAN is None, reason="REFRAN is not the path of the program")

WITHOUT_ABLATION = ["learning", "it-attention", "layer-1-attention", "jobs", "direct-logit",
                    "controls"]  # fmt: skip
ABLATION = ["ablation", "ablation-subsets", "ablation-lattice-accuracy",
            "ablation-lattice-logit-difference", "shapley", "interaction"]  # fmt: skip
TESTS = ["ablation-test-accuracy", "ablation-test-logit-difference"]
COMPARED = ["compare-learning", "compare-controls", "compare-jobs"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A result of every kind."""
    folder = tmp_path_factory.mktemp("referent")
    return {
        kind: referent_results.make(kind, folder / kind.replace(" ", "-"))
        for kind in referent_results.KINDS
    }


@pytest.fixture(scope="module")
def compared(results: dict[str, Path]) -> dict[str, Figure]:
    """The pictures of two configs side by side."""
    with Result.open(results["many seeds"]) as one, Result.open(results["three heads"]) as other:
        return dict(referent_training.compare_figures([one, other]))


def _runs(result: Result) -> referent_runs.Runs:
    (runs,) = referent_runs.groups(result)
    return runs


def _texts(figure: Figure) -> list[str]:
    return [text for text, _ in drawn_texts(figure)]


def _bars(figure: Figure, panel: int = 0) -> list[np.ndarray]:
    """The heights of each set of bars."""
    containers = figure.axes[panel].containers
    return [
        np.array([bar.get_height() for bar in bars])
        for bars in containers
        if isinstance(bars, BarContainer)
    ]


# All pictures ------------------------------------------------------------------------------------

EXPECTED = {
    "one head": [*WITHOUT_ABLATION, *ABLATION, "where-it-looks"],
    "three heads": [*WITHOUT_ABLATION, *ABLATION, *TESTS],
    "many seeds": [*WITHOUT_ABLATION, *ABLATION, *TESTS, "jobs-together", "where-it-looks",
                   "where-it-looks-spread", "atlas", "atlas-learning", "atlas-similarity",
                   "atlas-start"],
    "a failed rate": [f"{name}-learning_rate-0.03"
                      for name in (*WITHOUT_ABLATION, "where-it-looks")],
}  # fmt: skip


@PROGRAM
@pytest.mark.parametrize("kind", referent_results.KINDS)
def test_every_picture_is_drawn_and_legible(kind: str, results: dict[str, Path]) -> None:
    pictures = pictures_of(results[kind])
    assert sorted(pictures) == sorted(EXPECTED[kind])
    _check_texts(pictures)


@PROGRAM
def test_pictures_side_by_side_are_legible(compared: dict[str, Figure]) -> None:
    assert list(compared) == [*COMPARED, "compare-ablation"]
    _check_texts(compared)


def _check_texts(pictures: dict[str, Figure]) -> None:
    faults = {name: faults_of_texts(figure) for name, figure in pictures.items()}
    assert not any(faults.values()), faults
    for name, figure in pictures.items():
        texts = figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_text())
        assert not [text.get_text() for text in texts if text.get_size() < style.FOOTER], name


@PROGRAM
def test_what_is_left_out_is_said(
    results: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = results["a failed rate"]
    with Result.open(path) as result:
        for runs in referent_runs.groups(result):
            assert not list(referent_ablation.figures(runs))
            assert len(list(referent_controls.figures(runs))) == 1
    off = [
        "ablation was off, so none of its pictures are drawn",
        "controls that were off are not drawn: uniform attention, held out",
    ]
    failed = "every run with config.learning_rate = 1e+30 failed, so nothing is drawn of them"
    expected = [f"draw.py: {path}: {text}" for text in [failed, *off]]
    assert capsys.readouterr().err.splitlines() == expected


DRAW_FIRST_OF_EACH = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import referent_ablation, referent_atlas, referent_curves, referent_jobs, saving, style
from referent_runs import groups
from refran_result import Result
style.apply()
with Result.open(sys.argv[2]) as result:
    runs = next(groups(result))
    for kind in (referent_curves, referent_jobs, referent_ablation, referent_atlas):
        name, figure = next(kind.figures(runs))
        list(saving.save(figure, Path(sys.argv[3]) / name, ["svg"], name))
"""


@PROGRAM
def test_two_processes_draw_the_same_bytes(results: dict[str, Path], tmp_path: Path) -> None:
    processes = []
    for number in ("1", "2"):
        (tmp_path / number).mkdir()
        arguments = [ROOT / "viz" / "figures", results["many seeds"], tmp_path / number]
        command = [sys.executable, "-B", "-c", DRAW_FIRST_OF_EACH, *map(str, arguments)]
        environment = {**os.environ, "PYTHONHASHSEED": number}
        processes.append(subprocess.Popen(command, env=environment))
    assert [process.wait() for process in processes] == [0, 0]
    one, two = (sorted((tmp_path / number).iterdir()) for number in ("1", "2"))
    assert len(one) == len(two) == 4
    different = [a.name for a, b in zip(one, two) if a.read_bytes() != b.read_bytes()]
    assert not different


@PROGRAM
def test_the_loss_of_guessing_is_that_of_the_vocabulary(results: dict[str, Path]) -> None:
    for kind in ("one head", "three heads"):
        with Result.open(results[kind]) as result:
            runs = _runs(result)
            words = len(runs.labels("word_embedding", "word"))
            assert runs.guessing == pytest.approx(np.log(words))


# Learning ----------------------------------------------------------------------------------------


@PROGRAM
def test_learning_has_a_line_per_seed_a_median_and_a_band(results: dict[str, Path]) -> None:
    axes = pictures_of(results["many seeds"])["learning"].axes[0]
    with Result.open(results["many seeds"]) as result:
        loss = result["loss"].values
    low, high = np.percentile(loss, [5, 95], axis=0)
    lines = [line.get_ydata() for line in axes.lines]
    assert len(lines) == 21 + 2 + 1 + 2
    assert np.allclose(lines[:21], loss)
    assert np.allclose(lines[21:24], [low, high, np.median(loss, axis=0)])
    assert np.allclose([line[0] for line in lines[24:]], [np.log(20), np.log(2)])


@PROGRAM
def test_where_it_looks_sums_to_one_and_ends_in_the_role_attention(
    results: dict[str, Path],
) -> None:
    with Result.open(results["many seeds"]) as result:
        weights, roles = referent_curves.by_role(_runs(result))
        attention = result["it_attention"].values
    assert roles == ["animal", "place", "adjective", "it", "other words"]
    assert np.allclose(weights.sum(axis=-1), 1, atol=1e-5)
    assert np.allclose(weights[..., 0], attention[..., 1])  # the animal, the second word
    assert np.allclose(weights[..., 3], attention[..., 7])  # “it”, the eighth


# Heads -------------------------------------------------------------------------------------------


@PROGRAM
def test_the_map_of_it_ends_with_the_uniform_head(results: dict[str, Path]) -> None:
    figure = pictures_of(results["many seeds"])["it-attention"]
    with Result.open(results["many seeds"]) as result:
        mean = result["role_attention"].values[:, :, :, :, 3].mean(axis=0)
    for referent, axes in enumerate(figure.axes[:2]):
        rows = axes.images[0].get_array()
        assert np.allclose(rows[-1], [0.1, 0.1, 0.1, 0.1, 0.6])
        assert np.allclose(rows[:-1], mean[referent].reshape(4, 5))


@PROGRAM
def test_the_table_of_jobs_has_every_head_of_every_seed(results: dict[str, Path]) -> None:
    texts = _texts(pictures_of(results["three heads"])["jobs"])
    with Result.open(results["three heads"]) as result:
        jobs = result["job"].values.ravel().tolist()
    for job in set(jobs):
        shown = {"switches with the adjective": "switches", "self": "it"}.get(job, job)
        assert texts.count(shown) == jobs.count(job)


@PROGRAM
def test_shares_of_jobs_sum_to_one_and_pairs_to_the_seeds(results: dict[str, Path]) -> None:
    pictures = pictures_of(results["many seeds"])
    for layer in (0, 1):
        widths = [bar.get_width() for bar in pictures["jobs"].axes[layer].patches]
        assert sum(widths) == pytest.approx(1)
        together = pictures["jobs-together"].axes[layer]
        counts = [int(bar.get_width()) for bar in together.patches]
        rarer = together.get_xlabel().partition("(and ")[2]
        assert sum(counts) + int(rarer.split()[0] if rarer else 0) == 21


# Ablation ----------------------------------------------------------------------------------------


@PROGRAM
def test_ablation_bars_are_means_beside_the_line_of_no_ablation(results: dict[str, Path]) -> None:
    figure = pictures_of(results["many seeds"])["ablation"]
    with Result.open(results["many seeds"]) as result:
        accuracy = result["ablation_accuracy"].values.mean(axis=0)
        subsets = result["ablation_accuracy"].labels["subset"]
    order = [subsets.index(name) for name in ("L1H1", "L1H2", "L2H1", "L2H2")]
    assert np.allclose(_bars(figure), accuracy[:, order])
    assert any(np.allclose(line.get_ydata(), accuracy[0, 0]) for line in figure.axes[0].lines)


@PROGRAM
def test_ablation_tests_are_adjusted_over_the_heads_of_a_mode(results: dict[str, Path]) -> None:
    with Result.open(results["many seeds"]) as result:
        one, none = referent_ablation.single(_runs(result), "accuracy")
    p = statistics.sign_flip_test(one[:, 0] - none[:, np.newaxis])
    texts = _texts(pictures_of(results["many seeds"])["ablation-test-accuracy"])
    drawn = [text.splitlines()[2] for text in texts if text.count("\n") == 2]  # by mode, then head
    assert len(drawn) == 4 * 4
    adjusted = statistics.holm(p)
    shown = ["p < 0.001" if value < 0.001 else f"p = {value:.2g}" for value in adjusted]
    assert drawn[:4] == shown


@PROGRAM
def test_the_lattice_has_all_subsets_or_joins_them(results: dict[str, Path]) -> None:
    with Result.open(results["many seeds"]) as result:
        accuracy = result["ablation_accuracy"].values[:, 0].mean(axis=0)
    axes = pictures_of(results["many seeds"])["ablation-lattice-accuracy"].axes[0]
    assert np.allclose(axes.collections[0].get_array(), accuracy)
    assert len(axes.lines) == 4 * 2**3
    with Result.open(results["three heads"]) as result:
        mean = result["ablation_accuracy"].values[:, 0].mean(axis=0)
        subsets = result["ablation_accuracy"].labels["subset"]
    axes = pictures_of(results["three heads"])["ablation-lattice-accuracy"].axes[0]
    nodes = axes.collections[0].get_array()
    assert (len(nodes), len(axes.lines)) == (4 * 4, 2 * 3 * 4)
    assert (nodes[0], nodes[-1]) == pytest.approx((mean[0], mean[-1]))
    first = [k for k, name in enumerate(subsets) if name.startswith("L1") and "+" not in name]
    assert nodes[1] == pytest.approx(mean[first].mean())


@PROGRAM
def test_shapley_bars_sum_to_all_on_minus_all_off(results: dict[str, Path]) -> None:
    figure = pictures_of(results["many seeds"])["shapley"]
    with Result.open(results["many seeds"]) as result:
        for panel, name in enumerate(("accuracy", "logit_difference", "loss")):
            mean = result[f"ablation_{name}"].values[:, 0].mean(axis=0)
            assert np.sum(_bars(figure, panel)) == pytest.approx(mean[0] - mean[-1], abs=1e-6)


@PROGRAM
def test_controls_that_were_off_have_no_bar(results: dict[str, Path]) -> None:
    axes = pictures_of(results["a failed rate"])["controls-learning_rate-0.03"].axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["trained", "random start", "swapped nouns", "nearest noun", "first noun",
                     "bag of words"]  # fmt: skip
    with h5py.File(results["a failed rate"]) as file:
        accuracy = file["control_accuracy"][1]
    widths = [bar.get_width() for bar in axes.patches]
    assert np.allclose(widths, accuracy[np.isfinite(accuracy)])


# Atlas -------------------------------------------------------------------------------------------


@PROGRAM
def test_the_step_from_which_all_is_right_is_the_one_after_the_last_mistake(
    results: dict[str, Path],
) -> None:
    with Result.open(results["many seeds"]) as result:
        runs = _runs(result)
        found, accuracy = referent_atlas.first_right(runs), runs.values("accuracy")
    assert np.isfinite(found).any()
    for step, row in zip(found, accuracy, strict=True):
        if np.isnan(step):
            assert row[-1] < 1
        else:
            assert (row[int(step) :] == 1).all()
            assert row[int(step) - 1] < 1


@PROGRAM
def test_the_atlas_counts_the_seeds_that_learn_it(results: dict[str, Path]) -> None:
    with Result.open(results["many seeds"]) as result:
        right = int((result["final_accuracy"].values == 1).sum())
    learned = "All 21 seeds" if right == 21 else f"{right} of 21 seeds"
    assert pictures_of(results["many seeds"])["atlas"].headline.startswith(f"{learned} learn it;")


# Side by side ------------------------------------------------------------------------------------


@PROGRAM
def test_each_config_stands_under_its_own_sentence(compared: dict[str, Figure]) -> None:
    titles = [axes.get_title(loc="left").replace("\n", " ")
              for axes in compared["compare-learning"].axes[:2]]  # fmt: skip
    assert titles == [
        "the {animal} didn't cross the {place} because it was {adjective}",
        "the {chaser} didn't catch the {chased} because it was {adjective}",
    ]


@PROGRAM
def test_differences_of_controls_are_those_of_the_means(
    compared: dict[str, Figure], results: dict[str, Path]
) -> None:
    with Result.open(results["many seeds"]) as one, Result.open(results["three heads"]) as other:
        means = [result["control_accuracy"].values.mean(axis=0) for result in (one, other)]
    both = np.isfinite(means).all(axis=0)
    assert 6 <= both.sum() <= 8
    figure = compared["compare-controls"]
    assert np.allclose(_bars(figure), np.array(means)[:, both])
    drawn = [line.get_ydata() for line in figure.axes[1].lines if line.get_marker() == "s"]
    assert np.allclose(drawn, (means[1] - means[0])[both])


def test_only_results_of_one_experiment_are_compared(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_draw(files["greedy"], files["one word"], "--compare", "--out", tmp_path) == 2
    text = "--compare: it needs two results or more, of one experiment; these are 2, of "
    assert capsys.readouterr().err == f"draw.py: {text}greedy-decoder, toy-encoder\n"
    assert run_draw(files["greedy"], "--compare", "--out", tmp_path) == 2
    text = "--compare: it needs two results or more, of one experiment; these are 1, of "
    assert capsys.readouterr().err == f"draw.py: {text}greedy-decoder\n"
    assert run_draw(files["one word"], files["short sentence"], "--compare") == 2
    text = "--compare: there are no pictures that compare toy-encoder"
    assert capsys.readouterr().err == f"draw.py: {text}\n"


@PROGRAM
def test_compared_results_are_written_into_one_folder(
    results: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [results["one head"], results["three heads"]]
    assert run_draw(*paths, "--compare", "--out", tmp_path) == 0
    folder = tmp_path / "referent-training" / "-and-".join(path.parent.name for path in paths)
    names = [*COMPARED, "compare-ablation"]
    assert capsys.readouterr().out.splitlines() == [str(folder / f"{name}.svg") for name in names]
