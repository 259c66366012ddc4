"""Writes result files for tests, in the format of results/README.md."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np

TEXT = h5py.string_dtype()
RUN_ID = "20261130T024512Z-3f9a1c"


def _value_bytes(values: np.ndarray) -> bytes:
    if values.dtype == object:
        texts = [text.encode() for text in values.ravel()]
        return b"".join(struct.pack("<I", len(text)) + text for text in texts)
    return np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()


def _run_digest(path: str, values: np.ndarray) -> bytes:
    """The digest of one run's part of a dataset, [dims…]."""
    element = "text" if values.dtype == object else values.dtype.name
    shape = struct.pack(f"<{1 + values.ndim}Q", values.ndim, *values.shape)
    content = hashlib.sha256(_value_bytes(values)).digest()
    head = path.encode() + b"\0" + element.encode() + b"\0" + shape
    return hashlib.sha256(head + content).digest()


@dataclass
class _Output:
    path: str
    values: np.ndarray
    dims: tuple[str, ...]
    unit: str
    doc: str
    rows_sum_to_one: bool
    axes: tuple[str, ...]


@dataclass
class ResultFile:
    """A result file in the making: outputs and labels first, then `write`."""

    path: Path
    experiment: str
    question: str = "What does this show?"
    run_id: str = RUN_ID
    axes: dict[str, Sequence[int | float | str]] = field(default_factory=dict)
    config: str = "experiment: test\n"
    keys: dict[str, tuple[str, Sequence]] = field(default_factory=dict)  # (axis, values) by key
    failed: Sequence[tuple[int, ...]] = ()
    _outputs: list[_Output] = field(default_factory=list)
    _labels: dict[str, Sequence[str]] = field(default_factory=dict)
    _run_labels: dict[str, np.ndarray] = field(default_factory=dict)
    _items: dict[str, str] = field(default_factory=dict)

    def output(
        self,
        path: str,
        values: np.ndarray | Sequence,
        dims: str = "",
        *,
        unit: str = "1",
        doc: str = "Numbers for a test",
        rows_sum_to_one: bool = False,
    ) -> None:
        """Adds an output, [axes…, dims…], without the axes that have a group in its path.

        dims: the names, parted by blanks. The cells of failed runs are emptied.
        """
        array = np.array(values)
        if array.dtype.kind == "U":
            array = array.astype(object)
        grouped = {part.partition("=")[0] for part in path.split("/")}
        own = tuple(axis for axis in self.axes if axis not in grouped)
        names = tuple(dims.split())
        for run in self._failed_in(path):
            array[run] = np.nan if array.dtype.kind == "f" else type(array.flat[0])()
        self._outputs.append(_Output(path, array, names, unit, doc, rows_sum_to_one, own))

    def _failed_in(self, path: str) -> list[tuple[int, ...]]:
        """The failed runs among those of a path, by their positions along the axes left to it."""
        fixed = dict(part.split("=") for part in path.split("/") if "=" in part)
        runs = []
        for run in self.failed:
            at = dict(zip(self.axes, run, strict=True))
            if all(str(list(self.axes[a])[at[a]]) == value for a, value in fixed.items()):
                runs.append(tuple(position for axis, position in at.items() if axis not in fixed))
        return runs

    def labels(self, path: str, labels: Sequence[str]) -> None:
        """Names the positions along a dimension, by its path: `part`, `input/0/step`."""
        self._labels[path] = labels

    def run_labels(self, path: str, labels: np.ndarray) -> None:
        """Labels that differ between runs, [axes…, dim]."""
        self._run_labels[path] = labels

    def item(self, path: str, label: str) -> None:
        """Names an item, by its path: `input/0`."""
        self._items[path] = label

    def write(self) -> Path:
        """Writes the file and gives its path."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with h5py.File(self.path, "w", libver=("earliest", "v110")) as file:
            self._write_axes(file)
            for path, label in self._items.items():
                group = file.require_group(path)
                group.attrs["label"] = label
                group.parent.attrs["count"] = np.int32(len(group.parent))
            for output in self._outputs:
                self._write_output(file, output)
            self._write_status(file)
            self._write_provenance(file)
        return self.path

    def _write_axes(self, file: h5py.File) -> None:
        for axis, values in self.axes.items():
            array = np.asarray(values)
            array = array.astype(object) if array.dtype.kind == "U" else array
            self._scale(file, axis, array, f"Values of {axis}")
        for key, (axis, values) in self.keys.items():
            file[key] = np.asarray(values)
            file[key].attrs.update({"units": "1", "long_name": f"Values of {key}"})
            self._attach(file, file[key], (axis,))

    def _scale(self, group: h5py.Group, name: str, values: np.ndarray, doc: str) -> None:
        dtype = TEXT if values.dtype == object else None
        scale = group.create_dataset(name, data=values, dtype=dtype)
        scale.attrs.update({"units": "1", "long_name": doc})
        scale.make_scale(name)

    def _write_output(self, file: h5py.File, output: _Output) -> None:
        text = output.values.dtype == object
        dataset = file.create_dataset(
            output.path, data=output.values, dtype=TEXT if text else None
        )
        dataset.attrs.update({"units": output.unit, "long_name": output.doc})
        if output.rows_sum_to_one:
            dataset.attrs["rows_sum_to_one"] = 1
        self._attach(file, dataset, output.axes + output.dims)
        for dim in output.dims:
            path = f"{dataset.parent.name}/{dim}".strip("/")
            if path in self._run_labels:
                self._write_run_labels(file, dataset.parent, dim, self._run_labels[path])
        dataset.attrs["sha256"] = self._write_digest(file, output)

    def _attach(self, file: h5py.File, dataset: h5py.Dataset, dims: tuple[str, ...]) -> None:
        for position, dim in enumerate(dims):
            group = dataset.parent
            if dim not in group and dim in self.axes:
                self._scale(group, dim, file[dim][()], f"Values of {dim}")
            elif dim not in group:
                path = f"{group.name}/{dim}".strip("/")
                labels = self._labels.get(path)
                values = np.arange(dataset.shape[position])
                values = values if labels is None else np.asarray(labels, dtype=object)
                self._scale(group, dim, values, f"Positions along {dim}")
            dataset.dims[position].label = dim
            dataset.dims[position].attach_scale(group[dim])

    def _write_run_labels(
        self, file: h5py.File, group: h5py.Group, dim: str, labels: np.ndarray
    ) -> None:
        if f"{dim}_label" in group:
            return
        dataset = group.create_dataset(f"{dim}_label", data=labels.astype(object), dtype=TEXT)
        dataset.attrs.update({"units": "1", "long_name": f"Labels along {dim}"})
        self._attach(file, dataset, (*self.axes, dim))

    def _write_digest(self, file: h5py.File, output: _Output) -> str:
        """Writes the digest of each run's part, [axes…]; gives that of the dataset."""
        own_path = "/".join(part for part in output.path.split("/") if "=" not in part)
        count = len(output.axes)
        runs = output.values.reshape((-1, *output.values.shape[count:]))
        if not count:
            runs = output.values[np.newaxis]
        kind = output.values.dtype
        digests = [_run_digest(own_path, np.asarray(run, dtype=kind)) for run in runs]
        extents = output.values.shape[:count]
        for run in self._failed_in(output.path):
            digests[int(np.ravel_multi_index(run, extents))] = bytes(32)
        texts = np.array([digest.hex() for digest in digests], dtype="S64")
        file[f"digest/{output.path}"] = texts.reshape(extents)
        whole = digests[0] if not count else hashlib.sha256(b"".join(digests)).digest()
        return whole.hex()

    def _write_status(self, file: h5py.File) -> None:
        extents = tuple(len(values) for values in self.axes.values())
        status = np.full(extents, "complete", dtype=object)
        for run in self.failed:
            status[run] = "failed"
        failure = np.where(status == "failed", "it was meant to fail", "").astype(object)
        empty = np.full(extents, "", dtype=object)
        contents = {"run_status": status, "failure": failure, "run_log": empty, "run_note": empty}
        for name, values in contents.items():
            dataset = file.create_dataset(name, data=values, dtype=TEXT)
            dataset.attrs.update({"units": "1", "long_name": f"The {name} of each run"})
            self._attach(file, dataset, tuple(self.axes))

    def _write_provenance(self, file: h5py.File) -> None:
        file["provenance/config"] = self.config
        file["provenance/environment"] = '{"refran": "1.0"}'
        file["provenance/inputs"] = "[]"
        digest = hashlib.sha256()
        for output in sorted(self._outputs, key=lambda output: output.path):
            sha256 = bytes.fromhex(file[output.path].attrs["sha256"])
            digest.update(output.path.encode() + b"\0" + sha256)
        file.attrs.update(
            {
                "format": "refran-results",
                "format_version": "1.0",
                "experiment": self.experiment,
                "question": self.question,
                "run_id": self.run_id,
                "status": "failed" if self.failed else "complete",
                "reproducibility": "bitwise",
                "tolerance": 0.0,
                "plugin_version": "1.0",
                "refran_version": "1.0",
                "started": "2026-11-30T02:45:12Z",
                "ended": "2026-11-30T02:45:13Z",
                "digest": digest.hexdigest(),
            }
        )
        if self.axes:
            file.attrs["axes"] = np.array(list(self.axes), dtype=object)
        if "seed" not in self.axes:
            file.attrs["seed"] = 1
