"""The figures: reading results, the command line, and every picture's text, bytes and colours."""

from __future__ import annotations

import functools
import itertools
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import h5py
import numpy as np
import pytest
import result_files
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text
from matplotlib.transforms import Bbox

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "viz" / "figures"
sys.path.insert(0, str(FIGURES))

import draw  # noqa: E402
import style  # noqa: E402
from refran_result import Result  # noqa: E402

style.apply()

SVG = "{http://www.w3.org/2000/svg}"
# Names of result files, and how each is made.
KINDS = {
    "long sentence": lambda path: result_files.toy_encoder(path, result_files.SENTENCE),
    "short sentence": lambda path: result_files.toy_encoder(path, result_files.SENTENCE[:3]),
    "one word": lambda path: result_files.toy_encoder(path, result_files.SENTENCE[:1]),
    "five dimensions": lambda path: result_files.toy_encoder(
        path, result_files.SENTENCE[:8], 5, 0.3
    ),
    "one dimension": lambda path: result_files.toy_encoder(path, result_files.SENTENCE[:4], 1),
    "greedy": result_files.greedy_decoder,
    "beam": lambda path: result_files.greedy_decoder(path, "beam"),
    "samples": result_files.sample_sweep,
    "attention": result_files.attention_query,
    "five keys": lambda path: result_files.attention_query(path, 5, 6),
    "many keys": lambda path: result_files.attention_query(path, 20, 15, 0),
    "unknown plugin": result_files.unknown,
    "unknown sweep": result_files.seed_sweep,
    "few seeds": lambda path: result_files.one_axis_of_seeds(path, 8),
    "many seeds": lambda path: result_files.one_axis_of_seeds(path, 60),
    "scorings": result_files.scoring_sweep,
    "rates": result_files.rate_sweep,
}


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A result file of every kind."""
    folder = tmp_path_factory.mktemp("results")
    return {name: make(folder / f"{name}.h5") for name, make in KINDS.items()}


def run_draw(*arguments: object) -> int:
    """Runs the program in this process; gives its exit code."""
    return draw.main([str(argument) for argument in arguments])


@functools.cache
def pictures_of(path: Path) -> dict[str, Figure]:
    """All pictures of a result, by name."""
    with Result.open(path) as result:
        return dict(draw.pictures(result))


# Reading -----------------------------------------------------------------------------------------


def test_an_array_knows_its_dimensions_labels_unit_and_words(files: dict[str, Path]) -> None:
    with Result.open(files["short sentence"]) as result:
        share = result["share"]
        assert share.dims == ("step", "part")
        assert share.labels["part"] == ["start", "Unha", "tía", "miña"]
        assert (share.unit, share.doc) == ("1", "How much of each part")
        assert share.values[-1].tolist() == [0.125, 0.125, 0.25, 0.5]


def test_a_part_of_an_array_is_chosen_by_position_or_label(files: dict[str, Path]) -> None:
    with Result.open(files["short sentence"]) as result:
        last = result["share"].at(step=-1)
        assert last.dims == ("part",)
        assert last.at(part="tía").values == 0.25


def test_items_have_their_label_and_arrays_of_their_own_extents(files: dict[str, Path]) -> None:
    with Result.open(files["unknown plugin"]) as result:
        items = result.each("sentence")
        assert [item.label for item in items] == ["Unha tía miña", "que todo o solucionaba con"]
        assert [item["map"].shape for item in items] == [(3, 3), (5, 5)]
        assert items[0]["map"].labels["source"] == ["Unha", "tía", "miña"]
        assert not [name for name in result if "sentence" in name]


def test_a_run_of_a_sweep_has_its_own_group_and_no_axes(files: dict[str, Path]) -> None:
    with Result.open(files["unknown sweep"]) as result:
        assert result.axes == ("config.heads", "seed")
        run = result.run({"config.heads": 2, "seed": 3})
        assert run.where == {"config.heads": "4", "seed": "4"}
        assert run["attention"].shape == (4, 3, 4)
        assert run["loss"].dims == ("step",)
        attention = run["attention"].values
        assert "attention" not in result
    with h5py.File(files["unknown sweep"]) as file:
        whole = file["config.heads=4/attention"][3]
    assert np.array_equal(attention, whole)


def test_labels_that_differ_between_runs_are_those_of_the_run(tmp_path: Path) -> None:
    file = result_files.ResultFile(tmp_path / "run.h5", "mystery", axes={"seed": [1, 2]})
    file.run_labels("word", np.array([["tía", "miña"], ["tío", "meu"]], dtype=object))
    file.output("weight", [[0.4, 0.6], [0.1, 0.9]], "word")
    with Result.open(file.write()) as result:
        labels = [result.run({"seed": k})["weight"].labels["word"] for k in (0, 1)]
    assert labels == [["tía", "miña"], ["tío", "meu"]]


def test_a_setting_of_a_swept_run_is_that_of_the_run(tmp_path: Path) -> None:
    file = result_files.ResultFile(
        tmp_path / "run.h5",
        "mystery",
        axes={"size": ["1, dot", "2, scaled-dot"]},
        keys={"config.heads": ("size", [1, 2])},
        config="experiment: mystery\nconfig:\n  heads: 1\n  depth: 3\n",
    )
    file.output("loss", [0.5, 0.25])
    with Result.open(file.write()) as result:
        run = result.run({"size": 1})
        assert run.where == {"size": "2, scaled-dot"}
        assert (run.setting("config.heads"), run.setting("config.depth")) == (2, 3)
        assert run.setting("config.width") is None


# The command line --------------------------------------------------------------------------------


def test_standard_output_has_one_written_path_per_line(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files["short sentence"]
    assert run_draw(path, "--format", "svg,png", "--out", tmp_path) == 0
    out, err = capsys.readouterr()
    folder = tmp_path / "toy-encoder" / result_files.RUN_ID
    names = ["path", "steps", "shares", "final-shares"]
    expected = [str(folder / f"{n}.{form}") for n in names for form in ("svg", "png")]
    assert out.splitlines() == expected
    assert sorted(str(file) for file in folder.iterdir()) == sorted(expected)
    assert err == ""


def test_several_results_are_drawn_in_order(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_draw(files["few seeds"], files["one word"], "--out", tmp_path) == 0
    names = [Path(line).name for line in capsys.readouterr().out.splitlines()]
    expected = ["sweep-loss", "loss", "path", "steps", "shares", "final-shares"]
    assert names == [f"{name}.svg" for name in expected]


def test_a_run_folder_and_an_experiment_folder_are_results(tmp_path: Path) -> None:
    run = tmp_path / "toy-encoder" / result_files.RUN_ID
    result_files.toy_encoder(run / "run.h5", result_files.SENTENCE[:2])
    (tmp_path / "toy-encoder" / "latest.h5").symlink_to(run / "run.h5")
    for result in (run, tmp_path / "toy-encoder"):
        with Result.open(result) as opened:
            assert opened.experiment == "toy-encoder"


def _not_hdf5(folder: Path) -> Path:
    path = folder / "notes.h5"
    path.write_text("not HDF5")
    return path


def _other_hdf5(folder: Path) -> Path:
    with h5py.File(folder / "other.h5", "w") as file:
        file["x"] = 1
    return folder / "other.h5"


def _with_version(folder: Path, version: str) -> Path:
    path = result_files.unknown(folder / "version.h5")
    with h5py.File(path, "a") as file:
        file.attrs["format_version"] = version
    return path


def _folder(folder: Path, *files: str) -> Path:
    (folder / "run").mkdir()
    for name in files:
        (folder / "run" / name).write_text("")
    return folder / "run"


def _all_failed(folder: Path) -> Path:
    file = result_files.ResultFile(
        folder / "failed.h5", "mystery", axes={"seed": [1, 2]}, failed=[(0,), (1,)]
    )
    file.output("loss", [np.nan, np.nan])
    return file.write()


BAD_RESULTS = {
    "missing": (lambda f: f / "none.h5", "{}: there is no such file or folder"),
    "no HDF5": (_not_hdf5, "{}: this is not an HDF5 file, or it is damaged"),
    "another HDF5 file": (_other_hdf5, "{}: this HDF5 file is not a result of refran"),
    "newer": (
        lambda f: _with_version(f, "2.0"),
        "{}: its format version is 2.0, and these figures know versions up to 1.x; update refran",
    ),
    "no version": (
        lambda f: _with_version(f, "new"),
        "{}: its format version, 'new', is not a version number",
    ),
    "incomplete": (
        lambda f: _folder(f, "status.json", "run.h5.partial"),
        "{}: the run is not complete, as there is no run.h5 yet; "
        "the command that started it goes on with it",
    ),
    "empty folder": (_folder, "{}: neither run.h5 nor latest.h5 is in this folder"),
    "all failed": (
        _all_failed,
        "{}: every run of this sweep failed, so nothing can be drawn",
    ),
}


@pytest.mark.parametrize("name", BAD_RESULTS)
def test_a_bad_result_is_one_sentence_and_exit_code_2(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, sentence = BAD_RESULTS[name]
    path = make(tmp_path)
    assert run_draw(path, "--out", tmp_path / "out") == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"draw.py: {sentence.format(path)}\n")


def test_all_results_are_opened_before_anything_is_drawn(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_draw(files["attention"], tmp_path / "none.h5", "--out", tmp_path / "out") == 2
    assert capsys.readouterr().out == ""
    assert not (tmp_path / "out").exists()


def test_an_unknown_format_is_named(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_draw(files["attention"], "--format", "svg,gif", "--out", tmp_path) == 2
    err = capsys.readouterr().err
    assert err == "draw.py: --format: 'gif' is not a format; allowed are svg, pdf, png\n"


def test_a_folder_that_cannot_be_written_is_named(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("a file, no folder")
    assert run_draw(files["attention"], "--out", tmp_path / "out") == 2
    folder = tmp_path / "out" / "attention-query" / result_files.RUN_ID
    assert capsys.readouterr().err == f"draw.py: {folder}: cannot write here: Not a directory\n"


# Plugins -----------------------------------------------------------------------------------------

OWN_FIGURES = """\
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

