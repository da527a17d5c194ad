"""The table before the camera: a board, hands, clutter and light, drawn frame by frame."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.film.hands import Hand
from tools.film.stills import Grid
from tools.film.variants import Variant
from vision.rectify import Image

_BEHIND: Final = (70, 80, 90)
"""The colour beyond the board's picture when the board is turned."""
_SHADE: Final = 0.35
"""Share of the light that a hand's shadow takes away."""
_QUALITY: Final = [cv2.IMWRITE_JPEG_QUALITY, 92]
_SLACK: Final = 64
"""Pixels by which the noise is larger than the picture: each frame shows another part of it."""
_COVERED: Final = 0.08
"""Share of a square from which it counts as covered in the truth."""

Point = NDArray[np.float64]


@dataclass
class Placed:
    """A hand before the camera: its fingertips and where its arm comes from, in pixels."""

    hand: Hand
    tip: Point
    base: Point


@dataclass
class Stage:
    """Draws frames and writes them. ``board`` is in the common pose of the stills."""

    grid: Grid
    board: Image
    variant: Variant
    rng: random.Random
    out: Path
    t_ms: float = 0.0
    hands: dict[str, Placed] = field(default_factory=dict)
    turn: float = 0.0
    """Degrees by which the board is turned."""
    shift: Point = field(default_factory=lambda: np.zeros(2))
    capped: bool = False
    covered: NDArray[np.float32] = field(default_factory=lambda: np.zeros((15, 15), np.float32))
    """The share of each square that hands and clutter covered in the newest frame."""
    frames: list[dict[str, Any]] = field(default_factory=list)
    """The truth of each frame: its time, the squares covered, and what was done to it."""
    clutter: list[tuple[Image, NDArray[np.uint8]]] = field(default_factory=list)
    """Pictures of things on the rim with their masks."""

    def __post_init__(self) -> None:
        """Prepare the noise."""
        generator = np.random.default_rng(self.rng.randrange(1 << 30))
        width, height = self.grid.size
        size = (height + _SLACK, width + _SLACK, 3)
        self._noise = np.round(generator.normal(0, 2.2, size)).astype(np.int16)
        self._last: bytes | None = None
        self._gain = 1.0
        self._blur = 0.0
        self._phase = self.rng.uniform(0, 6)

    def run(self, ms: float, update: Callable[[float], None] | None = None) -> None:
        """Let ``ms`` pass; ``update`` gets the share that has passed."""
        step, start = 1000 / self.variant.fps, self.t_ms
        while True:
            due = math.ceil(self.t_ms / step - 1e-6) * step
            if due >= start + ms:
                break
            if update is not None:
                update((due - start) / ms)
            self._frame(due)
            self.t_ms = due + 1e-3
        self.t_ms = start + ms
        if update is not None:
            update(1.0)

    def move(self, name: str, target: Point, ms: float) -> None:
        """Move a hand's fingertips to ``target``, fast in the middle of the way."""
        placed = self.hands[name]
        start = placed.tip

        def update(share: float) -> None:
            eased = 0.5 - 0.5 * math.cos(math.pi * share)
            placed.tip = start + (target - start) * eased

        self.run(ms, update)

    def pose(self) -> NDArray[np.float64]:
        """Return the 2×3 matrix from the common pose to the picture, for the board as it lies."""
        middle = self.grid.point(7.5, 7.5)
        scale = 0.8 if self.variant.turning else 1.0
        matrix = cv2.getRotationMatrix2D((middle[0], middle[1]), self.turn, scale)
        jitter = np.array([self.rng.gauss(0, 0.12), self.rng.gauss(0, 0.12)])
        centre = np.array(self.grid.size) / 2 - middle if self.variant.turning else 0
        matrix[:, 2] += self.shift + jitter + centre
        return np.asarray(matrix, np.float64)

    def seen_at(self, x: float, y: float) -> Point:
        """Return the pixel where a point of the board is seen now."""
        pose = self.pose()
        return np.asarray(pose[:, :2] @ self.grid.point(x, y) + pose[:, 2], np.float64)

    def _frame(self, due: float) -> None:
        variant, name = self.variant, f"{round(due):09d}.jpg"
        if self.rng.random() < variant.lost:
            self.frames.append({"t_ms": round(due), "lost": True})
            return
        if self._last is not None and self.rng.random() < variant.doubled:
            (self.out / "frames" / name).write_bytes(self._last)
            self.frames.append({"t_ms": round(due), "doubled": True})
            return
        pose = self.pose()
        image = np.asarray(
            cv2.warpAffine(self.board, pose, self.grid.size, borderValue=_BEHIND), np.uint8
        )
        width, height = self.grid.size
        hidden = np.zeros((height, width), np.uint8)
        for thing, mask in self.clutter:
            _lay_over(image, hidden, thing, mask)
        for placed in self.hands.values():
            _lay_over(image, hidden, *_warped(placed, self.grid))
        inverse = cv2.invertAffineTransform(pose)
        self.covered = self.grid.covered(hidden, np.asarray(inverse, np.float64))
        jpeg = self._exposed(image, due)
        (self.out / "frames" / name).write_bytes(jpeg)
        self._last = jpeg
        squares = [15 * int(row) + int(col) for row, col in np.argwhere(self.covered > _COVERED)]
        self.frames.append(
            {"t_ms": round(due), "covered": list(range(225)) if self.capped else squares}
        )

    def _exposed(self, image: Image, due: float) -> bytes:
        """Return the frame as the camera delivers it."""
        variant, seconds = self.variant, due / 1000 + self._phase
        height, width = image.shape[:2]
        gain = 1 + self.rng.gauss(0, 0.005)
        if variant.exposure:
            wanted = (1.22 if self.hands else 1.0) + 0.06 * math.sin(1.7 * seconds)
            self._gain += (wanted - self._gain) * min(1.0, 2.5 / variant.fps)
            gain *= self._gain
        light: NDArray[np.float32] | None = None
        if variant.shadow:
            light = _wandering_shadow(width, height, seconds)
        if variant.flicker:
            rows = np.arange(height, dtype=np.float32)[:, None] / height
            bands = 1 + 0.06 * np.sin(2 * math.pi * (1.6 * rows + 3.3 * seconds))
            light = np.asarray(bands if light is None else light * bands, np.float32)
        if light is not None:
            whole = np.broadcast_to(light, (height, width))
            image = np.asarray(cv2.multiply(image, cv2.merge([whole] * 3), dtype=cv2.CV_8U))
        if variant.focus:
            self._blur = max(0.0, math.sin(0.9 * seconds) * 2.6 - 1.2 + (0.6 if self.hands else 0))
            if self._blur > 0.15:
                sigma = self._blur * self.grid.square / 40
                image = np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)
        if self.capped:
            gain *= 0.03
        top, left = self.rng.randrange(_SLACK), self.rng.randrange(_SLACK)
        noise = self._noise[top : top + height, left : left + width]
        noisy = cv2.add(cv2.convertScaleAbs(image, alpha=gain), noise, dtype=cv2.CV_8U)
        done, jpeg = cv2.imencode(".jpg", noisy, _QUALITY)
        assert done
        return jpeg.tobytes()


