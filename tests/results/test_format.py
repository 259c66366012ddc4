"""Holds real results to results/README.md, with nothing but h5py, xarray, NumPy and hashlib.

CTest gives the program in the environment variable REFRAN and the source folder in REFRAN_SOURCE.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray

PROGRAM = os.environ.get("REFRAN")
SOURCE = Path(os.environ.get("REFRAN_SOURCE", Path(__file__).resolve().parents[2]))
README = (SOURCE / "results" / "README.md").read_text(encoding="utf-8")
ZEROS = "0" * 64
HDF5_OWN = {"CLASS", "NAME", "DIMENSION_LIST", "DIMENSION_LABELS", "REFERENCE_LIST"}

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="REFRAN does not name the program")

# A seed axis, an axis along which extents differ, items, labels, texts: the decoder has them all.
SWEEPS = {
    "single": ("toy-encoder.yaml", []),
    "stacked": ("toy-encoder-short.yaml", ["--sweep", "config.rate=[0.25, 0.5]"]),
    "items": ("greedy-decoder.yaml", []),
    "split": (
        "greedy-decoder.yaml",
        ["--sweep", "config.max_steps=[1, 3]", "--sweep", "seed={from: 1, count: 2}"],
    ),
}


@pytest.fixture(scope="module", params=SWEEPS)
def path(request, tmp_path_factory):
    """A result file as the program writes it."""
    name, arguments = SWEEPS[request.param]
    out = tmp_path_factory.mktemp(request.param)
    command = [PROGRAM, "run", str(SOURCE / "experiments" / name), *arguments, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@pytest.fixture
def result(path):
    with h5py.File(path) as file:
        yield file


def datasets(file):
    """Every dataset outside digest and provenance, by path."""
    found = {}
    file.visititems(
        lambda name, node: found.update({name: node}) if isinstance(node, h5py.Dataset) else None
    )
    return {
        name: node
        for name, node in found.items()
        if not name.startswith(("digest/", "provenance/"))
    }


def outputs(file):
    return {name: node for name, node in datasets(file).items() if "sha256" in node.attrs}


def axes_of(file):
    return [str(name) for name in file.attrs.get("axes", [])]


def own_path(file, path):
    """The path without axis groups."""
    parts = path.split("/")
    while "=" in parts[0] and parts[0].split("=")[0] in axes_of(file):
        parts = parts[1:]
    return "/".join(parts)


def dims_of(node):
    return [dim.label for dim in node.dims]


def value_bytes(values):
    """Values as digests take them, [any shape]."""
    values = np.asarray(values)
    if values.dtype.kind in "OSU":
        texts = [t if isinstance(t, bytes) else str(t).encode() for t in values.ravel()]
        return b"".join(struct.pack("<I", len(text)) + text for text in texts)
    values = np.array(values, dtype=values.dtype.newbyteorder("<"), order="C")
    if values.dtype.kind == "f":
        values[np.isnan(values)] = np.frombuffer(
            {4: b"\0\0\xc0\x7f", 8: b"\0\0\0\0\0\0\xf8\x7f"}[values.dtype.itemsize],
            values.dtype,
        )[0]
    return values.tobytes()


def run_digest(path, element, values):
    """The digest of one run's part of a dataset, [dims…]."""
    shape = np.asarray(values).shape
    head = path.encode() + b"\0" + element.encode() + b"\0"
    extents = struct.pack(f"<{len(shape) + 1}Q", len(shape), *shape)
    return hashlib.sha256(head + extents + hashlib.sha256(value_bytes(values)).digest())


def element_of(node):
    return "text" if node.dtype.kind == "O" else node.dtype.name


