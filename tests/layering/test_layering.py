"""The directions between the layers: cli → runner → sdk ← plugins, by what files include and libraries link."""

import os
import re
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ["REFRAN_SOURCE"])
BUILD = Path(os.environ["REFRAN_BUILD"])

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
HDF5 = r"^(hdf5\.h|hdf5_hl\.h|H5)"
HEAVY = HDF5 + "|^(yaml-cpp/|boost/|torch/|ATen/|Eigen/|nlohmann/|CLI/)"


def sources(folder):
    """All C++ files below a folder of the project."""
    return sorted(p for p in (SOURCE / folder).rglob("*") if p.suffix in {".h", ".cc"})


def includes(file):
    return INCLUDE.findall(file.read_text(encoding="utf-8"))


def including(folder, pattern):
    """Names of the files below a folder that include something that matches the pattern."""
    return {p.name for p in sources(folder) if any(re.search(pattern, i) for i in includes(p))}


def needed(library):
    """The libraries that a library or program names as needed."""
    text = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?)\]", text))


def test_there_is_something_to_check():
    assert len(sources("framework/sdk")) > 10
    assert len(sources("framework/runner")) > 40
    assert len(sources("plugins")) > 10


def test_the_sdk_sees_no_heavy_library():
    assert including("framework/sdk", HEAVY) == set()


def test_public_headers_include_only_the_standard_library_and_each_other():
    for header in sources("framework/sdk/include"):
        for name in includes(header):
            assert name.startswith("refran/") or re.fullmatch(r"[a-z_]+", name), f"{header}: {name}"


def test_the_sdk_sees_no_runner():
    assert including("framework/sdk", r"^(?!refran/)[a-z_0-9/]+\.h$") <= {"random.cc"}


def test_one_file_sees_yaml_cpp():
    assert including("framework", r"^yaml-cpp/") == {"yaml_reader.cc"}


def test_one_file_sees_boost_dll():
    assert including("framework", r"^boost/") == {"plugin_loader.cc"}


def test_one_header_sees_hdf5():
    assert including("framework", HDF5) == {"hdf5_detail.h"}
    with_it = including("framework/runner", r"^hdf5_detail\.h$")
    assert with_it == {"hdf5_handle.cc", "hdf5_read.cc"}


def test_the_folders_of_the_runner_see_only_those_before_them():
    order = ["base", "config", "plugins", "results", "execution"]
    folder_of = {p.name: p.parent.name for p in sources("framework/runner") if p.suffix == ".h"}
    for file in sources("framework/runner"):
        for name in includes(file):
            if name in folder_of:
                seen = folder_of[name]
                assert order.index(seen) <= order.index(file.parent.name), f"{file}: {name} of {seen}"


def test_the_runner_sees_no_command_line():
    names = {p.name for p in sources("framework/cli") if p.suffix == ".h"}
    for file in sources("framework/runner"):
        assert not names & set(includes(file)), file
    assert including("framework/runner", r"^CLI/") == set()


def test_plugins_see_the_sdk_alone():
    assert including("plugins", HDF5 + "|^(boost/|CLI/)") == set()
    # Files of models are JSON and YAML: the library of Marian models reads them, no plugin does.
    for library in ["yaml-cpp/", "nlohmann/", "sentencepiece", "zip\\.h"]:
        assert including("plugins", f"^{library}") == including("plugins/marian", f"^{library}"), library
    assert including("plugins/marian", "^yaml-cpp/") == {"flat_yaml.cc"}
    assert including("plugins/marian", "^sentencepiece") == {"sentence_pieces.cc"}
    runner = {p.name for p in sources("framework/runner") if p.suffix == ".h"}
    for file in sources("plugins"):
        local = {i for i in includes(file) if i in runner and not (file.parent / i).exists()}
        assert not local, f"{file}: {local}"


@pytest.mark.parametrize("folder", ["arithmetic", "marian", "referent_model"])
def test_libraries_are_free_of_runs_and_configs(folder):
    forbidden = r"^refran/(plugin|run|config|experiment|output|schema)\.h$"
    assert including(f"plugins/{folder}", forbidden) == set()


def test_torch_is_included_only_where_a_second_library_is_built():
    for file in sources("framework") + sources("plugins"):
        if any(i.startswith(("torch/", "ATen/")) for i in includes(file)):
            assert "part" in file.stem or file.parent.name == "referent_torch", file


def test_no_standard_distribution_or_unnamed_randomness():
    words = re.compile(r"std::\w+_distribution|std::random_device|\brand\(\)|std::mt19937")
    for file in sources("framework") + sources("plugins"):
        code = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        assert not words.search(code), file


AVX2_OBJECTS = [
    "plugins/marian/CMakeFiles/refran_marian.dir/kernel/avx2_kernels.cc.o",
    "plugins/referent_model/CMakeFiles/refran_referent_model.dir/avx2_lanes.cc.o",
    "tests/CMakeFiles/plugin_tests.dir/plugins/referent_model/lane_operations_avx2.cc.o",
]


@pytest.mark.parametrize("name", AVX2_OBJECTS, ids=lambda n: Path(n).name)
def test_code_for_avx2_shares_no_inline_function_with_other_code(name):
    # Of a function that several object files hold the linker keeps one, maybe this one: an illegal instruction on older
    # processors, far from here.
    symbols = ["nm", "-C", "--defined-only", BUILD / name]
    text = subprocess.run(symbols, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\S+ ([WwVvu]) (.+)$", text, re.MULTILINE)
    shared = [f"{kind} {symbol}" for kind, symbol in found if not re.search(r"Avx2|^DW\.ref\.", symbol)]
    assert found and not shared


def plugin_libraries():
    return sorted((BUILD / "lib/refran/plugins").glob("*.so"))


@pytest.mark.parametrize("library", plugin_libraries(), ids=lambda p: p.name)
def test_plugins_link_no_storage_and_main_libraries_no_torch(library):
    names = needed(library)
    forbidden = r"hdf5|boost" if library.stem.endswith("_part") else r"hdf5|boost|torch|c10"
    if library.stem != "opus_mt_probe":  # which reads native Marian's options
        forbidden += "|yaml"
    assert any(n.startswith("librefran.so") for n in names)
    assert not [n for n in names if re.search(forbidden, n)]


def test_the_program_and_the_sdk_do_not_load_torch():
    program = Path(os.environ["REFRAN"])
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    assert "torch" not in loaded
    sdk = next((BUILD / "lib").glob("librefran.so"))
    assert not [n for n in needed(sdk) if re.search(r"hdf5|yaml|boost|torch", n)]


def test_files_stay_short():
    too_long = {
        str(p.relative_to(SOURCE)): n
        for p in sources("framework") + sources("plugins") + sources("tests")
        if (n := len(p.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert too_long == {}
