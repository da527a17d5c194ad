"""Hands: cut out of photographs of one table with and without hands, or drawn.

A folder of photographs by one camera that hardly moves shows the same table with hands at various
places. The pixelwise median of the aligned pictures is the table without hands. What differs from
it and is skin, or dark cloth joined to skin, is a hand with its sleeve; its shadow is left out.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.film.variants import MotionError
from vision.rectify import Image

_WIDTH: Final = 960
"""Width in pixels at which photographs are compared."""
_PALM_SQUARES: Final = 3.4
"""Breadth of a palm in squares: some 7 cm, where a square measures 2 cm."""
_CANVAS: Final = 1000
"""Side in pixels of a cut, with the arm continued to its lower edge."""
_ABOVE: Final = 60
"""Pixels of a cut above the fingertips."""
_SMALLEST: Final = 2500
"""Pixels of skin that make a hand."""
_FEWEST: Final = 30
"""Matched points by which one picture is moved onto another."""
_LARGEST_HOLE: Final = 1500
"""Pixels of a hole that is filled: light cloth, or a ring."""


@dataclass(frozen=True)
class Hand:
    """A hand with its arm.

    Attributes:
        image: uint8 (H, W, 3) BGR.
        alpha: uint8 (H, W), 255 where the hand is.
        tip: x, y of the fingertips in pixels.
        arm: unit vector from the fingertips along the arm.
        square: pixels of the image to a square of the board.
    """

    image: Image
    alpha: NDArray[np.uint8]
    tip: tuple[float, float]
    arm: tuple[float, float]
    square: float

    def mirrored(self) -> Hand:
        """Return the other hand."""
        width = self.image.shape[1]
        return Hand(
            np.ascontiguousarray(self.image[:, ::-1]),
            np.ascontiguousarray(self.alpha[:, ::-1]),
            (width - 1 - self.tip[0], self.tip[1]),
            (-self.arm[0], self.arm[1]),
            self.square,
        )

    def toned(self, gains: tuple[float, float, float]) -> Hand:
        """Return the hand with its blue, green and red multiplied."""
        image = np.clip(self.image * np.array(gains, np.float32), 0, 255).astype(np.uint8)
        return Hand(image, self.alpha, self.tip, self.arm, self.square)


def cut_hands(folder: Path) -> list[Hand]:
    """Return the hands in a folder of photographs.

    Raises:
        MotionError: too few photographs, or no whole hand in them.
    """
    paths = sorted(folder.glob("*.jpg")) + sorted(folder.glob("*.png"))
    read = [image for path in paths if (image := cv2.imread(str(path))) is not None]
    pictures = [_small(np.asarray(image, np.uint8)) for image in read]
    if len(pictures) < 3 or len({picture.shape for picture in pictures}) > 1:
        raise MotionError(f"{folder}: hands are cut from 3 or more photographs of one size")
    aligned = [_aligned(picture, pictures[0]) for picture in pictures]
    table = np.median(np.stack(aligned), axis=0).astype(np.uint8)
    cut = (_cut(picture, table) for picture in aligned)
    hands = [hand for hand in cut if hand is not None]
    if not hands:
        raise MotionError(f"{folder}: no whole hand was found in these photographs")
    return hands


def drawn_hand(rng: random.Random) -> Hand:
    """Return a hand drawn as four fingers, a palm and a sleeve."""
    side, square = 900, 40.0
    mask, cloth = np.zeros((side, side), np.uint8), np.zeros((side, side), np.uint8)
    middle, top = side // 2, 60
    for at in (-1.5, -0.5, 0.5, 1.5):
        tip = (int(middle + at * 0.33 * square), int(top + abs(at) * 12))
        root = (int(middle + at * 0.9 * square), int(top + 2.2 * square))
        cv2.line(mask, root, tip, 255, int(0.8 * square), cv2.LINE_AA)
    cv2.circle(mask, (middle, int(top + 3 * square)), int(1.9 * square), 255, -1, cv2.LINE_AA)
    wrist = (middle, int(top + 4.5 * square))
    cv2.line(cloth, wrist, (middle + rng.randrange(-60, 60), side), 255, int(3 * square))
    distance = cv2.distanceTransform(cv2.bitwise_or(mask, cloth), cv2.DIST_L2, 3)
    shade = (0.65 + 0.35 * np.clip(distance / square, 0, 1))[..., None]
    skin = np.array([rng.randrange(110, 170), rng.randrange(140, 190), rng.randrange(185, 235)])
    sleeve = np.array([rng.randrange(20, 180) for _ in range(3)])
    texture = np.random.default_rng(rng.randrange(1 << 30)).normal(0, 8, (side, side, 1))
    colour = np.where(cloth[..., None] > 0, sleeve, skin) * shade
    image = np.clip(colour + texture, 0, 255).astype(np.uint8)
    alpha = np.asarray(cv2.bitwise_or(mask, cloth), np.uint8)
    return Hand(np.asarray(image, np.uint8), alpha, (middle, top - 12), (0.0, 1.0), square)


def _small(image: Image) -> Image:
    height = round(image.shape[0] * _WIDTH / image.shape[1])
    return np.asarray(cv2.resize(image, (_WIDTH, height), interpolation=cv2.INTER_AREA), np.uint8)


def _aligned(picture: Image, first: Image) -> Image:
    """Return the picture moved onto the first; a camera on a stand moves by some pixels."""
    orb = cv2.ORB.create(1500)
    points, marks = orb.detectAndCompute(picture, np.full(picture.shape[:2], 255, np.uint8))
    onto, others = orb.detectAndCompute(first, np.full(first.shape[:2], 255, np.uint8))
    if not len(points) or not len(onto):
        return picture
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(marks, others)
    here = np.array([points[pair.queryIdx].pt for pair in pairs], np.float32)
    there = np.array([onto[pair.trainIdx].pt for pair in pairs], np.float32)
    if len(here) < _FEWEST:
        return picture
    move, _ = cv2.estimateAffinePartial2D(here, there, ransacReprojThreshold=2)
    size = (picture.shape[1], picture.shape[0])
    moved = cv2.warpAffine(picture, move, size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def _cut(picture: Image, table: Image) -> Hand | None:
    """Return the hand in an aligned picture, if there is a whole one that comes in from a side."""
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB).astype(np.float32)
    empty = cv2.cvtColor(table, cv2.COLOR_BGR2LAB).astype(np.float32)
    apart = np.abs(cv2.GaussianBlur(lab, (0, 0), 2) - cv2.GaussianBlur(empty, (0, 0), 2))
    differs = apart @ np.array([0.5, 2, 1.5], np.float32) > 30
    grey = (np.abs(lab[..., 1] - 128) < 9) & (np.abs(lab[..., 2] - 128) < 12)
    skin = differs & (lab[..., 1] > empty[..., 1] + 7) & (lab[..., 1] > 136)
    cloth = differs & grey & (lab[..., 0] < 85)
    if np.count_nonzero(skin) < _SMALLEST:
        return None
    seen = _opened(skin | cloth, 5)
    labels = np.full(picture.shape[:2], cv2.GC_BGD, np.uint8)
    labels[cv2.dilate(seen, np.ones((9, 9))) > 0] = cv2.GC_PR_BGD
    labels[seen > 0] = cv2.GC_PR_FGD
    labels[cv2.erode(seen, np.ones((7, 7))) > 0] = cv2.GC_FGD
    if not (labels == cv2.GC_FGD).any():
        return None
    cv2.grabCut(
        picture, labels, None, np.zeros((1, 65)), np.zeros((1, 65)), 3, cv2.GC_INIT_WITH_MASK
    )  # type: ignore[call-overload]
    mask = _filled(_largest(_opened((labels == cv2.GC_FGD) | (labels == cv2.GC_PR_FGD), 5)))
    hand = _largest(_opened(skin & (mask > 0), 5))
    area = int(np.count_nonzero(hand))
    if area < _SMALLEST or _at_edge(hand) > 0.6 * area**0.5 or _at_edge(mask) < 20:
        return None
    return _as_hand(picture, mask, hand)


def _as_hand(picture: Image, mask: NDArray[np.uint8], hand: NDArray[np.uint8]) -> Hand | None:
    """Return the cut with its arm pointing down, continued where the photograph ends."""
    ys, xs = np.nonzero(hand)
    points = np.column_stack([xs, ys]).astype(float)
    away, others = points.mean(axis=0), np.column_stack(np.nonzero(mask & ~hand & 1)[::-1])
    if len(others) < _SMALLEST // 4:
        return None
    arm = others[np.argsort(np.hypot(*(others - away).T))[: len(points)]].mean(axis=0) - away
    arm /= np.linalg.norm(arm)
    along = (points - away) @ arm
    tip = points[np.argsort(along)[: max(len(points) // 80, 1)]].mean(axis=0)
    length = float(np.percentile(along, 97) - along.min())
    place = np.array([_CANVAS / 2, _ABOVE])
    turn = np.array([[arm[1], -arm[0]], [arm[0], arm[1]]])
    move = np.column_stack([turn, place - turn @ tip])
    size = (_CANVAS, _CANVAS)
    image = cv2.warpAffine(picture, move, size, borderMode=cv2.BORDER_REPLICATE)
    alpha = cv2.warpAffine(mask * np.uint8(255), move, size)
    inside = cv2.erode(np.ones_like(mask), np.ones((5, 5)), borderValue=0)
    outside = cv2.warpAffine(inside, move, size) == 0
    cut_off = np.flatnonzero(
        ((alpha > 0) & cv2.dilate(outside.astype(np.uint8), np.ones((5, 5))).astype(bool)).any(
            axis=1
        )
    )
    last = int(min(cut_off.min() if len(cut_off) else _CANVAS, _ABOVE + 1.8 * length)) - 6
    if last < _ABOVE + 0.6 * length:
        return None
    image[last:], alpha[last:] = image[last - 1], alpha[last - 1]
    alpha = cv2.GaussianBlur(alpha, (0, 0), 1.0)
    return Hand(
        np.asarray(image, np.uint8),
        np.asarray(alpha, np.uint8),
        (float(place[0]), float(place[1])),
        (0.0, 1.0),
        2 * float(cv2.distanceTransform(hand, cv2.DIST_L2, 5).max()) / _PALM_SQUARES,
    )


def _filled(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the mask with small holes filled."""
    holes, labels, stats, _ = cv2.connectedComponentsWithStats(1 - mask)
    small = [at for at in range(1, holes) if stats[at, cv2.CC_STAT_AREA] < _LARGEST_HOLE]
    return np.asarray(mask | np.isin(labels, small), np.uint8)


def _opened(mask: NDArray[np.bool_], size: int) -> NDArray[np.uint8]:
    kernel = np.ones((size, size), np.uint8)
    opened = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, kernel)
    return np.asarray(cv2.morphologyEx(opened, cv2.MORPH_CLOSE, kernel), np.uint8)


def _largest(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    if count < 2:
        return np.zeros_like(mask)
    return np.asarray(labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])), np.uint8)


def _at_edge(mask: NDArray[np.uint8]) -> int:
    """Return how many pixels of the picture's edge it takes up."""
    edges = (mask[:3].max(0), mask[-3:].max(0), mask[:, :3].max(1), mask[:, -3:].max(1))
    return sum(int(np.count_nonzero(edge)) for edge in edges)
