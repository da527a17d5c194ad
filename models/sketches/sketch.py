"""One sketch: a table, a board on it or none, a camera above it, light, and the true corners."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from models.sketches.board import Flat, board_style, paint_board
from models.sketches.surroundings import hand, loose_tiles, rack, scatter, turntable
from models.sketches.textures import Image, any_colour, f32, noise, surface
from models.sketches.tiles import TileStyle, paint_tile, tile_style, word_squares
from vision.rectify import pixels_per_square

Matrix = npt.NDArray[np.float64]
TABLE_SCALE = 13.0
TABLE_REACH = 26.0


@dataclass(frozen=True)
class Sketch:
    """image uint8 BGR; corners float32 (4, 2) of the grid, clockwise in pixels, or None."""

    image: npt.NDArray[np.uint8]
    corners: npt.NDArray[np.float32] | None


@dataclass(frozen=True)
class View:
    """A pinhole camera over the board: maps board units at a height (squares) to pixels."""

    camera: Matrix
    rotation: Matrix
    shift: Matrix
    aspect: float

    def homography(self, height: float) -> Matrix:
        """3×3 from board units (x 0..15, y 0..15) at this height over the board to pixels."""
        r1, r2, r3 = self.rotation.T
        centre = -7.5 * r1 - 7.5 * self.aspect * r2 - height * r3 + self.shift
        return np.asarray(self.camera @ np.column_stack([r1, r2 * self.aspect, centre]))

    def corners(self) -> Matrix:
        """The grid's corners in pixels, (4, 2)."""
        points = np.array([[0, 0, 1], [15, 0, 1], [15, 15, 1], [0, 15, 1]], float)
        moved = points @ self.homography(0).T
        return np.asarray(moved[:, :2] / moved[:, 2:])


def _turn(axis: int, angle: float) -> Matrix:
    c, s = np.cos(angle), np.sin(angle)
    out = np.eye(3)
    i, j = [(1, 2), (0, 2), (0, 1)][axis]
    out[i, i] = out[j, j] = c
    out[i, j], out[j, i] = -s, s
    return out


def any_view(rng: np.random.Generator, width: int, height: int) -> View:
    """A camera that sees the whole grid, or all but slivers of it, at any angle."""
    while True:
        aspect = float(rng.choice([1.0, rng.uniform(0.95, 1.12)]))
        tilt = np.deg2rad(min(abs(rng.normal(0, 20)), 50))
        yaw, roll = rng.uniform(0, 2 * np.pi, 2)
        if rng.uniform() < 0.3:
            yaw = round(yaw / (np.pi / 2)) * np.pi / 2 - roll + rng.normal(0, 0.06)
        rotation = _turn(2, roll) @ _turn(0, tilt) @ _turn(2, yaw)
        distance = float(np.exp(rng.uniform(np.log(15), np.log(50))))
        span = rng.choice(
            [rng.uniform(0.25, 0.6), rng.uniform(0.5, 0.9), rng.uniform(0.85, 1.08)],
            p=[0.3, 0.45, 0.25],
        )
        focal = span * min(width, height) * distance / 16.5
        camera = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
        slack = np.maximum(1 - span * np.array([1, 1]) * min(width, height) / (width, height), 0.03)
        off = rng.uniform(-0.55, 0.55, 2) * slack * (width, height) / focal * distance
        view = View(camera, rotation, np.array([off[0], off[1], distance]), aspect)
        c = view.corners()
        out = np.maximum(np.maximum(-c, c - (width, height)), 0).max()
        depth = (np.array([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]]) @ rotation.T)[:, 2]
        if depth.min() + distance > 3 and out < 0.03 * max(width, height):
            return view


