"""What is known of each square from one sighting to the next.

A tile is read again at every turn of the game, often worse than before: in another light, half in
a shadow, under a passing sleeve. Tiles do not change by themselves, so what was read earlier is
evidence too. It is weighed against the new reading square by square, by what can have happened and
never by what the rules would like:

* **nothing changed, and the surer reading stands.** Where the square *looks* as it did (its pixels
  against those of the last sighting, light taken out), this is all that can be;
* **the earlier reading was wrong.** The new symbol then belongs to the turn of the earlier one, and
  is handed on as a correction of that turn, not as a tile that somebody swapped;
* **somebody changed the tile.** Rare, so it takes a new reading that is surer than that is rare.

With ``q(x)`` the earlier and ``p(x)`` the new probability that the square shows ``x``, the three
weigh ``q(old)·p(old)``, ``q(new)·p(new)`` and ``q(old)·p(new)`` times how often tiles are changed.
A new tile on a square that was empty and now looks different is simply a new tile. Whenever the
old symbol stands although the square looks different and reads differently, the doubt is handed on
as an ``uncertain_square`` finding: nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, UNREADABLE, Square
from game.events import Finding
from vision.reading import Reading
from vision.rectify import Corners, Image, rectify

REMOVED: Final = 0.05
"""How often, in a turn, a tile of an earlier turn is taken away: phoneys are withdrawn."""

REPLACED: Final = 0.005
"""How often another tile comes to lie in its place."""

_LIKELIEST_OTHERS: Final = 3
"""Without a reader's own guesses, what confidence lacks is taken to lie with this many symbols."""

_PITCH: Final = 12
_RIM: Final = 2

_SAME_LOOK: Final = 0.05
"""Two looks that differ by less, as a share of the level around, are the same: above what a pose
half a pixel off does to the edges of letters, below what tells an O from a Q."""

_FLOOR: Final = 12.0
"""Grey levels added to that level, so that noise in the dark is no difference."""

Looks = NDArray[np.float32]
"""float32 (180, 180, 3): the board, upright, 12 pixels a square, BGR levels."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is known of one square: ``since`` is the turn in which it came to look like this."""

    symbol: str
    confidence: float
    guesses: tuple[tuple[str, float], ...]
    since: int

    def p(self, symbol: str) -> float:
        """Probability that the square shows ``symbol``, as far as the reading tells."""
        if symbol == self.symbol and symbol != UNREADABLE:
            return self.confidence
        for guess, probability in self.guesses:
            if guess == symbol:
                return probability
        return (1 - self.confidence) / _LIKELIEST_OTHERS


@dataclass(frozen=True, slots=True)
class Correction:
    """A square that an earlier turn's reading had wrong."""

    turn: int
    square: Square
    symbol: str
    why: str


@dataclass(frozen=True, slots=True)
class Merged:
    """A sighting after all that was known was weighed in."""

    rows: tuple[str, ...]
    confidence: Mapping[Square, float]
    corrections: tuple[Correction, ...]
    doubts: tuple[Finding, ...]
    same_look: NDArray[np.bool_]
    """(15, 15): squares that look as they did at the sighting before."""


class BoardMemory:
    """The squares as last known. ``weigh`` a sighting, then ``keep`` what came of it."""

    def __init__(self) -> None:
        self._squares: dict[Square, Remembered] = {}
        self._looks: Looks | None = None

    def weigh(self, reading: Reading, looks: Looks, turn: int) -> Merged:
        """Weigh a new reading, seen in turn number ``turn``, against what is known.

        Changes nothing that is known; ``keep`` does.
        """
        same = (
            np.zeros((SIZE, SIZE), np.bool_)
            if self._looks is None
            else same_look(self._looks, looks)
        )
        rows = [list(row) for row in reading.rows]
        confidence: dict[Square, float] = {}
        corrections: list[Correction] = []
        doubts: list[Finding] = []
        for row in range(SIZE):
            for col in range(SIZE):
                square = Square(row, col)
                new = _new(reading, square, turn)
                old = self._squares.get(square)
                kept = new if old is None else _weigh(old, new, bool(same[row, col]))
                rows[row][col] = kept.symbol
                confidence[square] = kept.confidence
                if old is None or kept.symbol == old.symbol:
                    if old is not None and _doubtful(old, new, bool(same[row, col])):
                        doubts.append(_doubt(square, old, new))
                elif kept.since == old.since and kept.since < turn:
                    corrections.append(_correction(square, old, kept))
        return Merged(
            tuple("".join(row) for row in rows),
            confidence,
            tuple(corrections),
            tuple(doubts),
            same,
        )

    def keep(self, reading: Reading, looks: Looks, turn: int, merged: Merged) -> None:
        """Remember a sighting that was weighed, under the number of the turn it became."""
        for square in merged.confidence:
            new = _new(reading, square, turn)
            old = self._squares.get(square)
            same = bool(merged.same_look[square])
            self._squares[square] = new if old is None else _weigh(old, new, same)
        self._looks = looks


