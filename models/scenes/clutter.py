"""The table and the things on it: cloths, turntables, papers, racks, pens, hands."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.board import sheet
from models.scenes.spec import Color, Hand, Image, SceneSpec, Surface
from models.scenes.texture import darken, fill, fill_polygon
from models.scenes.view import View

_TABLE_SCALE: Final = 16.0
_TABLE_REACH: Final = 25.0
Mask = NDArray[np.uint8]


def table(spec: SceneSpec, view: View, level: float) -> Image:
    """The bare table, at height ``level``, filling the picture."""
    side = round((15 + 2 * _TABLE_REACH) * _TABLE_SCALE)
    top = fill(spec.clutter.table, spec.seed + 11, (side, side), side * 0.55)
    matrix = view.plane(level) @ sheet(_TABLE_SCALE, 1.0, _TABLE_REACH, _TABLE_REACH)
    size = (spec.camera.width, spec.camera.height)
    return np.asarray(
        cv2.warpPerspective(top, matrix, size, borderMode=cv2.BORDER_REFLECT_101), np.uint8
    )


def shade(image: Image, polygon: NDArray[np.float64], share: float, blur: float) -> None:
    """Takes a share of the light away inside a polygon (pixels), softly: something's shadow."""
    small = 4
    height, width = image.shape[:2]
    mask = np.zeros((height // small + 1, width // small + 1), np.uint8)
    cv2.fillPoly(mask, [np.round(polygon / small * 16).astype(np.int32)], 255, shift=4)
    mask = cv2.GaussianBlur(mask, (0, 0), max(0.5, blur / small))
    level = cv2.resize(mask, (width, height), interpolation=cv2.INTER_LINEAR)
    darken(image, np.asarray(level, np.uint8), share)


def blend(part: Image, skin: Image, mask: Mask) -> None:
    """Puts ``skin`` over ``part`` where ``mask`` is set, in place."""
    cover = cv2.merge([mask] * 3)
    front = cv2.multiply(skin, cover, scale=1 / 255)
    behind = cv2.multiply(part, 255 - cover, scale=1 / 255)
    cv2.add(front, behind, dst=part)


def fill_seen(image: Image, points: NDArray[np.float64], color: Color) -> None:
    """Fill a polygon of pixels unless it is seen too much from its side to be one."""
    if np.isfinite(points).all() and np.abs(points).max() < 30000:
        fill_polygon(image, points, color)


def add_hand(image: Image, view: View, hand: Hand, light: tuple[float, float]) -> Mask:
    """Draws a hand with its sleeve and shadow; returns what it hides, uint8 (H, W)."""
    skin, sleeve = _hand_masks(image.shape[:2], view, hand)
    whole = cv2.max(skin, sleeve)
    matrix = np.array([[1, 0, light[0]], [0, 1, light[1]]], np.float64)
    reach = float(np.hypot(*light)) + 4
    small = cv2.resize(whole, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    matrix[:, 2] /= 4
    cast = cv2.warpAffine(small, matrix, (small.shape[1], small.shape[0]))
    cast = cv2.GaussianBlur(cast, (0, 0), max(0.6, reach / 12))
    cast = cv2.resize(cast, (image.shape[1], image.shape[0]), interpolation=cv2.INTER_LINEAR)
    darken(image, np.asarray(cast, np.uint8), 0.45)
    for mask, surface in (
        (sleeve, Surface(hand.sleeve, "linen", 0.12)),
        (skin, Surface(hand.skin, "speckle", 0.03)),
    ):
        if not mask.any():
            continue
        x, y, wide, tall = cv2.boundingRect(mask)
        part = mask[y : y + tall, x : x + wide]
        depth = cv2.distanceTransform((part > 127).astype(np.uint8), cv2.DIST_L2, 3)
        round_off = np.clip(depth / (0.35 * max(1.0, float(depth.max()))), 0, 1)
        tone = (0.62 + 0.42 * np.sqrt(round_off))[..., None].astype(np.float32)
        page = fill(surface, hand.seed, (tall, wide), 300.0)
        body = (page * tone).clip(0, 255).astype(np.uint8)
        blend(image[y : y + tall, x : x + wide], body, part)
    return np.asarray(whole, np.uint8)


def _hand_masks(shape: tuple[int, int], view: View, hand: Hand) -> tuple[Mask, Mask]:
    rng = np.random.default_rng((hand.seed, 9))
    start, tip = np.array(hand.start), np.array(hand.reach)
    length = float(np.linalg.norm(tip - start)) or 1.0
    along = (tip - start) / length
    side = np.array([-along[1], along[0]])
    size = hand.size
    palm = tip - along * 2.6 * size
    wrist = palm - along * 1.9 * size

    def capsule(mask: Mask, a: NDArray[np.float64], b: NDArray[np.float64], wide: float) -> None:
        ends = view.points(np.stack([a, b, a + side * wide]), hand.height)
        if not np.isfinite(ends).all() or np.abs(ends).max() > 20000:
            return
        thick = max(1, round(float(np.linalg.norm(ends[2] - ends[0]))))
        p, q = (tuple(int(v) for v in np.round(e)) for e in ends[:2])
        cv2.line(mask, p, q, 255, thick, cv2.LINE_AA)

    skin: Mask = np.zeros(shape, np.uint8)
    sleeve: Mask = np.zeros(shape, np.uint8)
    capsule(skin, palm - along * 0.4 * size, palm + along * 0.4 * size, 3.0 * size)
    for k, reach in enumerate((0.1, 0.45, 0.55, 0.3)):
        spread = (k - 1.5) * 0.75
        knuckle = palm + side * spread * size + along * 0.9 * size
        bend = rng.uniform(0.55, 1.0)
        end = knuckle + (along * (1.25 + reach) * bend + side * spread * 0.12) * size
        capsule(skin, palm + side * spread * size * 0.8, end, rng.uniform(0.68, 0.8) * size)
    sign = 1 if rng.random() < 0.5 else -1
    thumb = palm + side * sign * 1.3 * size
    capsule(skin, thumb, thumb + (along * 1.2 + side * sign * 0.7) * size, 0.85 * size)
    capsule(skin, palm, wrist, 2.1 * size)
    cuff = wrist - along * rng.uniform(0.0, 2.5) * size
    capsule(skin, wrist, cuff, 2.0 * size)
    capsule(sleeve, cuff - along * 1.0 * size, start, 3.0 * size)
    return skin, sleeve
