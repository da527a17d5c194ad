"""The graphics that a show can take, and their places on the canvas of 1920 × 1080 pixels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

CANVAS: Final = (1920, 1080)
_EDGE: Final = 32

AUTOMATIC: Final = "automatic"
"""Bingos, challenges and results as they come; nothing in between."""


class Place(NamedTuple):
    """An overlay's part and its place on the canvas, in pixels."""

    part: str
    left: int
    top: int
    width: int
    height: int


_PLACED: Final[Mapping[str, tuple[int, int]]] = {
    "title": (_EDGE, _EDGE),
    "board": (_EDGE, 110),
    "clip": (474, 266),
    "standings": (474, 160),
}
"""The left upper corners of what does not stand in the middle above the lower edge."""

_BY_ITSELF: Final = ("challenge", "bingo", "result")
_NO_GRAPHIC: Final = ("scene", "show", "speech", "bingo", "challenge")


def graphics(parts: Mapping[str, tuple[str, int, int]]) -> dict[str, tuple[Place, ...]]:
    """Return the places of each graphic by its name; ``parts`` are the overlays' parts."""

    def place(part: str) -> Place:
        _, width, height = parts[part]
        middle = (CANVAS[0] - width) // 2, CANVAS[1] - _EDGE - height
        return Place(part, *_PLACED.get(part, middle), width, height)

    found = {part: (place(part),) for part in parts if part not in _NO_GRAPHIC}
    return {AUTOMATIC: tuple(place(part) for part in _BY_ITSELF), **found}
