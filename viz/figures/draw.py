#!/usr/bin/python3
"""Draws the pictures of results: `draw.py RESULT... --format svg,pdf,png --out DIR`.

Each written path goes to standard output, one per line; all else goes to standard error.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import generic  # noqa: E402
import saving  # noqa: E402
import style  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from refran_result import Result, ResultError  # noqa: E402

Pictures = Callable[..., Iterable[tuple[str, Figure]]]  # of a result, and options by name
Compared = Callable[[Sequence[Result]], Iterable[tuple[str, Figure]]]
NO_OPTIONS: Mapping[str, str] = MappingProxyType({})

EPILOG = """\
A RESULT is a result file, the folder of a run, or the folder of an experiment, whose newest result
is drawn. The pictures go to DIR/<experiment>/<run id>/<picture>.<format>.

A plugin's own pictures are in <plugin>.py, with '_' for '-', in this program's folder or in one
given by --plugin-figures. Results of other plugins are drawn after what they say of themselves.
"""


class DrawError(Exception):
    """Why nothing can be drawn: one sentence for the user."""


class Own(NamedTuple):
    """A plugin's own pictures: the file they are in, and its functions."""

    path: Path
    figures: Pictures
    sweep_figures: Pictures | None
    compare_figures: Compared | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Draws all results; gives the exit code."""
    options = _parser().parse_args(arguments)
    style.apply()
    try:
        formats = _formats(options.format)
        for path in options.results:  # what is wrong is said before anything is drawn
            Result.open(path).close()
        where = {"formats": formats, "out": options.out, "folders": options.plugin_figures}
        chosen = _options(options.option)
        if options.compare:
            if chosen:
                raise DrawError("--option: pictures that compare have no options")
            _print(compare_files(options.results, **where))
        else:
            work = partial(draw_file, **where, options=chosen)
            for paths in _in_parallel(work, options.results):
                _print(paths)
    except (DrawError, ResultError) as error:
        print(f"draw.py: {error}", file=sys.stderr)
        return 2
    return 0


def _print(paths: Iterable[Path]) -> None:
    for path in paths:
        print(path, flush=True)


def draw_file(
    path: Path,
    formats: Sequence[str],
    out: Path,
    folders: Sequence[Path],
    options: Mapping[str, str] = NO_OPTIONS,
) -> list[Path]:
    """Draws the result of a path; gives the paths written."""
    with Result.open(path) as result:
        return list(draw(result, formats, out, folders, options))


def _in_parallel(work: Callable[[Path], list[Path]], paths: list[Path]) -> Iterator[list[Path]]:
    """Does work for every path, in as many processes as there are cores, in order."""
    workers = min(len(paths), os.cpu_count() or 1)
    if workers == 1:
        yield from map(work, paths)
        return
    with ProcessPoolExecutor(workers, initializer=style.apply) as pool:
        yield from pool.map(work, paths)


def compare_files(
    paths: Sequence[Path], formats: Sequence[str], out: Path, folders: Sequence[Path]
) -> Iterator[Path]:
    """Draws the results of several paths side by side; gives each path as it is written."""
    with ExitStack() as stack:
        results = [stack.enter_context(Result.open(path)) for path in paths]
        experiments = list(dict.fromkeys(result.experiment for result in results))
        if len(results) < 2 or len(experiments) > 1:
            raise DrawError(
                "--compare: it needs two results or more, of one experiment; these are "
                f"{len(results)}, of {', '.join(experiments)}"
            )
        own = find_pictures(experiments[0], folders)
        if own is None or own.compare_figures is None:
            raise DrawError(f"--compare: there are no pictures that compare {experiments[0]}")
        folder = out / experiments[0] / "-and-".join(result.run_id for result in results)
        drawn = _named(own.path, results[0], own.compare_figures(results))
        yield from _save_all(results, drawn, formats, folder)


def draw(
    result: Result,
    formats: Sequence[str],
    out: Path,
    folders: Sequence[Path],
    options: Mapping[str, str] = NO_OPTIONS,
) -> Iterator[Path]:
    """Draws one result; gives each path as it is written."""
    folder = out / result.experiment / result.run_id
    yield from _save_all([result], pictures(result, folders, options), formats, folder)


def _save_all(
    results: Sequence[Result],
    drawn: Iterable[tuple[str, Figure]],
    formats: Sequence[str],
    folder: Path,
) -> Iterator[Path]:
    """Writes pictures of these results into a folder; gives each path as it is written."""
    empty = True
    try:
        for name, figure in drawn:
            folder.mkdir(parents=True, exist_ok=True)
            yield from saving.save(figure, folder / name, formats, alt_text(results, figure))
            empty = False
    except OSError as error:
        raise DrawError(f"{folder}: cannot write here: {error.strerror or error}") from None
    if empty:
        paths = ", ".join(str(result.path) for result in results)
        print(f"draw.py: {paths}: there is nothing in it to draw", file=sys.stderr)


def pictures(
    result: Result, folders: Sequence[Path] = (), options: Mapping[str, str] = NO_OPTIONS
) -> Iterator[tuple[str, Figure]]:
    """The plugin's own pictures, else the generic ones: (name, figure)."""
    own = find_pictures(result.experiment, folders)
    _check_options(options, result.experiment, own)
    if own is None:
        yield from generic.pictures(result)
        return
    yield from _named(own.path, result, own.figures(result.first_run(), **options))
    if result.axes and own.sweep_figures is not None:
        yield from _named(own.path, result, own.sweep_figures(result))