import style

def figures(result):
    slide = style.Slide(result, f"The loss of {result.experiment} falls")
    slide.grid()[0, 0].plot(result["loss"].values)
    yield "loss", slide
    yield "plain", Figure()
"""


def test_an_unknown_plugin_gets_a_picture_per_output(files: dict[str, Path]) -> None:
    assert list(pictures_of(files["unknown plugin"])) == [
        "values", "attention", "delta", "loss", "state", "token", "weight",
        "sentence-0-map", "sentence-1-map",
    ]  # fmt: skip


def test_a_limit_on_panels_is_said_in_the_picture(files: dict[str, Path]) -> None:
    figure = pictures_of(files["unknown plugin"])["state"]
    assert "Drawn are the first 12 of 30 panels." in figure.note
    panels = [axes for axes in figure.axes if axes.images and axes.axison]
    assert len(panels) == 12


def test_figures_of_a_plugin_out_of_tree_are_found_by_the_flag(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mystery.py").write_text(OWN_FIGURES)
    (tmp_path / "empty").mkdir()
    flags = ["--plugin-figures", tmp_path / "empty", "--plugin-figures", tmp_path]
    assert run_draw(files["unknown plugin"], "--out", tmp_path / "out", *flags) == 0
    names = [Path(line).name for line in capsys.readouterr().out.splitlines()]
    assert names == ["loss.svg", "plain.svg"]


def test_the_figures_of_the_readme_are_drawn(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (ROOT / "viz" / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "mystery.py").write_text(code)
    flags = ["--out", tmp_path / "out", "--plugin-figures", tmp_path]
    assert run_draw(files["unknown plugin"], *flags) == 0
    assert [Path(line).name for line in capsys.readouterr().out.splitlines()] == ["loss.svg"]


BAD_FIGURES = {
    "does not parse": ("def figures(", "{file}: it cannot be loaded: SyntaxError: "),
    "has no figures": ("x = 1", "{file}: it has no function figures(result)\n"),
    "raises": (
        "def figures(result):\n    yield result['none']",
        "{file}: while drawing {result}: KeyError: 'none'\n",
    ),
}


@pytest.mark.parametrize("name", BAD_FIGURES)
def test_bad_figures_of_a_plugin_are_one_sentence_and_exit_code_2(
    name: str, files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, sentence = BAD_FIGURES[name]
    (tmp_path / "mystery.py").write_text(source)
    result = files["unknown plugin"]
    assert run_draw(result, "--out", tmp_path / "out", "--plugin-figures", tmp_path) == 2
    err = capsys.readouterr().err
    expected = "draw.py: " + sentence.format(file=tmp_path / "mystery.py", result=result)
    assert err[: len(expected)] == expected
    assert err.count("\n") == 1


def test_a_missing_folder_of_figures_is_named(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--plugin-figures", tmp_path / "none", "--out", tmp_path]
    assert run_draw(files["unknown plugin"], *flags) == 2
    err = capsys.readouterr().err
    assert err == f"draw.py: {tmp_path / 'none'}: there is no such folder of figures\n"


def test_a_plugin_with_the_name_of_a_helper_gets_generic_pictures(tmp_path: Path) -> None:
    file = result_files.ResultFile(tmp_path / "run.h5", "style")
    file.output("loss", [0.5, 0.25], "step")
    assert list(pictures_of(file.write())) == ["loss"]


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


# What the pictures show --------------------------------------------------------------------------


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


def test_bars_without_attention_are_the_last_summary_s(files: dict[str, Path]) -> None:
    panels = pictures_of(files["attention"])["with-and-without"].axes
    for axes, with_attention in zip(panels, ([0.488, 0.488, 0.024], [0.262, 0.262, 0.476])):
        widths = np.array([bar.get_width() for bar in axes.patches]).reshape(3, 2)
        assert np.allclose(widths[:, 0], [0.25, 0.25, 0.5])
        assert np.allclose(widths[:, 1], with_attention, atol=5e-4)


# How the pictures look ---------------------------------------------------------------------------


def drawn_texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """Every text that is drawn, with its box in pixels."""
    if isinstance(figure, style.Slide):
        figure.settle()
    drawn: dict[int, Text] = {}
    draw_text = Text.draw

    def record(artist: Text, renderer: object) -> None:
        if artist.get_visible() and artist.get_text().strip():
            drawn[id(artist)] = artist
        draw_text(artist, renderer)

    with mock.patch.object(Text, "draw", record):
        figure.canvas.draw()
    return [(text.get_text(), Text.get_window_extent(text)) for text in drawn.values()]


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_is_cut_off_or_covers_another(kind: str, files: dict[str, Path]) -> None:
    for name, figure in pictures_of(files[kind]).items():
        texts = drawn_texts(figure)
        for text, box in texts:
            inside = box.x0 >= 0 and box.y0 >= 0
            inside &= box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
            assert inside, f"{kind}, {name}: {text!r} is cut off"
        for (one, box), (other, other_box) in itertools.combinations(texts, 2):
            covered = Bbox.intersection(box.padded(-1.5), other_box.padded(-1.5))
            area = 0 if covered is None else covered.width * covered.height
            assert not area, f"{kind}, {name}: {one!r} covers {other!r}"


@pytest.mark.parametrize("kind", KINDS)
def test_text_is_large_enough_and_the_run_is_named(kind: str, files: dict[str, Path]) -> None:
    for name, figure in pictures_of(files[kind]).items():
        assert tuple(figure.get_size_inches()) == style.SLIDE
        texts = figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_text())
        small = [text.get_text() for text in texts if text.get_size() < 10]
        assert not small, f"{kind}, {name}"
        assert f"run {result_files.RUN_ID}" in [text.get_text() for text in texts]


@pytest.fixture(scope="module")
def drawn_twice(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two folders with the same pictures in all formats, drawn by two processes."""
    kinds = ["long sentence", "attention", "unknown plugin"]
    folders, processes = [], []
    for number in (1, 2):
        folder = tmp_path_factory.mktemp(f"drawn{number}")
        command = [sys.executable, str(FIGURES / "draw.py"), *(str(files[kind]) for kind in kinds)]
        command += ["--format", "svg,pdf,png" if number == 1 else "png,pdf,svg"]
        environment = {**os.environ, "PYTHONHASHSEED": str(number), "TZ": f"UTC{number}"}
        command += ["--out", str(folder)]
        processes.append(
            subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        )
        folders.append(folder)
    assert [process.wait() for process in processes] == [0, 0]
    return folders


