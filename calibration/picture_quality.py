"""Measures a picture of a board, and judges whether it is good enough to read, with advice.

The measures do not depend on the tiles, and mean the same at every picture size. The limits come
from drawn boards on which one measure at a time was made worse: ``python benchmarks/calibrate.py
judge`` prints how many letters are then read wrong. *Poor* is where more than one letter in a
hundred is, *fair* where it begins to be more than on a good picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from vision.light import smooth_light
from vision.premium_layout import kind_indicators
from vision.rectify import Corners, Image, homography, project, rectify
from vision.robust import RobustFit, cauchy, robust_fit, robust_sigma

_AGAIN: Final = 1.5
"""Pixels of the blur that a picture is given once more, to see how much sharper it was."""

_EDGES: Final = 97.0
"""Percentile of the gradient from which a pixel counts as on an edge."""

_FAINT: Final = 4.0
"""Grey levels a pixel; fainter edges are noise."""

_FEWEST_EDGES: Final = 200
_CLIPPED: Final = 250
"""Level of the brightest channel from which a pixel is washed out."""

_WASHED: Final = 0.3
"""Share of a square's pixels that have to be washed out for it to count."""

_PITCH: Final = 16


@dataclass(frozen=True)
class Measures:
    """A picture of a board, in figures.

    Attributes:
        pixels: of the picture along the side of the smallest square.
        blur: standard deviation of the picture's own blur, in squares. None where there is no edge
            to tell it from.
        glare: squares that a reflection washes out.
        burnt: share of the board's squares that are washed out, by whatever.
        level: of the brightest tenth of the board, 0..255.
        evenness: light in the darkest corner of the board over that in the brightest, 0..1.
    """

    pixels: float
    blur: float | None
    glare: tuple[Square, ...]
    burnt: float
    level: float
    evenness: float


def measure(image: Image, corners: Corners) -> Measures:
    """Measure a picture.

    Args:
        image: uint8 (H, W, 3) BGR.
        corners: float32 (4, 2) of the grid in it, clockwise.
    """
    pixels = smallest_square(corners)
    board = rectify(image, corners, _PITCH, 0)
    washed = washed_out(board)
    glare = washed & ~_bright_anyway(washed)
    return Measures(
        pixels=pixels,
        blur=blur_of(image, corners),
        glare=tuple(Square(int(r), int(c)) for r, c in np.argwhere(glare)),
        burnt=float(washed.mean()),
        level=float(np.percentile(board.max(axis=2), 90)),
        evenness=evenness(board),
    )


def smallest_square(corners: Corners) -> float:
    """Return the pixels along the shortest side of any square of the grid."""
    matrix = homography(corners)
    grid = np.array([[x, y] for y in range(SIZE + 1) for x in range(SIZE + 1)], np.float64)
    at = project(matrix, grid).reshape(SIZE + 1, SIZE + 1, 2)
    across = np.linalg.norm(np.diff(at, axis=1), axis=2)
    down = np.linalg.norm(np.diff(at, axis=0), axis=2)
    return float(min(across.min(), down.min()))


def blur_of(image: Image, corners: Corners) -> float | None:
    """Return the standard deviation of the blur at the sharpest edges of the board, in squares.

    A picture that is blurred once more loses the more at an edge the sharper it was (Zhuo and Sim,
    "Defocus map estimation from a single image", 2011): for an edge of blur ``s`` and a second one
    of ``a``, the gradient falls from 1/s to 1/√(s² + a²). In the picture's own pixels, so that no
    resampling adds to it.
    """
    low = np.maximum(np.floor(corners.min(axis=0)), 0).astype(int)
    high = np.ceil(corners.max(axis=0)).astype(int) + 1
    part = image[low[1] : high[1], low[0] : high[0]]
    if part.size == 0:
        return None
    grey = cv2.cvtColor(part, cv2.COLOR_BGR2GRAY).astype(np.float32)
    zone = np.zeros(grey.shape, np.uint8)
    cv2.fillConvexPoly(zone, np.round(corners - low).astype(np.int32), 1)
    # A hair of smoothing first, taken off again below: the sensor's noise has sharp edges too.
    first = cv2.GaussianBlur(grey, (0, 0), 0.8)
    second = cv2.GaussianBlur(first, (0, 0), _AGAIN)
    before = _gradient(np.asarray(first, np.float32))
    after = _gradient(np.asarray(second, np.float32))
    inside = before[zone > 0]
    if inside.size == 0:
        return None
    on_edge = (zone > 0) & (before >= max(_FAINT, float(np.percentile(inside, _EDGES))))
    # Only the crests: on an edge's flank the ratio says where, not how sharp.
    on_edge &= before >= cv2.dilate(before, np.ones((3, 3), np.uint8)) - 1e-3
    if on_edge.sum() < _FEWEST_EDGES / 10:
        return None
    ratio = np.clip(after[on_edge] / before[on_edge], 0.05, 0.999)
    sigma = _AGAIN * ratio / np.sqrt(1 - ratio**2)
    total = float(np.median(sigma))
    return float(np.sqrt(max(total**2 - 0.8**2, 0.0))) / smallest_square(corners)


