"""A recording: one game as a folder of pictures and a list of button presses.

::

    recording.toml      name, tile_set, players = { left, right };
                        optional rulebook, corners, stills; buttons = "none" or
                        { kind = "none", left = "bottom", right = "top" }, and then optional first
    frames/<t_ms>.jpg   nine digits: milliseconds from the recording's zero
    buttons.csv         t_ms,button   (left, right or neutral); none without a clock

Everything is checked when the recording is opened, except the contents of the pictures, which are
decoded one at a time as they are asked for. Every fault is one ``SensorError`` line that names the
file, the line where there is one, and the remedy.
"""

from __future__ import annotations

import csv
import heapq
import io
import logging
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from game.errors import TilewatchError
from game.events import SIDES, PictureEdge, Side
from game.files import read_file
from game.options import one_line
from game.rulebooks.announcing import by_name
from game.rulebooks.loading import rulebook_ids
from game.tileset import tile_set_ids
from sensors.interfaces import BUTTONS, Button, Buttons, Camera, Decode, Frame, Press, SensorError
from sensors.options import NoButtonsOptions

_LOG = logging.getLogger(__name__)

MAX_BYTES = 200_000_000
"""The most bytes of a file: even the largest picture that can be read has fewer."""

NS_PER_MS = 1_000_000
_KEYS = (
    *("name", "tile_set", "players", "rulebook", "corners", "stills", "announced", "buttons"),
    "first",
)
_HEADER = ["t_ms", "button"]
_FRAME_NAME = re.compile(r"([0-9]{9})\.jpg")


Corners: TypeAlias = tuple[tuple[float, float], ...]
"""Four ``(x, y)`` in pixels, clockwise from the corner that is top-left when letters read."""


@dataclass(frozen=True, slots=True)
class RecordingMeta:
    """The contents of ``recording.toml``.

    ``stills`` is true where each picture is one settled view rather than a moment of video;
    ``corners`` are those of the playing grid in every picture, where they are known.
    """

    name: str
    tile_set: str
    left: str
    right: str
    rulebook: str | None = None
    corners: Corners | None = None
    stills: bool = False
    announced: Mapping[str, Any] = field(default_factory=dict)
    """The settings that the tournament announced (``game.rulebooks.announcing``)."""
    hands: Mapping[Side, PictureEdge] | None = None
    """The edge of the picture across which each player's hand comes; None if there is a clock."""
    first: Side | None = None
    """The side that plays first in a game without a clock; None if unknown."""


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
        meta = _read_meta(path / "recording.toml")
        frames, csv_file = _read_frames(path / "frames"), path / "buttons.csv"
        if meta.hands is None:
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
    try:
        return read_file(path, MAX_BYTES, SensorError)
    except OSError as error:
        raise SensorError(f"{path}: cannot be read ({error.strerror})") from error


def _read_text(path: Path, missing: str) -> str:
    if not path.exists():
        raise SensorError(f"{path}: {missing}")
    try:
        return _read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SensorError(f"{path}, line {line}: not UTF-8 text") from error


def _read_meta(path: Path) -> RecordingMeta:
    text = _read_text(path, "missing; a recording needs it (name, tile_set, players)")
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SensorError(f"{path}: not TOML: {error}") from error
    at = _Locator(path, text)
    for key in table:
        if key not in _KEYS:
            raise at.fault(key, f"unknown key {key!r}; known are {', '.join(_KEYS)}")
    players = table.get("players")
    if not isinstance(players, dict) or set(players) != {"left", "right"}:
        raise at.fault("players", "needs players = { left = …, right = … }")
    meta = RecordingMeta(
        name=at.string(table, "name"),
        tile_set=at.choice(table, "tile_set", tile_set_ids()),
        left=at.string(players, "left"),
        right=at.string(players, "right"),
        rulebook=at.choice(table, "rulebook", rulebook_ids()) if "rulebook" in table else None,
        corners=_corners(table["corners"], at) if "corners" in table else None,
        stills=table.get("stills", False),
        announced=_announced(table.get("announced", {}), at),
        hands=_hands(table["buttons"], at) if "buttons" in table else None,
        first=_first(table["first"], at) if "first" in table else None,
    )
    if not isinstance(meta.stills, bool):
        raise at.fault("stills", "stills must be true or false")
    if meta.stills and meta.hands is not None:
        raise at.fault("buttons", "stills show no hands; a game without buttons needs a video")
    if meta.first is not None and meta.hands is None:
        raise at.fault(
            "first", 'the first press tells who plays first; first needs buttons = "none"'
        )
    return meta


