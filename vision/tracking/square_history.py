"""How each square looked in the last seconds, frame by frame: between which frames a tile was laid.

A reading needs a board at rest; the small pictures of the motion detector come with every frame.
Once a tile was read somewhere, they tell since when the square has looked as it does with the tile,
and until when it looked as it did without. Where something covered it in between, the two moments
are apart, and a press between them leaves open on which side of it the tile was laid.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from vision.rectify import Image
from vision.tracking.small_pictures import PITCH

KEPT_NS: Final = 15_000_000_000
"""Frames are kept for so long."""

_SPACING_NS: Final = 30_000_000
"""Kept frames are at least this far apart."""

_MIDDLE: Final = 100.0
"""The level to which the median of each kept picture is brought: lamps flicker."""

_NEAR: Final = 0.25
"""A square looks as it did when it differs by less than this share of what the tile makes."""

_AGAIN: Final = 0.5
"""After its tile was seen, a square must come nearer to its bare look by this factor to count as
bare: skin may be as light as the board."""

_DIMMED: Final = 2.0
"""A shadow takes no more than that factor of the light away."""

_LEAST: Final = 8.0
"""The least mean difference in levels that a tile makes; a smaller one tells nothing."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Between which frames a tile was laid; None where that was not seen."""

    after_ns: int | None
    """The last frame that shows the square without it."""
    by_ns: int | None
    """The first frame that shows it."""

    def before_press(self, press_ns: int) -> bool | None:
        """True if it was laid before a press, False if after it; None if that is not known."""
        if self.by_ns is not None and self.by_ns <= press_ns:
            return True
        if self.after_ns is not None and self.after_ns >= press_ns:
            return False
        return None

    def bare_at(self, t_ns: int) -> bool | None:
        """True if the square was in sight without it at that time, False if it was not so.

        None if that is not known.
        """
        if self.after_ns is None or self.by_ns is None:
            return None
        return self.after_ns >= t_ns - _SPACING_NS


_SAME: Final = 3.0
"""Mean difference in levels up to which a square is the same for certain."""

UNKNOWN: Final = Placement(None, None)