def test_two_processes_write_the_same_bytes(drawn_twice: list[Path]) -> None:
    one, two = drawn_twice
    names = sorted(path.relative_to(one) for path in one.rglob("*.*") if path.is_file())
    assert len(names) > 30
    different = [str(n) for n in names if (one / n).read_bytes() != (two / n).read_bytes()]
    assert not different


def test_svg_text_stays_text_in_a_font_that_is_everywhere(drawn_twice: list[Path]) -> None:
    (path,) = drawn_twice[0].rglob("path.svg")
    root = xml.etree.ElementTree.parse(path).getroot()
    texts = root.findall(f".//{SVG}text")
    written = {text.text for text in texts}
    assert set(result_files.SENTENCE) <= written
    assert f"run {result_files.RUN_ID}" in written
    assert all("'DejaVu Sans', sans-serif" in text.attrib["style"] for text in texts)


def test_svg_has_a_title_and_a_description(drawn_twice: list[Path]) -> None:
    (path,) = drawn_twice[0].rglob("path.svg")
    root = xml.etree.ElementTree.parse(path).getroot()
    headline = "Each word moves the summary halfway toward its point"
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{SVG}title") == headline
    description = root.findtext(f"{SVG}desc") or ""
    assert description.startswith(f"{headline}. Squares: the words’ points.")
    assert description.endswith(f"From run {result_files.RUN_ID} of toy-encoder.")