def _new(reading: Reading, square: Square, turn: int) -> Remembered:
    symbol = reading.symbol(square)
    sure = 0.0 if symbol == UNREADABLE else float(reading.confidence[square])
    return Remembered(symbol, sure, tuple(reading.guesses.get(square, ())), turn)


def _weigh(old: Remembered, new: Remembered, same: bool) -> Remembered:
    """What to believe of a square from now on."""
    if new.symbol == old.symbol:
        surer = new if new.confidence > old.confidence else old
        return replace(surer, since=old.since)
    if new.symbol == UNREADABLE:
        # Unsure of what looks as before: it is what it was. Covered: say so, the fold keeps it.
        return old if same else new
    if old.symbol == UNREADABLE:
        return replace(new, since=old.since) if same else new
    if old.symbol == EMPTY and not same:
        return new
    unchanged = old.confidence * new.p(old.symbol)
    misread = old.p(new.symbol) * new.confidence
    rare = REMOVED if new.symbol == EMPTY else REPLACED
    changed = 0.0 if same else old.confidence * new.confidence * rare
    if unchanged >= max(misread, changed):
        return old
    return replace(new, since=old.since) if misread >= changed else new


def _doubtful(old: Remembered, new: Remembered, same: bool) -> bool:
    """Whether the old symbol stands against pixels that say otherwise."""
    return not same and new.symbol not in (old.symbol, UNREADABLE)


def _doubt(square: Square, old: Remembered, new: Remembered) -> Finding:
    return Finding(
        "uncertain_square",
        square.name,
        f"looks like {_said(new.symbol)} ({new.confidence:.0%}) now, "
        f"was read as {_said(old.symbol)} ({old.confidence:.0%})",
    )


def _correction(square: Square, old: Remembered, new: Remembered) -> Correction:
    return Correction(
        old.since,
        square,
        new.symbol,
        f"read again as {_said(new.symbol)} ({new.confidence:.0%}), "
        f"first as {_said(old.symbol)} ({old.confidence:.0%})",
    )


def _said(symbol: str) -> str:
    return {EMPTY: "empty", UNREADABLE: "unreadable", "?": "a blank", "#": "face down"}.get(
        symbol, symbol
    )


def looks_of(image: Image, corners: Corners) -> Looks:
    """The board's pixels, so that two sightings can be compared square by square.

    ``image`` is uint8 (H, W, 3) BGR, ``corners`` those of a reading (upright).
    """
    board = rectify(image, corners, pitch=_PITCH, border=0).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(board, (5, 5), 0), dtype=np.float32)


def same_look(before: Looks, now: Looks) -> NDArray[np.bool_]:
    """Which squares look the same in two sightings: bool (15, 15).

    The second is first moved by whatever part of a pixel the two poses lie apart. Then light is
    taken out: by how much a square is brighter now is, in each colour, the median of that over the
    squares around it, so that it takes more than half of them to change before one that did not
    seems to have. Squares are compared without their rims, where a neighbour's new tile shows.
    """
    # As it is, too: on a board with few tiles, a new one can pull the second off its place.
    apart = np.minimum(_apart(before, now), _apart(before, _aligned(before, now)))
    return np.asarray(apart < _SAME_LOOK)


def _apart(before: Looks, now: Looks) -> NDArray[np.float32]:
    """By what share of the level around it each square differs: float32 (15, 15)."""
    earlier, later = _squares(before), _squares(now)
    level = earlier.mean(axis=(2, 3))
    brighter = ((later.mean(axis=(2, 3)) + 1.0) / (level + 1.0)).astype(np.float32)
    gain = np.stack([cv2.medianBlur(channel, 5) for channel in np.moveaxis(brighter, 2, 0)], 2)
    around = cv2.medianBlur(level.mean(axis=2).astype(np.float32), 5) + _FLOOR
    off = later / gain[:, :, None, None] - earlier
    return np.asarray(np.sqrt((off**2).mean(axis=(2, 3, 4))) / around, dtype=np.float32)


def _squares(looks: Looks) -> NDArray[np.float32]:
    """float32 (15, 15, 8, 8, 3): the squares without their rims."""
    squares = looks.reshape(SIZE, _PITCH, SIZE, _PITCH, 3).transpose(0, 2, 1, 3, 4)
    return squares[:, :, _RIM:-_RIM, _RIM:-_RIM]


def _aligned(before: Looks, now: Looks) -> Looks:
    """The later board, moved onto the earlier one where it lies a little off."""
    greys = [cv2.cvtColor(board, cv2.COLOR_BGR2GRAY) for board in (before, now)]
    everywhere = np.full(greys[0].shape, 255, np.uint8)
    move = np.eye(2, 3, dtype=np.float32)
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 1e-3)
    try:
        found = cv2.findTransformECC(
            greys[0], greys[1], move, cv2.MOTION_TRANSLATION, enough, everywhere, 1
        )[1]
    except cv2.error:
        return now  # nothing alike in them: another board, or a bare one in the dark
    move = np.asarray(found, dtype=np.float32)
    if np.abs(move[:, 2]).max() > _RIM:
        return now
    side = now.shape[0]
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(now, move, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE),
        np.float32,
    )