def _put(
    image: Image,
    source: Image,
    alpha: npt.NDArray[np.float32],
    matrix: Matrix,
) -> None:
    """Lay source (a picture or one colour, (3,)) over image through a homography, in place."""
    h, w = alpha.shape
    ends = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1]]) @ matrix.T
    ends = ends[:, :2] / ends[:, 2:]
    x0, y0 = np.maximum(np.floor(ends.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(ends.max(0)).astype(int) + 1, (image.shape[1], image.shape[0]))
    if x1 <= x0 or y1 <= y0:
        return
    matrix = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]]) @ matrix
    size = (int(x1 - x0), int(y1 - y0))
    mask = cv2.warpPerspective(alpha, matrix, size)
    moved = (
        source
        if source.ndim == 1
        else cv2.warpPerspective(source, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    )
    window = image[y0:y1, x0:x1]
    window += (moved - window) * mask[..., None]


def _pixels(flat: Flat, aspect: float) -> Matrix:
    """3×3 from a Flat's pixels to board units (whose y unit is aspect tall)."""
    s = flat.scale
    return np.array(
        [
            [1 / s, 0, -flat.origin[0] / s],
            [0, 1 / s / aspect, -flat.origin[1] / s / aspect],
            [0, 0, 1],
        ]
    )


def _tiles(rng: np.random.Generator, style: TileStyle, scale: float, aspect: float) -> Flat:
    pad = 3.0
    side = round((15 + 2 * pad) * scale), round((15 * aspect + 2 * pad) * scale)
    image = np.zeros((side[1], side[0], 3), np.float32)
    image[:] = style.face
    alpha = np.zeros(side[::-1], np.float32)
    amount = int(rng.choice([0, rng.uniform(1, 30), rng.uniform(30, 101)], p=[0.1, 0.25, 0.65]))
    drift = rng.normal(0, style.jitter, 2)
    for row, col in zip(*np.nonzero(word_squares(rng, amount)), strict=True) if amount else ():
        loose = 4 if rng.uniform() < 0.02 else 1
        place = (
            np.array([col + 0.5, (row + 0.5) * aspect])
            + pad
            + drift
            + rng.normal(0, style.jitter, 2) * loose
        ) * scale
        paint_tile(
            rng,
            style,
            image,
            alpha,
            (float(place[0]), float(place[1])),
            scale,
            rng.normal(0, style.jitter * 0.8) * loose,
        )
    if rng.uniform() < 0.35:  # tiles off the grid, on or touching the rim
        for _ in range(int(rng.integers(1, 10))):
            along, off = rng.uniform(0, 15), rng.uniform(0.3, 2.2)
            place = np.array(
                [(along, -off), (15 + off, along), (along, 15 + off), (-off, along)][
                    int(rng.integers(4))
                ]
            ) * (1, aspect)
            place = (place + pad) * scale
            paint_tile(
                rng,
                style,
                image,
                alpha,
                (float(place[0]), float(place[1])),
                scale,
                rng.normal(0, 0.5),
            )
    return Flat(image, alpha, scale, (pad * scale, pad * scale))


def _light(rng: np.random.Generator, image: Image, square: float) -> Image:
    h, w = image.shape[:2]
    field = 1 + noise(rng, h, w, (h * 0.7, w * 0.7)) * rng.uniform(0, 0.25)
    if rng.uniform() < 0.35:  # a shadow with an edge
        way = rng.uniform(0, 2 * np.pi)
        ys, xs = np.mgrid[:h, :w].astype(np.float32)
        side = (xs - rng.uniform(0, w)) * np.cos(way) + (ys - rng.uniform(0, h)) * np.sin(way)
        field *= 1 - rng.uniform(0.2, 0.65) / (
            1 + np.exp(np.clip(-side / rng.uniform(1, 40), -30, 30))
        )
    image = image * field[..., None]
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.55, 0.2, 0.15, 0.1]))):  # glare
        glow = np.zeros((h, w), np.float32)
        place = (int(rng.uniform(0, w)), int(rng.uniform(0, h)))
        axes = (int(square * rng.uniform(0.5, 4)) + 1, int(square * rng.uniform(0.5, 4)) + 1)
        cv2.ellipse(glow, place, axes, rng.uniform(0, 180), 0, 360, 1.0, -1)
        k = int(square * rng.uniform(0.2, 2)) * 2 + 1
        glow = f32(cv2.GaussianBlur(glow, (k, k), 0))
        image = image + (255 - image) * glow[..., None] * rng.uniform(0.2, 1)
    cast = 1 + rng.normal(0, 0.1, 3).astype(np.float32)
    bright = rng.choice(
        [rng.uniform(25, 80), rng.uniform(80, 150), rng.uniform(150, 200)], p=[0.2, 0.55, 0.25]
    )
    gain = bright / max(float(image.mean()), 20.0)
    out = np.clip(image * cast * gain, 0, 255) / 255
    return np.asarray(255 * out ** np.exp(rng.normal(0, 0.2)), np.float32)


def _sensor(rng: np.random.Generator, image: Image) -> npt.NDArray[np.uint8]:
    pick = rng.uniform()
    if pick < 0.35:
        image = f32(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.6)))
    elif pick < 0.45:
        k = int(rng.integers(3, 8))
        kernel = np.zeros((k, k), np.float32)
        cv2.line(kernel, (0, int(rng.integers(k))), (k - 1, int(rng.integers(k))), 1.0, 1)
        image = f32(cv2.filter2D(image, -1, kernel / kernel.sum()))
    grain = rng.standard_normal(image.shape, np.float32) * rng.choice([1.0, rng.uniform(1, 10)])
    return np.asarray(np.clip(image + grain, 0, 255), np.uint8)


