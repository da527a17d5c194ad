"""A board seen flat from above, in any style that a set may have."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from game.board import SIZE, Premium, Square, premium
from models.sketches.textures import (
    FONTS,
    Colour,
    Image,
    any_colour,
    f32,
    hsv,
    near,
    noise,
    surface,
    write,
)

KINDS = (Premium.DLS, Premium.TLS, Premium.DWS, Premium.TWS)


@dataclass(frozen=True)
class Flat:
    """A painted plane. image (h, w, 3) BGR 0..255 and alpha (h, w) 0..1, float32.

    Board units (x right, y down, the grid being 0..15) times scale plus origin are its pixels.
    """

    image: Image
    alpha: npt.NDArray[np.float32]
    scale: float
    origin: tuple[float, float]


@dataclass(frozen=True)
class BoardStyle:
    """The style of one board: colours BGR 0..255, lengths in squares."""

    ground: Colour
    premiums: tuple[Colour, ...]
    mark: str
    line: Colour
    line_width: float
    outline: Colour
    outline_width: float
    margins: tuple[float, float, float, float]
    margin_colour: Colour
    rims: tuple[float, float, float, float]
    rim_colour: Colour
    rounding: float
    inset: float


def _ground(rng: np.random.Generator) -> Colour:
    pick = rng.uniform()
    if pick < 0.25:
        return hsv(rng.uniform(0.33, 0.5), rng.uniform(0.25, 0.9), rng.uniform(0.25, 0.75))
    if pick < 0.45:
        return hsv(rng.uniform(0.09, 0.17), rng.uniform(0.1, 0.9), rng.uniform(0.6, 1.0))
    if pick < 0.65:
        return hsv(rng.uniform(), rng.uniform(0, 0.12), rng.uniform(0.45, 1.0))
    return any_colour(rng)


def board_style(rng: np.random.Generator) -> BoardStyle:
    """A style nobody may ever have printed, near enough to those that somebody did."""
    ground = _ground(rng)
    if rng.uniform() < 0.6:
        hues = np.array([0.56, 0.60, 0.95, 0.0]) + rng.normal(0, 0.03, 4)
        saturations = np.array([0.3, 0.7, 0.4, 0.8]) + rng.normal(0, 0.15, 4)
    else:
        hues = rng.uniform(0, 1, 4)
        saturations = rng.uniform(0.2, 1.0, 4)
    value = rng.uniform(0.5, 1.0)
    premiums = tuple(
        hsv(float(h), float(s), value + rng.normal(0, 0.12))
        for h, s in zip(hues, saturations, strict=True)
    )
    contrast = rng.choice([-1, 1]) * rng.uniform(15, 90)
    line = np.clip(ground + contrast, 0, 255).astype(np.float32)
    if rng.uniform() < 0.35:
        line = hsv(rng.uniform(), rng.uniform(0, 0.15), rng.choice([0.1, 0.55, 0.75, 0.97]))
    outline = line if rng.uniform() < 0.5 else any_colour(rng)
    if rng.uniform() < 0.25:
        outline = hsv(rng.normal(0, 0.02), rng.uniform(0.5, 1), rng.uniform(0.5, 1))
    margin = rng.choice([0.0, rng.uniform(0, 0.4), rng.uniform(0.3, 2.2)], p=[0.35, 0.35, 0.3])
    rim = rng.choice([0.0, rng.uniform(0.1, 0.9), rng.uniform(0.9, 3.5)], p=[0.12, 0.58, 0.3])
    margins = np.full(4, margin)
    rims = np.full(4, rim)
    if rng.uniform() < 0.3:
        margins = margins * rng.uniform(0.4, 1.6, 4)
    if rng.uniform() < 0.4:
        rims[int(rng.integers(4))] += rng.uniform(0, 3.0)
    if rng.uniform() < 0.2:
        rims = rims * np.array([1, 0.3, 1, 0.3])
    rim_colour = rng.choice(3)
    colours = (any_colour(rng), hsv(0.12, rng.uniform(0, 0.15), rng.uniform(0.8, 1)), ground)
    return BoardStyle(
        ground=ground,
        premiums=premiums,
        mark=str(
            rng.choice(
                ["plain", "text", "spikes", "dots", "star", "disc", "inset", "none"],
                p=[0.2, 0.27, 0.14, 0.15, 0.08, 0.06, 0.07, 0.03],
            )
        ),
        line=line,
        line_width=float(
            rng.choice([0.0, rng.uniform(0.02, 0.06), rng.uniform(0.05, 0.16)], p=[0.06, 0.54, 0.4])
        ),
        outline=outline,
        outline_width=float(
            rng.choice([0.0, rng.uniform(0.02, 0.08), rng.uniform(0.08, 0.25)], p=[0.3, 0.5, 0.2])
        ),
        margins=tuple(float(m) for m in margins),  # type: ignore[arg-type]
        margin_colour=ground if rng.uniform() < 0.55 else any_colour(rng),
        rims=tuple(float(r) for r in rims),  # type: ignore[arg-type]
        rim_colour=colours[int(rim_colour)],
        rounding=float(rng.choice([0.0, rng.uniform(0.1, 1.2)])),
        inset=float(rng.choice([0.0, rng.uniform(0.02, 0.1)], p=[0.7, 0.3])),
    )


def rounded_mask(
    shape: tuple[int, int], box: tuple[float, float, float, float], radius: float
) -> npt.NDArray[np.float32]:
    """A mask 0..1 of shape (h, w) with a rounded box (x0, y0, x1, y1) in pixels filled."""
    mask = np.zeros(shape, np.float32)
    x0, y0, x1, y1 = (round(v) for v in box)
    r = max(0, min(int(radius), (x1 - x0) // 2 - 1, (y1 - y0) // 2 - 1))
    cv2.rectangle(mask, (x0 + r, y0), (x1 - r, y1), 1.0, -1)
    cv2.rectangle(mask, (x0, y0 + r), (x1, y1 - r), 1.0, -1)
    for cx, cy in ((x0 + r, y0 + r), (x1 - r, y0 + r), (x0 + r, y1 - r), (x1 - r, y1 - r)):
        cv2.circle(mask, (cx, cy), r, 1.0, -1)
    return mask


def _rect(image: Image, box: tuple[float, float, float, float], colour: Colour) -> None:
    x0, y0, x1, y1 = (round(v * 16) for v in box)
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    cv2.fillConvexPoly(image, corners, colour.tolist(), cv2.LINE_AA, 4)


def _layout(rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """(15, 15) of 0 none, 1..4 as KINDS: mostly the usual layout, sometimes another symmetry."""
    if rng.uniform() < 0.93:
        cells = [[premium(Square(r, c)) for c in range(SIZE)] for r in range(SIZE)]
        return np.array(
            [[0 if p is Premium.NONE else 1 + KINDS.index(p) for p in row] for row in cells]
        )
    eighth = rng.choice(5, (8, 8), p=[0.7, 0.12, 0.08, 0.06, 0.04])
    eighth = np.triu(eighth) + np.triu(eighth, 1).T
    half = np.concatenate([eighth, eighth[:, -2::-1]], axis=1)
    return np.asarray(np.concatenate([half, half[-2::-1]], axis=0), np.int64)


def _premium(
    rng: np.random.Generator,
    image: Image,
    x: float,
    y: float,
    s: float,
    style: BoardStyle,
    kind: int,
) -> None:
    colour = style.premiums[kind - 1]
    ink = np.full(3, 20 if colour.mean() > 110 else 235, np.float32)
    mark = style.mark
    pad = s * (style.inset + (0.16 if mark == "inset" else 0.0))
    box = (x + pad, y + pad, x + s - pad, y + s - pad)
    centre = (round(x + s / 2), round(y + s / 2))
    if mark == "disc":
        cv2.circle(image, centre, int(s * 0.36), colour.tolist(), -1, cv2.LINE_AA)
    elif mark != "none":
        _rect(image, box, colour)
    if mark == "text":
        for k in range(3):
            yy = y + s * (0.3 + 0.2 * k)
            half = s * rng.uniform(0.22, 0.36)
            write(
                image,
                "DOUBLE"[: int(rng.integers(4, 7))],
                (int(x + s / 2 - half), int(yy + s * 0.06)),
                cv2.FONT_HERSHEY_SIMPLEX,
                s / 28 * 0.2,
                ink,
                1,
            )
    elif mark == "star" or (mark == "plain" and rng.uniform() < 0.02):
        points = []
        for k in range(10):
            radius = s * (0.4 if k % 2 == 0 else 0.17)
            angle = np.pi * k / 5 - np.pi / 2
            points.append([centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)])
        cv2.fillPoly(image, [np.array(points).astype(np.int32)], ink.tolist(), cv2.LINE_AA)
    if mark in ("spikes", "dots"):
        for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)):
            for off in (-0.25, 0, 0.25):
                px = x + s / 2 + dx * s * 0.56 + (off * s if dx == 0 else 0)
                py = y + s / 2 + dy * s * 0.56 + (off * s if dy == 0 else 0)
                cv2.circle(
                    image,
                    (round(px), round(py)),
                    max(1, round(s * 0.06)),
                    colour.tolist(),
                    -1,
                    cv2.LINE_AA,
                )


def paint_board(rng: np.random.Generator, style: BoardStyle, scale: float, aspect: float) -> Flat:
    """Paint the empty board at scale pixels a square; squares are aspect times as tall as wide."""
    left, top, right, bottom = (m + r for m, r in zip(style.margins, style.rims, strict=True))
    pad = 0.3
    ox, oy = (left + pad) * scale, (top + pad) * scale
    width = int(ox + (15 + right + pad) * scale) + 1
    tall = 15 * aspect
    height = int(oy + (tall + bottom + pad) * scale) + 1
    rim_box = (pad * scale, pad * scale, width - pad * scale, height - pad * scale)
    alpha = rounded_mask((height, width), rim_box, style.rounding * scale)
    image = np.empty((height, width, 3), np.float32)
    image[:] = style.rim_colour
    if rng.uniform() < 0.15:
        image = surface(rng, height, width, scale)
    m = style.margins
    _rect(
        image,
        (
            ox - m[0] * scale,
            oy - m[1] * scale,
            ox + (15 + m[2]) * scale,
            oy + (tall + m[3]) * scale,
        ),
        style.margin_colour,
    )
    _print(rng, image, style, scale, (ox, oy), tall)
    grid = image[round(oy) : round(oy + tall * scale), round(ox) : round(ox + 15 * scale)]
    grid[:] = style.line if style.inset > 0 else style.ground
    if rng.uniform() < 0.12:
        grid[:] = surface(rng, grid.shape[0], grid.shape[1], scale)
    _squares(rng, image, style, scale, (ox, oy), aspect)
    _lines(rng, image, style, scale, (ox, oy), tall)
    if rng.uniform() < 0.25:  # a fold seam
        x = round(ox + (7.5 + rng.choice([-0.5, 0, 0.5])) * scale)
        cv2.line(
            image,
            (x, 0),
            (x, height),
            (style.ground * rng.uniform(0.2, 1.3)).tolist(),
            max(1, int(scale * rng.uniform(0.03, 0.1))),
        )
    wear = noise(rng, height, width, (scale * 2, scale * 2)) * rng.uniform(0, 6)
    return Flat(np.clip(image + wear[..., None], 0, 255).astype(np.float32), alpha, scale, (ox, oy))


def _print_coordinates(
    rng: np.random.Generator,
    image: Image,
    s: float,
    origin: tuple[float, float],
    tall: float,
    pen: tuple[Colour, float],
) -> None:
    """Print coordinates along the grid, on two sides or four; ``pen`` is their colour and size."""
    (ox, oy), (ink, size) = origin, pen
    gap = rng.uniform(0.1, 0.5) * s
    sides = 4 if rng.uniform() < 0.6 else 2
    words = ("A - 11", "Z - 1", "10") if rng.uniform() < 0.2 else ()
    for k in range(15):
        x, y = ox + (k + 0.35) * s, oy + (k + 0.65) * tall / 15 * s
        number = words[k % 3] if words else str(k + 1)
        wide = 0.25 * s * len(number)
        for place, text in (
            ((ox - gap - wide, y), number),
            ((x, oy - gap), chr(65 + k)),
            ((ox + 15 * s + gap, y), number),
            ((x, oy + tall * s + gap + 0.4 * s), chr(65 + k)),
        )[:sides]:
            write(image, text, (int(place[0]), int(place[1])), FONTS[0], size, ink, 1)


def _print(
    rng: np.random.Generator,
    image: Image,
    style: BoardStyle,
    s: float,
    origin: tuple[float, float],
    tall: float,
) -> None:
    """Print round the grid: coordinates, frames, a name, a legend."""
    ox, oy = origin
    ink = any_colour(rng)
    if rng.uniform() < 0.5:
        ink = np.full(3, 20 if style.rim_colour.mean() > 110 else 235, np.float32)
    size = s / 28 * rng.uniform(0.3, 0.7)
    room = [m + r for m, r in zip(style.margins, style.rims, strict=True)]
    if rng.uniform() < 0.55:
        _print_coordinates(rng, image, s, origin, tall, (ink, size))
    if rng.uniform() < 0.3:  # a frame that is not the grid's
        off = rng.uniform(0.1, max(0.2, min(room))) * s
        box = (ox - off, oy - off, ox + 15 * s + off, oy + tall * s + off)
        thick = max(1, round(s * rng.uniform(0.02, 0.12)))
        ends = [round(v) for v in box]
        cv2.rectangle(image, ends[:2], ends[2:], any_colour(rng).tolist(), thick)
    for side in range(4):  # a name and legends
        depth = room[side]
        if depth < 0.5 or rng.uniform() < 0.65:
            continue
        deep = rng.uniform(0.3, min(depth, 1.6))
        off = rng.uniform(0.05, max(0.06, depth - deep))
        count = int(rng.choice([1, 2, 4, 5]))
        wide = rng.uniform(1.2, 15 / count)
        for k in range(count):
            along = (k + 0.5) * 15 / count + rng.normal(0, 0.1)
            lo, hi = along - wide / 2, along + wide / 2
            x0, y0, x1, y1 = (
                (-off - deep, lo, -off, hi),
                (lo, -off - deep, hi, -off),
                (15 + off, lo, 15 + off + deep, hi),
                (lo, tall + off, hi, tall + off + deep),
            )[side]
            colour = style.premiums[k % 4] if rng.uniform() < 0.7 else any_colour(rng)
            x0, y0, x1, y1 = ox + x0 * s, oy + y0 * s, ox + x1 * s, oy + y1 * s
            if rng.uniform() < 0.75:
                _rect(image, (x0, y0, x1, y1), colour)
            text = "".join(chr(int(c)) for c in rng.integers(65, 91, int(rng.integers(3, 10))))
            height = min(deep, 0.7) * s / 40
            at = (int(x0 + 0.2 * s), int((y0 + y1) / 2 + 0.2 * s))
            write(image, text, at, FONTS[3], height, ink, max(1, int(height * 2)))


def _squares(
    rng: np.random.Generator,
    image: Image,
    style: BoardStyle,
    s: float,
    origin: tuple[float, float],
    aspect: float,
) -> None:
    layout = _layout(rng)
    flat = image
    if aspect != 1.0:  # paint square squares, then stretch them
        band = image[round(origin[1]) : round(origin[1] + 15 * aspect * s)]
        flat = f32(cv2.resize(band, (image.shape[1], round(15 * s))))
    oy = 0.0 if aspect != 1.0 else origin[1]
    for row in range(SIZE):
        for col in range(SIZE):
            x, y = origin[0] + col * s, oy + row * s
            if style.inset > 0:
                pad = style.inset * s
                _rect(
                    flat, (x + pad, y + pad, x + s - pad, y + s - pad), near(rng, style.ground, 2)
                )
            if layout[row, col]:
                _premium(rng, flat, x, y, s, style, int(layout[row, col]))
    if aspect != 1.0:
        band = image[round(origin[1]) : round(origin[1] + 15 * aspect * s)]
        band[:] = cv2.resize(flat, (band.shape[1], band.shape[0]))


def _lines(
    rng: np.random.Generator,
    image: Image,
    style: BoardStyle,
    s: float,
    origin: tuple[float, float],
    tall: float,
) -> None:
    ox, oy = origin
    ridge = rng.uniform() < 0.3
    for k in range(16):
        outer = k in (0, 15)
        width = (style.outline_width if outer else style.line_width) * s
        if width <= 0:
            continue
        colour = style.outline if outer else style.line
        x, y = ox + k * s, oy + k * tall / 15 * s
        h = max(width, 0.6) / 2
        _rect(image, (x - h, oy - h, x + h, oy + tall * s + h), colour)
        _rect(image, (ox - h, y - h, ox + 15 * s + h, y + h), colour)
        if ridge and width > 1:  # the raised wall of a tile lock: a lit and a dark side
            light, dark = np.minimum(colour + 50, 255), colour * 0.5
            _rect(image, (x - h, oy, x - h / 2, oy + tall * s), light)
            _rect(image, (x + h / 2, oy, x + h, oy + tall * s), dark)
            _rect(image, (ox, y - h, ox + 15 * s, y - h / 2), light)
            _rect(image, (ox, y + h / 2, ox + 15 * s, y + h), dark)
