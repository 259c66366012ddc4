"""Puts labels beside points of a plane, so that they cover neither each other nor what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import style
from matplotlib.axes import Axes
from matplotlib.path import Path
from matplotlib.transforms import Bbox

_DISTANCES = (5, 9, 14, 20, 28, 38, 50, 64, 80)  # points, from the point's marker to the label
_ANGLES = np.deg2rad([20, -20, 160, -160, 90, -90, 45, -45, 135, -135, 0, 180, 65, -65, 115, -115])
_LEADER = 16  # from this distance on a thin line leads from the label to its point
_GAP = 2.5  # points of clearance round a label


@dataclass
class Placer:
    """Keeps what is drawn on an axes, and places labels in what is left. Units inside: pixels.

    The limits and the place of the axes must be settled before.
    """

    axes: Axes
    boxes: list[np.ndarray] = field(default_factory=list)  # (x0, y0, x1, y1) each
    lines: list[Path] = field(default_factory=list)

    @property
    def _scale(self) -> float:
        return self.axes.figure.dpi / 72

    def _pixels(self, points: np.ndarray) -> np.ndarray:
        return self.axes.transData.transform(np.asarray(points, dtype=float))

    def keep_clear(self, points: np.ndarray, radius: float) -> None:
        """No label may cover a marker of `radius` points at any of points[point, xy]."""
        self.boxes += [self._marker(pixel, radius) for pixel in self._pixels(points)]

    def avoid_line(self, points: np.ndarray) -> None:
        """Labels keep off the line through points[point, xy] where there is another place."""
        self.lines += [Path([start, end]) for start, end in pairwise(self._pixels(points))]

    def is_free(self, point: np.ndarray, radius: float) -> bool:
        """Whether a marker of `radius` points fits at a point beside all that is there."""
        box = self._marker(self._pixels(point[np.newaxis])[0], radius)
        return not self._covered(box[np.newaxis])[0]

    def label(
        self,
        points: np.ndarray,
        texts: Sequence[str],
        *,
        size: float = style.SMALL,
        color: str = style.INK,
        radius: float = 5,
        weight: str = "normal",
        box: dict | None = None,
    ) -> list[str]:
        """Labels points[point, xy], whose markers have `radius`; gives the texts without room.

        The most crowded points come first. `box` is what matplotlib draws behind a text.
        """
        pixels = self._pixels(points)
        apart = np.linalg.norm(pixels[:, None] - pixels[None], axis=-1)
        crowding = (1 / (apart + 20)).sum(axis=1)
        look = {"size": size, "color": color, "weight": weight, "bbox": box}
        order = np.argsort(-crowding, kind="stable")
        return [
            texts[k] for k in order if not self._place(points[k], pixels[k], texts[k], radius, look)
        ]

    def _place(
        self, point: np.ndarray, pixel: np.ndarray, text: str, radius: float, look: dict
    ) -> bool:
        """Draws a text at the best free place; False where there is none."""
        candidates, costs, distances = self._candidates(pixel, self._extent(text, look), radius)
        best: tuple[float, int] | None = None
        for index in np.flatnonzero(~self._covered(candidates)):  # from the cheapest on
            if best is not None and costs[index] >= best[0]:
                break
            cost = costs[index] + 1.5 * self._crossings(candidates[index])
            if best is None or cost < best[0]:
                best = (cost, index)
        if best is None:
            return False
        box = candidates[best[1]]
        self._draw(point, pixel, text, box, distances[best[1]] >= _LEADER, look)
        gap = _GAP * self._scale
        self.boxes.append(box + np.array([-gap, -gap, gap, gap]))
        return True

    def _extent(self, text: str, look: dict) -> np.ndarray:
        """Width and height of a text in pixels."""
        artist = self.axes.text(0, 0, text, size=look["size"], weight=look["weight"])
        box = artist.get_window_extent()
        artist.remove()
        return np.array([box.width, box.height])

    def _candidates(
        self, pixel: np.ndarray, extent: np.ndarray, radius: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Boxes[candidate, side] round a point, their costs and distances; the cheapest first."""
        rank, turn = np.divmod(np.arange(len(_DISTANCES) * len(_ANGLES)), len(_ANGLES))
        distance = np.array(_DISTANCES)[rank]
        way = np.column_stack([np.cos(_ANGLES[turn]), np.sin(_ANGLES[turn])]).round(6)
        center = pixel + way * (radius + distance)[:, None] * self._scale
        center += np.sign(way) * extent / 2
        beside = np.abs(way[:, 1]) < 0.5  # only slightly above or below the point
        center[beside, 1] = pixel[1] + way[beside, 1] * extent[1]
        boxes = np.hstack([center - extent / 2, center + extent / 2])
        return boxes, rank + 0.05 * turn, distance

    def _marker(self, pixel: np.ndarray, radius: float) -> np.ndarray:
        reach = radius * self._scale
        return np.concatenate([pixel - reach, pixel + reach])

    def _covered(self, boxes: np.ndarray) -> np.ndarray:
        """Which of boxes[box, side] leave the axes or cover something."""
        frame = self.axes.bbox
        outside = (boxes[:, :2] < frame.min).any(axis=1) | (boxes[:, 2:] > frame.max).any(axis=1)
        if not self.boxes:
            return outside
        taken = np.array(self.boxes)
        apart = (boxes[:, None, :2] > taken[:, 2:]) | (boxes[:, None, 2:] < taken[:, :2])
        return outside | ~apart.any(axis=2).all(axis=1)

    def _crossings(self, box: np.ndarray) -> int:
        bounds = Bbox(box.reshape(2, 2))
        return sum(line.intersects_bbox(bounds, filled=False) for line in self.lines)

    def _draw(
        self,
        point: np.ndarray,
        pixel: np.ndarray,
        text: str,
        box: np.ndarray,
        far: bool,
        look: dict,
    ) -> None:
        offset = ((box[:2] + box[2:]) / 2 - pixel) / self._scale
        leader = {"arrowstyle": "-", "color": style.GREY, "linewidth": 0.8, "shrinkB": 3}
        self.axes.annotate(
            text, point, xytext=tuple(offset), textcoords="offset points", ha="center",
            va="center", arrowprops=leader if far else None, zorder=6, **look,
        )  # fmt: skip
