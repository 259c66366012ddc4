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


PROBE = """
#include <marian/generation.h>
#include <marian/tokenizer.h>

#include <refran/plugin.h>

namespace {

struct Config {
  std::filesystem::path model;
  void describe(refran::Fields& field) { field("model", model, "A model's folder").required().existing_folder(); }
};

constexpr refran::Output<double, 0> kScore{
    .name = "score", .dims = {}, .unit = "nat", .doc = "How likely the model finds its translation"};

void probe(const Config& config, refran::Run& run) {
  const auto folder = refran::marian::read_model_folder(config.model);
  const refran::marian::Tokenizer tokenizer(folder);
  const refran::marian::Model model{
      folder.config, refran::marian::load_weights(folder, refran::marian::Checkpoint::open(folder.weights))};
  refran::marian::Team team;
  const std::vector<refran::marian::Ids> sources = {tokenizer.encode_source("Unha tía miña").ids};
  run.put(kScore, translate(model, sources, folder.decoding, {}, {}, team).front().score);
}

}  // namespace

REFRAN_EXPERIMENT(Config, {.question = "How likely?", .run = probe, .outputs = {kScore}})
"""

PROBE_CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(own_probe LANGUAGES CXX)
find_package(refran REQUIRED COMPONENTS marian)
refran_add_plugin(own_probe SOURCES own_probe.cc LIBS refran::marian)
"""


def test_a_plugin_elsewhere_uses_the_library_of_marian_models(installed, tmp_path):
    model = Path(os.environ["REFRAN_SOURCE"]) / "experiments/models/random-tiny"
    (tmp_path / "own_probe.cc").write_text(PROBE, encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text(PROBE_CMAKE, encoding="utf-8")
    (tmp_path / "own.yaml").write_text(f"experiment: own-probe\nconfig: {{model: {model}}}\n", encoding="utf-8")
    run("cmake", "-B", "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}", cwd=tmp_path)
    run("cmake", "--build", "build", cwd=tmp_path)
    result = run(installed / "bin/refran", "run", "own.yaml", "--plugin-path", "build", cwd=tmp_path).strip()
    assert "valid" in run(installed / "bin/refran", "check", result, cwd=tmp_path)
