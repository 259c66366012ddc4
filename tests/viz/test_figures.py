"""What the pictures show."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import style
import yaml
from drawing import ROOT, drawn_texts, faults_of_texts, pictures_of
from matplotlib.colors import to_rgba
from refran_result import Result


def test_the_last_words_make_up_the_final_summary(files: dict[str, Path]) -> None:
    figure = pictures_of(files["long sentence"])["final-shares"]
    assert figure.headline == "The last 4 of 26 words make up 93.8 % of the final summary"
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    halves = [100 / 2**26] + [100 / 2 ** (26 - k) for k in range(26)]
    assert np.allclose(heights, halves)


def test_share_bars_of_a_step_sum_to_one(files: dict[str, Path]) -> None:
    axes = pictures_of(files["short sentence"])["shares"].axes[0]
    widths = np.array([bar.get_width() for bar in axes.patches]).reshape(4, 4)
    assert np.allclose(widths.sum(axis=0), 1)
    assert widths[:, 3].tolist() == [0.125, 0.125, 0.25, 0.5]


def test_the_path_has_every_step_and_a_dashed_line_to_every_word(files: dict[str, Path]) -> None:
    figure = pictures_of(files["short sentence"])["path"]
    with Result.open(files["short sentence"]) as result:
        summary, points = result["summary"].values, result["embedding"].values
    lines = [line.get_xydata() for line in figure.axes[0].lines]
    assert any(np.array_equal(line, summary) for line in lines)
    for before, point in zip(summary, points):
        assert any(np.array_equal(line, [before, point]) for line in lines)


def test_the_arithmetic_of_a_step_is_written_out(files: dict[str, Path]) -> None:
    texts = [text for text, _ in drawn_texts(pictures_of(files["short sentence"])["path"])]
    assert "0.5 · (0, 0) + 0.5 · (0.4, 0.9)\n= (0.2, 0.45)" in texts


def test_dimensions_left_out_are_said(files: dict[str, Path]) -> None:
    note = pictures_of(files["five dimensions"])["path"].note
    assert note.endswith("Shown are the first 2 of 5 dimensions.")


def test_the_written_word_is_highlighted_and_the_runner_up_hatched(files: dict[str, Path]) -> None:
    figure = pictures_of(files["greedy"])["input-0-steps-1"]
    with Result.open(files["greedy"]) as result:
        item = result.each("input")[0]
        words = item["probability"].labels["candidate"]
        for step, axes in enumerate(figure.axes[:3]):
            bars = dict(zip(words, axes.patches, strict=True))
            chosen, other = item["chosen"].values[step], item["runner_up"].values[step]
            assert bars[chosen].get_facecolor() == to_rgba(style.HIGHLIGHT)
            assert [word for word in words if bars[word].get_hatch()] == [other]
            assert bars[chosen].get_width() == item["probability"].values[step].max()


def test_the_page_s_weights_are_in_the_grid_and_in_the_bars(files: dict[str, Path]) -> None:
    grid = [text for text, _ in drawn_texts(pictures_of(files["attention"])["grid"])]
    assert grid.count("0.953") == 2
    assert grid.count("0.047") == 2
    bars = [text for text, _ in drawn_texts(pictures_of(files["attention"])["weights"])]
    assert bars.count("0.953  (3.00)") == 2
    assert bars.count("0.047  (0.00)") == 2


def test_outputs_lie_between_the_values(files: dict[str, Path]) -> None:
    figure = pictures_of(files["attention"])["output"]
    line, values, outputs = (artist.get_xydata() for artist in figure.axes[0].lines)
    assert sorted(line.tolist()) == sorted(values.tolist())
    along = (outputs - values[1]) / (values[0] - values[1])
    assert np.allclose(along[:, 0], along[:, 1])
    assert np.all((along > 0) & (along < 1))


def test_bars_compare_the_last_summary_with_boxes_and_words(files: dict[str, Path]) -> None:
    panels = pictures_of(files["attention"])["with-and-without"].axes
    by_box = ([0, 0.953, 0.047], [0, 0.047, 0.953])
    as_words = ([0.488, 0.488, 0.024], [0.262, 0.262, 0.476])
    for axes, boxes, words in zip(panels, by_box, as_words):
        widths = np.array([bar.get_width() for bar in axes.patches]).reshape(3, 3)  # [part, bar]
        assert np.allclose(widths[:, 0], [0.25, 0.25, 0.5])
        assert np.allclose(widths[:, 1], boxes, atol=5e-4)
        assert np.allclose(widths[:, 2], words, atol=5e-4)


# Sweeps ------------------------------------------------------------------------------------------

def test_of_a_sweep_the_first_complete_run_is_drawn_and_named(files: dict[str, Path]) -> None:
    figure = pictures_of(files["unknown sweep"])["attention"]
    texts = [text for text, _ in drawn_texts(figure)]
    expected = (
        "mystery-sweep: one run of a sweep, config.heads = 1, seed = 2 (1 of 24 runs failed)"
    )
    assert expected in texts


def test_few_seeds_are_thin_lines_and_many_a_band(files: dict[str, Path]) -> None:
    few = pictures_of(files["few seeds"])["sweep-loss"].axes[0]
    many = pictures_of(files["many seeds"])["sweep-loss"].axes[0]
    assert (len(few.lines), len(few.collections)) == (8 + 1, 0)
    assert (len(many.lines), len(many.collections)) == (1, 1)
    with Result.open(files["many seeds"]) as result:
        mean = result["loss"].values.mean(axis=0)
    assert np.allclose(many.lines[0].get_ydata(), mean)


def test_numbers_of_failed_runs_are_not_drawn(files: dict[str, Path]) -> None:
    axes = pictures_of(files["unknown sweep"])["sweep-right"].axes[0]
    marks, mean = (line.get_ydata() for line in axes.lines)
    with Result.open(files["unknown sweep"]) as result:
        right = result["right"].values
    assert right[0, 0] == 0
    assert np.isnan(marks[0])
    assert np.allclose(mean, [right[0, 1:].mean(), right[1].mean(), right[2].mean()])


def test_a_sweep_over_heads_has_a_band_for_each(files: dict[str, Path]) -> None:
    axes = pictures_of(files["unknown sweep"])["sweep-loss"].axes[0]
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["config.heads 1", "config.heads 2", "config.heads 4"]
    assert (len(axes.lines), len(axes.collections)) == (3, 3)
    with Result.open(files["unknown sweep"]) as result:
        loss = result["loss"].values
    assert np.allclose(axes.lines[0].get_ydata(), loss[0, 1:].mean(axis=0))


def test_attention_grids_of_a_sweep_stand_side_by_side(files: dict[str, Path]) -> None:
    texts = [text for text, _ in drawn_texts(pictures_of(files["scorings"])["sweep-grid"])]
    assert [texts.count(text) for text in ("dot", "scaled-dot")] == [1, 1]
    assert [texts.count(text) for text in ("0.953", "0.893", "0.107", "0.047")] == [2, 2, 2, 2]


def test_final_shares_of_a_sweep_have_a_line_per_run(files: dict[str, Path]) -> None:
    axes = pictures_of(files["rates"])["sweep-final-shares"].axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["0.25", "0.5", "0.75"]
    for line, rate in zip(axes.lines, (0.25, 0.5, 0.75), strict=True):
        assert line.get_ydata()[-1] == rate


def test_sampled_sentences_are_counted_over_the_seeds(files: dict[str, Path]) -> None:
    axes = pictures_of(files["samples"])["sweep-input-1"].axes[0]
    drawn = [bar.get_width() for bar in axes.patches]
    with Result.open(files["samples"]) as result:
        written = result["sentence"].values[:, 1]
    counts = sorted(np.unique(written.astype(str), return_counts=True)[1].tolist(), reverse=True)
    assert drawn == counts[:12]


# The real program --------------------------------------------------------------------------------

REFRAN = os.environ.get("REFRAN")
EXPERIMENTS = [  # those whose figures script/demo draws
    path
    for path in sorted((ROOT / "experiments").glob("*.yaml"))
    if yaml.safe_load(path.read_text()).get("demo")
]


@pytest.mark.skipif(REFRAN is None, reason="REFRAN is not the path of the program")
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=[p.stem for p in EXPERIMENTS])
def test_results_of_the_program_are_drawn(experiment: Path, tmp_path: Path) -> None:
    assert REFRAN is not None
    done = subprocess.run(
        [REFRAN, "run", str(experiment), "--out", str(tmp_path)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    (path,) = done.stdout.splitlines()
    pictures = pictures_of(Path(path))
    assert len(pictures) >= 3
    faults = {name: faults_of_texts(figure) for name, figure in pictures.items()}
    assert not any(faults.values()), faults
