"""The path of a plugin's author, as CONTRIBUTING.md describes it: against an installed refran, with no edit."""

import os
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["REFRAN_BUILD"])


def run(*words, cwd, env=None):
    environment = {**os.environ, **(env or {})}
    outcome = subprocess.run([str(w) for w in words], capture_output=True, text=True, cwd=cwd, env=environment)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return outcome.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", prefix, cwd=prefix)
    return prefix


def test_a_new_plugin_builds_runs_and_is_done(installed, tmp_path):
    refran = installed / "bin/refran"
    written = run(refran, "new-plugin", "key-noise", cwd=tmp_path).split()
    project = tmp_path / "key-noise"
    names = {"CMakeLists.txt", "key_noise.cc", "README.md", "key-noise.yaml"}
    assert {Path(w).name for w in written} == names == {p.name for p in project.iterdir()}

    run("cmake", "-B", "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}", cwd=project)
    run("cmake", "--build", "build", cwd=project)
    result = run(refran, "run", "key-noise.yaml", "--plugin-path", "build", cwd=project).strip()
    assert (project / result).is_file()
    assert "valid" in run(refran, "check", result, cwd=project)
    # Its own test is check-plugin.
    assert "100% tests passed" in run("ctest", "--test-dir", "build", cwd=project)
    # The README's other commands.
    sweep = ["--sweep", "seed=[1,2,3,4,5]", "--sweep", "config.temperature=[0.5,1,2]"]
    run(refran, "run", "key-noise.yaml", *sweep, cwd=project, env={"REFRAN_PLUGIN_PATH": "build"})
    readme = (project / "README.md").read_text(encoding="utf-8")
    assert "refran run key-noise.yaml --plugin-path build" in readme


def test_the_installed_program_has_the_shipped_plugins(installed, tmp_path):
    names = run(installed / "bin/refran", "list", "--names", cwd=tmp_path).split()
    assert {"attention-query", "greedy-decoder", "toy-encoder"} <= set(names)


def test_the_installed_program_has_no_test_plugins(installed, tmp_path):
    names = run(installed / "bin/refran", "list", "--names", cwd=tmp_path).split()
    assert "segfaults" not in names and "throws" not in names