def test_root_attributes_say_what_it_is(result):
    attributes = dict(result.attrs)
    assert attributes["format"] == "refran-results"
    assert attributes["format_version"] == "1.0"
    assert attributes["status"] == "complete"
    assert attributes["reproducibility"] in {"bitwise", "same machine", "close"}
    assert attributes["tolerance"].dtype == np.float64
    assert re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]+", attributes["run_id"])
    for name in ("started", "ended"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", attributes[name])
    for name in ("experiment", "question", "plugin_version", "refran_version"):
        assert isinstance(attributes[name], str) and attributes[name]
    assert ("seed" in attributes) == ("seed" not in axes_of(result))


def test_the_root_has_no_attribute_that_the_readme_does_not_name(result):
    row = next(line for line in README.splitlines() if line.startswith("| `/` attributes"))
    assert set(result.attrs) <= set(re.findall(r"`(\w+)`", row))


def test_every_dataset_is_described_and_has_a_scale_on_each_dimension(result):
    for name, node in datasets(result).items():
        assert node.attrs["units"], name
        assert node.attrs["long_name"], name
        if h5py.h5ds.is_scale(node.id):
            assert node.ndim == 1, name
            continue
        labels = dims_of(node)
        assert len(set(labels)) == len(labels), name
        for dim, label in zip(node.dims, labels):
            scale = dim[0]
            assert scale.name == f"{node.parent.name.rstrip('/')}/{label}", name
            assert scale.shape == (node.shape[labels.index(label)],), name


def test_scales_are_labels_or_counts_from_zero(result):
    for name, node in datasets(result).items():
        if not h5py.h5ds.is_scale(node.id) or name.split("/")[-1] in axes_of(result):
            continue
        if node.dtype.kind != "O":
            assert node.dtype == np.int64, name
            assert node[:].tolist() == list(range(node.shape[0])), name


def test_runs_have_a_status_a_failure_a_log_and_notes(result):
    for name in ("run_status", "failure", "run_log", "run_note"):
        assert dims_of(result[name]) == axes_of(result)
        assert result[name].dtype.kind == "O"
    assert set(np.ravel(result["run_status"].asstr()[()])) == {"complete"}
    assert set(np.ravel(result["failure"].asstr()[()])) == {""}


def test_outputs_lead_with_the_axes_they_stand_in_no_group_of(result):
    for name, node in outputs(result).items():
        grouped = [part.split("=")[0] for part in name.split("/") if "=" in part]
        stacked = [axis for axis in axes_of(result) if axis not in grouped]
        assert dims_of(node)[: len(stacked)] == stacked, name


def test_rows_sum_to_one_where_they_are_said_to(result):
    for name, node in outputs(result).items():
        if "rows_sum_to_one" in node.attrs:
            np.testing.assert_allclose(node[()].sum(axis=-1), 1, atol=1e-5, err_msg=name)


def test_items_have_labels_and_lists_counts(result):
    items = {name.rsplit("/", 1)[0] for name in outputs(result) if "/" in own_path(result, name)}
    for item in items:
        assert isinstance(result[item].attrs["label"], str)
        assert result[item].parent.attrs["count"] == len(result[item].parent)


def test_digests_can_be_recomputed(result):
    of_file = hashlib.sha256()
    for name in sorted(outputs(result)):
        node = result[name]
        rank = sum(label in axes_of(result) for label in dims_of(node))
        stored = result["digest/" + name]
        assert stored.shape == node.shape[:rank]
        assert stored.dtype == np.dtype("S64")
        of_runs = []
        for run in np.ndindex(stored.shape):
            digest = run_digest(own_path(result, name), element_of(node), node[run])
            assert stored[run].decode() == digest.hexdigest(), (name, run)
            of_runs.append(digest.digest())
        stacked = hashlib.sha256(b"".join(of_runs)).digest() if rank else of_runs[0]
        assert node.attrs["sha256"] == stacked.hex(), name
        of_file.update(name.encode() + b"\0" + stacked)
    assert result.attrs["digest"] == of_file.hexdigest()


def attribute_bytes(value):
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, np.ndarray):
        return value_bytes(value)
    return struct.pack("<d" if value.dtype.kind == "f" else "<Q", value)


def test_the_seal_can_be_recomputed(result):
    entries = []

    def visit(name, node):
        if name == "digest" or name.startswith("digest/"):
            return
        for attribute, value in node.attrs.items():
            if attribute not in HDF5_OWN | {"seal"}:
                entries.append((f"{name}\0{attribute}".encode(), attribute_bytes(value)))
        if isinstance(node, h5py.Dataset) and "sha256" not in node.attrs:
            entries.append((f"{name}\0".encode(), value_bytes(node[()])))

    visit("", result)
    result.visititems(visit)
    seal = hashlib.sha256()
    for entry, content in sorted(entries):
        seal.update(entry + b"\0" + hashlib.sha256(content).digest())
    assert result.attrs["seal"] == seal.hexdigest()


def test_provenance_is_text(result):
    for name in ("config", "environment", "inputs"):
        assert isinstance(result["provenance"][name].asstr()[()], str)


def test_integers_are_compressed_and_floats_are_not(result):
    for name, node in datasets(result).items():
        if node.dtype.kind == "f":
            assert node.chunks is None and node.compression is None, name
        elif node.chunks is not None:
            assert node.compression == "gzip" and node.compression_opts == 1, name
            assert np.prod(node.chunks) * node.dtype.itemsize <= 1 << 20, name


def test_xarray_opens_every_group_by_name(path, result):
    groups = {""} | {name.rpartition("/")[0] for name in datasets(result)}
    for group in groups:
        with xarray.open_dataset(path, engine="h5netcdf", group=group or None) as opened:
            here = result[group or "/"]
            for name, variable in opened.variables.items():
                expected = [name] if h5py.h5ds.is_scale(here[name].id) else dims_of(here[name])
                assert list(variable.dims) == expected
                if h5py.h5ds.is_scale(here[name].id):
                    assert name in opened.coords
            written = {name for name, node in here.items() if isinstance(node, h5py.Dataset)}
            assert set(opened.variables) == written


def test_check_finds_nothing(path):
    command = [PROGRAM, "check", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_extents_that_differ_make_groups(tmp_path):
    name, arguments = SWEEPS["split"]
    command = [PROGRAM, "run", str(SOURCE / "experiments" / name), *arguments]
    command += ["--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    with h5py.File(done.stdout.strip()) as result:
        assert axes_of(result) == ["config.max_steps", "seed"]
        for steps in (1, 3):
            logit = result[f"config.max_steps={steps}/input/0/logit"]
            assert dims_of(logit)[:2] == ["seed", "step"]
            assert logit.shape[:2] == (2, steps)


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """A folder in which the README's snippets run as they are."""
    folder = tmp_path_factory.mktemp("example")
    experiment = SOURCE / "experiments" / "toy-encoder.yaml"
    subprocess.run([PROGRAM, "run", str(experiment)], cwd=folder, capture_output=True, check=True)
    return folder


SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_readme_has_its_two_snippets():
    assert [re.search(r"import (\w+)", text).group(1) for text in SNIPPETS] == ["h5py", "xarray"]


@pytest.mark.parametrize("text", SNIPPETS, ids=["h5py", "xarray"])
def test_snippets_of_the_readme_run(text, example):
    done = subprocess.run(
        ["/usr/bin/python3", "-c", text], cwd=example, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "cala" in done.stdout
