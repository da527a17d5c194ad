"""Drawing random tables: every part on its own, so that a caller can keep some and change some."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from models.scenes.faces import Face
from models.scenes.spec import (
    BoardStyle,
    Color,
    Placement,
    Rng,
    SceneSpec,
    Surface,
    TileStyle,
)
from models.scenes.view import CORNERS, Camera, View
from tools.scenes.blank_marks import MARKS
from tools.scenes.colors import BOARD_COLORS, TILE_COLORS, any_color, color, luminance
from tools.scenes.draw_light import random_light, random_sensor
from tools.scenes.draw_table import random_clutter
from tools.scenes.system_faces import FontFile, system_faces
from vision.labels import LETTERS


def random_face(rng: Rng, plain_only: bool = False) -> Face:
    """A face for letters; ``plain_only`` needs no font file."""
    found = {} if plain_only else {k: v for k, v in system_faces().items() if v}
    slant = float(rng.uniform(-0.03, 0.1)) if rng.random() < 0.08 else 0.0
    if not found or rng.random() < 0.35:
        return Face(
            weight=float(rng.uniform(0.09, 0.25)),
            width=float(rng.uniform(0.8, 1.2)),
            slant=slant,
            round_caps=bool(rng.random() < 0.5),
            stencil=bool(rng.random() < 0.06),
            square=float(rng.uniform(0, 1)) if rng.random() < 0.5 else 0.0,
            form=int(rng.integers(60)) if rng.random() < 0.6 else 0,
        )
    weights = {
        "grotesque": 6,
        "humanist": 4,
        "geometric": 3,
        "condensed": 2,
        "serif": 1.8,
        "mono": 0.6,
    }
    kinds = list(found)
    share = np.array([weights[k] for k in kinds], float)
    kind = kinds[int(rng.choice(len(kinds), p=share / share.sum()))]
    path = found[kind][int(rng.integers(len(found[kind])))]
    width = float(rng.uniform(0.85, 1.2)) if rng.random() < 0.4 else 1.0
    return Face(FontFile(path), width=width, slant=slant, stencil=bool(rng.random() < 0.04))


_POLISH: Final = {
    letter: value
    for value, letters in (
        (1, "AIEONZRSW"),
        (2, "YCDKLMPT"),
        (3, "BGHJŁU"),
        (5, "ĄĘFÓŚŻ"),
        (6, "Ć"),
        (7, "Ń"),
        (9, "Ź"),
    )
    for letter in letters
}


def random_values(rng: Rng) -> tuple[tuple[str, int], ...]:
    """Letter values: one of the usual sets, or none in particular."""
    usual = "1:AEILNORSTU 2:DG 3:BCMP 4:FHVWY 5:K 8:JXÄ 10:QZ 6:ÜÖ"
    german = "1:ENSIRTUAD 2:HGLO 3:MBWZ 4:CFKP 6:ÄJÜV 8:ÖX 10:QY"
    romanian = "1:AEIRTNCSULO 2:PDM 5:F 6:V 8:BG 9:H 10:JXZKQWY"
    table: dict[str, int] = {}
    for part in (usual, german, romanian)[int(rng.choice(3, p=(0.55, 0.3, 0.15)))].split():
        value, letters = part.split(":")
        table.update(dict.fromkeys(letters, int(value)))
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ":
        if letter not in table or rng.random() < 0.08:
            table[letter] = int(rng.integers(1, 13))
    table |= {letter: int(rng.integers(1, 13)) for letter in LETTERS[38:]}
    own = rng.spawn(1)[0]
    polish = _POLISH if own.random() < 0.2 else {k: v for k, v in _POLISH.items() if k not in table}
    table.update(
        {k: v if own.random() > 0.08 else int(own.integers(1, 13)) for k, v in polish.items()}
    )
    return tuple(sorted(table.items()))


BLANK_MARKS: Final = {
    "plain": 0.31,
    "oval": 0.02,
    "sticker": 0.04,
    "asterisk": 0.04,
    "word": 0.04,
    "smiley": 0.03,
    "letter": 0.06,
    "dot": 0.03,
    "digit": 0.03,
    "corner": 0.13,
    "logo": 0.07,
    "emblem": 0.06,
    "star": 0.04,
    "square": 0.03,
    "border": 0.04,
    "stuck": 0.03,
}
"""The frequency of each mark on a set's blanks."""


