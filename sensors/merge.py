"""Frames and presses as one stream in order of time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from sensors.interfaces import Buttons, Camera, Frame, Press


def merged(camera: Camera, buttons: Buttons) -> Iterator[Frame | Press]:
    """Yield the frames and presses of sources that can be waited for in turn, oldest first.

    Right for recordings and simulated tables, where asking for the next item never waits for the
    world. A frame and a press with the same time come frame first: a tile counts for the turn if
    it lay there *at* the press.
    """

    def keyed(items: Iterator[Frame] | Iterator[Press], rank: int) -> Iterator[_Keyed]:
        for item in items:
            yield item.t_ns, rank, item

    for _, _, item in heapq.merge(
        keyed(camera.frames(), 0), keyed(buttons.presses(), 1), key=lambda entry: entry[:2]
    ):
        yield item


_Keyed = tuple[int, int, Frame | Press]
