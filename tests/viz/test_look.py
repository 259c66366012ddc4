"""How the pictures look: their texts, bytes and colours."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import style
from drawing import ROOT, faults_of_texts, pictures_of
from kinds import KINDS
from matplotlib.image import imread
from matplotlib.text import Text
from result_files import RUN_ID
from results_of import SENTENCE

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_is_cut_off_or_covers_another(kind: str, files: dict[str, Path]) -> None:
    pictures = pictures_of(files[kind])
    faults = {name: faults_of_texts(figure) for name, figure in pictures.items()}
    assert not any(faults.values()), faults


@pytest.mark.parametrize("kind", KINDS)
def test_text_is_large_enough_and_the_run_is_named(kind: str, files: dict[str, Path]) -> None:
    for name, figure in pictures_of(files[kind]).items():
        assert tuple(figure.get_size_inches()) == style.SLIDE
        texts = figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_text())
        small = [text.get_text() for text in texts if text.get_size() < 10]
        assert not small, f"{kind}, {name}"
        assert f"run {RUN_ID}" in [text.get_text() for text in texts]


@pytest.fixture(scope="module")
def drawn_twice(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two folders with the same pictures in all formats, drawn by two processes."""
    kinds = ["long sentence", "attention", "unknown plugin"]
    program, results = str(ROOT / "viz" / "figures" / "draw.py"), [str(files[k]) for k in kinds]
    folders, processes = [], []
    for number, formats in ((1, "svg,pdf,png"), (2, "png,pdf,svg")):
        folder = tmp_path_factory.mktemp(f"drawn{number}")
        flags = ["--format", formats, "--out", str(folder)]
        environment = {**os.environ, "PYTHONHASHSEED": str(number), "TZ": f"UTC{number}"}
        command = [sys.executable, program, *results, *flags]
        processes.append(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL))
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
    assert set(SENTENCE) <= written
    assert f"run {RUN_ID}" in written
    assert all("'DejaVu Sans', sans-serif" in text.attrib["style"] for text in texts)


def test_svg_has_a_title_and_a_description(drawn_twice: list[Path]) -> None:
    (path,) = drawn_twice[0].rglob("path.svg")
    root = xml.etree.ElementTree.parse(path).getroot()
    headline = "Each word moves the summary halfway toward its point"
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{SVG}title") == headline
    description = root.findtext(f"{SVG}desc") or ""
    assert description.startswith(f"{headline}. Squares: the words’ points.")
    assert description.endswith(f"From run {RUN_ID} of toy-encoder.")


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