def _tile_surface(rng: Rng) -> Surface:
    names = list(TILE_COLORS)
    share = np.array([3 if n in {"white", "cream", "ivory", "oak", "beech"} else 1 for n in names])
    name = names[int(rng.choice(len(names), p=share / share.sum()))]
    body = any_color(rng) if rng.random() < 0.12 else color(rng, TILE_COLORS[name])
    wooden = name in {"oak", "beech", "walnut"} and rng.random() < 0.85
    texture = "wood" if wooden else str(rng.choice(["plain", "plain", "speckle", "marble"]))
    strength = float(rng.uniform(0.04, 0.16) if wooden else rng.uniform(0.01, 0.05))
    return Surface(body, texture, strength)


def _tile_ink(rng: Rng, bright: float) -> Color:
    """Draw an ink that shows on tiles of this luminance."""
    if bright > 150 or (bright > 95 and rng.random() < 0.5):
        ink = color(rng, (25, 25, 28))
        if rng.random() < 0.25:
            tinted = [(120, 20, 30), (20, 40, 110), (20, 80, 40), (90, 60, 30), (60, 30, 90)]
            ink = color(rng, tinted[int(rng.integers(5))])
        return (15.0, 15.0, 18.0) if bright - luminance(ink) < 60 else ink
    ink = color(rng, (240, 240, 235))
    if rng.random() < 0.2:
        ink = color(rng, [(235, 205, 120), (240, 230, 90), (200, 220, 240)][rng.integers(3)])
    return (245.0, 245.0, 245.0) if luminance(ink) - bright < 60 else ink


def _height(rng: Rng) -> float:
    """Draw how high the tops stand, in squares: flat, as usual, or raised by rims or thick pieces.

    Seen at 40°, one raised by half a square stands 0.4 of a square off.
    """
    low, high = ((0.0, 0.05), (0.1, 0.3), (0.3, 0.6))[int(rng.choice(3, p=(0.1, 0.78, 0.12)))]
    return float(rng.uniform(low, high))


def random_tiles(rng: Rng, plain_only: bool = False) -> TileStyle:
    """Draw the style of a tile set."""
    surface = _tile_surface(rng)
    wooden = surface.texture == "wood"
    ink = _tile_ink(rng, luminance(surface.color))
    face = random_face(rng, plain_only)
    letter = float(np.clip(rng.normal(0.5, 0.07), 0.34, 0.7))
    where = str(rng.choice(["right", "left", "none"], p=(0.82, 0.07, 0.11)))
    centre = 0.5 if where == "none" else float(np.clip(rng.normal(0.46, 0.035), 0.36, 0.54))
    sideways = centre if where != "left" else 1 - centre
    style = TileStyle(
        surface=surface,
        ink=ink,
        face=face,
        size=float(np.clip(rng.normal(0.92, 0.04), 0.78, 1.0)),
        height=_height(rng),
        radius=float(rng.uniform(0.02, 0.16)),
        bevel=float(rng.uniform(0.02, 0.1)),
        bevel_strength=float(rng.uniform(0.0, 0.6)),
        side_shade=float(rng.uniform(0.35, 0.85)),
        gloss=float(rng.uniform(0.05, 0.6)) if rng.random() < 0.3 else 0.0,
        gloss_at=(float(rng.uniform(0.2, 0.8)), float(rng.uniform(0.2, 0.8))),
        gloss_size=float(rng.uniform(0.12, 0.45)),
        letter=letter,
        letter_at=(
            float(np.clip(sideways + rng.normal(0, 0.015), 0.38, 0.62)),
            float(np.clip(rng.normal(0.46, 0.04), 0.36, 0.56)),
        ),
        several=float(rng.uniform(0.2, 1.0)),
        digit=where,
        digit_face=face if rng.random() < 0.6 else random_face(rng, plain_only),
        digit_size=float(rng.uniform(0.12, 0.23)),
        # Many sets print the value close to the letter, where it looks like a stroke of it.
        digit_inset=float(rng.uniform(0.04, 0.24)),
        values=random_values(rng),
        ink_strength=float(rng.uniform(0.6, 1.0) if rng.random() < 0.3 else rng.uniform(0.9, 1)),
        ink_relief=float(rng.uniform(0, 0.8)) if rng.random() < 0.25 else 0.0,
        # Wooden sets may mix pale and dark pieces.
        spread=float(rng.uniform(0.0, (0.28 if rng.random() < 0.3 else 0.12) if wooden else 0.06)),
        wear=float(rng.uniform(0.2, 1.0)) if rng.random() < 0.15 else 0.0,
        blank_mark=MARKS.get(str(rng.choice(list(BLANK_MARKS), p=list(BLANK_MARKS.values())))),
        face_down=str(rng.choice(["plain", "groove", "ring", "cross", "logo"])),
    )
    if rng.random() < 0.3:  # a label, a stamp or a pen of another colour
        stamped = (242.0, 242.0, 240.0) if rng.random() < 0.4 else any_color(rng)
        style = replace(style, blank_ink=stamped)
    return with_foreign(rng, style, plain_only) if rng.random() < 0.2 else style


