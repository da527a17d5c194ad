"""A recording of stills: every picture in the first one's pose, and the squares that changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Premium, Square, premium
from game.tileset import load_tile_set
from models import weights
from models.weights import tile_classifiers
from sensors.interfaces import Press
from sensors.recording import NS_PER_MS, Recording
from tools.film.variants import MotionError
from vision.images import decode_image
from vision.locate.locator import Locator
from vision.reader import BoardReader
from vision.rectify import Corners, Image, homography, pixels_per_square, project

_HEIGHT: Final = 960
"""Largest height of a frame."""
_RIM: Final = 0.06
"""The distance beyond its square, in squares, up to which a tile's pixels are taken over."""


@dataclass(frozen=True)
class Still:
    """One settled view: its picture in the common pose, and what changed since the one before."""

    image: Image
    placed: dict[Square, str]
    removed: tuple[Square, ...]
    presses: tuple[Press, ...]
    """The presses after it, up to the next picture."""


class Grid:
    """The playing grid's place in a picture."""

    def __init__(self, corners: Corners, size: tuple[int, int]) -> None:
        self.corners = corners
        self.size = size
        """Width and height of the picture."""
        self.to_picture = homography(corners)
        self.square = pixels_per_square(corners)

    def point(self, x: float, y: float) -> NDArray[np.float64]:
        """Return the pixel at ``x`` squares from the left and ``y`` from the top."""
        return np.asarray(project(self.to_picture, np.array([[x, y]]))[0], np.float64)

    def mask(self, squares: list[Square]) -> NDArray[np.float32]:
        """Return float32 (H, W, 1), 1 on the squares with a soft edge, 0 elsewhere."""
        mask = np.zeros((self.size[1], self.size[0]), np.float32)
        for square in squares:
            low, high = -_RIM, 1 + _RIM
            sides = np.array([[low, low], [high, low], [high, high], [low, high]])
            outline = project(self.to_picture, sides + np.array([square.col, square.row]))
            cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 1.0)
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), 0.8)[..., None], np.float32)

    def moved(self, image: Image, source: Square, target: Square) -> Image:
        """Return the picture moved so that what was on ``source`` is on ``target``."""
        step = np.eye(3)
        step[:2, 2] = target.col - source.col, target.row - source.row
        matrix = self.to_picture @ step @ np.linalg.inv(self.to_picture)
        moved = cv2.warpPerspective(image, matrix, self.size, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(moved, np.uint8)

    def covered(self, alpha: NDArray[np.uint8], posed: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the share of each square that a mask covers: float32 (15, 15), in 0..1.

        ``posed`` is the 2×3 matrix from the mask's pixels to those of the common pose.
        """
        fine = 6
        scale = np.diag([fine, fine, 1.0])
        matrix = scale @ np.linalg.inv(self.to_picture) @ np.vstack([posed, [0, 0, 1]])
        flat = cv2.warpPerspective(alpha, matrix, (SIZE * fine, SIZE * fine))
        shares = flat.reshape(SIZE, fine, SIZE, fine).mean(axis=(1, 3)) / 255
        return np.asarray(shares, np.float32)


@dataclass(frozen=True)
class Stills:
    """All of a recording of stills."""

    recording: Recording
    grid: Grid
    empty: Image
    """The board before the first play, made of the first picture's own squares."""
    stills: tuple[Still, ...]
    start: Press
    """The press that starts the game."""


def load_stills(folder: Path, limit: int | None = None) -> Stills:
    """Read a recording of stills, or its first ``limit`` pictures.

    Raises:
        TilewatchError: the recording can't be used, or no board is found in one of its pictures.
    """
    recording = Recording.open(folder)
    if not recording.meta.stills or not recording.button_presses:
        raise MotionError(f"{folder}: needs a recording of stills (stills = true) with presses")
    reader = _reader(recording.meta.tile_set)
    given = None if recording.meta.corners is None else np.array(recording.meta.corners, np.float32)
    frames = list(islice(recording.camera(decode_image).frames(), limit))
    times = [int(path.stem) * NS_PER_MS for path in recording.frame_paths]
    first = reader.read(frames[0].image, given)
    height, width = frames[0].image.shape[:2]
    scale = min(1.0, _HEIGHT / height)
    grid = Grid(first.corners * np.float32(scale), (int(width * scale), int(height * scale)))
    known = ("." * SIZE,) * SIZE
    stills: list[Still] = []
    for at, frame in enumerate(frames):
        reading = reader.read(frame.image, given, first)
        until = times[at + 1] if at + 1 < len(times) else None
        presses = tuple(
            press
            for press in recording.button_presses[1:]
            if frame.t_ns <= press.t_ns and (until is None or press.t_ns < until)
        )
        placed, removed = _changes(known, reading.rows)
        stills.append(Still(_posed(frame.image, reading.corners, grid), placed, removed, presses))
        known = reading.rows
    empty = _emptied(stills[0], grid)
    return Stills(recording, grid, empty, tuple(stills), recording.button_presses[0])


def relit(image: Image, like: Image, squares: list[Square], grid: Grid) -> Image:
    """Return ``image`` under the light of ``like``, by what both show beside ``squares``."""
    width, height = grid.size
    size = (width // 8, height // 8)
    seen = cv2.resize(1 - grid.mask(squares)[..., 0], size, interpolation=cv2.INTER_AREA)
    light = []
    for one in (like, image):
        small = cv2.resize(one, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        light.append(cv2.GaussianBlur(small * seen[..., None], (0, 0), 0.19 * grid.square) + 0.5)
    gain = cv2.resize(np.clip(light[0] / light[1], 0.5, 2), grid.size)
    return np.asarray(np.clip(image * gain, 0, 255), np.uint8)


def moved_on(tiles: Mapping[Square, str]) -> dict[Square, Square]:
    """Return where each tile of a play goes if each is moved on to the next one's square.

    Nothing if that makes the same play, or a letter has a mark: of a tile that lies high in its
    square a part is lost on the way.
    """
    if not "".join(tiles.values()).isascii():
        return {}
    squares = sorted(tiles)
    to = dict(zip(squares, squares[1:] + squares[:1], strict=True))
    return to if any(tiles[at] != tiles[there] for at, there in to.items()) else {}


def _reader(tile_set: str) -> BoardReader:
    cv2.setNumThreads(1)
    locator = Locator(weights.path("locate_coarse.onnx"), weights.path("locate_refine.onnx"), 1)
    letters = load_tile_set(tile_set).shown
    classifier, other = tile_classifiers(letters)
    return BoardReader(classifier, locator, letters, other=other)


def _changes(
    known: tuple[str, ...], rows: tuple[str, ...]
) -> tuple[dict[Square, str], tuple[Square, ...]]:
    squares = [Square(row, col) for row in range(SIZE) for col in range(SIZE)]
    pairs = [(one, known[one.row][one.col], rows[one.row][one.col]) for one in squares]
    placed = {one: now for one, before, now in pairs if before == "." and now != "."}
    removed = tuple(one for one, before, now in pairs if before != "." and now == ".")
    return placed, removed


def _posed(image: Image, corners: Corners, grid: Grid) -> Image:
    matrix = cv2.getPerspectiveTransform(corners, grid.corners)
    ratio = pixels_per_square(corners) / grid.square
    if ratio > 1.2:  # without this, fine strokes alias
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.35 * ratio), np.uint8)
    posed = cv2.warpPerspective(
        image, matrix, grid.size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(posed, np.uint8)


def _emptied(still: Still, grid: Grid) -> Image:
    """Return the picture with each tile replaced by the nearest free square of its premium.

    The centre's own look is unknown: another double word square stands in for it.
    """
    taken = list(still.placed)
    image = still.image
    for square in taken:
        kind: Premium = premium(square)
        free = [
            Square(row, col)
            for row in range(SIZE)
            for col in range(SIZE)
            if premium(Square(row, col)) == kind and Square(row, col) not in still.placed
        ]
        source = min(free, key=lambda one: abs(one.row - square.row) + abs(one.col - square.col))
        mask = grid.mask([square])
        other = grid.moved(still.image, source, square)
        image = np.asarray(image * (1 - mask) + other * mask, np.uint8)
    return image
