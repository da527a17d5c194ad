"""The surroundings of a board: turntables, racks, papers, cups, loose tiles, other grids.

Everything is painted onto a plane in pixels, in place, given a centre, the pixels a square and
an angle in radians. Images are BGR float32 in 0..255.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from models.sketches.textures import (
    FONTS,
    Colour,
    Image,
    any_colour,
    f32,
    hsv,
    near,
    surface,
    write,
)
from models.sketches.tiles import TileStyle, paint_tile

Place = tuple[float, float]
Thing = Callable[[np.random.Generator, Image, Place, float, float], None]


def _quad(centre: Place, width: float, height: float, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, height / 2)
    return np.asarray(half @ np.array([[c, s], [-s, c]]) + centre)


def _fill(image: Image, points: np.ndarray, colour: Colour) -> None:
    cv2.fillConvexPoly(
        image, np.round(points * 16).astype(np.int32), colour.tolist(), cv2.LINE_AA, 4
    )


def _shadow(image: Image, points: np.ndarray, rng: np.random.Generator, s: float) -> None:
    mask = np.zeros(image.shape[:2], np.float32)
    offset = rng.uniform(-0.4, 0.4, 2) * s
    cv2.fillConvexPoly(mask, np.round(points + offset).astype(np.int32), 1.0)
    k = int(s * rng.uniform(0.1, 0.6)) * 2 + 1
    mask = f32(cv2.blur(mask, (k, k)))
    image *= 1 - mask[..., None] * rng.uniform(0.2, 0.7)


def _patch(image: Image, source: Image, quad: np.ndarray) -> None:
    h, w = source.shape[:2]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, quad.astype(np.float32))
    lo = np.floor(quad.min(0)).astype(int).clip(0)
    hi = np.minimum(np.ceil(quad.max(0)).astype(int) + 1, (image.shape[1], image.shape[0]))
    if (hi <= lo).any():
        return
    matrix = np.array([[1, 0, -lo[0]], [0, 1, -lo[1]], [0, 0, 1]]) @ matrix
    size = (int(hi[0] - lo[0]), int(hi[1] - lo[1]))
    moved = cv2.warpPerspective(source, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(np.ones((h, w), np.float32), matrix, size)
    window = image[lo[1] : hi[1], lo[0] : hi[0]]
    window += (moved - window) * mask[..., None]


def turntable(
    rng: np.random.Generator, image: Image, centre: Place, s: float, angle: float
) -> None:
    """A round or square plate under the board: opaque, wooden, or clear with only its edge."""
    del angle
    radius = s * rng.uniform(9.5, 16)
    place = (round(centre[0] + rng.normal(0, 0.8) * s), round(centre[1] + rng.normal(0, 0.8) * s))
    if rng.uniform() < 0.3:
        for k in range(int(rng.integers(1, 4))):
            ring = any_colour(rng) if rng.uniform() < 0.3 else np.full(3, 235.0, np.float32)
            cv2.circle(
                image,
                place,
                int(radius * (1 - 0.03 * k)),
                ring.tolist(),
                max(1, int(s * rng.uniform(0.03, 0.15))),
                cv2.LINE_AA,
            )
        return
    mask = np.zeros(image.shape[:2], np.float32)
    cv2.circle(mask, place, int(radius), 1.0, -1, cv2.LINE_AA)
    top = surface(rng, image.shape[0], image.shape[1], s)
    if rng.uniform() < 0.5:
        top = np.broadcast_to(
            hsv(rng.uniform(), rng.uniform(0, 0.6), rng.uniform(0.05, 0.35)), image.shape
        ).astype(np.float32)
    image += (top - image) * mask[..., None]
    cv2.circle(
        image,
        place,
        int(radius),
        any_colour(rng).tolist(),
        max(1, int(s * rng.uniform(0.02, 0.2))),
        cv2.LINE_AA,
    )


def rack(
    rng: np.random.Generator,
    image: Image,
    centre: Place,
    s: float,
    angle: float,
    tiles: TileStyle | None = None,
) -> None:
    """A tile rack, often with tiles on it."""
    width, depth = s * rng.uniform(7, 11), s * rng.uniform(0.8, 2)
    quad = _quad(centre, width, depth, angle)
    _shadow(image, quad, rng, s)
    colour = any_colour(rng)
    if rng.uniform() < 0.5:
        colour = hsv(rng.uniform(0.05, 0.12), rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.95))
    _fill(image, quad, colour)
    for k in range(int(rng.integers(1, 4))):
        _fill(image, _quad(centre, width, depth * (0.8 - 0.25 * k), angle), near(rng, colour, 25))
    if tiles is not None and rng.uniform() < 0.6:
        _row(rng, image, centre, s, angle, tiles, int(rng.integers(1, 8)))


def _row(
    rng: np.random.Generator,
    image: Image,
    centre: Place,
    s: float,
    angle: float,
    tiles: TileStyle,
    count: int,
) -> None:
    alpha = np.zeros(image.shape[:2], np.float32)
    c, sn = np.cos(angle), np.sin(angle)
    for k in range(count):
        off = (k - (count - 1) / 2) * s * rng.uniform(0.98, 1.06)
        turn = angle + rng.normal(0, 0.05) + rng.choice([0, np.pi])
        paint_tile(rng, tiles, image, alpha, (centre[0] + off * c, centre[1] + off * sn), s, turn)


def loose_tiles(
    rng: np.random.Generator, image: Image, centre: Place, s: float, angle: float, tiles: TileStyle
) -> None:
    """A row or a scatter of tiles on the table, or the ten-by-ten grid of a whole set."""
    pick = rng.uniform()
    if pick < 0.6:
        _row(rng, image, centre, s, angle, tiles, int(rng.integers(1, 8)))
    elif pick < 0.93:
        alpha = np.zeros(image.shape[:2], np.float32)
        for _ in range(int(rng.integers(2, 25))):
            place = (centre[0] + rng.normal(0, 2) * s, centre[1] + rng.normal(0, 2) * s)
            paint_tile(rng, tiles, image, alpha, place, s, rng.uniform(0, 7))
    else:
        for k in range(10):
            off = (k - 4.5) * s * 1.01
            _row(
                rng,
                image,
                (centre[0] - off * np.sin(angle), centre[1] + off * np.cos(angle)),
                s,
                angle,
                tiles,
                10,
            )


def paper(rng: np.random.Generator, image: Image, centre: Place, s: float, angle: float) -> None:
    """A score sheet, a note, a magazine, squared paper."""
    width, height = s * rng.uniform(5, 14), s * rng.uniform(6, 18)
    quad = _quad(centre, width, height, angle)
    _shadow(image, quad, rng, s)
    px = 20.0
    h, w = int(height / s * px), int(width / s * px)
    sheet = np.empty((h, w, 3), np.float32)
    sheet[:] = hsv(rng.uniform(), rng.choice([0, 0.05, 0.4]), rng.uniform(0.8, 1))
    ink = hsv(rng.uniform(), rng.uniform(0, 0.7), rng.uniform(0.1, 0.7))
    kind = rng.choice(["blank", "ruled", "squared", "text", "table"])
    step = px * rng.uniform(0.3, 1.4)
    if kind in ("ruled", "squared", "table"):
        for y in np.arange(step, h, step):
            cv2.line(sheet, (0, int(y)), (w, int(y)), ink.tolist(), 1)
    if kind in ("squared", "table"):
        across = step if kind == "squared" else px * rng.uniform(1.5, 4)
        for x in np.arange(across, w, across):
            cv2.line(sheet, (int(x), 0), (int(x), h), ink.tolist(), 1)
    if kind != "blank":
        for y in np.arange(px, h, px * rng.uniform(0.6, 1.2)):
            x = px * rng.uniform(0.3, 2)
            while x < w * rng.uniform(0.3, 1):
                word = "".join(chr(int(c)) for c in rng.integers(97, 123, int(rng.integers(2, 8))))
                write(sheet, word, (int(x), int(y)), cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 0.4, ink, 1)
                x += px * rng.uniform(1.5, 3.5)
    _patch(image, sheet, quad)


def stick(rng: np.random.Generator, image: Image, centre: Place, s: float, angle: float) -> None:
    """A pen, a ruler, a cable."""
    quad = _quad(centre, s * rng.uniform(5, 12), s * rng.uniform(0.2, 1.2), angle)
    _shadow(image, quad, rng, s)
    _fill(image, quad, any_colour(rng))
    _fill(image, _quad(centre, s * rng.uniform(1, 4), s * 0.3, angle), any_colour(rng))


def disc(rng: np.random.Generator, image: Image, centre: Place, s: float, angle: float) -> None:
    """A cup, a plate, a coaster."""
    del angle
    radius = s * rng.uniform(0.8, 4.5)
    place = (round(centre[0]), round(centre[1]))
    for k in range(int(rng.integers(1, 5))):
        cv2.circle(
            image,
            place,
            max(1, int(radius * (1 - 0.2 * k))),
            any_colour(rng).tolist(),
            -1,
            cv2.LINE_AA,
        )


def box(rng: np.random.Generator, image: Image, centre: Place, s: float, angle: float) -> None:
    """A phone, a clock, a book, a box, another board's lid: a rectangle with things on it."""
    width, height = s * rng.uniform(2, 13), s * rng.uniform(2, 18)
    quad = _quad(centre, width, height, angle)
    _shadow(image, quad, rng, s)
    colour = any_colour(rng)
    _fill(image, quad, colour)
    for _ in range(int(rng.integers(0, 5))):
        off = rng.uniform(-0.3, 0.3, 2) * (width, height)
        c, sn = np.cos(angle), np.sin(angle)
        place = (centre[0] + off[0] * c - off[1] * sn, centre[1] + off[0] * sn + off[1] * c)
        inner = _quad(place, width * rng.uniform(0.1, 0.4), height * rng.uniform(0.1, 0.4), angle)
        _fill(image, inner, any_colour(rng))
    if rng.uniform() < 0.4:
        origin = (int(quad[0, 0]), int(quad[0, 1]))
        write(
            image,
            "".join(chr(int(c)) for c in rng.integers(65, 91, 6)),
            origin,
            FONTS[0],
            s / 20,
            any_colour(rng),
            max(1, int(s / 12)),
        )


