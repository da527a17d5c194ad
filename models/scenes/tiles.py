"""The tiles from straight above: one sheet with every top, one with every side's colour."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from game.tile_symbols import TEXT_OF
from models.scenes.board import sheet
from models.scenes.faces import CAP, Face, glyph, line_of_text
from models.scenes.spec import Color, Float, LooseTile, Page, Placement, TileStyle
from models.scenes.texture import fill, smooth_noise


@dataclass(frozen=True)
class Lay:
    """The pose of one tile: its centre in board units, degrees clockwise, its symbol, its seed."""

    x: float
    y: float
    angle: float
    symbol: str
    seed: int


def lay(
    rows: tuple[str, ...],
    placement: Placement,
    seed: int,
    rotation: NDArray[np.int8] | None,
) -> tuple[list[Lay], NDArray[np.int8], NDArray[np.float32]]:
    """Places the tiles of ``rows``.

    A square's tile has the same pose in every call with the same seed, placement and symbol, so
    that the frames of one game agree. ``rotation`` (15, 15) fixes quarter turns; None draws them.

    Returns:
        the tiles, int8 (15, 15) quarter turns clockwise, float32 (15, 15, 3) offsets.
    """
    out: list[Lay] = []
    turns = np.zeros((15, 15), np.int8)
    offsets = np.zeros((15, 15, 3), np.float32)
    for r, row in enumerate(rows):
        for c, symbol in enumerate(row):
            if symbol == ".":
                continue
            own = np.random.default_rng((seed, r, c, ord(symbol)))
            dx, dy = (float(v) for v in own.normal(0, placement.shift, 2).clip(-0.3, 0.3))
            skew = float(own.normal(0, placement.askew))
            if own.random() < placement.sloppy:
                dx, dy = (float(v) for v in own.uniform(-0.3, 0.3, 2))
                skew = float(own.uniform(-12, 12))
            if own.random() < placement.pushed:
                dx, dy = _pushed(own)
            turn = int(own.integers(1, 4)) if own.random() < placement.turned else 0
            if rotation is not None:
                turn = int(rotation[r, c]) % 4
            turns[r, c] = turn
            offsets[r, c] = dx, dy, skew
            tile_seed = int(own.integers(1 << 30))
            out.append(Lay(c + 0.5 + dx, r + 0.5 + dy, 90 * turn + skew, symbol, tile_seed))
    return out, turns, offsets


def _pushed(own: np.random.Generator) -> tuple[float, float]:
    """The offset of a tile that an elbow or its neighbour pushed aside."""
    far = float(own.uniform(0.3, 0.42)) * float(own.choice([-1, 1]))
    near = float(own.normal(0, 0.05))
    return (far, near) if own.random() < 0.5 else (near, far)


def loose(tiles: tuple[LooseTile, ...], seed: int) -> list[Lay]:
    """Return the poses of tiles that lie off the grid."""
    return [
        Lay(tile.at[0], tile.at[1], tile.angle, tile.symbol, seed * 131 + index)
        for index, tile in enumerate(tiles)
    ]


@dataclass(frozen=True)
class Sheets:
    """Tops and sides: uint8 (H, W, 4), BGR premultiplied by opacity, and pixels to board units."""

    tops: NDArray[np.uint8]
    sides: NDArray[np.uint8]
    to_board: NDArray[np.float64]


class TilePainter:
    """Draws tiles of one style at one scale, in pixels a square; keeps what it has drawn."""

    def __init__(
        self,
        style: TileStyle,
        seed: int,
        scale: float,
        aspect: float,
        sheen: float = 0.0,
        reach: float = 3.2,
    ) -> None:
        self._style = style
        self._scale = scale
        self._aspect = aspect
        self._sheen = sheen
        self._reach = reach  # squares beyond the grid that the sheets cover
        self._side = max(8, round(style.size * scale))
        self._stock = fill(style.surface, seed + 5, (self._side * 5,) * 2, scale * 4)
        self._other = fill(style.foreign_surface, seed + 6, (self._side * 3,) * 2, scale * 4)
        self._alpha, self._relief = _body(self._side, style)
        self._inks: dict[tuple[str, bool, int], Float] = {}
        self._values = dict(style.values)
        self._patches: dict[tuple[str, int], NDArray[np.uint8]] = {}

    def sheets(self, tiles: list[Lay]) -> Sheets:
        """Draw each tile in its place: the sheet of tops and that of sides."""
        width = round((15 + 2 * self._reach) * self._scale)
        height = round((15 + 2 * self._reach) * self._scale * self._aspect)
        tops = np.zeros((height, width, 4), np.uint8)
        sides = np.zeros((height, width, 4), np.uint8)
        for tile in tiles:
            self._paste(tops, sides, tile)
        return Sheets(tops, sides, sheet(self._scale, self._aspect, self._reach, self._reach))

    def _paste(self, tops: NDArray[np.uint8], sides: NDArray[np.uint8], tile: Lay) -> None:
        x = (tile.x + self._reach) * self._scale
        y = (tile.y + self._reach) * self._scale * self._aspect
        half = int(self._side * 0.75) + 2
        left, top, size = round(x) - half, round(y) - half, 2 * half
        if left < 0 or top < 0 or left + size > tops.shape[1] or top + size > tops.shape[0]:
            return
        turn = cv2.getRotationMatrix2D(((self._side - 1) / 2,) * 2, -tile.angle, 1.0)
        turn[:, 2] += np.array([x - left - self._side / 2, y - top - self._side / 2])
        patch = self._top(tile.symbol, tile.seed)
        piece = cv2.warpAffine(patch, turn, (size, size), flags=cv2.INTER_LINEAR)
        background_alpha = 255 - piece[..., 3:].astype(np.uint16)
        spot = tops[top : top + size, left : left + size]
        spot[:] = piece + (spot * background_alpha // 255).astype(np.uint8)
        flank = np.empty_like(piece)
        color = np.array(self._color(tile.seed), np.float32) * self._style.side_shade / 255
        flank[..., :3] = (piece[..., 3:] * color.clip(0, 1)).astype(np.uint8)
        flank[..., 3] = piece[..., 3]
        spot = sides[top : top + size, left : left + size]
        spot[:] = flank + (spot * background_alpha // 255).astype(np.uint8)

    def _is_foreign(self, seed: int) -> bool:
        return seed % 1000 < self._style.foreign * 1000

    def _color(self, seed: int) -> Color:
        surface = self._style.foreign_surface if self._is_foreign(seed) else self._style.surface
        return surface.color

    def _top(self, symbol: str, seed: int) -> NDArray[np.uint8]:
        """One tile's top, uint8 (side, side, 4), premultiplied."""
        key = (symbol, seed)
        if key in self._patches:
            return self._patches[key]
        style, side = self._style, self._side
        rng = np.random.default_rng(seed)
        foreign = self._is_foreign(seed)
        stock = self._other if foreign else self._stock
        x, y = rng.integers(0, stock.shape[1] - side + 1, 2)
        tone = (1 + rng.normal(0, style.spread) + rng.normal(0, style.spread / 5, 3)).astype(
            np.float32
        )
        # Tiles are cut and placed without regard to the grain.
        piece = np.rot90(stock[y : y + side, x : x + side], int(rng.integers(4)))
        body = piece.astype(np.float32) * tone
        body = body * self._relief[..., :1] + self._relief[..., 1:] * 255
        ink_color: Color = style.foreign_ink if foreign else style.ink
        if style.blank_ink is not None and (symbol == "?" or symbol.islower()):
            ink_color = style.blank_ink
        ink = self._ink(symbol, foreign, seed % 3)
        wear = np.float32(style.ink_strength * (1 - abs(rng.normal(0, 0.03))))
        if style.wear:
            patches = smooth_noise(rng, (side, side), (7, 7)) + style.wear - 0.6
            ink = ink * (1 - patches.clip(0, 1) * np.float32(style.wear))
        if style.ink_relief:
            edge = np.roll(ink, (1, 1), (0, 1))
            body += ((edge - ink).clip(0, 1) * np.float32(90 * style.ink_relief))[..., None]
        cover = (ink * wear)[..., None]
        body = body * (1 - cover) + np.array(ink_color, np.float32) * cover
        if self._sheen:
            glow = np.float32(rng.normal(0, self._sheen))
            body = body * (1 + glow / 2) + max(np.float32(0), glow) * 60
        if style.gloss:
            body = body + self._highlight(rng)[..., None]
        patch = np.empty((side, side, 4), np.uint8)
        patch[..., 3] = self._alpha
        patch[..., :3] = body.clip(0, 255) * (self._alpha[..., None] / np.float32(255))
        self._patches[key] = patch
        return patch

    def _highlight(self, rng: np.random.Generator) -> Float:
        """A lamp's reflection on one polished top: float32 (side, side), grey levels.

        Each tile is tilted a little differently, so some of a set shine and others hardly do.
        """
        style, side = self._style, self._side
        at = np.array(style.gloss_at) + rng.normal(0, 0.08, 2)
        y, x = np.indices((side, side), np.float32) / np.float32(side)
        long = style.gloss_size * float(rng.uniform(0.8, 1.3))
        away = ((x - at[0]) / long) ** 2 + ((y - at[1]) / (0.7 * long)) ** 2
        strength = 160 * style.gloss * float(np.exp(rng.normal(-0.5, 0.7)))
        grain = rng.normal(1, 0.12, (side, side))
        return np.asarray(np.exp(-away / 2) * grain * min(strength, 150), np.float32)

    def _ink(self, symbol: str, foreign: bool, variant: int) -> Float:
        """Return one symbol's ink, float32 (side, side) 0..1."""
        style = self._style
        is_letter = symbol.isalpha() and symbol.isupper()
        key = (symbol, foreign, 0 if is_letter else variant)
        if key not in self._inks:
            page = np.zeros((self._side, self._side), np.uint8)
            if is_letter:
                face = style.foreign_face if foreign else style.face
                letter(page, face, symbol, style.letter, style.letter_at, style.several)
                value = self._values.get(symbol)
                if value is not None and style.digit != "none":
                    digit(page, style, str(value))
            elif symbol == "#":
                back(page, style.face_down)
            elif style.blank_mark is not None:
                style.blank_mark(page, style, symbol, variant)
            self._inks[key] = np.asarray(page / np.float32(255), np.float32)
        return self._inks[key]


