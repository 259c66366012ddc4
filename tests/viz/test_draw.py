"""The program: what it writes, what it says, and where it finds the figures of a plugin."""

from __future__ import annotations

import re
from pathlib import Path

import h5py
import numpy as np
import pytest
import results_of
from drawing import ROOT, pictures_of, run_draw
from refran_result import Result
from result_files import RUN_ID, ResultFile
from results_of import SENTENCE


def test_standard_output_has_one_written_path_per_line(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files["short sentence"]
    assert run_draw(path, "--format", "svg,png", "--out", tmp_path) == 0
    out, err = capsys.readouterr()
    folder = tmp_path / "toy-encoder" / RUN_ID
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
    run = tmp_path / "toy-encoder" / RUN_ID
    results_of.toy_encoder(run / "run.h5", SENTENCE[:2])
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
    path = results_of.unknown(folder / "version.h5")
    with h5py.File(path, "a") as file:
        file.attrs["format_version"] = version
    return path


def _folder(folder: Path, *files: str) -> Path:
    (folder / "run").mkdir()
    for name in files:
        (folder / "run" / name).write_text("")
    return folder / "run"


def _all_failed(folder: Path) -> Path:
    file = ResultFile(
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
    folder = tmp_path / "out" / "attention-query" / RUN_ID
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
    file = ResultFile(tmp_path / "run.h5", "style")
    file.output("loss", [0.5, 0.25], "step")
    assert list(pictures_of(file.write())) == ["loss"]
