"""Adds 1 to the first value of a dataset of a single run's result, and makes all digests fit it.

usage: edit_result.py FILE DATASET
"""

import hashlib
import struct
import sys

import h5py


def dataset_digest(path, dataset):
    names = f"{path}\0{dataset.dtype.name}\0".encode()
    extents = struct.pack(f"<{dataset.ndim + 1}Q", dataset.ndim, *dataset.shape)
    values = hashlib.sha256(dataset[()].tobytes()).digest()
    return hashlib.sha256(names + extents + values).hexdigest()


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


def main(path, name):
    with h5py.File(path, "r+") as file:
        dataset = file[name]
        values = dataset[()]
        values.flat[0] += 1
        dataset[...] = values
        digest = dataset_digest(name, dataset)
        dataset.attrs["sha256"] = digest
        if f"digest/{name}" in file:
            file[f"digest/{name}"][()] = digest
        file.attrs["digest"] = file_digest(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