def _body(side: int, style: TileStyle) -> tuple[NDArray[np.uint8], Float]:
    """A tile's outline, uint8 (side, side), and its relief: multiplier and added light."""
    fine = 4
    big = np.zeros((side * fine, side * fine), np.uint8)
    radius = max(1, round(style.radius * side * fine))
    last = side * fine - 1
    cv2.rectangle(big, (radius, 0), (last - radius, last), 255, -1)
    cv2.rectangle(big, (0, radius), (last, last - radius), 255, -1)
    for x in (radius, last - radius):
        for y in (radius, last - radius):
            cv2.circle(big, (x, y), radius, 255, -1)
    alpha = np.asarray(cv2.resize(big, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
    padded = cv2.copyMakeBorder(alpha, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    depth = cv2.distanceTransform((padded > 127).astype(np.uint8), cv2.DIST_L2, 3)[1:-1, 1:-1]
    slope = np.clip(1 - depth / max(1.0, style.bevel * side), 0, 1)
    soft = cv2.GaussianBlur(depth, (0, 0), 1.0)
    gx, gy = (cv2.Sobel(soft, cv2.CV_32F, dx, 1 - dx) / 8 for dx in (1, 0))
    facing = (gx + gy) / 1.4  # lit from the top-left
    relief = np.empty((side, side, 2), np.float32)
    relief[..., 0] = 1 + style.bevel_strength * slope * np.minimum(facing, 0.2)
    relief[..., 1] = 0.25 * style.bevel_strength * slope * np.maximum(facing, 0)
    return alpha, relief


def letter(
    page: Page,
    face: Face,
    symbol: str,
    size: float,
    at: tuple[float, float],
    several: float = 0.5,
) -> None:
    """A letter, ``size`` of the tile's side high, centred at ``at`` (fractions of the side).

    ``several``: how several letters on one tile are made to fit: 0 narrow, 1 as low as narrow.
    """
    side = page.shape[0]
    ink = glyph(face, symbol)
    scale = size * side / CAP
    baseline = at[1] * side + scale * CAP / 2
    if ink.baseline > CAP * 1.12:  # dots above: the whole letter is made lower
        scale *= 0.84
        baseline += 0.01 * side
    wide = min(scale, 0.82 * side / max(1, ink.mask.shape[1]))
    if symbol in TEXT_OF:  # publishers print them narrow, low, or some of both
        lower = (wide / scale) ** several
        baseline -= scale * CAP * (1 - lower) / 2
        scale *= lower
    put(
        page,
        ink.mask,
        (wide, scale),
        at[0] * side - ink.mask.shape[1] * wide / 2,
        baseline - ink.baseline * scale,
    )


def put(
    page: Page, mask: NDArray[np.uint8], scale: tuple[float, float], left: float, top: float
) -> None:
    """Adds ``mask``, scaled by (x, y), with its corner at (left, top), to a fraction of a pixel."""
    size = (max(1, round(mask.shape[1] * scale[0])), max(1, round(mask.shape[0] * scale[1])))
    small = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)
    shift = np.array([[1, 0, left], [0, 1, top]], np.float64)
    moved = cv2.warpAffine(small, shift, (page.shape[1], page.shape[0]), flags=cv2.INTER_LINEAR)
    np.maximum(page, moved, out=page)


def digit(page: Page, style: TileStyle, value: str) -> None:
    """A tile's value in its corner."""
    side = page.shape[0]
    strip = line_of_text(style.digit_face, value, CAP)
    scale = style.digit_size * side / CAP
    inset = style.digit_inset * side
    if len(value) > 1:  # two digits keep clear of the letter
        inset /= 2
    left = side - inset - strip.shape[1] * scale if style.digit == "right" else inset
    put(page, strip, (scale, scale), left, side - inset - strip.shape[0] * scale)


def back(page: Page, kind: str) -> None:
    """A tile's underside: moulding that shows as faint ink."""
    side = page.shape[0]
    centre = (side // 2, side // 2)
    thin = max(1, round(side * 0.05))
    low, high = round(side * 0.2), round(side * 0.8)
    if kind == "groove":
        cv2.rectangle(page, (low, low), (high, high), 90, thin)
    elif kind == "ring":
        cv2.circle(page, centre, round(side * 0.28), 90, thin, cv2.LINE_AA)
    elif kind == "cross":
        cv2.line(page, (low, low), (high, high), 90, thin, cv2.LINE_AA)
        cv2.line(page, (high, low), (low, high), 90, thin, cv2.LINE_AA)
    elif kind == "logo":
        inset = round(side * 0.12)
        cv2.rectangle(page, (inset, inset), (side - inset, side - inset), 110, -1)
