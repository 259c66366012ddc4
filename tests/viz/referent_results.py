"""Small results of referent-training, made by the program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

REFRAN = os.environ.get("REFRAN")

_ONE_POOL = """\
experiment: referent-training
config:
  template: the {chaser} didn't catch the {chased} because it was {adjective}
  nouns: {chaser: [dog, cat, fox], chased: [dog, cat, fox]}
  adjectives: {chaser: [slow, tired], chased: [fast, quick]}
"""
_BARE = [
    "config.ablation=false", "config.controls.uniform_attention=false",
    "config.controls.hold_out=0", "config.record.maps=false", "config.record.weights=false",
]  # fmt: skip

# By name: the config, and what the command adds to it.
KINDS = {
    "one head": ("experiment: referent-training\n", ["seed=5", "config.heads=1"]),
    "three heads": (
        _ONE_POOL,
        ["config.heads=3", "config.record.steps=[0, 20]", "--sweep", "seed=[3, 4]"],
    ),
    "many seeds": (
        "experiment: referent-training\n",
        ["config.steps=40", "config.record.steps=[0, 10, 20, 40]", "config.record.maps=false",
         "--sweep", "seed={from: 1, count: 21}"],
    ),
    "a failed rate": (
        _ONE_POOL,
        [*_BARE, "seed=1", "config.heads=1", "--sweep", "config.learning_rate=[1.0e30, 0.03]"],
    ),
}  # fmt: skip


def make(kind: str, folder: Path) -> Path:
    """Runs the program; gives the path of the result."""
    config, arguments = KINDS[kind]
    folder.mkdir()
    (folder / "config.yaml").write_text(config)
    steps = [] if any("config.steps" in text for text in arguments) else ["config.steps=20"]
    done = subprocess.run(
        [str(REFRAN), "run", str(folder / "config.yaml"), *steps, *arguments, "--out", str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    (path,) = done.stdout.splitlines()
    return Path(path)