def other_grid(
    rng: np.random.Generator, image: Image, centre: Place, s: float, angle: float
) -> None:
    """A grid that is no letter board: chess, draughts, sudoku, go, keys of a keyboard."""
    rows = int(rng.choice([3, 4, 5, 6, 8, 8, 9, 9, 10, 12, 19]))
    cols = rows if rng.uniform() < 0.75 else int(rng.integers(3, 20))
    px = 16
    grid = np.empty((rows * px + 2 * px, cols * px + 2 * px, 3), np.float32)
    grid[:] = any_colour(rng)
    first, second = any_colour(rng), any_colour(rng)
    kind = rng.choice(["checks", "lines", "keys", "patches"])
    body = grid[px : (rows + 1) * px, px : (cols + 1) * px]
    body[:] = first
    for r in range(rows):
        for c in range(cols):
            x, y = c * px, r * px
            if kind == "checks" and (r + c) % 2:
                body[y : y + px, x : x + px] = second
            elif kind == "keys":
                cv2.rectangle(body, (x + 1, y + 1), (x + px - 3, y + px - 3), second.tolist(), -1)
            elif kind == "patches" and rng.uniform() < 0.4:
                body[y : y + px, x : x + px] = any_colour(rng)
            if rng.uniform() < 0.2 and kind != "checks":
                write(
                    body, chr(48 + int(rng.integers(43))), (x + 4, y + 12), FONTS[0], 0.4, second, 1
                )
    if kind == "lines" or rng.uniform() < 0.4:
        ink = any_colour(rng).tolist()
        for r in range(rows + 1):
            cv2.line(body, (0, r * px), (cols * px, r * px), ink, 2 if r % 3 == 0 else 1)
        for c in range(cols + 1):
            cv2.line(body, (c * px, 0), (c * px, rows * px), ink, 2 if c % 3 == 0 else 1)
    cell = s * rng.uniform(0.5, 2.2)
    quad = _quad(centre, (cols + 2) * cell, (rows + 2) * cell, angle)
    _shadow(image, quad, rng, s)
    _patch(image, grid, quad)


