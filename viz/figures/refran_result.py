"""Reads a result file, whose format results/README.md describes, into named arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import unquote

import h5py
import numpy as np

FORMAT = "refran-results"
FORMAT_MAJOR = 1
# Top-level names that are neither outputs, nor items, nor groups of an axis.
_NOT_OUTPUTS = {"digest", "provenance", "run_status", "failure", "run_log", "run_note"}


_WARNING = "warning: "  # how a line of the log begins that is one


class ResultError(Exception):
    """Why a result cannot be read: one sentence for the user."""


def result_path(result: Path) -> Path:
    """The file of a RESULT argument: a file, a run's folder or an experiment's folder."""
    if result.is_file():
        return result
    if not result.is_dir():
        raise ResultError(f"{result}: there is no such file or folder")
    for name in ("run.h5", "latest.h5"):
        if (result / name).is_file():
            return result / name
    if any((result / name).exists() for name in ("status.json", "segments", "run.h5.partial")):
        raise ResultError(
            f"{result}: the run is not complete, as there is no run.h5 yet; "
            "the command that started it goes on with it"
        )
    raise ResultError(f"{result}: neither run.h5 nor latest.h5 is in this folder")


def number_text(value: Any) -> str:
    """A label or a number as short text: 2.0 is `2`, 0.1 is `0.1`."""
    if isinstance(value, str):
        return value
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value.item() if isinstance(value, np.generic) else value)


class Array:
    """An output with named dimensions, read when its `values` are first asked for.

    name: the dataset's name; dims: the names of its dimensions, outermost first; labels: for every
    dimension the text of each position; scales: for every dimension its labels, or its numbers;
    unit: `1` where the numbers have none; doc: what it is, in one sentence.
    """

    def __init__(
        self,
        name: str,
        source: h5py.Dataset | np.ndarray,
        dims: tuple[str, ...],
        scales: Callable[[], dict[str, np.ndarray]],
        *,
        unit: str = "1",
        doc: str = "",
        fixed: tuple[int | slice, ...] = (),
    ) -> None:
        """`fixed` has the place along each dimension of `source` that is none of `dims`."""
        self.name = name
        self.dims = dims
        self._read_scales = scales
        self.unit = unit
        self.doc = doc
        self._source = source
        self._fixed = fixed

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each of `dims`."""
        whole = self._source.shape
        fixed = [isinstance(at, int) for at in self._fixed] + [False] * len(whole)
        return tuple(extent for extent, is_fixed in zip(whole, fixed) if not is_fixed)

    @property
    def is_text(self) -> bool:
        """Whether the elements are texts."""
        return self._source.dtype.kind in "OS"

    @cached_property
    def values(self) -> np.ndarray:
        """The elements, [dims…]."""
        if isinstance(self._source, np.ndarray):
            return self._source
        source = self._source.asstr() if self.is_text else self._source
        return np.asarray(source[self._fixed])

    @cached_property
    def scales(self) -> dict[str, np.ndarray]:
        """The labels, or the numbers, of the positions along each dimension."""
        return self._read_scales()

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """The text of each position, by dimension."""
        return {dim: [number_text(value) for value in self.scales[dim]] for dim in self.dims}

    def has_labels(self, dim: str) -> bool:
        """Whether the positions along `dim` are named, not only numbered."""
        return self.scales[dim].dtype.kind in "OU"

    def at(self, **where: int | str) -> Array:
        """The part at a position, or at a label, of the dimensions given: `share.at(step=-1)`."""
        index: list[int | slice] = [slice(None)] * len(self.dims)
        for dim, position in where.items():
            if isinstance(position, str):
                position = self.labels[dim].index(position)
            index[self.dims.index(dim)] = position
        dims = tuple(dim for dim in self.dims if dim not in where)
        part = np.asarray(self.values[tuple(index)])
        return Array(self.name, part, dims, lambda: self.scales, unit=self.unit, doc=self.doc)


class Group(Mapping[str, Array]):
    """Arrays by name: those of a result, or of one item of a list."""

    def __init__(self, paths: dict[str, str], read: Callable[[str], Array]) -> None:
        """paths: the path of each array's dataset; read: makes the array of a path."""
        self._own_paths = paths
        self._read_array = read
        self._arrays: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._arrays:
            self._arrays[name] = self._read_array(self._own_paths[name])
        return self._arrays[name]

    def __contains__(self, name: object) -> bool:
        return name in self._own_paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._own_paths)

    def __len__(self) -> int:
        return len(self._own_paths)


