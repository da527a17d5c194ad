"""From a :class:`SceneSpec` and fifteen rows to a picture with its truth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes import clutter, lighting
from models.scenes.board import outline, plan
from models.scenes.spec import Float, Hand, Image, Light, Scene, SceneSpec
from models.scenes.texture import darken
from models.scenes.tiles import Sheets, TilePainter, lay, loose
from models.scenes.view import CORNERS, View


def render(
    spec: SceneSpec,
    rows: Sequence[str],
    rng: np.random.Generator,
    rotation: NDArray[np.int8] | None = None,
) -> Scene:
    """One picture of ``rows`` on the table of ``spec``.

    Args:
        spec: the table; :func:`tools.scenes.random_spec` draws one.
        rows: 15 strings of 15 board symbols; lower case is a blank tile.
        rng: the sensor's noise only; everything else follows from ``spec``.
        rotation: int8 (15, 15) quarter turns clockwise of the tiles, or None to draw them as
            ``spec.placement.turned`` says.
    """
    return Renderer(spec).frame(rows, rng, rotation)


_Kept = tuple[
    tuple[tuple[str, ...], bytes | None], tuple[Image, NDArray[np.int8], NDArray[np.float32]]
]


class Renderer:
    """A table that stays the same from frame to frame: what doesn't move is drawn once."""

    def __init__(self, spec: SceneSpec) -> None:
        self.spec = spec
        self.view = View(spec.camera, spec.board.aspect)
        self.corners = self.view.points(CORNERS).astype(np.float32)
        sides = np.linalg.norm(np.roll(self.corners, -1, axis=0) - self.corners, axis=1)
        self._scale = float(np.clip(sides.max() / 15, 12, 160))
        self._shape = (spec.camera.height, spec.camera.width)
        self._base = self._table()
        self._kept: _Kept | None = None
        self._painter = TilePainter(
            spec.tiles,
            spec.seed,
            self._scale,
            spec.board.aspect,
            spec.light.sheen,
            spec.clutter.reach,
        )
        self._lit = spec.light
        self._light = self._metered(lighting.field(spec.light, self.view, self._shape))
        self._shine = lighting.glare(spec.light, self._shape)

    def frame(
        self,
        rows: Sequence[str],
        rng: np.random.Generator,
        rotation: NDArray[np.int8] | None = None,
        hands: Sequence[Hand] | None = None,
        light: Light | None = None,
        gain: float = 1.0,
    ) -> Scene:
        """One picture; ``hands`` and ``light`` replace those of the spec. See :func:`render`.

        ``gain`` multiplies all light, for lamps that flicker. The tiles' own shadows stay those of
        the spec's light.
        """
        spec = self.spec
        if light is not None and light != self._lit:
            self._lit = light
            self._light = self._metered(lighting.field(light, self.view, self._shape))
            self._shine = lighting.glare(light, self._shape)
        rows = tuple(rows)
        if len(rows) != 15 or any(len(row) != 15 for row in rows):
            raise ValueError("a board is 15 rows of 15 symbols")
        still, turns, offsets = self._still(rows, rotation)
        image = still.copy()
        hidden = np.zeros(self._shape, np.uint8)
        for hand in spec.clutter.hands if hands is None else hands:
            cast = self._cast(hand.height, hand.reach)
            np.maximum(hidden, clutter.add_hand(image, self.view, hand, cast), out=hidden)
        field = self._light if gain == 1.0 else self._light * np.float32(gain)
        picture = lighting.expose(image, field, self._shine, spec.sensor, rng)
        return Scene(
            picture, self.corners.copy(), rows, turns.copy(), self._covered(hidden), offsets.copy()
        )

    def _still(
        self, rows: tuple[str, ...], rotation: NDArray[np.int8] | None
    ) -> tuple[Image, NDArray[np.int8], Float]:
        """The table with its tiles, as :func:`lay` put them.

        The last one is kept: most frames of a game differ from the one before by hands and
        noise only.
        """
        key = (rows, None if rotation is None else rotation.tobytes())
        if self._kept is None or self._kept[0] != key:
            image = self._base.copy()
            tiles, turns, offsets = lay(rows, self.spec.placement, self.spec.seed, rotation)
            sheets = self._painter.sheets(tiles + loose(self.spec.clutter.loose, self.spec.seed))
            self._add_tiles(image, sheets)
            self._kept = key, (image, turns, offsets)
        return self._kept[1]

    def _metered(self, light: Float) -> Float:
        """``light``, brought nearer to what a camera's metering would make of the board."""
        small = (light.shape[1], light.shape[0])
        base = cv2.resize(self._base, small, interpolation=cv2.INTER_AREA)
        zone = np.zeros(small[::-1], np.uint8)
        cv2.fillConvexPoly(zone, np.round(self.corners / lighting.COARSE).astype(np.int32), 1)
        body = np.array(self.spec.tiles.surface.color, np.float32).max()
        bright = np.maximum(base.max(axis=2), body) * light.max(axis=2)
        inside = bright[zone > 0]
        high = float(np.percentile(inside, 90)) if inside.size else 0.0
        if not high:
            return light
        over, under = max(1.0, high / 248.0), min(1.0, high / 130.0)
        gain = (over * under**0.7) ** -self.spec.light.metering
        return np.asarray(light * np.float32(gain), np.float32)

    def _table(self) -> Image:
        spec, view = self.spec, self.view
        things = sorted(spec.clutter.things, key=lambda thing: not thing.lift)
        ground = -spec.board.thickness
        level = ground - max((thing.lift for thing in things), default=0.0)
        image = clutter.table(spec, view, level)
        for thing in things:
            thing.draw(image, view, level)
        if not spec.board.opacity:
            return image
        edge = outline(spec.board)
        light = np.array(spec.light.direction)
        clutter.shade(
            image,
            view.points(edge + light * spec.board.thickness, ground),
            0.8 * spec.light.cast,
            self._scale * 0.15,
        )
        blue, green, red = (float(c) * 0.5 for c in spec.board.rim_surface.color)
        for height in np.linspace(ground, 0, 5)[:-1]:
            clutter.fill_seen(image, view.points(edge, float(height)), (blue, green, red))
        top = plan(spec.board, spec.seed, self._scale)
        matrix = view.plane(0.0) @ top.to_board
        size = (spec.camera.width, spec.camera.height)
        skin = cv2.warpPerspective(top.image, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        alpha = np.asarray(top.alpha * np.float32(spec.board.opacity), np.uint8)
        mask = cv2.warpPerspective(alpha, matrix, size)
        clutter.blend(image, np.asarray(skin, np.uint8), np.asarray(mask, np.uint8))
        return image

    def _add_tiles(self, image: Image, sheets: Sheets) -> None:
        """Tiles' shadows, then their sides as a stack of slices, then their tops."""
        spec = self.spec
        height = spec.tiles.height
        box = self._box(height)
        if box is None:
            return
        left, top, right, bottom = box
        part = image[top:bottom, left:right]
        size = (right - left, bottom - top)
        shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]])

        def seen(sheet: NDArray[np.uint8], level: float, dx: float = 0, dy: float = 0) -> Image:
            slide = np.array([[1, 0, dx], [0, 1, dy], [0, 0, 1]])
            matrix = shift @ self.view.plane(level) @ slide @ sheets.to_board
            return np.asarray(cv2.warpPerspective(sheet, matrix, size), np.uint8)

        light = spec.light
        if light.cast > 0 and height > 0:
            mask = np.ascontiguousarray(sheets.tops[..., 3])
            dx, dy = (d * height for d in light.direction)
            cast = seen(mask, 0.0, dx, dy)
            cast = np.maximum(cast, seen(mask, 0.0, dx / 2, dy / 2))
            soft = max(0.4, light.cast_softness * self._scale)
            blurred = cv2.GaussianBlur(cast, (0, 0), soft)
            darken(part, np.asarray(blurred, np.uint8), light.cast)
        if height > 0:
            steps = max(1, min(6, math.ceil(self._lean() * height * 1.2)))
            for level in np.linspace(0, height, steps, endpoint=False):
                _over(part, seen(sheets.sides, float(level)))
        _over(part, seen(sheets.tops, height))

    def _lean(self) -> float:
        """Pixels by which a unit of height moves a point, at most over the grid."""
        up, down = self.view.points(CORNERS, 1.0), self.view.points(CORNERS)
        return float(np.linalg.norm(up - down, axis=1).max())

    def _box(self, height: float) -> tuple[int, int, int, int] | None:
        """The part of the picture where tiles can be."""
        reach = self.spec.clutter.reach if self.spec.clutter.loose else 0.8
        around = CORNERS + np.sign(CORNERS - 7.5) * reach
        if not self.view.in_front(around, height):
            return 0, 0, self._shape[1], self._shape[0]
        points = np.vstack([self.view.points(around), self.view.points(around, height)])
        left, top = np.maximum(np.floor(points.min(axis=0)), 0).astype(int)
        right, bottom = np.minimum(np.ceil(points.max(axis=0)), self._shape[::-1]).astype(int)
        if right - left < 4 or bottom - top < 4:
            return None
        return int(left), int(top), int(right), int(bottom)

    def _cast(self, height: float, at: tuple[float, float]) -> tuple[float, float]:
        """Pixels from something at a height to its shadow on the board."""
        here = np.array([at])
        there = here + np.array(self.spec.light.direction) * height
        step = self.view.points(there)[0] - self.view.points(here, height)[0]
        return float(step[0]), float(step[1])

    def _covered(self, hidden: NDArray[np.uint8]) -> Float:
        """The fraction of each square that a hand hides or glare washes out."""
        small = (self._light.shape[1], self._light.shape[0])
        mask = np.asarray(cv2.resize(hidden, small, interpolation=cv2.INTER_AREA), np.uint8)
        if self._shine is not None:
            mask = np.maximum(mask, ((self._shine > 0.85) * 255).astype(np.uint8))
        fine = 8
        factor = np.array([small[0] / self._shape[1], small[1] / self._shape[0]])
        to_board = cv2.getPerspectiveTransform(
            ((self.corners + 0.5) * factor - 0.5).astype(np.float32),
            (CORNERS * fine - 0.5).astype(np.float32),
        )
        board = cv2.warpPerspective(mask, to_board, (15 * fine, 15 * fine))
        mean = cv2.resize(board, (15, 15), interpolation=cv2.INTER_AREA)
        return np.asarray(mean / np.float32(255), np.float32)


def _over(part: Image, layer: NDArray[np.uint8]) -> None:
    """Puts a premultiplied BGRA layer over ``part``, in place."""
    shaded = 255 - layer[..., 3]
    behind = cv2.multiply(part, cv2.merge([shaded] * 3), scale=1 / 255)
    cv2.add(behind, cv2.cvtColor(layer, cv2.COLOR_BGRA2BGR), dst=part)
