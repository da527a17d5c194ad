"""The same photograph under worse conditions, with its truth carried along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Corners = NDArray[np.float32]
Damage = Callable[[Image, Corners], tuple[Image, Corners]]


def _u8(picture: object) -> Image:
    return np.asarray(np.clip(np.asarray(picture), 0, 255), np.uint8)


def _top_square(corners: Corners) -> float:
    """Return the mean pixels of a square along the board's top side."""
    return float(np.linalg.norm(corners[1] - corners[0])) / 15


def _turned(degrees: float) -> Damage:
    def damage(image: Image, corners: Corners) -> tuple[Image, Corners]:
        height, width = image.shape[:2]
        matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), -degrees, 1.0)
        spots = corners @ matrix[:, :2].T + matrix[:, 2]
        # The page grows by what the grid needs, and by a square of table around it.
        slack = _top_square(corners)
        low = np.minimum(spots.min(axis=0) - slack, 0)
        high = np.maximum(spots.max(axis=0) + slack, (width, height))
        matrix[:, 2] -= low
        size = tuple(int(v) for v in np.ceil(high - low))
        page = cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        return _u8(page), (spots - low).astype(np.float32)

    return damage


def _colored(blue: float, green: float, red: float) -> Damage:
    def damage(image: Image, corners: Corners) -> tuple[Image, Corners]:
        return _u8(image * np.array([blue, green, red], np.float32)), corners

    return damage


def _half_shadow(image: Image, corners: Corners) -> tuple[Image, Corners]:
    middle, edge = corners.mean(axis=0), corners[1] - corners[0]
    rows, cols = np.indices(image.shape[:2], np.float32)
    side = (cols - middle[0]) * edge[0] + (rows - middle[1]) * edge[1]
    soft = 1 / (1 + np.exp(np.clip(-side / (float(edge @ edge) * 0.01), -30, 30)))
    return _u8(image * (1 - 0.6 * soft)[..., None]), corners


def _glare(image: Image, corners: Corners) -> tuple[Image, Corners]:
    spot = corners[0] * 0.4 + corners[2] * 0.6
    reach = _top_square(corners) * 1.3
    rows, cols = np.indices(image.shape[:2], np.float32)
    away = (cols - spot[0]) ** 2 + (rows - spot[1]) ** 2
    light = 160 * np.exp(-away / (2 * reach**2))
    return _u8(image + light[..., None]), corners


def _blurred(image: Image, corners: Corners) -> tuple[Image, Corners]:
    square = _top_square(corners)
    return _u8(cv2.GaussianBlur(image, (0, 0), 0.035 * square)), corners


def _noisy(image: Image, corners: Corners) -> tuple[Image, Corners]:
    grain = np.random.default_rng(1).normal(0, 14, image.shape)
    return _u8(image + grain), corners


def _jpeg(image: Image, corners: Corners) -> tuple[Image, Corners]:
    _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 30])
    return _u8(cv2.imdecode(code, cv2.IMREAD_COLOR)), corners


def _hand(image: Image, corners: Corners) -> tuple[Image, Corners]:
    """An arm from outside to the middle of one side: 2 to 3 squares wide."""
    square = _top_square(corners)
    outer = corners[2] + (corners[2] - corners[0]) * 0.4
    tip = corners[0] * 0.35 + corners[2] * 0.65
    page = image.copy()
    start, end = (tuple(int(v) for v in p) for p in (outer, tip))
    cv2.line(page, start, end, (125, 160, 205), max(1, round(2.2 * square)), cv2.LINE_AA)
    return page, corners


def _bumped(image: Image, corners: Corners) -> tuple[Image, Corners]:
    shift = np.array([[1, 0, 12], [0, 1, -12]], np.float64)
    size = (image.shape[1], image.shape[0])
    page = cv2.warpAffine(image, shift, size, borderMode=cv2.BORDER_REPLICATE)
    return _u8(page), corners + np.array([12, -12], np.float32)


DAMAGES: Final[dict[str, Damage]] = {
    **{f"turned {angle}°": _turned(angle) for angle in range(15, 360, 15)},
    "warm light": _colored(0.62, 0.9, 1.1),
    "cold light": _colored(1.15, 0.98, 0.75),
    "dim": _colored(0.35, 0.35, 0.35),
    "bright": _colored(1.35, 1.35, 1.35),
    "half shadow": _half_shadow,
    "glare": _glare,
    "blur": _blurred,
    "noise": _noisy,
    "JPEG 30": _jpeg,
    "hand": _hand,
    "bump of 12 px": _bumped,
}
"""The damages of ``python -m table.evaluate --stress``, by name."""
