"""Writes figures as SVG, PDF and PNG, with a title and a description, and without dates."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import style
from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")


def save(figure: Figure, stem: Path, formats: Sequence[str], alt: str) -> Iterator[Path]:
    """Writes a figure as `stem` with the suffix of each format; gives each path once written.

    alt: what a reader who does not see the picture should know. The same figure gives the same
    bytes.
    """
    if isinstance(figure, style.Slide):
        figure.settle()
    else:
        figure.draw_without_rendering()  # lets its layout engine, if it has one, do its work
    figure.set_layout_engine("none")  # so that the formats written do not change each other
    for form in formats:
        path = stem.with_name(f"{stem.name}.{form}")
        partial = path.with_name(path.name + ".partial")
        partial.write_bytes(_rendered(figure, form, alt))
        partial.replace(path)
        yield path


def _rendered(figure: Figure, form: str, alt: str) -> bytes:
    title = getattr(figure, "headline", alt)
    metadata: dict[str, str | None] = {
        "svg": {"Title": title, "Date": None},
        "pdf": {"Title": title, "Subject": alt, "CreationDate": None},
        "png": {"Title": title, "Description": alt},
    }[form]
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, dpi=144, metadata=metadata)
    content = buffer.getvalue()
    return _described(content.decode(), alt).encode() if form == "svg" else content


def _described(svg: str, alt: str) -> str:
    """The SVG with a description for screen readers behind its title."""
    svg = re.sub(r"<svg ", '<svg role="img" ', svg, count=1)
    return svg.replace("</title>", f"</title>\n <desc>{escape(alt)}</desc>", 1)
