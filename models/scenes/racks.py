"""Pictures of one rack with its tiles, as a camera in front of it sees them, with their truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.lighting import expose, glare
from models.scenes.lighting import field as light_field
from models.scenes.spec import Color, Image, Light, Rng, Sensor, Surface, TileStyle
from models.scenes.texture import fill
from models.scenes.tiles import Lay, TilePainter
from models.scenes.view import Camera, View

_WIDE = 15
"""The sheet of tiles in units; a rack's tiles lie along its middle."""


@dataclass(frozen=True)
class RackSpec:
    """A rack, its camera and its light. A unit is a square of the board, a little over a tile."""

    seed: int
    tiles: TileStyle
    rack: Surface = field(default_factory=lambda: Surface((80, 130, 175), "wood", 0.2))
    table: Surface = field(default_factory=lambda: Surface((60, 80, 60), "linen", 0.2))
    length: float = 8.6
    """The rack's length in units."""
    lip: float = 0.12
    """How much of a tile's foot the rack's front edge hides."""
    back: float = 1.25
    """The height of the rack's back, from the tiles' foot."""
    ends: float = 0.0
    """The darkness of the lines at the rack's ends, 0..1; they look like an I."""
    unit: float = 60.0
    """Pixels."""
    slant: float = 0.0
    """Degrees clockwise by which the row is turned in the picture."""
    keystone: float = 0.0
    """The share by which the picture's right is larger than its left."""
    size: tuple[int, int] = (640, 240)
    """The picture's width and height."""
    light: Light = field(default_factory=Light)
    sensor: Sensor = field(default_factory=Sensor)


@dataclass(frozen=True)
class RackPicture:
    """A picture of a rack.

    Attributes:
        image: uint8 (H, W, 3) BGR.
        tiles: the symbols from left to right.
        middles: float64 (N, 2), the middles of the tiles, in pixels.
    """

    image: Image
    tiles: str
    middles: NDArray[np.float64]


def rack_places(tiles: str, style: TileStyle, rng: Rng, gap: float = 0.0) -> list[float]:
    """Return places for tiles that stand side by side, in units from the rack's middle.

    ``gap`` is the probability of a space before a tile.
    """
    step = style.size * 1.01
    places: list[float] = []
    at = 0.0
    for _ in tiles:
        at += step + float(rng.exponential(0.015))
        if rng.random() < gap:
            at += float(rng.uniform(0.1, 0.7))
        places.append(at)
    middle = (places[0] + places[-1]) / 2 if places else 0.0
    return [one - middle for one in places]


