"""Stores the pictures of a turn: before, at and after the press, around it, and its squares.

Every frame passes through here and the last few seconds are remembered. Of each turn the full
frames go to the evidence in the camera's own bytes, with a crop of every changed square;
a ``PicturesKept`` event links them to the turn, each with the time of its own exposure. A failing
disk raises nothing here: a picture that cannot be stored is named in ``trouble`` and left out.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

import cv2
import numpy as np

from game.board import SIZE, Square, is_tile
from game.events import Picture, PicturesKept
from record.errors import EvidenceError
from record.evidence import Ahead, EvidenceStore
from record.picture_change import shrunk
from sensors.interfaces import Frame
from vision.rectify import Corners, crops

APART_NS: Final = 1_000_000_000
"""Time before and after a press at which the frames ``before`` and ``after`` are taken."""

AROUND_NS: Final = (-3_000_000_000, -2_000_000_000, 2_000_000_000)
"""Further times, from the press of a flagged turn, at which a frame is kept."""

_REMEMBER_NS: Final = 4_000_000_000
_SPACING_NS: Final = 250_000_000
_LATE_NS: Final = 10_000_000_000
"""The delay after which a frame is not used, because it shows another turn."""

_QUALITY: Final = 90
_SMALL: Final = 640
"""The longer side of a small picture in pixels: a square of the board has some 25 of them."""
_SMALL_QUALITY: Final = 60

_STORED: Final = 4
"""The number of newest stored frames that are remembered, so as not to encode them again."""

_RESTS: Final = 32
"""The number of pictures of the board at rest that are remembered: at most some 10 MB."""


@dataclass(frozen=True)
class _Due:
    """A picture that is still to come."""

    turn: int
    role: str
    at_ns: int


@dataclass(frozen=True)
class _Rest:
    """A picture of the board at rest."""

    t_ns: int
    jpeg: bytes
    rows: Sequence[str]
    """The rows as they were read."""

    def shows(self, squares: Sequence[Square]) -> bool:
        """True if a tile was read on each of the squares."""
        return bool(self.rows) and all(is_tile(self.rows[one.row][one.col]) for one in squares)


class PictureKeeper:
    """Keeps the pictures of one game. Without a store it keeps none."""

    def __init__(self, store: EvidenceStore | None) -> None:
        self._store = store
        self._recent: deque[Frame] = deque()
        self._rests: deque[_Rest] = deque(maxlen=_RESTS)
        """The board at rest since the last press."""
        self._pressed: dict[int, tuple[tuple[Frame, ...], tuple[_Rest, ...]]] = {}
        """The newest frames up to the last press, and the board at rest before it."""
        self._due: list[_Due] = []
        self._prepared: tuple[Frame, str] | None = None
        """The frame that was prepared last, and its SHA-256."""
        self._worker = ThreadPoolExecutor(2, "pictures")
        self._keeping: tuple[Frame, Future[str | None]] | None = None
        """The prepared frame that the worker is storing now, and its future SHA-256."""
        self._stored: deque[tuple[Frame, str]] = deque(maxlen=_STORED)
        """The frames that were stored last, and their SHA-256."""
        self.trouble: str | None = None
        """A line for the director about the pictures; None if all is well."""

    @property
    def keeps(self) -> bool:
        """True if there is a place to keep pictures in."""
        return self._store is not None

    def store(self, frame: Frame) -> str | None:
        """Store a frame; return its SHA-256, or None if it could not be stored."""
        if self._store is None:
            return None
        known = next((sha for stored, sha in self._stored if stored is frame), None)
        if known is not None and self._store.has(known):
            return known
        try:
            kept = self._prepared_as(frame) or self._store.store(jpeg_of(frame))
        except EvidenceError as error:
            self.trouble = str(error)
            return None
        self.trouble = None
        self._stored.append((frame, kept))
        return kept

    def write_small(self, frame: Frame) -> Future[Ahead | None]:
        """Shrink a frame and write it meanwhile, to be kept later; None if that fails."""
        return self._worker.submit(self._write_small, frame)

    def _write_small(self, frame: Frame) -> Ahead | None:
        try:
            return None if self._store is None else self._store.write_ahead(_small_jpeg(frame))
        except EvidenceError as error:
            self.trouble = str(error)
            return None

    def keep_small(self, written: Sequence[Ahead]) -> set[str]:
        """Keep small pictures that were written; return the SHA-256 of those that are there."""
        try:
            return set() if self._store is None else self._store.keep_written(written)
        except EvidenceError as error:
            self.trouble = str(error)
            return set()

    def prepare(self, frame: Frame, jpeg: bytes, rows: Sequence[str] = ()) -> None:
        """Write a frame to the disk that a press may soon need, so that storing it is quick.

        ``rows`` are the board's as they were read in it.
        """
        if self._store is None:
            return
        self._rests.append(_Rest(frame.t_ns, jpeg, rows))
        with contextlib.suppress(EvidenceError):
            self._kept_meanwhile(frame)
        self._prepared = None
        with contextlib.suppress(EvidenceError):  # storing it will tell
            self._prepared = frame, self._store.prepare(jpeg)

    def _prepared_as(self, frame: Frame) -> str | None:
        """Return the SHA-256 of a prepared frame once it is stored; None if it was not prepared."""
        return self._kept_meanwhile(frame) or self._keep_prepared(frame)

    def _kept_meanwhile(self, frame: Frame) -> str | None:
        """Wait for the frame being stored; return its SHA-256 if it is ``frame``, else None.

        Raises ``EvidenceError`` if this frame could not be stored.
        """
        if self._keeping is None:
            return None
        (kept, done), self._keeping = self._keeping, None
        if kept is frame:
            return done.result()
        with contextlib.suppress(EvidenceError):
            done.result()
        return None

    def _keep_prepared(self, frame: Frame) -> str | None:
        """Store the frame if it was prepared; return its SHA-256, else None."""
        if self._store is None or self._prepared is None or self._prepared[0] is not frame:
            return None
        sha, self._prepared = self._prepared[1], None
        return sha if self._store.keep_prepared(sha) else None

    def frame(self, frame: Frame) -> list[PicturesKept]:
        """Take the next frame; return the events for the pictures expected by now."""
        if self._store is None:
            return []
        recent = self._recent
        if len(recent) > 1 and frame.t_ns - recent[-2].t_ns < _SPACING_NS:
            recent.pop()
        recent.append(frame)
        while recent[0].t_ns < frame.t_ns - _REMEMBER_NS and len(recent) > 2:
            recent.popleft()
        due = [one for one in self._due if one.at_ns <= frame.t_ns]
        if not due:
            return []
        self._due = [one for one in self._due if one.at_ns > frame.t_ns]
        events = []
        for turn in sorted({one.turn for one in due}):
            roles = [o for o in due if o.turn == turn and frame.t_ns - o.at_ns <= _LATE_NS]
            sha = self.store(frame) if roles else None
            if sha is not None:
                pictures = (Picture(roles[0].role, sha, frame.t_ns),)
                events.append(PicturesKept(turn, pictures, frame.t_ns))
        return events

    def press(self, press_ns: int, likely: Frame | None = None) -> None:
        """Remember the frames up to a press: its turn may be settled only seconds later.

        ``likely`` is the frame from which the turn will most likely be read. If it was prepared, it
        is stored while the press is logged, so both take the time of one.
        """
        self._pressed = {press_ns: (tuple(self._recent), tuple(self._rests))}
        self._rests.clear()
        if likely is not None and self._prepared is not None and self._prepared[0] is likely:
            self._keeping = likely, self._worker.submit(self._keep_prepared, likely)

    def renumber(self, numbers: Mapping[int, int]) -> None:
        """Give turns whose pictures are still to come new numbers; ``numbers`` maps old to new."""
        self._due = [replace(one, turn=numbers.get(one.turn, one.turn)) for one in self._due]

    def turn(
        self,
        turn: int,
        press_ns: int,
        read: Frame | None,
        corners: Corners | None,
        changed: Sequence[Square],
        *,
        flagged: bool,
        thinking: Sequence[Picture] = (),
    ) -> PicturesKept | None:
        """Keep the pictures of a logged turn; return the event to record, None if none was kept.

        ``read`` is the frame that was read, ``corners`` are the board's in it (upright), and
        ``changed`` the squares of which crops are kept. ``thinking`` are kept already.
        """
        if self._store is None:
            return None
        now = tuple(self._recent), tuple(self._rests)
        frames, rests = self._pressed.get(press_ns, now)
        alone = [] if press_ns in self._pressed else self._first_play(press_ns)
        pictures = [*thinking, *self._placed(rests, changed), *alone]
        wanted: list[tuple[str, Frame | None]] = [
            ("before", _last(frames, press_ns - APART_NS)),
            ("at", _last(frames, press_ns)),
            ("read", read),
        ]
        if flagged:
            past = [offset for offset in AROUND_NS if offset < 0]
            wanted += [("around", _last(frames, press_ns + offset)) for offset in past]
            later = [offset for offset in AROUND_NS if offset > 0]
            self._due += [_Due(turn, "around", press_ns + offset) for offset in later]
        self._due.append(_Due(turn, "after", press_ns + APART_NS))
        self._due.sort(key=lambda one: one.at_ns)
        seen: set[int] = set()
        for role, frame in wanted:
            if frame is None or frame.seq in seen or (role == "at" and alone):
                continue
            seen.add(frame.seq)
            sha = self.store(frame)
            if sha is not None:
                found = corners if read is not None and frame.seq == read.seq else None
                pictures.append(Picture(role, sha, frame.t_ns, corners=_points(found)))
        if read is not None and corners is not None:
            pictures += self._crops(read, corners, changed)
        return PicturesKept(turn, tuple(pictures), press_ns) if pictures else None

    def _first_play(self, ended_ns: int) -> list[Picture]:
        """Return the first picture of the board at rest since a play ended without a press.

        It shows that play alone: by the time the turn is logged the opponent's may lie there, too.
        """
        rest = next((one for one in self._rests if one.t_ns >= ended_ns), None)
        return [] if rest is None else self._kept_rest("at", rest)

    def _placed(self, rests: Sequence[_Rest], squares: Sequence[Square]) -> list[Picture]:
        """Return the first picture of the board at rest from which on tiles lie on the squares."""
        later = list(takewhile(lambda rest: rest.shows(squares), reversed(rests)))
        return self._kept_rest("placed", later[-1]) if later and squares else []

    def _kept_rest(self, role: str, rest: _Rest) -> list[Picture]:
        if self._store is None:
            return []
        try:
            return [Picture(role, self._store.store(rest.jpeg), rest.t_ns)]
        except EvidenceError as error:
            self.trouble = str(error)
            return []

    def changed(self, turn: int, seen: Frame) -> PicturesKept | None:
        """Keep a picture of the hand that changed tiles; return the event, None if there is none.

        Args:
            turn: the turn whose tiles changed.
            seen: the frame of the board at rest that shows the change. Of the frames remembered
                from before it, the one that differs most shows the hand.
        """
        frames = [one for one in self._recent if one.t_ns < seen.t_ns]
        frames = [one for one in frames if one.image.shape == seen.image.shape]
        if not frames:
            return None
        rest = shrunk(seen.image)
        hand = max(frames, key=lambda one: float(np.abs(shrunk(one.image) - rest).mean()))
        sha = self.store(hand)
        if sha is None:
            return None
        return PicturesKept(turn, (Picture("changing", sha, hand.t_ns),), seen.t_ns)

    def of_change(self, frames: Mapping[str, Frame]) -> tuple[Picture, ...]:
        """Keep the frames of a change between presses, by role; return those that were stored."""
        kept = ((role, frame, self.store(frame)) for role, frame in frames.items())
        return tuple(Picture(role, sha, frame.t_ns) for role, frame, sha in kept if sha is not None)

    def _crops(self, frame: Frame, corners: Corners, squares: Sequence[Square]) -> list[Picture]:
        assert self._store is not None
        if not squares:
            return []
        indices = np.array([SIZE * square.row + square.col for square in squares])
        whole = self.store(frame)
        kept: list[Picture] = []
        try:
            cut = crops(frame.image, corners, indices)
            for square, crop in zip(squares, cut, strict=True):
                sha = self._store.store(_encoded(crop, f"the crop of {square.name}"))
                kept.append(Picture("crop", sha, frame.t_ns, square.name, whole))
        except EvidenceError as error:
            self.trouble = str(error)
        return kept


def _points(corners: Corners | None) -> tuple[tuple[float, ...], ...] | None:
    """Return corners as the log keeps them, to a hundredth of a pixel; None for None."""
    if corners is None:
        return None
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in corners)


def jpeg_of(frame: Frame) -> bytes:
    """Return the camera's own JPEG; if the camera gave none, the frame encoded here."""
    return frame.jpeg or _encoded(frame.image, f"frame {frame.seq}")


def _small_jpeg(frame: Frame) -> bytes:
    height, width = frame.image.shape[:2]
    scale = min(1.0, _SMALL / max(width, height))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    image = cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA)
    return _encoded(image, f"frame {frame.seq}", _SMALL_QUALITY)


def _encoded(image: np.ndarray, name: str, quality: int = _QUALITY) -> bytes:
    done, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise EvidenceError(f"{name}: cannot be encoded as JPEG")
    return encoded.tobytes()


def _last(frames: Sequence[Frame], by_ns: int) -> Frame | None:
    """Return the last frame taken at or before ``by_ns``; None if there is none."""
    return next((frame for frame in reversed(frames) if frame.t_ns <= by_ns), None)
