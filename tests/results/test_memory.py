"""Seeds are done in groups and what is recorded goes to disk: of a run nothing stays in memory but where its values are."""

import os
import subprocess
from pathlib import Path

REFRAN = os.environ["REFRAN"]
SOURCE = Path(os.environ["REFRAN_SOURCE"])

SETTINGS = ["config.steps=2", "config.ablation=false", "config.controls.uniform_attention=false", "config.controls.hold_out=0"]


def peak_kib(seeds, out):
    """The most memory that `refran run` or any of its workers had, of a sweep over so many seeds."""
    experiment = SOURCE / "experiments/referent-training.yaml"
    words = [REFRAN, "run", experiment, *SETTINGS, "--sweep", f"seed={{from: 1, count: {seeds}}}", "-j", "1", "--out", out]
    process = subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, errors
    return usage.ru_maxrss


def test_ten_times_as_many_seeds_take_hardly_more_memory(tmp_path):
    few = peak_kib(200, tmp_path / "few")
    many = peak_kib(2000, tmp_path / "many")
    recorded = sum(f.stat().st_size for f in (tmp_path / "many").rglob("run.h5")) / 1024
    assert recorded > 4 * few, "the runs record too little to show anything"
    assert many - few < recorded / 10
    assert (many - few) / 1800 < 10  # KiB a run
