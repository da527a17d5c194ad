"""Materials, from wood to squared cloth, as small brightness fields, and how they are applied."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.spec import Color, Float, Image, Surface


def smooth_noise(rng: np.random.Generator, shape: tuple[int, int], cells: tuple[int, int]) -> Float:
    """Noise in -1..1 with about ``cells`` (down, across) bumps over ``shape`` (H, W)."""
    coarse = rng.uniform(-1, 1, (max(2, cells[0]), max(2, cells[1]))).astype(np.float32)
    return np.asarray(
        cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), np.float32
    )


@lru_cache(maxsize=24)
def grain(texture: str, seed: int, side: int = 384) -> Float:
    """A texture's brightness, about -1..1, float32 (side, side)."""
    field = _GRAINS[texture](np.random.default_rng((seed, 77)), side)
    return np.asarray(field, np.float32)


def _plain(_rng: np.random.Generator, side: int) -> Float:
    return np.zeros((side, side), np.float32)


def _speckle(rng: np.random.Generator, side: int) -> Float:
    fine = rng.standard_normal((side, side)).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(fine, (0, 0), 0.8) * 1.2, np.float32)


def _wood(rng: np.random.Generator, side: int) -> Float:
    shape = (side, side)
    y = np.linspace(0, 1, side, dtype=np.float32)[:, None]
    warp = smooth_noise(rng, shape, (4, 2)) * 0.08 + smooth_noise(rng, shape, (12, 3)) * 0.02
    rings = np.sin((y + warp) * float(rng.uniform(20, 90)))
    fibre = smooth_noise(rng, shape, (side // 2, 6)) * 0.7
    return np.asarray(rings * 0.5 + fibre + smooth_noise(rng, shape, (5, 3)) * 0.5)


def _planks(rng: np.random.Generator, side: int) -> Float:
    field = _wood(rng, side)
    width = side // int(rng.integers(3, 7))
    for start in range(0, side, width):
        field[start : start + width] += rng.uniform(-0.5, 0.5)
        field[start : start + 2] = -1.5
    return field


def _marble(rng: np.random.Generator, side: int) -> Float:
    field = np.zeros((side, side), np.float32)
    for k in range(2, 7):
        field += smooth_noise(rng, (side, side), (2**k, 2**k)) / np.float32(1.6**k)
    return np.asarray(np.sin(field * 5) * 0.8)


def _linen(rng: np.random.Generator, side: int) -> Float:
    across = rng.standard_normal((1, side)).astype(np.float32)
    down = rng.standard_normal((side, 1)).astype(np.float32)
    weave = rng.standard_normal((side, side)) * 0.25
    return np.asarray(across * 0.4 + down * 0.4 + weave, np.float32)


def _checks(rng: np.random.Generator, side: int) -> Float:
    return np.asarray(_cells(rng, side).sum(axis=0) % 2 * 2 - 1, np.float32)


def _stripes(rng: np.random.Generator, side: int) -> Float:
    return np.asarray(_cells(rng, side)[0] % 2 * 2 - 1, np.float32)


def _cells(rng: np.random.Generator, side: int) -> NDArray[np.int_]:
    return np.indices((side, side)) * int(rng.integers(6, 60)) // side


def _weave(rng: np.random.Generator, side: int) -> Float:
    waves = np.sin(np.linspace(0, 2 * np.pi * int(rng.integers(20, 100)), side))
    return np.asarray(np.outer(waves, waves), np.float32)


def _terrazzo(rng: np.random.Generator, side: int) -> Float:
    field = np.zeros((side, side), np.float32)
    for x, y, radius, tone in rng.random((200, 4)):
        at = (round(x * side), round(y * side))
        cv2.circle(field, at, round(1 + 5 * radius), 2 * tone - 1, -1, cv2.LINE_AA)
    return field


def _carpet(rng: np.random.Generator, side: int) -> Float:
    shape = (side, side)
    tufts = cv2.GaussianBlur(rng.standard_normal(shape).astype(np.float32), (0, 0), 1.4) * 2
    return np.asarray(tufts + smooth_noise(rng, shape, (6, 6)) * 0.4, np.float32)


_GRAINS: Final[Mapping[str, Callable[[np.random.Generator, int], Float]]] = {
    "plain": _plain,
    "speckle": _speckle,
    "wood": _wood,
    "planks": _planks,
    "marble": _marble,
    "linen": _linen,
    "checks": _checks,
    "stripes": _stripes,
    "weave": _weave,
    "terrazzo": _terrazzo,
    "carpet": _carpet,
}
"""The brightness field of each texture, by a random generator and its side in pixels."""


def fill_polygon(image: Image, points: NDArray[np.floating], color: Color | float) -> None:
    """Fill a polygon (N, 2), in pixels and fractions of them, in place."""
    corners = [np.round(points * 16).astype(np.int32)]
    cv2.fillPoly(image, corners, color, cv2.LINE_AA, shift=4)


def darken(image: Image, mask: NDArray[np.uint8], share: float) -> None:
    """Take a share of the light away where ``mask`` (H, W) is 255, in place: a shadow."""
    shaded = cv2.LUT(mask, (255 - np.arange(256) * share).astype(np.uint8))
    cv2.multiply(image, cv2.merge([shaded] * 3), dst=image, scale=1 / 255)


def ink(part: Image, mask: NDArray[np.uint8], color: Color) -> None:
    """Print ``color`` through a mask of at least the size of ``part``, 255 where it covers."""
    cover = mask[: part.shape[0], : part.shape[1], None].astype(np.float32) / 255
    part[:] = (part * (1 - cover) + np.array(color, np.float32) * cover).astype(np.uint8)


def fill(surface: Surface, seed: int, shape: tuple[int, int], period: float) -> Image:
    """A sheet of material, uint8 (H, W, 3) BGR; its grain repeats every ``period`` pixels."""
    height, width = shape
    color = np.array(surface.color, np.float32)
    if surface.texture == "plain" or surface.strength <= 0:
        return np.broadcast_to(color.clip(0, 255).astype(np.uint8), (height, width, 3)).copy()
    field = grain(surface.texture, seed)
    side = max(16, round(period))
    tile = cv2.resize(
        field, (side, side), interpolation=cv2.INTER_AREA if side < 384 else cv2.INTER_LINEAR
    )
    mirrored = np.block([[tile, tile[:, ::-1]], [tile[::-1], tile[::-1, ::-1]]])
    down, across = -(-height // (2 * side)), -(-width // (2 * side))
    level = np.tile(mirrored, (down, across))[:height, :width] * surface.strength
    if surface.second is not None:
        mix = (level / (2 * surface.strength) + 0.5).clip(0, 1)[..., None]
        out = color * (1 - mix) + np.array(surface.second, np.float32) * mix
    else:
        out = color * (1 + level[..., None])
    return np.asarray(out.clip(0, 255), np.uint8)
