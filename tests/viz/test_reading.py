"""Reading results into named arrays."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from refran_result import Result
from result_files import ResultFile


def test_an_array_knows_its_dimensions_labels_unit_and_words(files: dict[str, Path]) -> None:
    with Result.open(files["short sentence"]) as result:
        share = result["share"]
        assert share.dims == ("step", "part")
        assert share.labels["part"] == ["start", "Unha", "tía", "miña"]
        assert (share.unit, share.doc) == ("1", "How much of each part")
        assert share.values[-1].tolist() == [0.125, 0.125, 0.25, 0.5]


def test_a_part_of_an_array_is_chosen_by_position_or_label(files: dict[str, Path]) -> None:
    with Result.open(files["short sentence"]) as result:
        last = result["share"].at(step=-1)
        assert last.dims == ("part",)
        assert last.at(part="tía").values == 0.25


def test_items_have_their_label_and_arrays_of_their_own_extents(files: dict[str, Path]) -> None:
    with Result.open(files["unknown plugin"]) as result:
        items = result.each("sentence")
        assert [item.label for item in items] == ["Unha tía miña", "que todo o solucionaba con"]
        assert [item["map"].shape for item in items] == [(3, 3), (5, 5)]
        assert items[0]["map"].labels["source"] == ["Unha", "tía", "miña"]
        assert not [name for name in result if "sentence" in name]


def test_a_run_of_a_sweep_has_its_own_group_and_no_axes(files: dict[str, Path]) -> None:
    with Result.open(files["unknown sweep"]) as result:
        assert result.axes == ("config.heads", "seed")
        run = result.run({"config.heads": 2, "seed": 3})
        assert run.where == {"config.heads": "4", "seed": "4"}
        assert run["attention"].shape == (4, 3, 4)
        assert run["loss"].dims == ("step",)
        attention = run["attention"].values
        assert "attention" not in result
    with h5py.File(files["unknown sweep"]) as file:
        whole = file["config.heads=4/attention"][3]
    assert np.array_equal(attention, whole)


def test_labels_that_differ_between_runs_are_those_of_the_run(tmp_path: Path) -> None:
    file = ResultFile(tmp_path / "run.h5", "mystery", axes={"seed": [1, 2]})
    file.run_labels("word", np.array([["tía", "miña"], ["tío", "meu"]], dtype=object))
    file.output("weight", [[0.4, 0.6], [0.1, 0.9]], "word")
    with Result.open(file.write()) as result:
        labels = [result.run({"seed": k})["weight"].labels["word"] for k in (0, 1)]
    assert labels == [["tía", "miña"], ["tío", "meu"]]


def test_a_setting_of_a_swept_run_is_that_of_the_run(tmp_path: Path) -> None:
    file = ResultFile(
        tmp_path / "run.h5",
        "mystery",
        axes={"size": ["1, dot", "2, scaled-dot"]},
        keys={"config.heads": ("size", [1, 2])},
        config="experiment: mystery\nconfig:\n  heads: 1\n  depth: 3\n",
    )
    file.output("loss", [0.5, 0.25])
    with Result.open(file.write()) as result:
        run = result.run({"size": 1})
        assert run.where == {"size": "2, scaled-dot"}
        assert (run.setting("config.heads"), run.setting("config.depth")) == (2, 3)
        assert run.setting("config.width") is None
