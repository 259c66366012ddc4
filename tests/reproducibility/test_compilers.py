"""The training kernel gives the same bytes from g++ and clang++, at -O1 and -O3, with AVX2 and with plain lanes, and
with glibc's FMA variants switched off."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCE = Path(os.environ["REFRAN_SOURCE"])
MODEL = SOURCE / "plugins/referent_model"
SDK = SOURCE / "framework/sdk"

# What the kernel is given: compiled once, by the first compiler there is.
SUPPORT = [MODEL / "task.cc", MODEL / "model.cc", MODEL / "kernel_task.cc", SDK / "src/random.cc", SDK / "src/math.cc"]

FLAGS = ["-std=c++20", "-ffp-contract=off", f"-I{SOURCE / 'plugins'}", f"-I{SDK / 'include'}"]
AVX2 = ["-mavx2", "-mfma"]
NO_FMA = "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA"  # as glibc spells it up to 2.32, and since


def compiler(names):
    """The first of these programs that is installed."""
    return next(filter(None, map(shutil.which, names)), None)


COMPILERS = {"g++": compiler(["g++"]), "clang++": compiler(["clang++", "clang++-14", "clang++-19", "clang++-17"])}


def has_avx2():
    flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    return " avx2 " in flags and " fma " in flags


@pytest.fixture(scope="module")
def support(tmp_path_factory):
    folder = tmp_path_factory.mktemp("support")
    path = next(filter(None, COMPILERS.values()), None)
    if path is None:
        pytest.skip("neither g++ nor clang++ is installed")
    subprocess.run([path, *FLAGS, "-O1", "-c", *SUPPORT], cwd=folder, check=True)
    return sorted(folder.glob("*.o"))


@pytest.fixture(scope="module")
def hashes(support, tmp_path_factory):
    """Compiles and runs training.cc; what it prints, by what is trained. Every program is made once."""
    folder = tmp_path_factory.mktemp("programs")

    def run(name, options, tunables=""):
        if COMPILERS[name] is None:
            pytest.skip(f"{name} is not installed")
        program = folder / "".join([name, *options])
        if not program.exists():
            words = [COMPILERS[name], *FLAGS, *options, "-o", program, HERE / "training.cc", *support, "-lfmt"]
            subprocess.run(words, check=True)
        environment = {**os.environ, "GLIBC_TUNABLES": tunables}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
        return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())

    return run


@pytest.fixture(scope="module")
def expected(hashes):
    """What plain lanes give, which every x86-64 processor can run."""
    result = hashes(next(name for name, path in COMPILERS.items() if path), ["-O1"])
    assert list(result) == ["float", "float, wide", "double"]
    assert len(set(result.values())) == 3
    return result


@pytest.mark.parametrize("level", ["-O1", "-O3"])
@pytest.mark.parametrize("name", COMPILERS)
def test_avx2_lanes_give_the_bytes_of_plain_ones(name, level, hashes, expected):
    if not has_avx2():
        pytest.skip("this processor has no AVX2 and FMA")
    assert hashes(name, [level, *AVX2]) == expected


@pytest.mark.parametrize("name, level", [("g++", "-O1"), ("clang++", "-O3")])
def test_plain_lanes_give_the_same_bytes(name, level, hashes, expected):
    assert hashes(name, [level]) == expected


def test_so_they_do_without_glibcs_fma_variants(hashes, expected):
    assert hashes("g++", ["-O1"], tunables=NO_FMA) == expected