class _Locator:
    """Makes an error of a fault in a key: one line that names the file and the key's line."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()

    def fault(self, key: str, message: str) -> SensorError:
        pattern = re.compile(rf"""(?:^|[{{,\[.])\s*["']?{re.escape(key)}["']?\s*[=\].]""")
        for number, line in enumerate(self.lines, start=1):
            if pattern.search(line):
                return SensorError(f"{self.path}, line {number}: {message}")
        return SensorError(f"{self.path}: {message}")

    def string(self, table: dict[str, Any], key: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.fault(key, f'needs {key} = "…", a text that is not empty')
        return value.strip()

    def choice(self, table: dict[str, Any], key: str, known: tuple[str, ...]) -> str:
        value = self.string(table, key)
        if value not in known:
            raise self.fault(key, f"unknown {key} {value!r}; known are {', '.join(known)}")
        return value


def _announced(value: object, at: _Locator) -> dict[str, Any]:
    try:
        return by_name(value)
    except TilewatchError as error:
        raise at.fault("announced", str(error)) from error


def _hands(value: object, at: _Locator) -> Mapping[Side, PictureEdge]:
    options = {"kind": value} if isinstance(value, str) else value
    if not isinstance(options, dict) or options.pop("kind", None) != "none":
        raise at.fault("buttons", 'buttons can be "none", or they are left out')
    try:
        return NoButtonsOptions.model_validate(options).hands
    except ValidationError as error:
        raise at.fault("buttons", one_line(error)) from error


def _first(value: object, at: _Locator) -> Side:
    side = next((side for side in SIDES if side == value), None)
    if side is None:
        raise at.fault("first", 'first can be "left" or "right", or it is left out')
    return side


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


def _corners(value: object, at: _Locator) -> Corners:
    flat: list[float] = []
    for item in value if isinstance(value, list) else []:
        flat.extend(item if isinstance(item, list) else [item])
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in flat):
        raise at.fault("corners", "corners must be numbers")
    try:
        return parse_corners(flat)
    except ValueError as error:
        raise at.fault("corners", str(error)) from error


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
    text = _read_text(path, "missing; a recording needs its presses (t_ms,button)")
    presses: list[Press] = []
    lines: list[int] = []
    header_seen = False
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            fields = [field.strip() for field in row]
            if not any(fields):
                continue
            if not header_seen:
                if fields != _HEADER:
                    raise _button_fault(path, reader.line_num, "the first line must be t_ms,button")
                header_seen = True
                continue
            presses.append(_press(fields, path, reader.line_num))
            lines.append(reader.line_num)
    except csv.Error as error:
        raise _button_fault(path, reader.line_num, f"not CSV ({error})") from error
    if not header_seen:
        raise _button_fault(path, 1, "the first line must be t_ms,button")
    seen: set[Press] = set()
    latest = 0
    for press, line in zip(presses, lines, strict=True):
        if press.t_ns < latest:
            raise _button_fault(
                path,
                line,
                f"{press.t_ns // NS_PER_MS} comes after {latest // NS_PER_MS}; "
                "presses must be in order of time",
            )
        if press in seen:
            raise _button_fault(path, line, "the same press twice; remove one")
        latest = press.t_ns
        seen.add(press)
    return tuple(presses)


def _press(fields: list[str], path: Path, line: int) -> Press:
    if len(fields) != 2:
        raise _button_fault(path, line, f"needs two fields t_ms,button, has {len(fields)}")
    time, name = fields
    if not re.fullmatch(r"[0-9]{1,15}", time):
        raise _button_fault(
            path, line, f"{time!r} is no time; t_ms is a whole number of milliseconds from 0"
        )
    button: Button | None = next((button for button in BUTTONS if button == name), None)
    if button is None:
        raise _button_fault(path, line, f"unknown button {name!r}; known are {', '.join(BUTTONS)}")
    return Press(button, int(time) * NS_PER_MS)


def _button_fault(path: Path, line: int, message: str) -> SensorError:
    return SensorError(f"{path}, line {line}: {message}")