def base_of(side: str, grid: Grid, x: float) -> Point:
    """Return where a side's arm comes from: the left player sits below the board."""
    width, height = grid.size
    return np.array([x, height + 150.0 if side == "left" else -150.0]).clip(
        [-width * 0.2, -150], [width * 1.2, height + 150]
    )


def _warped(placed: Placed, grid: Grid) -> tuple[Image, NDArray[np.uint8]]:
    """Return the hand in the picture's pixels, and its mask."""
    arm = placed.base - placed.tip
    arm = arm / max(float(np.linalg.norm(arm)), 1e-6)
    hand = placed.hand
    angle = math.atan2(arm[1], arm[0]) - math.atan2(hand.arm[1], hand.arm[0])
    scale = grid.square / hand.square
    turn = scale * np.array(
        [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    )
    matrix = np.column_stack([turn, placed.tip - turn @ np.array(hand.tip)])
    flags = cv2.INTER_AREA if scale < 0.7 else cv2.INTER_LINEAR
    image = cv2.warpAffine(hand.image, matrix, grid.size, flags=flags)
    mask = cv2.warpAffine(hand.alpha, matrix, grid.size)
    return np.asarray(image, np.uint8), np.asarray(mask, np.uint8)


def _lay_over(
    image: Image, hidden: NDArray[np.uint8], thing: Image, mask: NDArray[np.uint8]
) -> None:
    """Draw a thing with its soft shadow into the picture, and add it to what is hidden."""
    x, y, wide, high = cv2.boundingRect(mask)
    if not wide:
        return
    left, top = max(x - 24, 0), max(y - 24, 0)
    part = np.s_[top : y + high + 64, left : x + wide + 64]
    near = mask[part]
    rows, columns = near.shape
    small = cv2.resize(
        near, (max(columns // 4, 1), max(rows // 4, 1)), interpolation=cv2.INTER_AREA
    )
    move = np.array([[1, 0, 3], [0, 1, 4]], np.float32)
    cast = cv2.GaussianBlur(cv2.warpAffine(small, move, small.shape[::-1]), (0, 0), 4)
    dark = 1 - (_SHADE / 255) * cv2.resize(cast, (columns, rows)).astype(np.float32)
    alpha = near.astype(np.float32)[..., None] / 255
    shown = image[part] * (dark[..., None] * (1 - alpha)) + thing[part] * alpha
    image[part] = shown.astype(np.uint8)
    np.maximum(hidden, mask, out=hidden)


def _wandering_shadow(width: int, height: int, seconds: float) -> NDArray[np.float32]:
    """Return the light that is left by somebody who leans over: float32 (H, W)."""
    x, y = 48 * (0.5 + 0.6 * math.sin(0.55 * seconds)), 36 * (0.5 + 0.5 * math.cos(0.4 * seconds))
    small = np.zeros((36, 48), np.float32)
    cv2.ellipse(small, (round(x), round(y)), (16, 11), 20 * math.sin(seconds / 3), 0, 360, 1.0, -1)
    soft = cv2.resize(cv2.GaussianBlur(small, (0, 0), 2.5), (width, height))
    return np.asarray(1 - 0.45 * soft, np.float32)
