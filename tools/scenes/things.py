"""Things on the table around a board: cloths, turntables, papers, racks, boxes, other grids."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.clutter import blend, fill_seen
from models.scenes.spec import Image, Surface
from models.scenes.texture import fill, fill_polygon
from models.scenes.view import View


@dataclass(frozen=True)
class Thing:
    """A thing on the table (:class:`models.scenes.spec.Thing`).

    ``kind``: paper, sheet (ruled or squared paper), rack, disc (a turntable), ring (a clear
    turntable), cup, block (any box), device (a box with fields and print), pen, frame (an outline),
    grid (a board, a puzzle or keys that are no letter board).
    ``at`` its centre in board units, ``size`` its sides, ``angle`` degrees, ``height`` its top
    above the table.
    """

    kind: str
    at: tuple[float, float]
    size: tuple[float, float]
    angle: float
    height: float
    surface: Surface
    seed: int = 0

    @property
    def lift(self) -> float:
        """The height of a turntable; the board stands on no other kind."""
        return self.height if self.kind == "disc" else 0.0

    def draw(self, image: Image, view: View, level: float) -> None:
        """Draw it in place, standing at height ``level``."""
        _draw(image, view, self, level)


def _draw(image: Image, view: View, thing: Thing, level: float) -> None:
    shape = _shape(thing)
    if not view.in_front(shape, level + thing.height):
        return
    if thing.kind == "ring":
        for share in (1.0, 0.97)[: 1 + thing.seed % 2]:
            edge = view.points((shape - thing.at) * share + thing.at, level + thing.height)
            page = [np.round(edge * 16).astype(np.int32)]
            cv2.polylines(image, page, True, thing.surface.color, 1, cv2.LINE_AA, shift=4)
        return
    for height in np.linspace(level, level + thing.height, 4)[:-1]:
        blue, green, red = (c * 0.45 for c in thing.surface.color)
        fill_seen(image, view.points(shape, float(height)), (blue, green, red))
    _texture(image, view, shape, level + thing.height, thing)


def _shape(thing: Thing) -> NDArray[np.float64]:
    """A thing's outline in board units."""
    wide, tall = thing.size
    if thing.kind in {"disc", "ring", "cup"}:
        turn = np.linspace(0, 2 * math.pi, 72, endpoint=False)
        points = np.column_stack([np.cos(turn) * wide / 2, np.sin(turn) * tall / 2])
    else:
        points = np.array([(-wide, -tall), (wide, -tall), (wide, tall), (-wide, tall)]) / 2
    angle = math.radians(thing.angle)
    turned = points @ np.array(
        [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
    )
    return np.asarray(turned + thing.at, np.float64)


def _texture(
    image: Image, view: View, shape: NDArray[np.float64], height: float, thing: Thing
) -> None:
    points = view.points(shape, height)
    if not np.isfinite(points).all() or np.abs(points).max() > 30000:
        return
    left, top = np.maximum(np.floor(points.min(axis=0)), 0).astype(int)
    right, bottom = np.minimum(np.ceil(points.max(axis=0)) + 1, image.shape[1::-1]).astype(int)
    if right - left < 2 or bottom - top < 2:
        return
    side = 256 if max(thing.size) > 6 else 128
    page = fill(thing.surface, thing.seed, (side, side), side * 0.7)
    _details(page, thing)
    wide, tall = thing.size
    angle = math.radians(thing.angle)
    c, s = math.cos(angle), math.sin(angle)
    place = np.array(
        [
            [c * wide / side, -s * tall / side, thing.at[0] - c * wide / 2 + s * tall / 2],
            [s * wide / side, c * tall / side, thing.at[1] - s * wide / 2 - c * tall / 2],
            [0, 0, 1],
        ]
    )
    matrix = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]]) @ view.plane(height) @ place
    size = (int(right - left), int(bottom - top))
    skin = cv2.warpPerspective(page, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros(size[::-1], np.uint8)
    fill_polygon(mask, points - (left, top), 255)
    blend(image[top:bottom, left:right], np.asarray(skin, np.uint8), mask)


def _details(page: Image, thing: Thing) -> None:
    """Writing on papers, the groove of a rack, a box's frame."""
    draw = _DETAILS.get(thing.kind)
    if draw is not None:
        draw(page, thing, np.random.default_rng((thing.seed, 5)))


def _paper(page: Image, _thing: Thing, rng: np.random.Generator) -> None:
    side, ink = page.shape[0], tuple(float(v) for v in rng.uniform(20, 150, 3))
    for y in np.arange(0.08, 0.95, rng.uniform(0.04, 0.09)) * side:
        if rng.random() < 0.3:
            cv2.line(page, (0, int(y)), (side, int(y)), (190, 180, 170), 1)
        x = rng.uniform(0.05, 0.2) * side
        for _ in range(int(rng.integers(0, 12))):
            step = rng.uniform(-0.02, 0.02, (5, 2)) * side
            stroke = np.cumsum(step, axis=0) + np.array([x, y])
            cv2.polylines(page, [stroke.astype(np.int32)], False, ink, 1, cv2.LINE_AA)
            x += rng.uniform(0.03, 0.09) * side


def _rack(page: Image, _thing: Thing, _rng: np.random.Generator) -> None:
    side = page.shape[0]
    for low, high, tone in ((0.0, 0.25, 1.15), (0.3, 0.36, 0.5), (0.8, 1.0, 0.8)):
        part = page[round(low * side) : round(high * side)]
        part[:] = (part * np.float32(tone)).clip(0, 255).astype(np.uint8)


def _frame(page: Image, thing: Thing, _rng: np.random.Generator) -> None:
    side = page.shape[0]
    inset = side // 10
    color = tuple(float(c) * 0.5 for c in thing.surface.color)
    cv2.rectangle(page, (inset, inset), (side - inset, side - inset), color, side // 40)


def _sheet(page: Image, _thing: Thing, rng: np.random.Generator) -> None:
    side = page.shape[0]
    pitch, columns = rng.uniform(0.02, 0.1), rng.uniform(0.1, 0.3)
    step = (0.0, pitch, columns)[int(rng.integers(3))] * side
    _rule(page, pitch * side, step, rng.uniform(20, 180, 3))


def _cup(page: Image, _thing: Thing, rng: np.random.Generator) -> None:
    side = page.shape[0]
    for share in np.linspace(1, 0.2, int(rng.integers(2, 6)))[1:]:
        color = tuple(rng.uniform(10, 245, 3))
        cv2.circle(page, (side // 2, side // 2), round(share * side / 2), color, -1, cv2.LINE_AA)


def _device(page: Image, _thing: Thing, rng: np.random.Generator) -> None:
    side = page.shape[0]
    for x, y, wide, tall in rng.uniform(0.1, 0.6, (int(rng.integers(0, 5)), 4)) * side:
        page[round(y) : round(y + tall / 2), round(x) : round(x + wide / 2)] = rng.uniform(
            10, 245, 3
        )
    text = "".join(chr(int(c)) for c in rng.integers(65, 91, 6))
    _write(page, text, (0.1, 0.9), side / 250, tuple(rng.uniform(10, 245, 3)))


def _rule(page: Image, down: float, across: float, ink: NDArray[np.float64]) -> None:
    """Lines every ``down`` pixels, and columns every ``across`` pixels unless that is 0."""
    for y in np.arange(down, page.shape[0], down):
        page[int(y)] = ink
    for x in np.arange(across, page.shape[1], across) if across else ():
        page[:, int(x)] = ink


def _write(
    page: Image, text: str, at: tuple[float, float], size: float, ink: tuple[float, ...]
) -> None:
    """Text from its lower left end ``at``, in fractions of the page's side."""
    spot = (round(at[0] * page.shape[1]), round(at[1] * page.shape[0]))
    cv2.putText(page, text, spot, cv2.FONT_HERSHEY_SIMPLEX, size, ink, 1, cv2.LINE_AA)


def _other_grid(page: Image, _thing: Thing, rng: np.random.Generator) -> None:
    """A grid that is no letter board: chess, draughts, sudoku, go, the keys of a keyboard."""
    side = page.shape[0]
    rows = int(rng.choice([3, 4, 5, 6, 8, 8, 9, 9, 10, 12, 19]))
    cols = rows if rng.random() < 0.75 else int(rng.integers(3, 20))
    kind = str(rng.choice(["checks", "lines", "keys", "patches"]))
    first, second, ink = rng.uniform(10, 245, (3, 3))
    edge = side // (rows + 2)
    ys, xs = (np.linspace(edge, side - edge, n + 1).astype(int) for n in (rows, cols))
    page[edge:-edge, edge:-edge] = first
    for r, c in np.ndindex(rows, cols):
        cell = page[ys[r] : ys[r + 1], xs[c] : xs[c + 1]]
        if kind == "keys":
            cell[1:-1, 1:-1] = second
        elif kind == "checks" and (r + c) % 2:
            cell[:] = second
        elif kind == "patches" and rng.random() < 0.4:
            cell[:] = rng.uniform(10, 245, 3)
        if kind != "checks" and rng.random() < 0.2:
            spot = ((xs[c] + 2) / side, (ys[r + 1] - 2) / side)
            _write(page, chr(int(rng.integers(48, 91))), spot, 0.5 * edge / 14, tuple(ink))
    if kind == "lines" or rng.random() < 0.4:
        thick = 1 + (side > 128)
        for k, y in enumerate(ys):
            page[y : y + (thick if k % 3 == 0 else 1), edge:-edge] = ink
        for k, x in enumerate(xs):
            page[edge:-edge, x : x + (thick if k % 3 == 0 else 1)] = ink


_DETAILS: Final[Mapping[str, Callable[[Image, Thing, np.random.Generator], None]]] = {
    "paper": _paper,
    "rack": _rack,
    "frame": _frame,
    "sheet": _sheet,
    "cup": _cup,
    "device": _device,
    "grid": _other_grid,
}
"""The drawing on each kind of thing."""