def _gradient(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    x = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    y = cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    return np.asarray(cv2.magnitude(x, y), np.float32)


def washed_out(board: Image) -> NDArray[np.bool_]:
    """Return the squares washed out to white: bool (15, 15). ``board``: 16 pixels a square."""
    clipped = (board.min(axis=2) >= _CLIPPED).reshape(SIZE, _PITCH, SIZE, _PITCH)
    return np.asarray(clipped.mean(axis=(1, 3)) > _WASHED)


def _bright_anyway(washed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the washed-out squares that are no reflection, because the whole board is."""
    return np.full_like(washed, washed.mean() > 0.5)


def evenness(board: Image) -> float:
    """Return the ratio of the darkest to the brightest light on the board, by a smooth fit: 0..1.

    In linear light (sRGB). Each kind of premium square has a colour of its own in the fit, and
    outliers such as tiles lose their weight: neither must pass for a shadow.
    """
    linear = (board.astype(np.float32) / 255) ** 2.2
    light = linear.mean(axis=2).reshape(SIZE, _PITCH, SIZE, _PITCH)
    level = np.log(np.median(light, axis=(1, 3)).ravel() + 1e-3)
    rows, cols = (axis.ravel() for axis in np.indices((SIZE, SIZE)))
    light_only = smooth_light(rows, cols)
    model = np.column_stack([light_only, kind_indicators(rows, cols)])

    def reweight(fit: RobustFit) -> NDArray[np.float64]:
        return cauchy(fit.residual / (robust_sigma(fit.residual) + 0.03))[:, 0]

    fit = robust_fit(model, level[:, None], np.ones(SIZE * SIZE), reweight, rounds=12)
    shade = light_only @ fit.coefficients[: light_only.shape[1]]
    return float(np.exp(np.percentile(shade, 1) - np.percentile(shade, 99)))


Grade = Literal["good", "fair", "poor"]

GRADES: Final[tuple[Grade, ...]] = ("good", "fair", "poor")

BLUR: Final = (0.04, 0.05)
"""Squares of blur from which focus is fair, and poor."""

PIXELS: Final = (35.0, 26.0)
"""Pixels a square below which the picture is fair, and poor."""

EVENNESS: Final = (0.3, 0.15)
"""The darkest corner's share of the brightest one's light, likewise."""

DARK: Final = (70.0, 50.0)
"""Level of the brightest tenth of the board, of 255, likewise."""

BURNT: Final = (0.004, 0.03)
"""Share of the board that is washed out to white, from which it is fair, and poor."""

_NAMED: Final = 6


@dataclass(frozen=True)
class Judgement:
    """One thing judged: its name, the grade, the figure, and what to do about it ("" if good)."""

    name: str
    grade: Grade
    says: str
    advice: str = ""


def judge(seen: Measures) -> tuple[Judgement, ...]:
    """Judge focus, size, evenness, brightness and glare of a picture, each with advice."""
    return (_focus(seen), _size(seen), _evenness(seen), _brightness(seen), _glare(seen))


def worst(judgements: tuple[Judgement, ...]) -> Grade:
    """Return the worst of several grades."""
    return max((one.grade for one in judgements), key=GRADES.index, default="good")


def _focus(seen: Measures) -> Judgement:
    if seen.blur is None:
        return Judgement(
            "focus", "poor", "no sharp line in the picture",
            "Focus on the board; see that the lens is clean and uncovered.",
        )  # fmt: skip
    grade = _above(seen.blur, BLUR)
    advice = {
        "good": "",
        "fair": "Turn the lens's ring a little either way, and see whether this figure falls.",
        "poor": "Letters are too soft to tell apart. Focus on the board, not on what is before it;"
        " wipe the lens.",
    }[grade]
    return Judgement("focus", grade, f"edges are {seen.blur:.3f} of a square soft", advice)


def _size(seen: Measures) -> Judgement:
    grade = _below(seen.pixels, PIXELS)
    advice = {
        "good": "",
        "fair": "40 pixels a square or more read best: bring the camera nearer, or set a larger"
        " picture in the configuration.",
        "poor": "Too small to tell letters apart. Bring the camera nearer, set a larger picture,"
        " or see that the board fills it.",
    }[grade]
    return Judgement("size", grade, f"{seen.pixels:.0f} pixels a square", advice)


def _evenness(seen: Measures) -> Judgement:
    grade = _below(seen.evenness, EVENNESS)
    advice = {
        "good": "",
        "fair": "Turn the lamp away from the near corner, or add a second one opposite.",
        "poor": "One side of the board is in the dark. Light it from two sides, from farther off.",
    }[grade]
    says = f"the darkest corner has {seen.evenness:.0%} of the light of the brightest"
    return Judgement("evenness", grade, says, advice)


def _brightness(seen: Measures) -> Judgement:
    says = f"the bright parts of the board are at {seen.level:.0f} of 255"
    if seen.burnt > 0.5:
        return Judgement(
            "brightness", "poor", f"{seen.burnt:.0%} of the board is washed out to white",
            "Far too bright: shorten the exposure, lower the gain, or dim the lamp.",
        )  # fmt: skip
    grade = _below(seen.level, DARK)
    advice = {
        "good": "",
        "fair": "More light reads better: a brighter lamp or a longer exposure.",
        "poor": "Too dark: noise hides the letters. Add a lamp or lengthen the exposure.",
    }[grade]
    return Judgement("brightness", grade, says, advice)


def _glare(seen: Measures) -> Judgement:
    if not seen.glare or seen.burnt > 0.5:
        return Judgement("glare", "good", "no square is washed out")
    grade = _above(seen.burnt, BURNT)
    names = ", ".join(square.name for square in seen.glare[:_NAMED])
    more = f" and {len(seen.glare) - _NAMED} more" if len(seen.glare) > _NAMED else ""
    if grade == "good":
        grade = "fair"
    return Judgement(
        "glare",
        grade,
        f"a reflection hides {names}{more}",
        "Move the lamp or the window's light to the side until it is gone; a sheet of white paper"
        " before the lamp helps. Polished tiles will shine in the same place.",
    )


def _above(value: float, limits: tuple[float, float]) -> Grade:
    return "poor" if value >= limits[1] else "fair" if value >= limits[0] else "good"


def _below(value: float, limits: tuple[float, float]) -> Grade:
    return "poor" if value < limits[1] else "fair" if value < limits[0] else "good"
