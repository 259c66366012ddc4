"""Draws pictures in this process, and finds the texts in them."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from unittest import mock

import draw
import style
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from refran_result import Result

style.apply()

ROOT = Path(__file__).resolve().parents[2]


def run_draw(*arguments: object) -> int:
    """Runs the program in this process; gives its exit code."""
    return draw.main([str(argument) for argument in arguments])


@functools.cache
def pictures_of(path: Path) -> dict[str, Figure]:
    """All pictures of a result, by name."""
    with Result.open(path) as result:
        return dict(draw.pictures(result))


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


def faults_of_texts(figure: Figure) -> list[str]:
    """Which texts are cut off, and which cover another; covering by a pixel or two is none."""
    texts = drawn_texts(figure)
    faults = []
    for text, box in texts:
        if box.x0 < 0 or box.y0 < 0 or box.x1 > figure.bbox.x1 or box.y1 > figure.bbox.y1:
            faults.append(f"{text!r} is cut off")
    inner = [(text, box.padded(-1.5)) for text, box in texts]
    for (one, box), (other, other_box) in itertools.combinations(inner, 2):
        if box.fully_overlaps(other_box):
            faults.append(f"{one!r} covers {other!r}")
    return faults