def sketch(rng: np.random.Generator, side: int = 640, board: float = 0.88) -> Sketch:
    """A new sketch, its longer side that many pixels, with a board on it as often as asked."""
    short = int(side * rng.choice([0.56, 0.75, 0.8, 1.0]))
    width, height = (side, short) if rng.uniform() < 0.5 else (short, side)
    view = any_view(rng, width, height)
    corners = view.corners()
    square = pixels_per_square(corners)
    tiles = tile_style(rng)
    has_board = rng.uniform() < board
    thick = rng.choice([0.0, rng.uniform(0.05, 0.8)])
    plane = surface(
        rng, round(2 * TABLE_REACH * TABLE_SCALE), round(2 * TABLE_REACH * TABLE_SCALE), TABLE_SCALE
    )
    middle = (TABLE_REACH * TABLE_SCALE, TABLE_REACH * TABLE_SCALE)
    scatter(
        rng, plane, middle, TABLE_SCALE, tiles, 0 if not has_board else 11, int(rng.integers(0, 9))
    )
    if rng.uniform() < 0.45:
        turntable(rng, plane, middle, TABLE_SCALE, 0)
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.4, 0.3, 0.2, 0.1]))):  # close to the board
        way, far = rng.uniform(0, 2 * np.pi), TABLE_SCALE * rng.uniform(9.5, 12)
        place = (middle[0] + far * np.cos(way), middle[1] + far * np.sin(way))
        thing = rack if rng.uniform() < 0.4 else loose_tiles
        thing(rng, plane, place, TABLE_SCALE, way + np.pi / 2 + rng.normal(0, 0.3), tiles)
    to_units = np.array(
        [
            [1 / TABLE_SCALE, 0, 7.5 - TABLE_REACH],
            [0, 1 / TABLE_SCALE / view.aspect, 7.5 - TABLE_REACH / view.aspect],
            [0, 0, 1],
        ]
    )
    image = cv2.warpPerspective(
        cv2.GaussianBlur(plane, (0, 0), max(0.1, 0.5 * TABLE_SCALE / square - 0.3)),
        view.homography(-thick - rng.choice([0, 0.3])) @ to_units,
        (width, height),
        borderMode=cv2.BORDER_REFLECT,
    ).astype(np.float32)
    if has_board:
        _set_board(rng, image, view, tiles, float(np.clip(square * 1.3, 10, 34)), float(thick))
    if rng.uniform() < 0.12:
        spot = rng.uniform(corners.min(0), corners.max(0))
        hand(rng, image, (float(spot[0]), float(spot[1])), square)
    image = _light(rng, image, square)
    return Sketch(_sensor(rng, image), corners.astype(np.float32) if has_board else None)


def _set_board(
    rng: np.random.Generator, image: Image, view: View, tiles: TileStyle, scale: float, thick: float
) -> None:
    flat = paint_board(rng, board_style(rng), scale, view.aspect)
    units = _pixels(flat, view.aspect)
    size = (image.shape[1], image.shape[0])
    if rng.uniform() < 0.6:  # its shadow on the table
        shift = np.array([[1, 0, rng.normal(0, 0.5)], [0, 1, rng.normal(0, 0.5)], [0, 0, 1]])
        mask = cv2.warpPerspective(flat.alpha, view.homography(-thick) @ shift @ units, size)
        blur = cv2.GaussianBlur(mask, (0, 0), scale * rng.uniform(0.05, 0.5))
        image *= 1 - blur[..., None] * rng.uniform(0.2, 0.7)
    edge = any_colour(rng) * 0.6
    for step in np.linspace(-thick, 0, 4)[:-1] if thick else ():
        _put(image, edge, flat.alpha, view.homography(float(step)) @ units)
    _put(image, flat.image, flat.alpha, view.homography(0) @ units)
    layer = _tiles(rng, tiles, scale, view.aspect)
    units = _pixels(layer, view.aspect)
    if layer.alpha.max() == 0:
        return
    shift = np.array([[1, 0, rng.normal(0, 0.12)], [0, 1, rng.normal(0, 0.12)], [0, 0, 1]])
    mask = cv2.warpPerspective(layer.alpha, view.homography(0) @ shift @ units, size)
    image *= 1 - cv2.GaussianBlur(mask, (0, 0), scale * 0.06)[..., None] * rng.uniform(0.1, 0.6)
    for step in np.linspace(0, tiles.height, 4)[:-1]:
        _put(image, tiles.side, layer.alpha, view.homography(float(step)) @ units)
    _put(image, layer.image, layer.alpha, view.homography(tiles.height) @ units)
