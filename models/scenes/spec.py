"""The parts of a scene: plain frozen data, each replaceable on its own.

A :class:`SceneSpec` fixes a table (board, tiles, light, camera, clutter) and a seed for
everything that stays from frame to frame: grain, the pose of each square's tile. Two renders
of one spec with different rows are two frames of one game. Use :func:`dataclasses.replace` to
change a part.

Colours are BGR, 0..255. Lengths are in squares (one unit is a square's width) unless stated
otherwise; the board's x runs right, y down, from the playing grid's top-left corner.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.scenes.faces import Face
from models.scenes.view import Camera, View

Color = tuple[float, float, float]
Image = NDArray[np.uint8]
Float = NDArray[np.float32]
Rng = np.random.Generator
Page = NDArray[np.uint8]
"""uint8 (side, side): coverage by ink, drawn on in place."""


@dataclass(frozen=True)
class Surface:
    """A material: its colour, its texture and how strong that is (0..1), its seed."""

    color: Color
    texture: str = "plain"
    """plain, speckle, wood, planks, marble, linen, carpet, weave, checks, stripes, terrazzo"""
    strength: float = 0.1
    second: Color | None = None


@dataclass(frozen=True)
class BoardStyle:
    """An empty board: its squares, their prints, the lines between them and the rim around."""

    square: Surface
    premiums: tuple[Color, Color, Color, Color]
    """Double letter, triple letter, double word, triple word."""
    line: Color
    line_width: float = 0.04
    """0 leaves the lines between squares out."""
    ridge: float = 0.0
    """Strength of raised plastic edges around squares, 0..1."""
    mark: str = "text"
    """The print of a premium square: text, code, plain, star, number, dots; disc colours a disc
    in place of the square."""
    mark_color: Color = (40, 40, 40)
    mark_face: Face = field(default_factory=Face)
    mark_turn: int = 0
    """Quarter turns clockwise of the board's print against the letters' direction."""
    language: int = 0
    notches: str = "none"
    """Teeth or dots that premium squares push over their edges: none, teeth, dots."""
    inset: float = 0.0
    """Margin between a premium square's colour and its edges."""
    centre: str = "star"
    aspect: float = 1.0
    """Height of a square over its width."""
    rim: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 0.8)
    """Rim's width at the left, top, right, bottom."""
    rim_surface: Surface = field(default_factory=lambda: Surface((60, 60, 60)))
    rim_band: tuple[tuple[float, float, float, float], Color] | None = None
    """A second band around the grid: widths at the left, top, right, bottom, and colour."""
    frames: tuple[tuple[float, float, Color], ...] = ()
    """Rectangles around the grid: their distance from it, the line's width, colour."""
    rim_print: str = "none"
    """none, coordinates, title, both"""
    coordinate_sides: int = 2
    """Coordinates stand at the left and top (2) or on all sides (4)."""
    legends: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Labels on coloured ground along the rim's left, top, right, bottom side."""
    rim_ink: Color = (230, 230, 230)
    radius: float = 0.4
    seam: str = "none"
    """Fold: none, vertical, horizontal, cross."""
    thickness: float = 0.3
    opacity: float = 1.0
    """Opacity against the table, 0..1; 0 is a table without a board."""
    layout: tuple[tuple[int, ...], ...] | None = None
    """15×15 indices into ``premiums``, -1 for a plain square; None is the usual layout."""


class BlankMark(Protocol):
    """Draws a blank's mark.

    ``symbol`` is ``?`` or the lower-case letter that the blank stands for, ``variant`` is 0 to 2:
    the blanks of one set differ a little.
    """

    def __call__(self, page: Page, style: TileStyle, symbol: str, variant: int, /) -> None:
        """Draw it on a tile's page."""


@dataclass(frozen=True)
class TileStyle:
    """A set of tiles: material, print, faces and backs."""

    surface: Surface
    ink: Color
    face: Face = field(default_factory=Face)
    size: float = 0.92
    height: float = 0.2
    """Thickness, in squares."""
    radius: float = 0.1
    bevel: float = 0.06
    bevel_strength: float = 0.3
    side_shade: float = 0.6
    gloss: float = 0.0
    """Light that the middle of a tile's polished, slightly domed top throws back, 0..1."""
    gloss_at: tuple[float, float] = (0.5, 0.5)
    gloss_size: float = 0.3
    """Place on the top, in fractions of its side; ``gloss_size`` is its spread."""
    letter: float = 0.5
    """Cap height over the tile's side."""
    letter_at: tuple[float, float] = (0.46, 0.46)
    """Centre of the letter on the tile, fractions of its side."""
    several: float = 0.5
    """How several letters on one tile are made to fit: 0 narrow, 1 as low as they are narrow."""
    digit: str = "right"
    """Value's corner: right, left, none."""
    digit_face: Face = field(default_factory=Face)
    digit_size: float = 0.17
    digit_inset: float = 0.1
    values: tuple[tuple[str, int], ...] = ()
    ink_strength: float = 1.0
    ink_relief: float = 0.0
    """Engraved letters' light edge, 0..1."""
    wear: float = 0.0
    """Share of the ink rubbed off in patches, 0..1."""
    spread: float = 0.02
    """Spread of the tiles' brightness."""
    blank_mark: BlankMark | None = None
    """Draws the mark of a blank; None leaves blanks plain."""
    blank_ink: Color | None = None
    """The colour of that mark, where it is not the letters' ink."""
    face_down: str = "plain"
    """Backs: plain, groove, ring, cross, logo"""
    foreign: float = 0.0
    """Chance that a tile is of another set's colour."""
    foreign_surface: Surface = field(default_factory=lambda: Surface((200, 220, 240)))
    foreign_ink: Color = (30, 30, 30)
    foreign_face: Face = field(default_factory=Face)


