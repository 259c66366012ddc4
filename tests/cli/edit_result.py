"""Changes the first value of a run's part of a dataset, by 1 or to another text, and makes all digests fit it.

usage: edit_result.py FILE DATASET [RUN, from 0, of those that the dataset holds]
"""

import hashlib
import struct
import sys

import h5py
import numpy


def digest_of(path, values):
    """The digest of one run's part."""
    is_text = values.dtype == object
    names = f"{path}\0{'text' if is_text else values.dtype.name}\0".encode()
    extents = struct.pack(f"<{values.ndim + 1}Q", values.ndim, *values.shape)
    data = b"".join(struct.pack("<I", len(text)) + text for text in values.flat) if is_text else values.tobytes()
    return hashlib.sha256(names + extents + hashlib.sha256(data).digest()).hexdigest()


def file_digest(file):
    datasets = {}

    def collect(name, node):
        if "sha256" in node.attrs:
            datasets[name] = node.attrs["sha256"]

    file.visititems(collect)
    whole = hashlib.sha256()
    for name, digest in sorted(datasets.items()):
        whole.update(name.encode() + b"\0" + bytes.fromhex(digest))
    return whole.hexdigest()


def main(path, name, run="0"):
    with h5py.File(path, "r+") as file:
        dataset = file[name]
        axes = list(file.attrs.get("axes", []))
        own_path = "/".join(part for part in name.split("/") if part.split("=")[0] not in axes)
        stacked = sum(dim.label in axes for dim in dataset.dims)
        values = numpy.asarray(dataset[()])
        runs = values.reshape(-1, *values.shape[stacked:])
        part = runs[int(run)].copy() if runs[int(run)].ndim else numpy.array(runs[int(run)])
        part.flat[0] = b"edited" if part.dtype == object else part.flat[0] + 1
        runs[int(run)] = part
        dataset[...] = runs.reshape(values.shape)
        digests = [text.decode() for text in numpy.asarray(file[f"digest/{name}"][()]).flat]
        digests[int(run)] = digest_of(own_path, part)
        file[f"digest/{name}"][...] = numpy.array(digests, "S64").reshape(values.shape[:stacked])
        whole = hashlib.sha256(b"".join(map(bytes.fromhex, digests))).hexdigest()
        dataset.attrs["sha256"] = whole if stacked else digests[0]
        file.attrs["digest"] = file_digest(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