THINGS: tuple[tuple[Thing, float], ...] = (
    (paper, 0.28),
    (stick, 0.2),
    (disc, 0.15),
    (box, 0.25),
    (other_grid, 0.12),
)


def scatter(
    rng: np.random.Generator,
    image: Image,
    centre: Place,
    s: float,
    tiles: TileStyle,
    keep_clear: float,
    count: int,
) -> None:
    """Strew things over the plane, their centres keep_clear..28 squares from the board's."""
    names = [thing for thing, _ in THINGS]
    weights = np.array([w for _, w in THINGS])
    for _ in range(count):
        way, far = rng.uniform(0, 2 * np.pi), rng.uniform(keep_clear, 24)
        place = (centre[0] + far * s * np.cos(way), centre[1] + far * s * np.sin(way))
        angle = rng.uniform(0, 2 * np.pi)
        pick = rng.uniform()
        if pick < 0.2:
            rack(rng, image, place, s, angle, tiles)
        elif pick < 0.38:
            loose_tiles(rng, image, place, s, angle, tiles)
        else:
            chosen = int(rng.choice(len(names), p=weights / weights.sum()))
            names[chosen](rng, image, place, s, angle)


def hand(rng: np.random.Generator, image: Image, centre: Place, s: float) -> None:
    """A hand and its sleeve, reaching in from somewhere to centre, in the picture's own pixels."""
    skin = hsv(rng.uniform(0.02, 0.09), rng.uniform(0.25, 0.65), rng.uniform(0.25, 0.95))
    way = rng.uniform(0, 2 * np.pi)
    c, sn = np.cos(way), np.sin(way)
    mask = np.zeros(image.shape[:2], np.uint8)
    palm = (int(centre[0]), int(centre[1]))
    cv2.circle(mask, palm, max(2, int(s * rng.uniform(1.2, 2))), 255, -1, cv2.LINE_AA)
    for k in range(int(rng.integers(1, 6))):
        a = way + np.pi + (k - 2) * rng.uniform(0.2, 0.4)
        tip = (int(centre[0] + 3.4 * s * np.cos(a)), int(centre[1] + 3.4 * s * np.sin(a)))
        cv2.line(mask, palm, tip, 255, max(2, int(s * 0.8)), cv2.LINE_AA)
    wrist = (int(centre[0] + 4 * s * c), int(centre[1] + 4 * s * sn))
    cv2.line(mask, palm, wrist, 255, max(2, int(s * 2.2)), cv2.LINE_AA)
    soft = cv2.blur(mask, (3, 3)).astype(np.float32)[..., None] / 255
    shade = cv2.blur(mask, (2 * int(s) + 1, 2 * int(s) + 1)).astype(np.float32)[..., None] / 255
    image *= 1 - 0.45 * np.roll(shade, int(s * 0.5), 0) * (1 - soft)
    image += (skin * (0.55 + 0.45 * shade) - image) * soft
    far = (int(centre[0] + 40 * s * c), int(centre[1] + 40 * s * sn))
    cv2.line(
        image,
        wrist,
        far,
        any_colour(rng).tolist(),
        max(2, int(s * rng.uniform(2.5, 4.5))),
        cv2.LINE_AA,
    )