@dataclass(frozen=True)
class Placement:
    """The scatter of tiles about their squares' middles and about upright."""

    shift: float = 0.03
    """Standard deviation of a tile's place, in squares."""
    askew: float = 2.0
    """Standard deviation of a tile's angle, degrees."""
    sloppy: float = 0.02
    """Chance that a tile is up to 0.3 of a square off or 12° askew."""
    pushed: float = 0.0
    """Chance that a tile is pushed 0.3 to 0.42 of a square off along one side."""
    turned: float = 0.0
    """Chance that a tile is turned by 90°, 180° or 270°."""


@dataclass(frozen=True)
class Shadow:
    """A polygon in board units within which light is multiplied by ``factor``."""

    points: tuple[tuple[float, float], ...]
    factor: float
    softness: float
    """Penumbra, in squares."""
    tint: Color = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Glare:
    """A reflection: an ellipse or a window's quadrilateral, in picture fractions (0..1)."""

    at: tuple[float, float]
    size: tuple[float, float]
    angle: float
    strength: float
    softness: float
    window: bool = False


@dataclass(frozen=True)
class Light:
    """Lamps, shadows and reflections. ``gain`` is a BGR multiplier: colour and brightness."""

    gain: Color = (1.0, 1.0, 1.0)
    gradient: tuple[float, float] = (0.0, 0.0)
    """Relative change of brightness across the picture, and its angle in degrees."""
    lamps: tuple[tuple[float, float, float, Color], ...] = ()
    """Soft spots: picture fractions x, y, radius, BGR strength."""
    shadows: tuple[Shadow, ...] = ()
    glares: tuple[Glare, ...] = ()
    vignette: float = 0.0
    direction: tuple[float, float] = (0.5, 0.5)
    """Direction of the tiles' own shadows, board units a unit of height."""
    cast: float = 0.35
    """Darkness of tiles' own shadows."""
    cast_softness: float = 0.1
    sheen: float = 0.0
    """Spread of the light that the tiles' tops catch."""
    metering: float = 0.8
    """Share of over- or underexposure that the camera's metering corrects, 0..1."""


@dataclass(frozen=True)
class Sensor:
    """The camera's effects on the picture."""

    blur: float = 0.5
    """Gaussian, pixels."""
    motion: tuple[float, float] = (0.0, 0.0)
    """Smear: length in pixels, angle in degrees."""
    noise: float = 2.0
    chroma_noise: float = 0.5
    jpeg: int = 90
    sharpen: float = 0.0
    contrast: float = 1.0
    saturation: float = 1.0
    gamma: float = 1.0


@dataclass(frozen=True)
class Hand:
    """A hand with a sleeve, reaching from ``start`` to ``reach`` (board units)."""

    start: tuple[float, float]
    reach: tuple[float, float]
    skin: Color = (130, 165, 215)
    sleeve: Color = (90, 70, 50)
    size: float = 1.0
    """Fingers are about 0.8 × size squares wide."""
    height: float = 1.0
    seed: int = 0


class Thing(Protocol):
    """Something on the table, such as a turntable or a rack."""

    @property
    def lift(self) -> float:
        """The height that it adds under the board, in squares; 0 if it stands beside it."""

    def draw(self, image: Image, view: View, level: float) -> None:
        """Draw it in place, standing at height ``level``."""


@dataclass(frozen=True)
class LooseTile:
    """A tile off the grid, on the board's rim or on the table."""

    symbol: str
    at: tuple[float, float]
    angle: float


@dataclass(frozen=True)
class Clutter:
    """Everything that is not the board."""

    table: Surface = field(default_factory=lambda: Surface((90, 120, 150), "wood", 0.2))
    things: tuple[Thing, ...] = ()
    loose: tuple[LooseTile, ...] = ()
    hands: tuple[Hand, ...] = ()
    reach: float = 3.2
    """Squares beyond the grid within which loose tiles are drawn."""


@dataclass(frozen=True)
class SceneSpec:
    """A table, a camera and a light. ``seed`` fixes the grain and the pose of each tile."""

    seed: int
    board: BoardStyle
    tiles: TileStyle
    placement: Placement = field(default_factory=Placement)
    light: Light = field(default_factory=Light)
    camera: Camera = field(default_factory=Camera)
    clutter: Clutter = field(default_factory=Clutter)
    sensor: Sensor = field(default_factory=Sensor)


@dataclass(frozen=True)
class Scene:
    """A rendered picture and its truth.

    Attributes:
        image: uint8 (H, W, 3) BGR.
        corners: float32 (4, 2), pixels, of the 15×15 grid, clockwise from the corner that is
            top-left when the letters read upright.
        rows: 15 strings of board symbols; a lower-case letter is a blank tile.
        rotation: int8 (15, 15), a tile's quarter turns clockwise against the board's upright
            direction; 0 where there is no tile.
        covered: float32 (15, 15), the fraction of each square hidden by a hand or washed out.
        offsets: float32 (15, 15, 3): the tile's centre right of and below its
            square's centre, in squares, and its angle in degrees clockwise.
    """

    image: Image
    corners: NDArray[np.float32]
    rows: tuple[str, ...]
    rotation: NDArray[np.int8]
    covered: NDArray[np.float32]
    offsets: NDArray[np.float32]

    @property
    def top_square(self) -> float:
        """Mean width in pixels of a square at the board's top edge: the unit of corner jitter."""
        return float(np.linalg.norm(self.corners[1] - self.corners[0])) / 15
