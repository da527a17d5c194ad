"""What finds boards in pictures, as a reader sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from vision.rectify import Corners, Image


class BoardCandidate(Protocol):
    """A place that may be a board: corners float32 (4, 2) in any cyclic order, and a score."""

    @property
    def corners(self) -> Corners: ...  # noqa: D102
    @property
    def score(self) -> float: ...  # noqa: D102


class Finder(Protocol):
    """A locator of boards: :class:`vision.locate.locator.Locator`."""

    def candidates(self, image: Image) -> Sequence[BoardCandidate]:
        """Return the places that may be boards, likeliest first."""
        ...


@runtime_checkable
class Refiner(Finder, Protocol):
    """A finder that can also look where a board lay before."""

    def refine(
        self, image: Image, corners: Corners, iterations: int = ...
    ) -> BoardCandidate | None:
        """Return the grid near the corners, or None if there is none."""
        ...
