"""The looks of each square, one after another, as far as it was in plain sight.

A look is another one if the letter is, or if the old face fits only turned or pushed. What cannot
be told from the old look, as under a finger or a shadow, is none. What is put back, if a little
beside its place, is a look that comes again. The small pictures tell between which frames one look
followed another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, FACE_DOWN, SIZE, Square, is_tile
from game.plays.change import same_tile
from vision.tracking.appearance import AppearanceMap, appearance_distance, move_of
from vision.tracking.parameters import PUSHED, SQUARE
from vision.tracking.sighting import Sighting
from vision.tracking.square_filter import grown
from vision.tracking.stillness import StillnessTracker

_TURNED: Final = 10.0
"""A tile was turned if it lies turned by this many degrees against how it lay."""


_QUARTER: Final = 90.0
"""Degrees; a tile that is laid down otherwise was turned by at least so much."""


@dataclass(slots=True, eq=False)
class Look:
    """How a square looked for a while."""

    symbol: str
    face: NDArray[np.uint8] | NDArray[np.float32]
    """The square with its surroundings, as in ``AppearanceMap.patches``."""
    span: tuple[int, int]
    """After and by which time it came, in ns."""
    seen_ns: int
    """When it was in plain sight last."""
    rotation: int
    """As in ``Reading.rotation``."""
    way: int
    """By how many quarter turns clockwise the board lay in the picture."""
    reported: bool = False
    """True if a change to this look was given out."""

    def moved(self, before: Look) -> float | None:
        """Return by how many degrees clockwise the tile of an earlier look was turned since.

        0 if it was only pushed; None if it lies about as it lay, or is another.
        """
        quarters = (self.rotation - before.rotation) % 4
        same = same_tile(self.symbol, before.symbol)
        if same and quarters and before.rotation >= 0:
            return 90.0 * quarters if quarters < 3 else -90.0
        if self.way != before.way:  # the camera saw another side of the tile
            return None
        degrees, pushed = move_of(before.face, self.face, same=same) or (0.0, 0.0)
        if abs(degrees) >= _TURNED:
            return degrees
        return 0.0 if pushed >= PUSHED else None

    def differs(self, new: Look, *, odd: bool, sure: bool) -> bool | None:
        """Return True if the square has another look now; None if that cannot be told.

        ``odd``: its pixels differ; ``sure``: the new symbol is read for sure.
        """
        if EMPTY in (self.symbol, new.symbol):
            return new.symbol != self.symbol if sure else None
        if not odd:
            return False
        other = sure and is_face(new.symbol) and not same_tile(new.symbol, self.symbol)
        return True if other or new.moved(self) is not None else None

    def lies_as(self, before: Look) -> bool:
        """True if this surely shows the tile of an earlier look, about as it lay."""
        known = same_tile(self.symbol, before.symbol) and move_of(before.face, self.face)
        return bool(known) and self.moved(before) is None

    def again(self, before: Look, *, exactly: bool = True) -> bool:
        """True if this is an earlier look that has come again.

        Not ``exactly``: a tile that was laid down again, hardly as straight as it lay.
        """
        if self is before or not same_tile(before.symbol, self.symbol):
            return self is before
        moved = self.moved(before)
        return moved is None or (not exactly and abs(moved) < _QUARTER)


def is_face(symbol: str) -> bool:
    """True if a symbol is a letter or a blank whose face is up."""
    return is_tile(symbol) and symbol != FACE_DOWN


class AppearanceHistory:
    """The looks of all squares on which a tile was seen."""

    def __init__(self, stillness: StillnessTracker) -> None:
        """``stillness`` has the small pictures."""
        self._stillness = stillness
        self._of: dict[Square, list[Look]] = {}
        self._map: AppearanceMap | None = None
        """Each square as it was in plain sight last."""

    def now(self, square: Square) -> Look | None:
        """Return the newest look of a square; None if no tile was ever seen there."""
        found = self._of.get(square)
        return found[-1] if found else None

    def before(self, square: Square) -> Look | None:
        """Return the look of a square before its newest; None if there was none with a tile."""
        return next(reversed(self._of.get(square, [])[:-1]), None)

    def showing(self, square: Square, tile: str) -> Look | None:
        """Return the newest look with a tile, else the present one if it has any; None if none."""
        last = self.now(square)
        other = last if last is not None and last.symbol != EMPTY else None
        found = reversed(self._of.get(square, []))
        return next((one for one in found if same_tile(tile, one.symbol)), other)

    def take(self, sighting: Sighting) -> None:
        """Take a legible sighting, before its looks become references of the small pictures."""
        merged, shown, t_ns = sighting.merged, sighting.observation.appearance, sighting.frame.t_ns
        known = self._map or shown
        far = appearance_distance(known, shown)
        odd = (far >= SQUARE.same / 2) & (far >= 1.5 * np.median(far))
        sure = merged.confidence >= SQUARE.sure
        for one in merged.corrections:
            misread = self.now(one.square)
            if misread is not None:
                misread.symbol = one.symbol
        right, down = np.subtract(*sighting.reading.corners[[1, 0]])
        way = round(np.degrees(np.arctan2(down, right)) / 90) % 4
        plain = ~grown(merged.covered)
        fresh, unclear = {}, ~plain
        for row, col in np.argwhere(plain).tolist():
            square, symbol = Square(row, col), merged.rows[row][col]
            rotation = int(sighting.reading.rotation[square])
            face = shown.patches[row * SIZE + col]
            look, new = self.now(square), Look(symbol, face, (0, 0), t_ns, rotation, way)
            differs: bool | None = symbol != EMPTY
            if look is not None:
                differs = look.differs(new, odd=odd[square], sure=sure[square])
                new.symbol = symbol if sure[square] else look.symbol
                if differs is None:
                    alike = [one for one in self._of[square] if new.lies_as(one)]
                    differs = look not in alike if alike else None
            if differs:
                fresh[square] = new
            elif look is not None and differs is not None:
                look.symbol, look.face, look.way, look.seen_ns = new.symbol, face, way, t_ns
            unclear[square] = differs is None
        placed = self._stillness.placements(fresh, sighting) if fresh else {}
        for square, new in fresh.items():
            last = self.now(square)
            after_ns = max(last.seen_ns if last else 0, placed[square].after_ns or 0)
            new.span = after_ns, max(placed[square].by_ns or t_ns, after_ns)
            self._of.setdefault(square, []).append(new)
        if unclear.any():
            shown = shown.replaced(unclear, known.relit(shown, unclear, ~unclear))
        self._map = shown