class Item(Group):
    """The outputs of one item of a named list: its place in it, and its name."""

    def __init__(
        self, paths: dict[str, str], read: Callable[[str], Array], index: int, label: str
    ) -> None:
        super().__init__(paths, read)
        self.index = index
        self.label = label


class Result(Group):
    """A result file, or one run of it, or the runs at one point of some of its axes.

    Of a sweep, the arrays have its axes as leading dimensions, and those that do not stack are
    left out; `run` gives one of its runs, which has them all, without the axes. `where` says which
    run it is: the value of every axis that has one.
    """

    def __init__(self, path: Path, file: h5py.File, point: dict[str, int] | None = None) -> None:
        self.path = path
        self._file = file
        self._point = point or {}
        self.experiment = str(file.attrs.get("experiment", ""))
        self.question = str(file.attrs.get("question", ""))
        self.run_id = str(file.attrs.get("run_id", ""))
        self.sweep_axes = tuple(_text(name) for name in file.attrs.get("axes", ()))
        self.axes = tuple(axis for axis in self.sweep_axes if axis not in self._point)
        # The paths of each item's arrays, by list and position in it.
        self._lists: dict[str, dict[int, dict[str, str]]] = {}
        super().__init__(self._collect(), self._array)

    @classmethod
    def open(cls, result: str | Path) -> Result:
        """Opens a file, a run's or an experiment's folder; ResultError says what is wrong."""
        path = result_path(Path(result))
        try:
            file = h5py.File(path, "r", locking=False)
        except OSError:
            raise ResultError(f"{path}: this is not an HDF5 file, or it is damaged") from None
        try:
            _check_format(path, file)
            return cls(path, file)
        except BaseException:
            file.close()
            raise

    def close(self) -> None:
        """Closes the file; arrays not yet read cannot be read any more."""
        self._file.close()

    def __enter__(self) -> Result:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Items ---------------------------------------------------------------------------------------

    @cached_property
    def warnings(self) -> list[str]:
        """What the run warned of; empty of a whole sweep."""
        if "run_log" not in self._file:
            return []
        log = self._file["run_log"]
        axes = _dims(log)
        if any(axis not in self._point for axis in axes):
            return []
        lines = str(log.asstr()[tuple(self._point[axis] for axis in axes)]).splitlines()
        return [line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)]

    @property
    def lists(self) -> list[str]:
        """The names of the item lists."""
        return list(self._lists)

    def each(self, name: str) -> list[Item]:
        """The items of a list, in order; empty where the result has no such list."""
        items = sorted(self._lists.get(name, {}).items())
        return [
            Item(paths, self._array, k, self._item_label(name, k, next(iter(paths.values()))))
            for k, paths in items
        ]

    def _item_label(self, name: str, index: int, path: str) -> str:
        """An item's name; where it differs between the runs of a sweep, the name in this run."""
        group = self._file[path].parent
        label = _text(group.attrs.get("label", ""))
        own = group.get(f"{name}_label")
        if label or own is None or not self._is_one(_dims(own)):
            return label or str(index)
        return str(own.asstr()[tuple(self._point[axis] for axis in _dims(own))])

    # Sweeps --------------------------------------------------------------------------------------

    def axis(self, name: str) -> np.ndarray:
        """The values of an axis of the sweep: numbers or texts."""
        return _read(self._file[name])

    def axis_labels(self, name: str) -> list[str]:
        """The text of each position along an axis; of keys that move together, all their values."""
        return [number_text(value) for value in self.axis(name)]

    @cached_property
    def completed(self) -> np.ndarray:
        """Whether each run of the sweep is complete, [axes…]."""
        if "run_status" not in self._file:
            return np.array(True)
        return np.asarray(_read(self._file["run_status"]) == "complete")

    @cached_property
    def where(self) -> dict[str, str]:
        """The value of every axis, of one run of a sweep; empty of a whole result."""
        return {name: self.axis_labels(name)[index] for name, index in self._point.items()}

    def run(self, point: dict[str, int]) -> Result:
        """One run of a sweep, by the position along every axis; along some, the runs there."""
        return Result(self.path, self._file, point)

    def first_run(self) -> Result:
        """The first complete run of a sweep; the result itself where it is no sweep."""
        if not self.axes:
            return self
        complete = np.argwhere(self.completed)
        if not len(complete):
            text = "every run of this sweep failed, so nothing can be drawn"
            raise ResultError(f"{self.path}: {text}")
        return self.run(dict(zip(self.axes, complete[0].tolist())))

    def setting(self, key: str) -> Any:
        """A key of the resolved config, as `config.strategy`; of a swept run, its own value."""
        for axis, index in self._point.items():
            if key in self._file and _dims(self._file[key]) == (axis,):
                value = _read(self._file[key])[index]
                return value.item() if isinstance(value, np.generic) else value
        node: Any = self._config
        for part in key.split("."):
            if not isinstance(node, dict) or part not in node:
                return None
            node = node[part]
        return node

    @cached_property
    def _config(self) -> Any:
        try:
            import yaml  # only few figures ask for settings
        except ImportError:
            text = "python3-yaml is needed to read its config, and is not installed"
            raise ResultError(f"{self.path}: {text}") from None
        return yaml.safe_load(_text(self._file["provenance/config"][()]))

    # Collecting ----------------------------------------------------------------------------------

    def _collect(self) -> dict[str, str]:
        """Sorts the paths by items; gives those of no item, by name."""
        dense = {}
        for path, own in self._outputs(self._file, "", ""):
            parts = own.split("/")
            if len(parts) == 3 and parts[1].isdigit():
                items = self._lists.setdefault(parts[0], {})
                items.setdefault(int(parts[1]), {})[parts[2]] = path
            else:
                dense[own] = path
        return dense

    def _outputs(self, group: h5py.Group, path: str, own: str) -> Iterator[tuple[str, str]]:
        """The paths of all outputs below a group, with and without the groups of axes."""
        for name in group:
            axis, _, value = name.partition("=")
            if name in _NOT_OUTPUTS or (axis in self.sweep_axes and not self._is_here(axis, value)):
                continue
            node = group[name]
            if isinstance(node, h5py.Dataset):
                if "sha256" in node.attrs:  # only outputs have one
                    yield path + name, own + name
            else:
                deeper = own if axis in self.sweep_axes else f"{own}{name}/"
                yield from self._outputs(node, f"{path}{name}/", deeper)

    def _is_one(self, axes: tuple[str, ...]) -> bool:
        """Whether this is one run of those axes."""
        return bool(axes) and all(axis in self._point for axis in axes)

    def _is_here(self, axis: str, value: str) -> bool:
        """Whether the group of a point of an axis, by its name, belongs to this run."""
        return axis in self._point and unquote(value) == self.where[axis]

    def _array(self, path: str) -> Array:
        dataset = self._file[path]
        dims = _dims(dataset)
        fixed = tuple(self._point.get(dim, slice(None)) for dim in dims)
        own_dims = tuple(dim for dim in dims if dim not in self._point)

        def scales() -> dict[str, np.ndarray]:
            return {dim: self._scale(dataset, dims.index(dim), dim) for dim in own_dims}

        name = path.split("/")[-1]
        unit = _text(dataset.attrs.get("units", "1"))
        doc = _text(dataset.attrs.get("long_name", ""))
        return Array(name, dataset, own_dims, scales, unit=unit, doc=doc, fixed=fixed)

    def _scale(self, dataset: h5py.Dataset, position: int, dim: str) -> np.ndarray:
        """The labels or numbers along a dimension; of one run, the labels of that run."""
        labels = dataset.parent.get(f"{dim}_label")
        if isinstance(labels, h5py.Dataset) and self._is_one(_dims(labels)[:-1]):
            own = tuple(self._point[axis] for axis in _dims(labels)[:-1])
            return np.asarray(labels.asstr()[own])
        if not len(dataset.dims[position]):
            return np.arange(dataset.shape[position])
        return _read(dataset.dims[position][0])


def _check_format(path: Path, file: h5py.File) -> None:
    if _text(file.attrs.get("format", "")) != FORMAT:
        raise ResultError(f"{path}: this HDF5 file is not a result of refran")
    version = _text(file.attrs.get("format_version", ""))
    major = version.split(".")[0]
    if not major.isdigit():
        raise ResultError(f"{path}: its format version, {version!r}, is not a version number")
    if int(major) > FORMAT_MAJOR:
        raise ResultError(
            f"{path}: its format version is {version}, and these figures know versions up to "
            f"{FORMAT_MAJOR}.x; update refran"
        )


def _dims(dataset: h5py.Dataset) -> tuple[str, ...]:
    """The names of a dataset's dimensions, outermost first."""
    # The label, not the scale's name, for which HDF5 would search the whole file.
    return tuple(dim.label or f"dim_{number}" for number, dim in enumerate(dataset.dims))


def _read(dataset: h5py.Dataset) -> np.ndarray:
    source = dataset.asstr() if dataset.dtype.kind in "OS" else dataset
    return np.asarray(source[()])


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