def with_foreign(rng: Rng, style: TileStyle, plain_only: bool) -> TileStyle:
    """``style`` with some of another set's tiles among its own."""
    names = list(TILE_COLORS)
    body = color(rng, TILE_COLORS[names[int(rng.integers(len(names)))]])
    ink = color(rng, (25, 25, 28)) if luminance(body) > 125 else color(rng, (240, 240, 236))
    return replace(
        style,
        foreign=float(rng.uniform(0.01, 0.08)),
        foreign_surface=Surface(body, "speckle", 0.03),
        foreign_ink=ink,
        foreign_face=random_face(rng, plain_only),
    )


def _board_surface(rng: Rng) -> Surface:
    names = list(BOARD_COLORS)
    name = names[int(rng.integers(len(names)))]
    ground = any_color(rng) if rng.random() < 0.1 else color(rng, BOARD_COLORS[name])
    texture = str(rng.choice(["plain", "speckle", "linen"], p=(0.45, 0.4, 0.15)))
    if "wood" in name:
        texture = str(rng.choice(["wood", "planks", "wood"]))
    elif rng.random() < 0.08:
        texture = "marble"
    second = None
    if texture == "marble" or rng.random() < 0.04:
        texture = "marble"
        second = color(rng, BOARD_COLORS[names[int(rng.integers(len(names)))]], 0.5)
    strength = float(rng.uniform(0.05, 0.2) if texture != "speckle" else rng.uniform(0.01, 0.07))
    return Surface(ground, texture, strength, second)


def _premium_colors(rng: Rng) -> tuple[Color, Color, Color, Color]:
    usual: tuple[tuple[int, int, int], ...] = (
        (140, 195, 235),
        (35, 95, 175),
        (240, 160, 175),
        (205, 45, 50),
    )
    if rng.random() < 0.2:  # pale, print on clear plastic
        usual = ((195, 205, 215), (120, 150, 200), (225, 200, 210), (215, 130, 130))
    elif rng.random() < 0.15:
        usual = ((235, 140, 40), (150, 200, 60), (30, 120, 170), (200, 40, 60))
    drawn = [any_color(rng) if rng.random() < 0.06 else color(rng, rgb, 1.3) for rgb in usual]
    return drawn[0], drawn[1], drawn[2], drawn[3]


def _line_color(rng: Rng, ground: Color) -> Color:
    light_line = rng.random() < 0.6
    line = color(rng, (225, 225, 220) if light_line else (50, 50, 50), 1.2)
    if rng.random() < 0.35:
        tone = float(rng.uniform(0.6, 1.3))
        line = (
            min(255.0, ground[0] * tone),
            min(255.0, ground[1] * tone),
            min(255.0, ground[2] * tone),
        )
    return line


def _rim(rng: Rng, ground: Color) -> tuple[tuple[float, float, float, float], Color]:
    """Draw the rim's four widths, in squares, and its colour."""
    rims = rng.uniform(0.05, 1.2, 4) if rng.random() < 0.6 else np.full(4, rng.uniform(0.1, 0.9))
    if rng.random() < 0.25:
        rims[int(rng.integers(4))] += rng.uniform(0.5, 2.0)
    rim_color = ground if rng.random() < 0.35 else any_color(rng)
    if rng.random() < 0.3:
        rim_color = color(rng, [(232, 230, 220), (120, 30, 30), (40, 40, 42)][rng.integers(3)])
    return (float(rims[0]), float(rims[1]), float(rims[2]), float(rims[3])), rim_color


