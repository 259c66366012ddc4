"""Seeds are done in groups and what is recorded goes to disk: of a run nothing stays in memory but where its values are."""

import os
import subprocess
import sys
from pathlib import Path

REFRAN = os.environ["REFRAN"]
SOURCE = Path(os.environ["REFRAN_SOURCE"])

SETTINGS = ["config.steps=2", "config.ablation=false", "config.controls.uniform_attention=false", "config.controls.hold_out=0"]


# A process counts the memory of the one that started it, so a small one starts it.
MEASURE = """
import os, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_kib(seeds, out):
    """The most memory that `refran run` or any of its workers had, of a sweep over so many seeds."""
    experiment = SOURCE / "experiments/referent-training.yaml"
    words = [REFRAN, "run", experiment, *SETTINGS, "--sweep", f"seed={{from: 1, count: {seeds}}}", "-j", "1", "--out", out]
    measure = [sys.executable, "-I", "-S", "-c", MEASURE, *(str(w) for w in words)]
    outcome = subprocess.run(measure, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr
    return int(outcome.stdout.split()[-1])


def test_ten_times_as_many_seeds_take_hardly_more_memory(tmp_path):
    few = peak_kib(200, tmp_path / "few")
    many = peak_kib(2000, tmp_path / "many")
    recorded = sum(f.stat().st_size for f in (tmp_path / "many").rglob("run.h5")) / 1024
    assert recorded > 4 * few, "the runs record too little to show anything"
    assert many - few < recorded / 10
    assert (many - few) / 1800 < 10  # KiB a run