class RackRenderer:
    """Draws one rack again and again."""

    def __init__(self, spec: RackSpec) -> None:
        self.spec = spec
        # A tile of the sheet is drawn larger than it is seen, so that a slant does not blur it.
        self._scale = max(24.0, spec.unit)
        self._painter = TilePainter(spec.tiles, spec.seed, self._scale, 1.0, 0.0, 0.0)
        self._view = View(Camera(), 1.0)
        width, height = spec.size
        self._light = light_field(spec.light, self._view, (height, width))
        self._shine = glare(spec.light, (height, width))

    def picture(
        self,
        tiles: str,
        places: Sequence[float],
        noise: Rng,
        fingers: Sequence[tuple[float, Color]] = (),
    ) -> RackPicture:
        """Return a picture.

        Args:
            tiles: the symbols from left to right.
            places: of the tiles, in units from the rack's middle (:func:`rack_places`).
            noise: the camera's.
            fingers: places of fingers that reach over the rack's edge, and their colours.
        """
        spec, scale = self.spec, self._scale
        pose = np.random.default_rng((spec.seed, 3))
        lays = [
            Lay(_WIDE / 2 + x, 7.5 + float(pose.normal(0, 0.015)), float(pose.normal(0, 0.7)), s, i)
            for i, (s, x) in enumerate(zip(tiles, places, strict=True))
        ]
        tops = self._painter.sheets(lays).tops
        sheet = self._rack()
        cover = tops[..., 3:].astype(np.float32) / 255
        shadow = cv2.GaussianBlur(np.roll(tops[..., 3], (2, 3), (0, 1)), (0, 0), scale * 0.04)
        sheet *= 1 - np.float32(0.4) * shadow[..., None].astype(np.float32) / 255
        sheet *= 1 - cover
        sheet += tops[..., :3]
        self._front(sheet, fingers)
        matrix = self._matrix()
        ground = fill(spec.table, spec.seed + 2, (spec.size[1], spec.size[0]), spec.unit * 6)
        inside = np.zeros(sheet.shape[:2], np.uint8)
        left, right, top, bottom = self._outline(fingers)
        inside[top:bottom, left:right] = 255
        seen = cv2.warpPerspective(sheet, matrix, spec.size, flags=cv2.INTER_AREA)
        mask = cv2.warpPerspective(inside, matrix, spec.size)[..., None].astype(np.float32) / 255
        whole = np.asarray(ground * (1 - mask) + seen * mask, np.float32).clip(0, 255)
        picture = expose(np.asarray(whole, np.uint8), self._light, self._shine, spec.sensor, noise)
        flat = np.array([[lay.x * scale, lay.y * scale] for lay in lays], np.float64)
        middles = cv2.perspectiveTransform(flat[None], matrix)[0] if lays else flat
        return RackPicture(picture, tiles, np.asarray(middles, np.float64))

    def _outline(self, fingers: Sequence[tuple[float, Color]]) -> tuple[int, int, int, int]:
        """Return left, right, top and bottom of what is drawn, in pixels of the sheet."""
        spec, scale = self.spec, self._scale
        left, right = ((_WIDE / 2 + end * spec.length / 2) * scale for end in (-1, 1))
        foot = 7.5 + spec.tiles.size / 2
        bottom = _WIDE if fingers else foot + 0.5
        return round(left), round(right), round((foot - spec.back) * scale), round(bottom * scale)

    def _rack(self) -> NDArray[np.float32]:
        """Return the rack without tiles, as a sheet."""
        spec, scale = self.spec, self._scale
        side = round(_WIDE * scale)
        sheet = fill(spec.rack, spec.seed, (side, side), scale * 6).astype(np.float32)
        left, right, top, _ = self._outline(())
        sheet[: top + round(0.06 * scale)] *= 1.15
        for x in (left, right):
            thick = max(2, round(0.09 * scale))
            sheet[:, max(0, x - thick) : x + thick] *= 1 - spec.ends
        return sheet

    def _front(self, sheet: NDArray[np.float32], fingers: Sequence[tuple[float, Color]]) -> None:
        """Draw the rack's front edge, and fingers over it."""
        spec, scale = self.spec, self._scale
        foot = 7.5 + spec.tiles.size / 2
        edge = round((foot - spec.lip * spec.tiles.size) * scale)
        front = fill(spec.rack, spec.seed + 1, (round(0.8 * scale), sheet.shape[1]), scale * 6)
        sheet[edge : edge + len(front)] = front[: len(sheet) - edge].astype(np.float32) * 1.1
        sheet[edge : edge + max(1, round(0.03 * scale))] *= 0.7
        if fingers:
            sheet[edge + len(front) :] *= 0.5
        for at, color in fingers:
            x = round((_WIDE / 2 + at) * scale)
            tip = (x, round((foot - 0.45) * scale))
            for wide, shade in ((0.62, 0.75), (0.5, 1.0)):
                tone = tuple(float(one) * shade for one in color)
                root = (x + round(0.3 * scale), round(11 * scale))
                cv2.line(sheet, tip, root, tone, max(2, round(wide * scale)), cv2.LINE_AA)

    def _matrix(self) -> NDArray[np.float64]:
        """Return the transformation from the sheet to the picture's pixels: float64 (3, 3)."""
        spec, scale = self.spec, self._scale
        width, height = spec.size
        turn = math.radians(spec.slant)
        zoom = spec.unit / scale
        middle = _WIDE / 2 * scale
        to_middle = np.array([[1, 0, -middle], [0, 1, -middle], [0, 0, 1]])
        bend = np.eye(3)
        bend[2, 0] = -spec.keystone / max(1, width)
        cos, sin = math.cos(turn) * zoom, math.sin(turn) * zoom
        turned = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
        back = np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1]])
        return np.asarray(back @ bend @ turned @ to_middle, np.float64)
