"""A recording: one game as a folder of pictures and a list of button presses.

::

    recording.toml      name, tile_set, players = { left, right };
                        optional rulebook, corners, stills; buttons = "none" or
                        { kind = "none", left = "bottom", right = "top" }, and then optional first
    frames/<t_ms>.jpg   nine digits: milliseconds from the recording's zero
    buttons.csv         t_ms,button   (left, right or neutral); none without a clock

Everything is checked when the recording is opened, except the contents of the pictures, which are
decoded one at a time as they are asked for. Every fault is one ``SensorError`` line that names the
file, the key or the line where there is one, and the remedy.
"""

from __future__ import annotations

import csv
import heapq
import io
import logging
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from game.errors import TilewatchError
from game.events import Button, PictureEdge, Side
from game.files import os_error_as, read_file
from game.options import StrictOptions, load_options
from game.rulebooks.loading import rulebook_ids
from game.tileset import tile_set_ids
from sensors.interfaces import BUTTONS, Buttons, Camera, Decode, Frame, Press, SensorError
from sensors.options import Announced, NoButtonsOptions

_LOG = logging.getLogger(__name__)

MAX_BYTES = 200_000_000
"""The most bytes of a file: even the largest picture that can be read has fewer."""

NS_PER_MS = 1_000_000
_HEADER = ["t_ms", "button"]
_FRAME_NAME = re.compile(r"([0-9]{9})\.jpg")


Corners: TypeAlias = tuple[tuple[float, float], ...]
"""Four ``(x, y)`` in pixels, clockwise from the corner that is top-left when letters read."""


def parse_corners(numbers: Sequence[float]) -> Corners:
    """Return four points from eight numbers ``x, y, x, y, …``.

    Raises ``ValueError``, saying what is wrong, unless they are the corners of a convex
    quadrilateral in clockwise order as seen in the picture (y grows downwards). Any other figure
    is a slip, and anticlockwise corners would give a mirror image of the board.
    """
    if len(numbers) != 8:
        raise ValueError(f"corners are eight numbers x,y,x,y,x,y,x,y, not {len(numbers)}")
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("corners must be finite numbers")
    points = tuple(
        (float(numbers[index]), float(numbers[index + 1])) for index in range(0, len(numbers), 2)
    )
    turns = []
    for index in range(4):
        (ax, ay), (bx, by), (cx, cy) = (points[(index + step) % 4] for step in range(3))
        turns.append((bx - ax) * (cy - by) - (by - ay) * (cx - bx))
    if all(turn < 0 for turn in turns):
        raise ValueError("corners run anticlockwise: give them clockwise from the top left")
    if not all(turn > 0 for turn in turns):
        raise ValueError("corners do not make a four-sided board: give them clockwise in order")
    return points


def _four(value: object) -> object:
    """Return four points of eight numbers, which a file may give in lists of two."""
    flat: list[Any] = []
    for item in value if isinstance(value, list) else [value]:
        flat += item if isinstance(item, list) else [item]
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in flat):
        raise ValueError("corners must be numbers")
    return parse_corners(flat)


def _no_clock(value: object) -> object:
    options = {"kind": value} if isinstance(value, str) else value
    if not isinstance(options, dict) or options.get("kind") != "none":
        raise ValueError('buttons can be "none", or they are left out')
    return {key: option for key, option in options.items() if key != "kind"}


_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Players(StrictOptions):
    left: _Text
    right: _Text


class RecordingMeta(StrictOptions):
    """The contents of ``recording.toml``."""

    name: _Text
    tile_set: str
    players: _Players
    rulebook: str | None = None
    corners: Annotated[Corners | None, BeforeValidator(_four)] = None
    """The corners of the playing grid in every picture; None if they are not known."""
    stills: bool = False
    """True if each picture is one settled view rather than a moment of video."""
    announced: Announced = Field(default_factory=dict)
    """The settings that the tournament announced (``game.rulebooks.announcing``)."""
    buttons: Annotated[NoButtonsOptions | None, BeforeValidator(_no_clock)] = None
    """The seats in a game without a clock; None if there is a clock."""
    first: Side | None = None
    """The side that plays first in a game without a clock; None if unknown."""

    @property
    def names(self) -> dict[str, str]:
        """The players' names by side."""
        return {"left": self.players.left, "right": self.players.right}

    @property
    def hands(self) -> Mapping[Side, PictureEdge] | None:
        """The edge of the picture across which each player's hand comes; None with a clock."""
        return None if self.buttons is None else self.buttons.hands

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for name, value, known in (
            ("tile_set", self.tile_set, tile_set_ids()),
            ("rulebook", self.rulebook, (None, *rulebook_ids())),
        ):
            if value not in known:
                ids = ", ".join(one for one in known if one)
                raise ValueError(f"unknown {name} {value!r}; known are {ids}")
        if self.stills and self.buttons is not None:
            raise ValueError("stills show no hands; a game without buttons needs a video")
        if self.first is not None and self.buttons is None:
            raise ValueError('the first press tells who plays first; first needs buttons = "none"')
        return self


