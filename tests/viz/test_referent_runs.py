"""How the seeds of a referent-training result are grouped, and what is left out of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import referent_comparison
import referent_runs
from refran_result import Result
from result_files import ResultFile


def _sweep(path: Path, failed: list[tuple[int, ...]]) -> Path:
    file = ResultFile(
        path, "referent-training", axes={"seed": [4, 5, 6], "config.heads": [1, 2]}, failed=failed
    )
    file.output("loss", np.arange(12.0).reshape(3, 2, 2), "step")
    file.labels("layer", ["L1"])
    for heads in (1, 2):
        group = f"config.heads={heads}"
        file.labels(f"{group}/layer", ["L1", "L2"])
        file.labels(f"{group}/head", [f"H{head + 1}" for head in range(heads)])
        file.output(f"{group}/job", [[["it"] * heads] * 2] * 3, "layer head")
    return file.write()


def test_failed_seeds_are_left_out_of_their_group(tmp_path: Path) -> None:
    with Result.open(_sweep(tmp_path / "run.h5", [(1, 0)])) as result:
        one, two = referent_runs.groups(result)
        assert (one.name, two.name) == ("config.heads 1", "config.heads 2")
        assert (one.count, two.count) == ("n = 2 seeds, 1 failed and left out", "n = 3 seeds")
        assert (one.seeds, two.seeds) == (["4", "6"], ["4", "5", "6"])
        assert (one.heads, two.heads) == (["L1H1", "L2H1"], ["L1H1", "L1H2", "L2H1", "L2H2"])
        assert one.values("loss").tolist() == [[0, 1], [8, 9]]
        assert two.values("loss").tolist() == [[2, 3], [6, 7], [10, 11]]
        assert two.values("job").shape == (3, 2, 2)


def test_a_group_without_a_complete_run_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _sweep(tmp_path / "run.h5", [(0, 1), (1, 1), (2, 1)])
    with Result.open(path) as result:
        assert [runs.name for runs in referent_runs.groups(result)] == ["config.heads 1"]
    text = "every run with config.heads = 2 failed, so nothing is drawn of them"
    assert capsys.readouterr().err == f"draw.py: {path}: {text}\n"


def test_points_of_a_sweep_are_told_apart_by_their_values(tmp_path: Path) -> None:
    with Result.open(_sweep(tmp_path / "run.h5", [])) as result:
        groups = list(referent_runs.groups(result))
        assert referent_comparison.names(groups) == ["config.heads 1", "config.heads 2"]
