"""How spread out the attention of opus-mt-probe is: entropy and confidence of every head."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import probe_look as look
import style
from matplotlib.figure import Figure
from probe_run import KINDS, Head, Heads, Probe, heads_text

MEASURES = {
    "entropy": (
        "Entropy",
        "entropy (nat)",
        "Entropy in nats, the mean over a sentence’s rows: 0 is a head that looks at one token.",
    ),
    "confidence": (
        "Confidence",
        "confidence",
        "Confidence: the mean over a sentence’s rows, that of </s> left out, of the largest weight "
        "(Voita et al. 2019): 1 is a head that looks at one token.",
    ),
}


def figures(probe: Probe) -> Iterator[tuple[str, Figure]]:
    """A map of layers and heads per kind: entropy, then confidence."""
    for measure in MEASURES:
        if any(probe.head_values(kind, measure) is not None for kind in KINDS):
            yield measure, head_maps(probe, measure)


def head_maps(probe: Probe, measure: str) -> Figure:
    """A panel per kind, with the means of each layer behind a gap."""
    title, label, meaning = MEASURES[measure]
    maps, supervised = {}, []
    for kind, about in KINDS.items():
        heads = probe.head_values(kind, measure)
        if heads is not None:
            given = probe.supervised_among(kind, heads)
            maps[about.title] = _with_means(heads, given)
            supervised += given
    means = "Behind the gap: the mean of each layer"
    if supervised:
        means += f", and without the supervised heads (boxed: {heads_text(supervised)})"
    kinds = " ".join(maps).lower() if len(maps) == 1 else "all kinds of attention"
    slide = style.Slide(
        probe.result,
        f"{title} of every head, {kinds}",
        f"{probe.over_sentences} {meaning} {means}.",
    )
    high = max(np.nanmax(drawn.values) for drawn in maps.values())
    limits = (0, 1.0 if measure == "confidence" else max(float(high), 1e-9))
    for image in look.head_maps(slide, maps, style.WEIGHTS, limits, label):
        look.write_numbers(image, "{:.2f}".format, _short)
    return slide


def _short(value: float) -> str:
    """Two digits: `1.2` or `.56`."""
    return f"{value:.1f}" if value >= 0.995 else f"{value:.2f}".removeprefix("0")


def _with_means(heads: Heads, supervised: list[Head]) -> look.HeadMap:
    """The means of each layer: of all heads, and where some are supervised, without them."""
    free = np.ones(heads.values.shape)
    for head in supervised:
        free[heads.place(head)] = np.nan
    means = {"mean": heads.values.mean(axis=1)}
    if supervised:
        count = np.isfinite(free).sum(axis=1)
        sums = np.nansum(heads.values * free, axis=1)
        means["without"] = np.where(count > 0, sums / np.maximum(count, 1), np.nan)
    return look.HeadMap.of(heads, supervised).beside(means)