@dataclass(frozen=True, slots=True)
class Recording:
    """An opened, checked recording. ``frame_paths`` and ``button_presses`` are in order of time."""

    path: Path
    meta: RecordingMeta
    frame_paths: tuple[Path, ...]
    button_presses: tuple[Press, ...]

    @classmethod
    def open(cls, path: Path) -> Recording:
        """Check the whole folder and return it. Raises ``SensorError`` at the first fault."""
        if not path.exists():
            raise SensorError(f"{path}: no such recording")
        if not path.is_dir():
            raise SensorError(f"{path}: not a folder; a recording is a folder with recording.toml")
        meta = load_options(path / "recording.toml", RecordingMeta, SensorError)
        frames, csv_file = _read_frames(path / "frames"), path / "buttons.csv"
        if meta.buttons is None:
            return cls(path, meta, frames, _read_buttons(csv_file))
        if csv_file.exists():
            raise SensorError(
                f"{csv_file}: recording.toml says that there are no buttons; remove one of the two"
            )
        return cls(path, meta, frames, ())

    def camera(self, decode: Decode) -> RecordedCamera:
        """Return the pictures as a camera; ``decode`` raises an error for an unusable picture."""
        return RecordedCamera(self.frame_paths, decode, skip_spoilt=not self.meta.stills)

    def buttons(self) -> RecordedButtons:
        """Return the presses as a pair of clock buttons."""
        return RecordedButtons(self.button_presses)


class RecordedCamera:
    """The pictures of a recording, as a ``sensors.interfaces.Camera``."""

    def __init__(
        self, paths: tuple[Path, ...], decode: Decode, *, skip_spoilt: bool = False
    ) -> None:
        self._paths = paths
        self._decode = decode
        self._skip_spoilt = skip_spoilt
        self._closed = False

    def frames(self) -> Iterator[Frame]:
        """Yield each picture, decoded, with the bytes of its file.

        In a video a damaged picture is logged and skipped, like a frame that a camera loses,
        because the next shows nearly the same. In a recording of stills, where every picture
        counts, it raises ``SensorError``.
        """
        good = False
        for seq, path in enumerate(self._paths):
            if self._closed:
                return
            jpeg = _read_bytes(path)
            try:
                image = self._decode(jpeg, str(path))
            except TilewatchError as error:
                if not self._skip_spoilt or (not good and path == self._paths[-1]):
                    raise
                _LOG.warning("left out: %s", error)
                continue
            good = True
            yield Frame(image, int(path.stem) * NS_PER_MS, seq, jpeg)

    def close(self) -> None:
        """Yield no more pictures."""
        self._closed = True


class RecordedButtons:
    """The presses of a recording, as ``sensors.interfaces.Buttons``."""

    def __init__(self, presses: tuple[Press, ...]) -> None:
        self._presses = presses
        self._closed = False

    def presses(self) -> Iterator[Press]:
        """Yield each press."""
        for press in self._presses:
            if self._closed:
                return
            yield press

    def close(self) -> None:
        """Yield no more presses."""
        self._closed = True


def merged(camera: Camera, buttons: Buttons) -> Iterator[Frame | Press]:
    """Yield the frames and presses of two sources in order of time.

    This suits recordings and simulated tables, whose next item can be had at once; a live device
    would make the other wait. Of a frame and a press with the same time the frame comes first: a
    tile counts for the turn if it lay there *at* the press.
    """

    def keyed(items: Iterator[Frame] | Iterator[Press], rank: int) -> Iterator[_Keyed]:
        for item in items:
            yield item.t_ns, rank, item

    for _, _, item in heapq.merge(
        keyed(camera.frames(), 0), keyed(buttons.presses(), 1), key=lambda entry: entry[:2]
    ):
        yield item


_Keyed = tuple[int, int, Frame | Press]


def _read_bytes(path: Path) -> bytes:
    with os_error_as(SensorError, f"{path}: cannot be read"):
        return read_file(path, MAX_BYTES, SensorError)


def _read_frames(folder: Path) -> tuple[Path, ...]:
    if not folder.is_dir():
        raise SensorError(f"{folder}: missing; a recording needs its pictures as frames/<t_ms>.jpg")
    # Dot files are litter of file managers, never pictures.
    paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for path in paths:
        if not _FRAME_NAME.fullmatch(path.name) or not path.is_file():
            raise SensorError(
                f"{path}: not a frame's name; frames are called <t_ms>.jpg with nine digits, "
                "like 000059500.jpg"
            )
        if path.stat().st_size == 0:
            raise SensorError(f"{path}: empty file; take the picture again or remove it")
    if not paths:
        raise SensorError(f"{folder}: no frames; the recording is empty")
    return tuple(paths)


def _read_buttons(path: Path) -> tuple[Press, ...]:
    try:
        reader = csv.reader(io.StringIO(_read_bytes(path).decode("utf-8-sig"), newline=""))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SensorError(f"{path}, line {line}: not UTF-8 text") from error
    presses: list[Press] = []
    try:
        rows = (cells for row in reader if any(cells := [cell.strip() for cell in row]))
        if next(rows, None) != _HEADER:
            raise ValueError("the first line must be t_ms,button")
        for cells in rows:
            press = _press(cells)
            before = presses[-1].t_ns if presses else 0
            if press.t_ns < before:
                raise ValueError(
                    f"{press.t_ns // NS_PER_MS} comes after {before // NS_PER_MS}; "
                    "presses must be in order of time"
                )
            if press in [one for one in presses[-len(BUTTONS) :] if one.t_ns == before]:
                raise ValueError("the same press twice; remove one")
            presses.append(press)
    except (csv.Error, ValueError) as error:
        raise SensorError(f"{path}, line {max(1, reader.line_num)}: {error}") from error
    return tuple(presses)


def _press(cells: list[str]) -> Press:
    """Return the press in a row. Raises ``ValueError``."""
    if len(cells) != 2:
        raise ValueError(f"needs two fields t_ms,button, has {len(cells)}")
    time, name = cells
    if not re.fullmatch(r"[0-9]{1,15}", time):
        raise ValueError(f"{time!r} is no time; t_ms is a whole number of milliseconds from 0")
    button: Button | None = next((button for button in BUTTONS if button == name), None)
    if button is None:
        raise ValueError(f"unknown button {name!r}; known are {', '.join(BUTTONS)}")
    return Press(button, int(time) * NS_PER_MS)
