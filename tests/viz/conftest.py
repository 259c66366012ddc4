"""What the tests of the figures share: the path of the figures' modules, and result files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "viz" / "figures"))

from kinds import KINDS  # noqa: E402


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A result file of every kind."""
    folder = tmp_path_factory.mktemp("results")
    return {name: make(folder / f"{name}.h5") for name, make in KINDS.items()}
