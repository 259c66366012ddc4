"""The table of an ablation study, on studies whose effects are known."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import probe_ablation
import pytest
import seed_statistics
import translation_scores
from refran_result import Result, ResultError
from result_files import ResultFile

REFERENCES = [f"the {word} aunt saw house number {k}" for k, word in enumerate("abcdefgh" * 5)]
HALF = np.arange(40) % 2
LENGTHS = np.arange(40) % 5 + 5
HEADS = [("encoder_self", 0, 0), ("cross", 0, 1), ("cross", 1, 0), ("cross", 1, 1)]


def _conditions() -> list[str]:
    return ["none"] + [f"{kind} L{layer + 1}H{head + 1}" for kind, layer, head in HEADS]


def _log_probability() -> np.ndarray:
    """[condition, pair]: L1H1 changes nothing, cross L1H2 costs 0.5 nat a token, the others vary.

    Cross L2H1 costs something on half 0 alone.
    """
    random = np.random.default_rng(8)
    base = -LENGTHS * random.uniform(1, 2, size=40)
    noise = random.normal(size=40) * 0.1
    costs = [0, 0, 0.5 * LENGTHS, (HALF == 0) * 0.3 * LENGTHS + noise, noise]
    return np.stack([base - cost for cost in costs])


def _translations() -> np.ndarray:
    """[condition, pair]: with cross L1H2 off every other pair of a half is worse."""
    written = np.tile(np.array(REFERENCES, dtype=object), (5, 1))
    written[2, ::4] = [text.replace("aunt saw", "uncle heard") for text in REFERENCES[::4]]
    return written


def _file(
    path: Path,
    *,
    order: Sequence[int] = range(5),
    translate: bool = True,
    protocol: str = "single",
    half: np.ndarray = HALF,
) -> Path:
    """A result with a study; `order` is that of its conditions."""
    order = list(order)
    heads = [("none", -1, -1), *HEADS]
    file = ResultFile(
        path / "run.h5",
        "opus-mt-probe",
        config=f"experiment: opus-mt-probe\nconfig:\n  ablation:\n    protocol: {protocol}\n",
    )
    file.labels("condition", [_conditions()[k] for k in order])
    file.output("ablation_log_probability", _log_probability()[order], "condition pair", unit="nat")
    for number, name in enumerate(("kind", "layer", "head")):
        file.output(f"ablation_{name}", [heads[k][number] for k in order], "condition")
    file.output("reference_length", LENGTHS.astype(np.int32), "pair")
    file.output("ablation_half", half.astype(np.int32), "pair")
    file.output("reference", REFERENCES, "pair")
    file.output("supervised", [[0, 0], [1, 0]], "decoder_layer decoder_head")
    if translate:
        file.output("ablation_translation", _translations()[order], "condition pair")
    return file.write()


def _study(path: Path) -> probe_ablation.Study:
    with Result.open(path) as result:
        return probe_ablation.read_study(result)


# Reading -----------------------------------------------------------------------------------------


def test_a_study_has_its_conditions_and_scores(tmp_path: Path) -> None:
    study = _study(_file(tmp_path))
    assert study.conditions == _conditions()[1:]
    assert study.kinds.tolist() == ["encoder_self", "cross", "cross", "cross"]
    assert (study.layers.tolist(), study.heads.tolist()) == ([0, 0, 1, 1], [0, 1, 0, 1])
    assert study.supervised.tolist() == [False, False, True, False]
    assert list(study.scores) == ["log_probability", "bleu", "chrf", "changed"]


def test_the_order_of_conditions_does_not_matter(tmp_path: Path) -> None:
    study = _study(_file(tmp_path, order=[3, 1, 0, 4, 2]))
    straight = _study(_file(tmp_path / "straight"))
    place = [study.conditions.index(name) for name in straight.conditions]
    for name in study.scores:
        own, other = (probe_ablation.compare(one, name, "all", 100) for one in (study, straight))
        assert np.allclose(own.change[place], other.change)
    assert study.supervised[place].tolist() == straight.supervised.tolist()


def test_without_translations_there_is_log_probability_alone(tmp_path: Path) -> None:
    assert list(_study(_file(tmp_path, translate=False)).scores) == ["log_probability"]


def test_a_result_without_a_study_is_refused(tmp_path: Path) -> None:
    file = ResultFile(tmp_path / "run.h5", "opus-mt-probe")
    file.output("score", [1.0], "text")
    with pytest.raises(ResultError) as error:
        _study(file.write())
    says = "it has no ablation study; `ablation.pairs` asks for one"
    assert str(error.value) == f"{tmp_path / 'run.h5'}: {says}"


def test_a_study_needs_a_condition_with_no_head_off(tmp_path: Path) -> None:
    with pytest.raises(ResultError) as error:
        _study(_file(tmp_path, order=[1, 2, 3, 4]))
    says = "its study has no single condition with no head off"
    assert str(error.value) == f"{tmp_path / 'run.h5'}: {says}"


# Statistics --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "halves"), [("all", [0, 1]), ("half 0", [0]), ("half 1", [1])])
def test_log_probability_is_per_token_of_the_corpus(
    tmp_path: Path, part: str, halves: list[int]
) -> None:
    found = probe_ablation.compare(_study(_file(tmp_path)), "log_probability", part, 500)
    own = np.isin(HALF, halves)
    values = _log_probability()[:, own].sum(axis=1) / LENGTHS[own].sum()
    assert found.base == pytest.approx(values[0])
    assert found.change == pytest.approx(values[1:] - values[0])
    assert (found.change[0], found.low[0], found.high[0], found.p[0]) == (0, 0, 0, 1)
    assert found.change[1] == pytest.approx(-0.5)
    assert found.p[1] == 2 / 501


def test_bleu_and_chrf_are_of_the_translations(tmp_path: Path) -> None:
    study = _study(_file(tmp_path))
    own = np.flatnonzero(HALF == 0)
    worse = [_translations()[2][k] for k in own]
    references = [REFERENCES[k] for k in own]
    for name, score in (
        ("bleu", translation_scores.corpus_bleu),
        ("chrf", translation_scores.corpus_chrf),
    ):
        found = probe_ablation.compare(study, name, "half 0", 200)
        assert found.base == pytest.approx(100)
        wanted = score(worse, references) - 100
        assert found.change == pytest.approx(np.array([0, wanted, 0, 0]))
        assert found.low[1] <= wanted <= found.high[1] < 0


def test_changed_is_the_share_of_other_translations(tmp_path: Path) -> None:
    found = probe_ablation.compare(_study(_file(tmp_path)), "changed", "half 0", 2000)
    assert found.base == 0
    assert found.change.tolist() == [0, 0.5, 0, 0]
    assert found.low[1] == pytest.approx(0.25, abs=0.051)
    assert found.high[1] == pytest.approx(0.75, abs=0.051)
    assert np.isnan(found.p).all()


def test_heads_are_chosen_on_one_half_and_tested_on_the_other(tmp_path: Path) -> None:
    found = probe_ablation.effects(_study(_file(tmp_path)), "log_probability")
    half_0, half_1 = found["half 0"], found["half 1"]
    assert half_0.chosen.tolist() == [False, True, True, False]
    assert half_0.p_holm == pytest.approx(seed_statistics.holm(half_0.found.p))
    assert np.isnan(half_1.p_holm).tolist() == [True, False, False, True]
    assert half_1.p_holm[1:3] == pytest.approx(seed_statistics.holm(half_1.found.p[1:3]))
    assert half_1.p_holm[1] < 0.01  # it costs on both halves
    assert half_1.p_holm[2] > 0.05  # it cost on half 0 alone
    assert found["all"].p_holm == pytest.approx(seed_statistics.holm(found["all"].found.p))


def test_a_study_of_one_half_reports_nothing_on_the_other(tmp_path: Path) -> None:
    found = probe_ablation.effects(_study(_file(tmp_path, half=0 * HALF)), "bleu", 100)
    assert np.isnan(found["half 1"].found.change).all()
    assert np.isnan(found["half 1"].p_holm).all()
    assert np.array_equal(found["half 0"].found.change, found["all"].found.change)


def test_heads_of_a_kind_are_placed_by_layer_and_head(tmp_path: Path) -> None:
    study = _study(_file(tmp_path))
    placed = probe_ablation.head_map(study, "cross", np.array([1.0, 2, 3, 4]))
    assert np.array_equal(placed, [[np.nan, 2], [3, 4]], equal_nan=True)
    assert probe_ablation.head_map(study, "decoder_self", np.arange(4.0)).shape == (0, 0)


def test_averages_come_with_and_without_supervised_heads(tmp_path: Path) -> None:
    found = probe_ablation.averages(_study(_file(tmp_path)), np.array([1.0, 2, 3, 7]))
    assert found == [("encoder_self", True, 1), ("cross", True, 4), ("cross", False, 4.5)]


def test_a_greedy_study_has_no_averages(tmp_path: Path) -> None:
    study = _study(_file(tmp_path, protocol="greedy"))
    assert study.protocol == "greedy"
    assert probe_ablation.averages(study, np.ones(4)) == []


# The program -------------------------------------------------------------------------------------


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_has_a_row_per_condition_score_and_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert probe_ablation.main([str(_file(tmp_path)), "--csv"]) == 0
    written = capsys.readouterr()
    rows = _rows(written.out)
    assert written.err == ""
    assert len(rows) == 4 * 3 * (4 + 3)
    wanted = {"condition": "cross L1H2", "score": "log_probability", "part": "half 1"}
    row = next(row for row in rows if wanted.items() <= row.items())
    assert (row["kind"], row["layer"], row["head"]) == ("cross", "L1", "H2")
    assert (row["supervised"], row["chosen"], row["unit"], row["pairs"]) == ("0", "1", "nat", "20")
    assert (row["change"], float(row["p"]) < 0.01) == ("-0.5", True)
    means = [row["condition"] for row in rows if row["score"] == "bleu" and row["part"] == "all"]
    assert means[4:] == [
        "mean of encoder_self", "mean of cross", "mean of cross without supervised",
    ]  # fmt: skip


def test_columns_hold_the_same_as_the_csv(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(_file(tmp_path, translate=False))
    probe_ablation.main([path, "--csv"])
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    probe_ablation.main([path])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [" ".join(row).split() for row in rows]
    start = lines[0].index("score")
    assert {line[start:].split()[0] for line in lines[1:]} == {"log_probability"}


def test_too_few_resamples_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(_file(tmp_path, translate=False))
    assert probe_ablation.main([path, "--resamples", "100"]) == 0
    assert capsys.readouterr().err == (
        "probe_ablation.py: with 100 resamples no p adjusted for 4 conditions can be below 0.05; "
        "1000 are enough\n"
    )


def test_a_mistake_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert probe_ablation.main([str(tmp_path / "none.h5")]) == 2
    says = f"probe_ablation.py: {tmp_path / 'none.h5'}: there is no such file or folder\n"
    assert capsys.readouterr().err == says
