"""The pictures of opus-mt-probe: where a translation model looks, and what its heads do."""

from __future__ import annotations

from collections.abc import Iterator

import probe_heads
import probe_maps
import probe_study
import probe_words
from matplotlib.figure import Figure
from probe_run import Options, Probe
from refran_result import Result


def figures(
    result: Result,
    *,
    rows: str = Options.rows,
    special: str = Options.special,
    units: str = Options.units,
    heads: str = Options.heads,
    source: str = Options.source,
    sentences: str = Options.sentences,
) -> Iterator[tuple[str, Figure]]:
    """The pictures of the first sentences, those of all heads, and those of the ablation study.

    rows: the tokens that name the decoder's rows, `predicted` or `input`; special: `show`, `hide`
    or `renormalise` special tokens; units: `pieces` or `words`; heads: more heads to draw, as
    `L3H2,encoder_self L1H1`; source: the heads averaged, as `L5`, `L6H1,L5H3` or `all`; sentences:
    how many are drawn.
    """
    probe = Probe(result, Options(rows, special, units, heads, source, sentences))
    for sentence in probe.sentences():
        yield from probe_heads.figures(probe, sentence)
        yield from probe_words.figures(probe, sentence)
    yield from probe_maps.figures(probe)
    yield from probe_study.figures(probe)
