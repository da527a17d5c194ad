"""The newest picture of a table, encoded only when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from game.errors import TilewatchError
from sensors.interfaces import Frame

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """A frame, and the reading of the board that is in it."""

    frame: Frame
    corners: tuple[Point, Point, Point, Point] | None = None
    rows: tuple[str, ...] | None = None
    read_ns: int | None = None
    looked: bool = False


@dataclass(frozen=True, slots=True)
class TablePicture:
    """The newest picture of the table, and the reading of the board that is in it."""

    jpeg: bytes
    """The camera's own bytes if it delivers JPEG."""
    t_ns: int
    """The time of exposure, on the table's base."""
    width: int
    height: int
    """In pixels."""
    corners: tuple[Point, Point, Point, Point] | None
    """The playing grid's, clockwise from the one that is top-left when the letters read upright;
    x and y in pixels. None if no board was found, or something has moved since."""
    rows: tuple[str, ...] | None
    """The 15 rows that were read."""
    read_ns: int | None
    """The exposure of the frame in which the rows were read; nothing has moved since."""
    looked: bool
    """True if a board was looked for since something last moved."""


class NewestPicture:
    """Holds the newest frame. ``encode`` makes a JPEG of one that has none."""

    def __init__(self, encode: Callable[[Frame], bytes] | None) -> None:
        self._encode = encode
        self._shown: ShownFrame | None = None
        self._picture: TablePicture | None = None

    def show(self, shown: ShownFrame) -> None:
        """Replace the frame."""
        self._shown = shown

    @property
    def shown(self) -> ShownFrame | None:
        """The frame; None before the first."""
        return self._shown

    def picture(self) -> TablePicture | None:
        """Return the picture; None before the first frame, or if it cannot be encoded.

        A frame is encoded in the caller's thread and once, however often it is asked for.
        """
        shown, made = self._shown, self._picture
        if shown is None:
            return None
        frame = shown.frame
        if made is not None and (frame.t_ns, shown.read_ns, shown.looked) == (
            made.t_ns, made.read_ns, made.looked,
        ):  # fmt: skip
            return made
        jpeg = self._jpeg(frame)
        if jpeg is None:
            return None
        height, width = frame.image.shape[:2]
        self._picture = made = TablePicture(
            jpeg, frame.t_ns, width, height, shown.corners, shown.rows, shown.read_ns, shown.looked
        )
        return made

    def _jpeg(self, frame: Frame) -> bytes | None:
        if frame.jpeg is not None or self._encode is None:
            return frame.jpeg
        try:
            return self._encode(frame)
        except TilewatchError:
            return None
