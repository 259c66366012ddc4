"""What the documents show is what the program does: generated regions, links, and the packages named once."""

import os
import re
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ["REFRAN_SOURCE"])
REFRAN = os.environ["REFRAN"]


def run(*words, cwd=SOURCE):
    return subprocess.run([REFRAN, *words], capture_output=True, text=True, cwd=cwd)


def documents():
    tracked = [SOURCE / n for n in ("README.md", "CONTRIBUTING.md", "results/README.md", "viz/README.md")]
    return tracked + sorted((SOURCE / "plugins").glob("*/README.md"))


def test_generated_regions_are_current():
    outcome = subprocess.run(
        ["/usr/bin/python3", SOURCE / "script/docs", "--check", "--program", REFRAN],
        capture_output=True, text=True,
    )
    assert outcome.returncode == 0, outcome.stderr


@pytest.mark.parametrize("document", documents(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_links_lead_somewhere(document):
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)\)", text):
        if not re.match(r"https?:", target):
            assert (document.parent / target).exists(), f"{document}: {target}"


def test_the_readme_typo_is_told_with_its_place():
    outcome = run("validate", "experiments/toy-encoder.yaml", "config.rte=0.3")
    assert outcome.returncode == 2
    assert "did you mean 'rate'?" in outcome.stderr


def test_every_shipped_experiment_is_valid():
    files = sorted(str(p) for p in (SOURCE / "experiments").glob("*.yaml"))
    outcome = run("validate", *files)
    assert outcome.returncode == 0, outcome.stderr
    assert len(outcome.stdout.splitlines()) == len(files) >= 7


def test_every_shipped_experiment_fits_the_json_schema_of_its_plugin():
    import json

    import jsonschema
    import yaml

    for file in sorted((SOURCE / "experiments").glob("*.yaml")):
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        schema = json.loads(run("describe", data["experiment"], "--json-schema").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(data, schema)
        data["experiment_typo"] = 1
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data, schema)


def test_every_plugin_of_the_page_is_done(tmp_path):
    for name in ("toy-encoder", "greedy-decoder", "attention-query"):
        outcome = run("check-plugin", name)
        assert outcome.returncode == 0, outcome.stdout + outcome.stderr
        assert outcome.stdout.endswith(f"{name} is done\n")
