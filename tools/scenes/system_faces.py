"""The TrueType faces of this system that look like those on tiles, as ``faces.toml`` lists them.

A letter that a face lacks gets a mark of our own on its plain one.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.faces import CAP, Face
from models.scenes.strokes import ABOVE, PLAIN, Point, mark_paths

_LISTED: Final = tomllib.loads(Path(__file__).with_name("faces.toml").read_text("utf-8"))

HELD_OUT: Final = frozenset(_LISTED["held_out"])
"""File stems of the faces that no training scene uses: the validation scenes' letters."""

PACKAGES: Final = tuple(_LISTED["packages"])
"""Debian packages that have the faces."""

_ROOM: Final = 60
"""Pixels added on every side for the mark, of a cap height of 96."""

_IN_NO_FONT: Final = "\U0010fffd"
"""A character for which every font draws whatever it draws for those that it lacks."""

_FONT_FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts")


@lru_cache(maxsize=2)
def system_faces(held_out: bool = False) -> dict[str, tuple[str, ...]]:
    """The TrueType files of ``faces.toml`` found on this system, by kind.

    ``held_out`` gives those of :data:`HELD_OUT`, and otherwise all the others.
    """
    found: dict[str, str] = {}
    for folder in _FONT_FOLDERS:
        root = Path(folder).expanduser()
        if root.is_dir():
            for file in sorted(root.rglob("*")):
                if file.suffix in {".ttf", ".otf"}:
                    found.setdefault(file.stem, str(file))
    return {
        kind: tuple(found[s] for s in stems if s in found and (s in HELD_OUT) == held_out)
        for kind, stems in _LISTED["families"].items()
    }


def is_held_out(face: Face) -> bool:
    """True for a face of :data:`HELD_OUT`."""
    return isinstance(face.font, FontFile) and Path(face.font.path).stem in HELD_OUT


@dataclass(frozen=True)
class FontFile:
    """A TrueType face (:class:`models.scenes.faces.Font`). Pillow draws it."""

    path: str

    def ink(self, char: str) -> tuple[NDArray[np.uint8], int]:
        """A character's coverage, uint8 (H, W) at ``CAP``, and its baseline's row."""
        ink = _truetype(self.path, char)
        if char in PLAIN and np.array_equal(ink[0], _truetype(self.path, _IN_NO_FONT)[0]):
            return marked(char, *_truetype(self.path, PLAIN[char]))
        return ink


@lru_cache(maxsize=128)
def _font(path: str) -> tuple[object, float]:
    from PIL import ImageFont  # noqa: PLC0415 - only files of fonts need Pillow

    probe = ImageFont.truetype(path, 200)
    top, bottom = probe.getbbox("H", anchor="ls")[1::2]
    size = round(200 * CAP / max(1, bottom - top))
    return ImageFont.truetype(path, size), float(size)


def _truetype(path: str, char: str) -> tuple[NDArray[np.uint8], int]:
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415

    font, size = _font(path)
    assert isinstance(font, ImageFont.FreeTypeFont)
    side = int(size * 2.4)
    page = Image.new("L", (side, side))
    base = int(side * 0.65)
    ImageDraw.Draw(page).text((int(side * 0.2), base), char, fill=255, font=font, anchor="ls")
    ink = np.asarray(page)
    rows = np.flatnonzero(ink.any(axis=1))
    cols = np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return np.zeros((CAP, CAP // 4), np.uint8), CAP
    cut = ink[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    return cut.copy(), base - int(rows[0])


def marked(char: str, mask: NDArray[np.uint8], baseline: int) -> tuple[NDArray[np.uint8], int]:
    """A plain letter's ink with the mark of ``char``, a key of :data:`PLAIN`.

    Args:
        char: the marked letter.
        mask: uint8 coverage (H, W) of the plain one, cropped to its ink.
        baseline: the row of its baseline.

    Returns:
        the same of the marked letter.
    """
    page = np.pad(mask, _ROOM)
    foot, tall = baseline + _ROOM, baseline
    middle = _ROOM + mask.shape[1] / 2
    pen = round(min(max(6.0, _stem(mask)), 0.15 * tall))
    for path in mark_paths(char, mask.shape[1] / 2 / tall):
        lift = pen / 4 if char in ABOVE else 0.0
        points = [(middle + x * tall, foot - tall + y * tall - lift) for x, y in path]
        _pen(page, points, round(1.2 * pen) if _is_dot(path) else pen)
    rows, cols = (np.flatnonzero(page.any(axis=axis)) for axis in (1, 0))
    cut = page[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    return cut.copy(), foot - int(rows[0])


def _is_dot(path: list[Point]) -> bool:
    return len(path) == 2 and abs(path[0][0] - path[1][0]) < 0.01


def _stem(mask: NDArray[np.uint8]) -> float:
    """About how wide the letter's strokes are, pixels: the most ink is within half of it."""
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    return 2 * float(np.percentile(depth[depth > 0], 70)) if (depth > 0).any() else 12.0


def _pen(page: NDArray[np.uint8], points: list[tuple[float, float]], width: int) -> None:
    line = np.round(np.array(points) * 16).astype(np.int32)
    cv2.polylines(page, [line], False, 255, width, cv2.LINE_AA, shift=4)
