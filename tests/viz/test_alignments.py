"""Alignments and AER of small attention, worked out by hand, and of gold files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import alignment_error
import alignments
import numpy as np
import pytest
from alignment_error import Gold
from alignments import Options
from attention_view import Step
from refran_result import Result, ResultError
from result_files import ResultFile

SOURCE = [">>en<<", "▁mi", "ña", "▁tía", "</s>"]  # words: miña tía
WORD_OF = [0, 1, 1, 2, 3]
PREDICTED = ["▁my", "▁au", "<unk>", "</s>"]  # words: my au<unk>
PREDICTED_WORD_OF = [0, 1, 1, 2]

# [layer, head, target_query, source_key], in tenths.
ATTENTION = np.array([
    [[[0, 4, 3, 2, 1], [0, 1, 1, 5, 3], [0, 1, 2, 3, 4], [0, 0, 0, 0, 10]],   # L1H1: each word
     [[5, 0, 1, 2, 2], [0, 1, 1, 2, 6], [0, 1, 2, 4, 3], [9, 0, 0, 1, 0]]],   # L1H2: tía
    [[[9, 0, 0, 1, 0], [0, 3, 4, 2, 1], [0, 2, 2, 5, 1], [0, 1, 1, 8, 0]],    # L2H1: a step late
     [[1, 2, 3, 4, 0], [1, 2, 3, 4, 0], [1, 4, 3, 2, 0], [1, 4, 3, 2, 0]]],
]) / 10  # fmt: skip


def _file(
    path: Path,
    *,
    sentences: int = 1,
    attention: np.ndarray | None = ATTENTION,
    norms: np.ndarray | None = None,
    source: Sequence[str] = SOURCE,
    predicted: Sequence[str] = PREDICTED,
    ended: int = 1,
) -> Path:
    """A result of some equal sentences; source and predicted are pieces of the same number."""
    file = ResultFile(path / "run.h5", "opus-mt-probe")
    for at in range(sentences):
        item = f"sentence/{at}"
        file.item(item, "miña tía")
        file.labels(f"{item}/decoder_layer", ["L1", "L2"])
        file.labels(f"{item}/decoder_head", ["H1", "H2"])
        file.labels(f"{item}/source_key", source)
        file.labels(f"{item}/target_query", ["<pad>", *predicted[:-1]])
        for name, weights in (("attention", attention), ("norm_attention", norms)):
            if weights is not None:
                dims = "decoder_layer decoder_head target_query source_key"
                file.output(f"{item}/cross_{name}", weights.astype(np.float32), dims)
        file.output(f"{item}/predicted_token", list(predicted), "target_query")
        file.output(f"{item}/source_word_of", np.array(WORD_OF, np.int32), "source_key")
        file.output(
            f"{item}/predicted_word_of", np.array(PREDICTED_WORD_OF, np.int32), "target_query"
        )
    file.labels("decoder_layer", ["L1", "L2"])
    file.labels("decoder_head", ["H1", "H2"])
    file.output("supervised", [[0, 0], [1, 0]], "decoder_layer decoder_head")
    for name, value in (("ended", ended), ("target_length", len(predicted))):
        if sentences:
            file.output(name, [value] * sentences, "text")
    return file.write()


def _lines(path: Path, step: Step = "output", **options: object) -> list[str]:
    with Result.open(path) as result:
        return list(alignments.alignment_lines(result, Options(**options), step))


def _refusal(path: Path, **options: object) -> str:
    """What is said of alignments that cannot be had, without the path."""
    with pytest.raises(ResultError) as error:
        _lines(path, **options)
    return str(error.value).removeprefix(f"{path}: ")


# Links -------------------------------------------------------------------------------------------


def test_each_target_links_to_the_source_of_most_weight() -> None:
    weights = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0, 0, 0]])
    assert alignments.pharaoh(alignments.links(weights)) == "0-1 1-0"


def test_a_threshold_links_every_source_of_enough_weight() -> None:
    weights = np.array([[0.25, 0.5, 0.25], [0.1, 0.1, 0.2]])
    assert alignments.pharaoh(alignments.links(weights, 0.25)) == "0-0 1-0 2-0"


# Worked by hand: L1H1 has for `my` miña 7, tía 2; for `au<unk>` miña (2 + 3) / 2, tía (5 + 3) / 2.
@pytest.mark.parametrize(
    ("step", "options", "line"),
    [
        ("output", {"source": "L1H1"}, "0-0 1-1"),
        ("output", {"source": "L1H1", "units": "pieces"}, "0-0 2-1 2-2"),
        ("output", {"source": "L1H1", "threshold": 0.24}, "0-0 0-1 1-1"),
        ("output", {"source": "L1H2"}, "1-0 1-1"),
        ("output", {"source": "L2H1"}, "0-1 1-0"),
        ("input", {"source": "L2H1"}, "0-0 1-1"),
        ("input", {"source": "L2H1", "units": "pieces"}, "1-0 2-1 2-2"),
        ("input", {"source": "L1H1"}, "1-0 1-1"),
        # L2H2 alone has miña 5 tía 4, then miña 6 tía 3.
        ("output", {"source": "L2H2"}, "0-0 0-1"),
        # L1H1 and L2H1: miña 3.5 tía 1.5; miña (2 + 3 + 7 + 4) / 4, tía (5 + 3 + 2 + 5) / 4.
        ("output", {"source": "L1H1,L2H1"}, "0-0 0-1"),
        # L2H1 is supervised.
        ("output", {"source": "L1H1,L2H1", "without_supervised": True}, "0-0 1-1"),
        # The first layer: miña 8 tía 4 (halves); miña 2 + 3 + 2 + 3, tía 5 + 3 + 2 + 4 (quarters).
        ("output", {"source": "L1"}, "0-0 1-1"),
        # All: miña 7 + 1 + 0 + 5, tía 2 + 2 + 1 + 4; miña 5 + 5 + 11 + 12, tía 8 + 6 + 7 + 6.
        ("output", {"source": "all"}, "0-0 0-1"),
    ],
)
def test_alignments_worked_by_hand(
    tmp_path: Path, step: Step, options: dict[str, object], line: str
) -> None:
    assert _lines(_file(tmp_path), step, **options) == [line]


def test_norm_weighted_attention_is_taken_as_shares_of_a_row(tmp_path: Path) -> None:
    norms = np.flip(ATTENTION, axis=-1) * 7
    path = _file(tmp_path, norms=norms)
    # Of miña and tía, in tenths: 5 and 4 for `my`; (6 + 5) / 2 and (1 + 1) / 2 for `au<unk>`.
    assert _lines(path, source="L1H1", weight="norm") == ["0-0 0-1"]
    assert _lines(path, source="L1H1", weight="norm", threshold=0.35) == ["0-0 0-1 1-0"]


def test_every_sentence_has_its_line(tmp_path: Path) -> None:
    assert _lines(_file(tmp_path, sentences=3), source="L1H1") == ["0-0 1-1"] * 3


def test_a_translation_without_words_has_an_empty_line(tmp_path: Path) -> None:
    assert _lines(_file(tmp_path, predicted=["</s>"] * 4)) == [""]


# Refusals ----------------------------------------------------------------------------------------


def test_a_result_without_sentences_has_no_text(tmp_path: Path) -> None:
    path = _file(tmp_path, sentences=0)
    assert _refusal(path) == "there is no text in it: it has no sentences"


def test_a_sentence_of_special_tokens_has_no_text(tmp_path: Path) -> None:
    assert _refusal(_file(tmp_path, source=["</s>"] * 5)) == "there is no text in sentence 1"


def test_a_translation_that_was_cut_is_aligned_only_on_request(tmp_path: Path) -> None:
    path = _file(tmp_path, ended=0, predicted=["▁my", "▁au", "<unk>", "▁nt"])
    assert _refusal(path) == (
        "sentence 1 is too long: its translation was cut at the limit, after 4 tokens; "
        "--allow-cut aligns what there is"
    )
    assert _lines(path, source="L1H1", allow_cut=True) == ["0-0 1-1"]
    # No row reads the last piece, the third target here.
    assert _lines(path, "input", source="L1H1", units="words", allow_cut=True) == ["1-0 1-1"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"source": "L1H1,H2"}, "--source: 'H2' is no head; allowed are heads as L6H1,L5H3, a "
         "layer as L5, and all"),
        ({"source": "L3H1"}, "--source: L3H1 is not among what was kept: layers L1, L2 and heads "
         "H1, H2"),
        ({"source": "L2H1", "without_supervised": True},
         "--without-supervised: all heads of L2H1 are supervised"),
        ({"weight": "norm"}, "it has no norm-weighted cross-attention; `keep.norms` keeps it"),
    ],
)  # fmt: skip
def test_what_cannot_be_aligned_is_told(
    tmp_path: Path, options: dict[str, object], says: str
) -> None:
    assert _refusal(_file(tmp_path), **options) == says


def test_cross_attention_must_have_been_kept(tmp_path: Path) -> None:
    path = _file(tmp_path, attention=None)
    assert _refusal(path) == "it has no cross-attention; `keep.kinds` keeps it"


# Gold --------------------------------------------------------------------------------------------


def test_gold_links_are_sure_or_possible() -> None:
    sure, possible = Gold("1-1 2p1 3?2", "gold:1", 1).masks(2, 3)
    assert np.argwhere(sure.T).tolist() == [[0, 0]]
    assert np.argwhere(possible.T).tolist() == [[0, 0], [1, 0], [2, 1]]


def test_a_link_that_is_sure_and_possible_is_sure() -> None:
    for line in ("0-0 0p0", "0p0 0-0"):
        assert [mask.sum() for mask in Gold(line, "gold:1", 0).masks(1, 1)] == [1, 1]


@pytest.mark.parametrize(
    ("line", "base", "says"),
    [
        ("1-1 0-1", 1, "gold:7: 0-1 has index 0, but --gold-base is 1"),
        ("1:1", 0, "gold:7: '1:1' is no link; links are i-j (sure) and ipj or i?j (possible)"),
        ("3-0", 0, "gold:7: source index 3 is out of range, as the sentence has 3, counted from 0"),
        ("1-3", 1, "gold:7: target index 3 is out of range, as the sentence has 2, counted from 1"),
    ],
)
def test_bad_gold_links_are_told(line: str, base: int, says: str) -> None:
    with pytest.raises(ResultError) as error:
        Gold(line, "gold:7", base).masks(2, 3)
    assert str(error.value) == says


def test_the_error_rate_is_that_of_och_and_ney() -> None:
    linked = np.array([[True, True, False], [False, False, True]])  # 0-0 1-0 2-1
    sure = np.array([[True, False, False], [False, True, False]])  # 0-0 1-1
    possible = sure | np.array([[False, True, False], [False, False, False]])  # 1-0
    one = alignment_error.fit(linked, sure, possible)
    assert one == (3, 1, 2, 2, 3)
    assert (one.precision, one.recall) == (2 / 3, 1 / 2)
    assert one.error_rate == pytest.approx(1 - (1 + 2) / (3 + 2))
    both = alignment_error.total([one, alignment_error.fit(sure, sure, sure)])
    assert both.error_rate == pytest.approx(1 - (3 + 4) / (5 + 4))


def test_without_links_there_is_no_precision() -> None:
    nothing = np.zeros((1, 2), dtype=bool)
    one = alignment_error.fit(nothing, nothing, nothing)
    assert np.isnan([one.precision, one.recall, one.error_rate]).all()


def test_heads_are_scored_at_both_steps(tmp_path: Path) -> None:
    path = _file(tmp_path, sentences=2)
    gold = [Gold("1-1 2-2", "gold:1", 1), Gold("1-1 2p2", "gold:2", 1)]
    with Result.open(path) as result:
        output, read = (
            alignments.scores(result, gold, Options(source="L2H1"), step)
            for step in alignments.STEPS
        )
    assert output.by_head.error_rate[0, 0] == 0
    assert output.source.error_rate == output.by_head.error_rate[1, 0] == 1  # a step late
    assert read.source.error_rate == read.by_head.error_rate[1, 0] == 0
    # L1H2 has 1-0 1-1: one of two links is right in each, and sure in the first.
    assert output.by_head.at(0, 1) == (4, 1, 2, 3, 4)
    assert output.by_head.error_rate[0, 1] == pytest.approx(1 - (1 + 2) / (4 + 3))


def test_a_gold_file_has_a_line_per_sentence_in_any_order_of_links(tmp_path: Path) -> None:
    path = tmp_path / "gold"
    path.write_text("2-4 1-1\n\n3-3 2-2 1-1\n")
    gold = alignment_error.read_gold(path, 1)
    sure = [line.masks(4, 3)[0] for line in gold]
    assert [alignments.pharaoh(mask) for mask in sure] == ["0-0 1-3", "", "0-0 1-1 2-2"]
    with pytest.raises(ResultError) as error:
        [line.masks(4, 3) for line in alignment_error.read_gold(path, 0)]
    assert str(error.value) == (
        f"{path}:1: target index 4 is out of range, as the sentence has 4, counted from 0"
    )


def test_a_gold_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ResultError) as error:
        alignment_error.read_gold(tmp_path / "gold", 0)
    assert str(error.value) == f"{tmp_path / 'gold'}: cannot be read: No such file or directory"


# The program -------------------------------------------------------------------------------------


def test_the_program_prints_a_line_per_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(_file(tmp_path, sentences=2))
    arguments = ["--source", "L2H1", "--step", "input", "--extract", "0.5", "--units", "pieces"]
    assert alignments.main([path, *arguments]) == 0
    assert capsys.readouterr().out == "2-1 2-2\n2-1 2-2\n"


def test_the_program_prints_how_well_they_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, gold = _file(tmp_path), tmp_path / "gold"
    gold.write_text("0-0 1p1\n")
    arguments = ["--source", "L2H1", "--gold", str(gold), "--gold-base", "0"]
    assert alignments.main([str(path), *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "source,step,precision,recall,aer,links,sure,possible",
        "L2H1,output,0.0000,0.0000,1.0000,2,1,2",
        "L2H1,input,1.0000,1.0000,0.0000,2,1,2",
        "L1H1,output,1.0000,1.0000,0.0000,2,1,2",
    ]
    assert len(lines) == 1 + 2 * (1 + 4)


@pytest.mark.parametrize(
    ("text", "base", "says"),
    [
        ("0-0\n0-0\n", ["--gold-base", "0"],
         "{run}: it has 1 sentences, but there are 2 lines of gold links"),
        ("0-0\n", [], "--gold: --gold-base must say whether its indices count from 0 or 1"),
        ("0-0\n", ["--gold-base", "1"], "{gold}:1: 0-0 has index 0, but --gold-base is 1"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, base: list[str], says: str
) -> None:
    path, gold = _file(tmp_path), tmp_path / "gold"
    gold.write_text(text)
    assert alignments.main([str(path), "--gold", str(gold), *base]) == 2
    said = capsys.readouterr()
    assert said.err == f"alignments.py: {says.format(run=path, gold=gold)}\n"
    assert said.out == ""


@pytest.mark.parametrize("extract", ["0", "1.5", "hard"])
def test_a_threshold_is_a_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], extract: str
) -> None:
    with pytest.raises(SystemExit):
        alignments.main([str(tmp_path), "--extract", extract])
    says = f"argument --extract: {extract!r} is neither argmax nor a number up to 1\n"
    assert capsys.readouterr().err.endswith(says)