def test_no_file_holds_a_date(drawn_twice: list[Path]) -> None:
    for path in drawn_twice[0].rglob("*.svg"):
        assert b"dc:date" not in path.read_bytes()
    for path in drawn_twice[0].rglob("*.pdf"):
        assert b"/CreationDate" not in path.read_bytes()


def test_pdf_embeds_its_fonts_as_truetype(drawn_twice: list[Path]) -> None:
    paths = list(drawn_twice[0].rglob("*.pdf"))
    assert paths
    for path in paths:
        content = path.read_bytes()
        assert b"/FontFile2" in content
        assert b"/Type3" not in content


def test_png_is_a_full_hd_slide(drawn_twice: list[Path]) -> None:
    (path,) = drawn_twice[0].rglob("field.png")
    assert imread(path).shape[:2] == (1080, 1920)


def test_palette_colours_differ_in_lightness() -> None:
    levels = sorted(style.lightness(color) for color in style.PALETTE)
    assert min(np.diff(levels)) >= 11


def test_the_scale_of_weights_only_gets_darker() -> None:
    levels = [style.lightness(style.WEIGHTS(x)[:3]) for x in np.linspace(0, 1, 50)]
    assert max(np.diff(levels)) < 0
    assert levels[0] == pytest.approx(100)


def test_text_on_a_bar_or_a_cell_is_legible() -> None:
    def luminance(color: str | Sequence[float]) -> float:
        level = style.lightness(color)
        return ((level + 16) / 116) ** 3 if level > 8 else level / 903.3

    cells = [style.WEIGHTS(x)[:3] for x in np.linspace(0, 1, 20)]
    for color in (*style.PALETTE, style.FAINT, *cells):
        pair = sorted((luminance(color), luminance(style.ink_on(color))))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.0  # of 4.5 for small and 3 for large text


def test_series_beyond_the_palette_have_another_hatch() -> None:
    looks = [style.series(k) for k in range(20)]
    assert len({(look.color, look.hatch) for look in looks}) == 20


# The real program --------------------------------------------------------------------------------

REFRAN = os.environ.get("REFRAN")
EXPERIMENTS = sorted((ROOT / "experiments").glob("*.yaml"))


@pytest.mark.skipif(REFRAN is None, reason="REFRAN is not the path of the program")
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda path: path.stem)
def test_results_of_the_program_are_drawn(experiment: Path, tmp_path: Path) -> None:
    assert REFRAN is not None
    done = subprocess.run(
        [REFRAN, "run", str(experiment), "--out", str(tmp_path)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    (path,) = done.stdout.splitlines()
    count = 0
    for name, figure in pictures_of(Path(path)).items():
        count += 1
        for (one, box), (other, other_box) in itertools.combinations(drawn_texts(figure), 2):
            covered = Bbox.intersection(box.padded(-1.5), other_box.padded(-1.5))
            area = 0 if covered is None else covered.width * covered.height
            assert not area, f"{name}: {one!r} covers {other!r}"
    assert count >= 3