def _check_options(options: Mapping[str, str], experiment: str, own: Own | None) -> None:
    """The options are the arguments by name of the function that draws."""
    arguments = inspect.signature(own.figures).parameters.values() if own is not None else ()
    known = [argument.name for argument in arguments if argument.kind is argument.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            allowed = f"there are {', '.join(known)}" if known else "there are none"
            raise DrawError(f"--option {name}: not an option of {experiment}; {allowed}")


def _named(
    path: Path, result: Result, drawn: Iterable[tuple[str, Figure]]
) -> Iterator[tuple[str, Figure]]:
    """Pictures of a plugin's file, whose mistakes name the file and the result."""
    try:
        yield from drawn
    except (ResultError, OSError):
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        raise DrawError(f"{path}: while drawing {result.path}: {text}") from error


def find_pictures(experiment: str, folders: Sequence[Path]) -> Own | None:
    """The file with a plugin's pictures, and its functions.

    Folders given come before this program's own; None where none has a file of that name.
    """
    name = experiment.replace("-", "_")
    for folder in folders:
        if not folder.is_dir():
            raise DrawError(f"{folder}: there is no such folder of figures")
    for folder in (*folders, HERE):
        path = folder / f"{name}.py"
        if not path.is_file():
            continue
        module = _load(path)
        figures = getattr(module, "figures", None)
        if figures is not None:
            others = (getattr(module, f"{kind}_figures", None) for kind in ("sweep", "compare"))
            return Own(path, figures, *others)
        if folder != HERE:  # a module of this folder that only shares the plugin's name
            raise DrawError(f"{path}: it has no function figures(result)")
    return None


def _load(path: Path) -> object:
    """The module in a file, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"refran_figures_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise DrawError(f"{path}: it cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def alt_text(results: Sequence[Result], figure: Figure) -> str:
    """What a reader who does not see the picture should know."""
    parts = [getattr(figure, "headline", ""), getattr(figure, "note", "")]
    text = ". ".join(part.rstrip(".") for part in parts if part)
    runs = " and ".join(result.run_id for result in results)
    return f"{text}. From run {runs} of {results[0].experiment}.".lstrip(". ")


def _formats(text: str) -> list[str]:
    """The formats of a list such as `svg,pdf`, each once."""
    formats = list(dict.fromkeys(part.strip() for part in text.split(",")))
    for form in formats:
        if form not in saving.FORMATS:
            allowed = ", ".join(saving.FORMATS)
            raise DrawError(f"--format: {form!r} is not a format; allowed are {allowed}")
    return formats


def _options(texts: Sequence[str]) -> dict[str, str]:
    """The values of texts such as `units=words`, by name."""
    for text in texts:
        if "=" not in text:
            raise DrawError(f"--option: {text!r} is not NAME=VALUE")
    return {name: value for name, _, value in (text.partition("=") for text in texts)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="draw.py",
        description="Draws the pictures of results.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", nargs="+", metavar="RESULT", type=Path, help="what to draw")
    parser.add_argument(
        "--format", default="svg", metavar="LIST", help="of svg, pdf and png (default: svg)"
    )
    parser.add_argument(
        "--out", default="figures", type=Path, metavar="DIR", help="default: figures"
    )
    parser.add_argument(
        "--compare", action="store_true", help="draw the results side by side, not each alone"
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of the plugin's pictures, as viz/README.md says; may be given several times",
    )
    parser.add_argument(
        "--plugin-figures",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="a folder with the pictures of other plugins; may be given several times",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