def random_board(rng: Rng, plain_only: bool = False) -> BoardStyle:
    """Draw the style of a board."""
    square = _board_surface(rng)
    premiums = _premium_colors(rng)
    line = _line_color(rng, square.color)
    mean = float(np.mean([luminance(p) for p in premiums]))
    mark_ink: Color = (25, 25, 25) if rng.random() < (mean / 255) ** 0.8 else (240, 240, 240)
    rim, rim_color = _rim(rng, square.color)
    seam_kinds = ["none", "vertical", "horizontal", "cross", "vertical-half", "horizontal-half"]
    return BoardStyle(
        square=square,
        premiums=premiums,
        line=line,
        line_width=float(rng.uniform(0.015, 0.1)),
        ridge=float(rng.uniform(0.1, 0.7)) if rng.random() < 0.55 else 0.0,
        mark=str(
            rng.choice(
                ["text", "plain", "code", "number", "star", "dots"],
                p=(0.55, 0.25, 0.07, 0.04, 0.05, 0.04),
            )
        ),
        mark_color=mark_ink,
        mark_face=random_face(rng, plain_only),
        mark_turn=int(rng.integers(4)) if rng.random() < 0.3 else 0,
        language=int(rng.integers(4)),
        notches=str(rng.choice(["none", "teeth", "dots"], p=(0.5, 0.25, 0.25))),
        inset=float(rng.uniform(0.02, 0.1)) if rng.random() < 0.3 else 0.0,
        centre=str(rng.choice(["star", "rosette", "plain", "disc", "text"])),
        aspect=float(rng.uniform(0.94, 1.1)) if rng.random() < 0.4 else 1.0,
        rim=rim,
        rim_surface=Surface(rim_color, str(rng.choice(["plain", "speckle", "wood"])), 0.05),
        rim_band=((float(rng.uniform(0.03, 0.3)),) * 4, any_color(rng))
        if rng.random() < 0.35
        else None,
        rim_print=str(
            rng.choice(["none", "coordinates", "title", "both"], p=(0.4, 0.3, 0.15, 0.15))
        ),
        rim_ink=(235, 235, 235) if luminance(rim_color) < 120 else (30, 30, 30),
        radius=float(rng.uniform(0.02, 0.8)),
        seam=str(rng.choice(seam_kinds, p=(0.6, 0.12, 0.12, 0.04, 0.06, 0.06))),
        thickness=float(rng.uniform(0.05, 0.6)),
        opacity=float(rng.uniform(0.5, 0.95)) if rng.random() < 0.07 else 1.0,
    )


def random_placement(rng: Rng) -> Placement:
    """Draw how carefully this table's players place tiles."""
    return Placement(
        shift=float(rng.uniform(0.005, 0.07)),
        askew=float(rng.uniform(0.2, 4.0)),
        sloppy=float(rng.choice([0.0, 0.03, 0.12])),
        pushed=float(rng.choice([0.0, 0.02, 0.1], p=(0.7, 0.2, 0.1))),
        turned=float(rng.choice([0.0, 0.02, 0.3], p=(0.5, 0.25, 0.25))),
    )


def random_camera(
    rng: Rng, board: BoardStyle, scale: float | None = None, tight: bool = False
) -> Camera:
    """A camera that has the whole grid in its picture.

    ``scale`` fixes the pixels of a square; None draws 25 to 95. ``tight`` leaves little room
    around the grid, for those who only want the squares.
    """
    if scale is None:
        scale = float(np.exp(rng.uniform(math.log(25), math.log(95))))
    tilt = float(min(45, abs(rng.normal(0, 17))))
    roll = float(rng.uniform(0, 360)) if rng.random() < 0.55 else float(rng.normal(0, 6))
    reach = 15 * max(1.0, board.aspect) * scale
    slack = float(rng.uniform(1.08, 1.7 if scale < 60 and not tight else 1.2))
    turned = abs(math.cos(math.radians(roll))) + abs(math.sin(math.radians(roll)))
    longer = float(rng.uniform(1.0, 1.05 if tight else 1.5))
    long, short = reach * turned * slack * longer, reach * turned * slack
    wide = rng.random() < 0.6
    camera = Camera(
        width=round(long if wide else short),
        height=round(short if wide else long),
        tilt=tilt,
        azimuth=float(rng.uniform(0, 360)),
        roll=roll,
        scale=scale,
        focal=float(rng.uniform(0.75, 2.0)),
    )
    return aimed(rng, camera, board)


def aimed(rng: Rng, camera: Camera, board: BoardStyle) -> Camera:
    """``camera`` aimed off the middle, but with all of the grid still in its picture."""
    spread = 3.0
    for _ in range(12):
        tried = replace(
            camera,
            target=(7.5 + float(rng.normal(0, spread)), 7.5 + float(rng.normal(0, spread))),
        )
        seen = View(tried, board.aspect).points(CORNERS)
        margin = 0.25 * camera.scale
        inside = (seen > margin).all() and (
            seen < np.array([tried.width, tried.height]) - margin
        ).all()
        if inside:
            return tried
        spread *= 0.7
        camera = replace(camera, scale=camera.scale * 0.97)
    return replace(camera, target=(7.5, 7.5), scale=camera.scale * 0.85)


def random_spec(rng: Rng, plain_only: bool = False) -> SceneSpec:
    """A table of any kind. ``plain_only`` uses no font file (and so needs no Pillow)."""
    board = random_board(rng, plain_only)
    tiles = random_tiles(rng, plain_only)
    camera = random_camera(rng, board)
    return SceneSpec(
        seed=int(rng.integers(1 << 30)),
        board=board,
        tiles=tiles,
        placement=random_placement(rng),
        light=random_light(rng),
        camera=camera,
        clutter=random_clutter(rng, board),
        sensor=random_sensor(rng, camera.scale),
    )