class SquareHistory:
    """The small pictures of the last seconds, of one and the same place of the board."""

    def __init__(self) -> None:
        self._frames: deque[tuple[int, Image]] = deque()
        self._known: Image | None = None
        self._unseen = np.ones((SIZE, SIZE), np.bool_)
        """The squares that something hid whenever the board was read."""
        self._due = False
        """True if the next frame is to be remembered."""

    def add(self, t_ns: int, small: Image) -> None:
        """Take the small picture of the next frame."""
        frames = self._frames
        if frames and t_ns - frames[-1][0] < _SPACING_NS:
            return
        gain = _MIDDLE / max(1.0, float(np.median(small[::5, ::5, 1])))
        frames.append((t_ns, np.asarray(cv2.convertScaleAbs(small, alpha=gain), np.uint8)))
        if self._due:
            self._known, self._due = frames[-1][1], False
        while frames and t_ns - frames[0][0] > KEPT_NS:
            frames.popleft()

    def restart(self) -> None:
        """Forget everything: the board lies elsewhere in the pictures."""
        self._frames.clear()
        self._known, self._due = None, False
        self._unseen = np.ones((SIZE, SIZE), np.bool_)

    def turn(self, turns: int) -> None:
        """Turn all pictures: the board lies there, but the other way round than was guessed.

        Its first corner is ``turns`` corners further clockwise.
        """
        kept = [(t_ns, np.rot90(small, turns)) for t_ns, small in self._frames]
        self._frames = deque((t_ns, np.ascontiguousarray(small)) for t_ns, small in kept)
        self._unseen = np.rot90(self._unseen, turns)
        if self._known is not None:
            self._known = np.ascontiguousarray(np.rot90(self._known, turns))

    def know(self, t_ns: int, hidden: NDArray[np.bool_]) -> None:
        """Remember how the squares looked in a frame that was read; bool (15, 15) were hidden."""
        self._unseen = self._unseen & hidden
        found = next((frame for at_ns, frame in self._frames if at_ns >= t_ns), None)
        if found is None and self._frames:
            found = self._frames[-1][1]
        if found is None:
            self._due = True
            return
        if self._known is not None:
            wide = np.repeat(np.repeat(hidden, PITCH, axis=0), PITCH, axis=1)
            found = np.where(wide[..., None], self._known, found)
        self._known = found

    def unchanged(self, before_ns: int, now_ns: int) -> bool:
        """Return True if no square looks different in one frame from what it did in another."""
        shown = [
            next((frame for at_ns, frame in reversed(self._frames) if at_ns <= t_ns), None)
            for t_ns in (before_ns, now_ns)
        ]
        before, now = shown
        if before is None or now is None:
            return False
        squares = cv2.absdiff(before, now).reshape(SIZE, PITCH, SIZE, PITCH * 3)
        return bool(squares.mean(axis=(1, 3)).max() < _SAME)

    def between(self, from_ns: int, to_ns: int, most: int) -> list[Image]:
        """Return pictures of a stretch of time, at most so many, evenly spread."""
        found = [frame for t_ns, frame in self._frames if from_ns <= t_ns <= to_ns]
        return found[:: max(1, -(-len(found) // most))]

    @property
    def known(self) -> Image | None:
        """How the squares looked when they were last read: uint8 (75, 75, 3) BGR."""
        return self._known

    def placements(
        self, squares: Iterable[Square], seen_ns: int, turns: int = 0
    ) -> dict[Square, Placement]:
        """Return when the tiles that were read on these squares in a frame had been laid.

        ``turns`` is how many corners further clockwise the board begins there.
        """
        known, frames = self._known, [one for one in self._frames if one[0] <= seen_ns]
        wanted = list(squares)
        if known is None or not frames or not wanted:
            return dict.fromkeys(wanted, UNKNOWN)
        times = [t_ns for t_ns, _ in frames]
        shown = [frame for _, frame in frames]
        unseen = self._unseen
        if turns:
            known, shown = np.rot90(known, turns), [np.rot90(frame, turns) for frame in shown]
            unseen = np.rot90(unseen, turns)
        found = {}
        for square in wanted:
            looks = _patches(shown, square)
            without = None if unseen[square] else _patches([known], square)[0]
            found[square] = _placement(times, looks, without)
        return found


def before_press(
    placements: Mapping[Square, Placement], press_ns: int, read: NDArray[np.bool_]
) -> dict[Square, bool | None]:
    """Return of each tile whether it lay there at a press; None where that is not known.

    Where the pictures show a tile as laid after a press at which it was read, a shadow has misled
    them, and what else they say was laid after it is not known.

    Args:
        placements: when the tiles were laid, by the pictures.
        press_ns: when the press was.
        read: bool (15, 15), the squares on which a tile was read at the press.
    """
    shown = {square: placement.before_press(press_ns) for square, placement in placements.items()}
    misled = any(early is False and read[square] for square, early in shown.items())
    return {s: None if misled and early is False else early for s, early in shown.items()}


def _patches(frames: Sequence[Image], square: Square) -> NDArray[np.float32]:
    """Return a square in each of the small pictures: float32 (frames, 3 * PITCH * PITCH)."""
    row, col = square.row * PITCH, square.col * PITCH
    patches = [frame[row : row + PITCH, col : col + PITCH] for frame in frames]
    return np.array(patches, np.float32).reshape(len(frames), -1)


def _apart(shown: NDArray[np.float32], like: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how far a square in each picture is from one look of it, other than by its light.

    The mean difference in levels, float32 (frames,): a shadow that wanders across the board takes
    some of a square's light away, and none of its colours and strokes.
    """
    gain = (shown @ like) / np.maximum((shown**2).sum(axis=1), 1.0)
    gain = np.clip(gain, 1 / _DIMMED, _DIMMED)[:, None]
    return np.asarray(np.abs(gain * shown - like).mean(axis=1), np.float32)


def _placement(
    times: list[int], shown: NDArray[np.float32], without: NDArray[np.float32] | None
) -> Placement:
    """Return when a tile was laid that the last of the looks shows.

    ``without`` is the look before that, if it is known; else only the first look with the tile is.
    """
    with_tile = shown[-1]
    apart = _apart(shown, with_tile)
    whole = float(apart.max() if without is None else _apart(without[None], with_tile)[0])
    if whole < _LEAST:
        return UNKNOWN
    has = apart < _NEAR * whole
    off = np.full_like(apart, np.inf) if without is None else _apart(shown, without)
    has_not = (off < _NEAR * whole) & ~has
    if has.any() and has_not[: (first := int(has.argmax()))].any():
        usual = float(np.median(off[:first][has_not[:first]]))
        has_not[first:] &= off[first:] < max(2 * usual, _AGAIN * _NEAR * whole)
    bare = np.flatnonzero(has_not)
    last_without = int(bare[-1]) if len(bare) else -1
    since = np.flatnonzero(has[last_without + 1 :])
    return Placement(
        times[last_without] if last_without >= 0 else None,
        times[last_without + 1 + int(since[0])] if len(since) else None,
    )
