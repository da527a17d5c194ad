"""Random tables, clutter, hands, and random boards of tiles."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from models.scenes.spec import BoardStyle, Clutter, Color, Hand, LooseTile, Rng, Surface
from tools.scenes.things import Thing

_TABLES: Final = (
    ((150, 110, 75), "wood"),
    ((190, 150, 105), "planks"),
    ((90, 60, 40), "wood"),
    ((210, 205, 195), "speckle"),
    ((60, 60, 65), "plain"),
    ((110, 115, 120), "speckle"),
    ((30, 90, 60), "linen"),
    ((120, 30, 40), "linen"),
    ((40, 60, 110), "linen"),
    ((150, 140, 125), "carpet"),
    ((95, 90, 85), "carpet"),
    ((235, 232, 225), "plain"),
    ((170, 170, 175), "marble"),
)
_SKINS: Final = (
    (240, 205, 180),
    (225, 180, 150),
    (200, 150, 115),
    (160, 110, 80),
    (110, 72, 52),
    (75, 50, 40),
)
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ"


def _near(rng: Rng, rgb: tuple[int, int, int]) -> Color:
    r, g, b = (float(np.clip(c * rng.uniform(0.85, 1.15), 0, 255)) for c in rgb)
    return (b, g, r)


def _any(rng: Rng) -> Color:
    return (
        float(rng.uniform(10, 245)),
        float(rng.uniform(10, 245)),
        float(rng.uniform(10, 245)),
    )


def _beside(rng: Rng, reach: float) -> tuple[float, float]:
    """A point outside the board, within ``reach`` squares of it."""
    along, out = rng.uniform(-4, 19), rng.uniform(2.2, reach)
    return [(along, -out), (15 + out, along), (along, 15 + out), (-out, along)][
        int(rng.integers(4))
    ]


def random_clutter(rng: Rng, board: BoardStyle) -> Clutter:
    """Draw a table, the things on it, and perhaps a hand."""
    rgb, texture = _TABLES[int(rng.integers(len(_TABLES)))]
    base = _any(rng) if rng.random() < 0.1 else _near(rng, rgb)
    things: list[Thing] = []
    if rng.random() < 0.35:
        reach = float(rng.uniform(19.5, 25)) + max(board.rim)
        surface = Surface(
            _near(
                rng, [(45, 30, 28), (210, 180, 130), (30, 60, 45), (90, 30, 40)][rng.integers(4)]
            ),
            str(rng.choice(["plain", "wood", "speckle"])),
            0.1,
        )
        at = (7.5 + float(rng.normal(0, 0.4)), 7.5 + float(rng.normal(0, 0.4)))
        things.append(
            Thing("disc", at, (reach, reach), 0.0, float(rng.uniform(0.2, 1)), surface, 1)
        )
    kinds = {"paper": ((4, 9), (5, 12), 0.01), "rack": ((8, 11), (0.9, 1.6), 0.9)}
    kinds |= {"block": ((1, 8), (1, 8), 0.8), "pen": ((5, 8), (0.3, 0.5), 0.4)}
    kinds |= {"frame": ((6, 18), (6, 18), 0.1)}
    for _ in range(int(rng.integers(0, 6))):
        kind = str(rng.choice(list(kinds), p=(0.35, 0.3, 0.12, 0.15, 0.08)))
        wide, tall, height = kinds[kind]
        color = _near(rng, (235, 233, 225)) if kind == "paper" else _any(rng)
        if kind == "paper" and rng.random() < 0.25:
            color = _near(rng, [(250, 240, 150), (170, 215, 160), (250, 190, 200)][rng.integers(3)])
        size = (float(rng.uniform(*wide)), float(rng.uniform(*tall)))
        spot = _beside(rng, 4 + max(size))
        angle = float(rng.choice([0, 90]) + rng.normal(0, 12))
        if kind == "frame" or max(abs(spot[0] - 7.5), abs(spot[1] - 7.5)) < 8 + max(size) / 2:
            spot = (7.5 + (spot[0] - 7.5) * 1.6, 7.5 + (spot[1] - 7.5) * 1.6)
        things.append(
            Thing(
                kind,
                spot,
                size,
                angle,
                height,
                Surface(color, "speckle", 0.04),
                int(rng.integers(1 << 20)),
            )
        )
    hands = (random_hand(rng),) if rng.random() < 0.22 else ()
    return Clutter(
        Surface(base, texture, float(rng.uniform(0.05, 0.3))),
        tuple(things),
        random_loose(rng),
        hands,
    )


def random_loose(rng: Rng) -> tuple[LooseTile, ...]:
    """Draw tiles next to the grid, some touching it, some in a row like a rack lying down."""
    out: list[LooseTile] = []
    if rng.random() < 0.45:
        return ()
    for _ in range(int(rng.integers(1, 4))):
        side = int(rng.integers(4))
        along, away = float(rng.uniform(0, 12)), float(rng.uniform(0.5, 2.6))
        turn = float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 8))
        for k in range(int(rng.choice([1, 2, 3, 7]))):
            a, b = along + k * 1.0 + rng.normal(0, 0.08), away + rng.normal(0, 0.06)
            at = [(a, -b), (15 + b, a), (a, 15 + b), (-b, a)][side]
            symbol = "?" if rng.random() < 0.1 else LETTERS[int(rng.integers(len(LETTERS)))]
            out.append(LooseTile(symbol, (float(at[0]), float(at[1])), turn))
    return tuple(out)


def random_hand(rng: Rng) -> Hand:
    """A hand from any side, somewhere over the board."""
    angle = rng.uniform(0, 2 * math.pi)
    start = (7.5 + 26 * math.cos(angle), 7.5 + 26 * math.sin(angle))
    reach = (float(rng.uniform(0, 15)), float(rng.uniform(0, 15)))
    return Hand(
        start=start,
        reach=reach,
        skin=_near(rng, _SKINS[int(rng.integers(len(_SKINS)))]),
        sleeve=_any(rng),
        size=float(rng.uniform(0.8, 1.3)),
        height=float(rng.uniform(0.4, 2.5)),
        seed=int(rng.integers(1 << 20)),
    )


def random_rows(
    rng: Rng, letters: str = LETTERS, words: int | None = None, blanks: float = 0.04
) -> tuple[str, ...]:
    """Fifteen rows that look like a game, with random letters: crossing words from the middle.

    Args:
        rng: the draw.
        letters: the letters, each as likely.
        words: how many words; None draws 0 to 28.
        blanks: the chance that a tile is a blank (``?`` or lower case).
    """
    count = int(rng.integers(0, 29)) if words is None else words
    grid = np.full((15, 15), ".", dtype="<U1")

    def tile() -> str:
        letter = letters[int(rng.integers(len(letters)))]
        if rng.random() < blanks:
            return "?" if rng.random() < 0.7 else letter.lower()
        return letter

    filled: list[tuple[int, int]] = []
    for number in range(count):
        length = int(rng.integers(2, 9))
        if number == 0:
            row, col, across = 7, int(rng.integers(7 - length + 1, 8)), True
        else:
            r, c = filled[int(rng.integers(len(filled)))]
            across = bool(rng.random() < 0.5)
            back = int(rng.integers(0, length))
            row, col = (r, c - back) if across else (r - back, c)
        for k in range(length):
            y, x = (row, col + k) if across else (row + k, col)
            if 0 <= y < 15 and 0 <= x < 15 and grid[y, x] == ".":
                grid[y, x] = tile()
                filled.append((y, x))
    return tuple("".join(row) for row in grid)
