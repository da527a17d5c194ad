"""The simulated table at one moment, which actions change and the camera draws.

Nothing is rendered here: a moment is cheap, so the next press can be found without drawing the
frames before it.

Places are in *board units*, which turn with the board; where people sit and shadows fall is in
*room units*, which are the board's as it lay at first.
"""

from __future__ import annotations

import copy
import math
import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, FACE_DOWN, SIZE, UNDESIGNATED, Board, Square, is_blank
from game.events import Button, ButtonPressed, Event, Finding, Side, TilesChanged, TurnSeen
from models.scenes.spec import Hand, Light, SceneSpec
from models.scenes.view import CORNERS, Camera, View
from sensors.interfaces import Press

SECOND: Final = 1_000_000_000

_CENTRE: Final = 7.5

_NEAR: Final = 0.05
"""A board no further than this from its first position (in board units) counts as there."""

Trouble = Literal["gone", "frozen", "black", "smaller"]
"""Faults of a camera: no frames, always the same frame, black frames, smaller frames."""


@dataclass(frozen=True, eq=False, slots=True)
class Moment:
    """Everything that one frame shows. ``moving``: a hand, a tile or the board is moving.

    ``light`` is the room's, ``gain`` the brightness of the lamps relative to it, and ``spin`` how
    far the board has been turned, in degrees clockwise, from where ``spec`` has it.
    """

    t_ns: int
    seq: int
    spec: SceneSpec
    rows: tuple[str, ...]
    rotation: NDArray[np.int8]
    hands: tuple[Hand, ...]
    moving: bool
    light: Light
    gain: float = 1.0
    spin: float = 0.0
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Announcement:
    """An announcement at the table, as the event that a director would enter."""

    event: Event
    t_ns: int


@dataclass(frozen=True, slots=True)
class TurnTruth:
    """A turn as it really was. ``board`` is the board when the clock was pressed."""

    side: Side
    kind: str
    tiles: Mapping[Square, str]
    board: Board
    press_ns: int
    score: int | None
    total: int | None


@dataclass(frozen=True, slots=True)
class Fault:
    """A deliberate fault: its kind, its turn, and the codes of the flags that it must get."""

    kind: str
    turn: int
    codes: frozenset[str] = frozenset()


@dataclass
class World:
    """The table now. Actions change it; the table takes a :class:`Moment` of it a frame.

    ``truth`` is the log that a perfect recorder would write, without its first event; ``faults`` is
    the mischief done.
    """

    rng: random.Random
    spec: SceneSpec
    fps: float
    t_ns: int = 0
    seq: int = field(default=0, init=False)
    tiles: dict[Square, str] = field(default_factory=dict, init=False)
    quarter_turns: dict[Square, int] = field(default_factory=dict, init=False)
    """Tiles that are not upright, in quarter turns clockwise."""
    hands: dict[Side, Hand] = field(default_factory=dict, init=False)
    presses: deque[Press] = field(default_factory=deque, init=False)
    announcements: deque[Announcement] = field(default_factory=deque, init=False)
    turns: list[TurnTruth] = field(default_factory=list, init=False)
    truth: list[Event] = field(default_factory=list, init=False)
    faults: list[Fault] = field(default_factory=list, init=False)
    turned: float = field(default=0.0, init=False)
    """The angle of the board from its first position, degrees clockwise."""
    shifted: tuple[float, float] = field(default=(0.0, 0.0), init=False)
    """The offset by which the board has been pushed aside, in board units."""
    spin: float = field(default=0.0, init=False)
    """The angle by which the board is turned since it was last at rest, in degrees clockwise."""
    light: Light = field(init=False)
    """In room units."""
    gains: tuple[float, ...] = field(default=(1.0,), init=False)
    """The lamps' brightness frame by frame, in a cycle."""
    trouble: Trouble | None = field(default=None, init=False)
    _reported: set[tuple[str, str]] = field(default_factory=set, init=False)
    _base: SceneSpec = field(init=False)

    def __post_init__(self) -> None:
        self._base, self.light = self.spec, self.spec.light

    def kept(self) -> World:
        """Return a copy of the world as it is now, to come back to."""
        made = copy.copy(self)
        made.tiles, made.quarter_turns = dict(self.tiles), dict(self.quarter_turns)
        made.hands, made._reported = dict(self.hands), set(self._reported)
        made.presses, made.announcements = deque(), deque()
        made.turns, made.truth, made.faults = list(self.turns), list(self.truth), list(self.faults)
        return made

    @property
    def board(self) -> Board:
        """The tiles on the squares."""
        return Board.empty().replace(self.tiles)

    def frames(self, seconds: float) -> int:
        """Return the number of frames in a stretch of time, at least one."""
        return max(1, round(seconds * self.fps))

    def press(self, button: Button, after_s: float = 0.0) -> int:
        """Press a clock button ``after_s`` after the newest frame; return the time of the press."""
        t_ns = self.t_ns + round(after_s * SECOND)
        self.presses.append(Press(button, t_ns))
        self.truth.append(ButtonPressed(button, t_ns))
        return t_ns

    def announce(self, event: Event) -> None:
        """Make an announcement now."""
        self.announcements.append(Announcement(event, self.t_ns))
        self.truth.append(event)

    def end_turn(self, side: Side, press_ns: int, covered: bool = False) -> None:
        """Record the turn that a press has ended, as a camera that sees everything would."""
        findings = self._findings()
        if covered:
            findings.append(Finding("board_covered", None, "a hand lies over it"))
        self.truth.append(
            TurnSeen(side, press_ns, self.visible_rows(), press_ns, findings=tuple(findings))
        )

    def changed(self) -> None:
        """Record that tiles were changed after the last press."""
        last = self.seen
        self.truth.append(TilesChanged(last, self.visible_rows(), self.t_ns, {}, self.t_ns))

    @property
    def seen(self) -> int:
        """The number of turns that have ended."""
        return sum(isinstance(event, TurnSeen) for event in self.truth)

    def visible_rows(self) -> tuple[str, ...]:
        """Return the rows as a camera can know them: a blank shows no letter."""
        return tuple(
            "".join(UNDESIGNATED if is_blank(symbol) else symbol for symbol in row)
            for row in self.board.rows
        )

    def _findings(self) -> list[Finding]:
        """Return findings about tiles that no earlier turn has reported."""
        odd = [("misoriented_tile", square.name) for square in sorted(self.quarter_turns)]
        odd += [
            ("face_down", square.name)
            for square, symbol in sorted(self.tiles.items())
            if symbol == FACE_DOWN
        ]
        fresh = [Finding(code, name) for code, name in odd if (code, name) not in self._reported]
        self._reported = set(odd)
        return fresh

    def lay_board(self, turned: float, shifted: tuple[float, float]) -> None:
        """Set the board's position: turned (degrees clockwise) and pushed aside (board units)."""
        by = turned - self.turned
        for side, hand in self.hands.items():
            self.hands[side] = replace(
                hand, start=_about_centre(hand.start, -by), reach=_about_centre(hand.reach, -by)
            )
        self.turned, self.spin = turned % 360.0, 0.0
        camera = self._camera(shifted)
        while not _whole(camera, self.spec) and max(map(abs, shifted)) > _NEAR:
            # Nobody pushes the board out of the camera's sight and leaves it there.
            shifted = (0.8 * shifted[0], 0.8 * shifted[1])
            camera = self._camera(shifted)
        self.shifted = shifted
        self.spec = replace(self._base, camera=camera)

    def _camera(self, shifted: tuple[float, float]) -> Camera:
        """Return the camera relative to a board that is turned and pushed aside."""
        return replace(
            self._base.camera,
            roll=self._base.camera.roll - self.turned,
            azimuth=self._base.camera.azimuth - self.turned,
            target=(_CENTRE - shifted[0], _CENTRE - shifted[1]),
        )

    def to_board(self, place: tuple[float, float]) -> tuple[float, float]:
        """Convert a place from room units to board units."""
        return _about_centre(place, -self.turned)

    def moment(self) -> Moment:
        """Return everything that a frame taken now shows."""
        rows = [[EMPTY] * SIZE for _ in range(SIZE)]
        for square, symbol in self.tiles.items():
            rows[square.row][square.col] = symbol
        rotation = np.zeros((SIZE, SIZE), np.int8)
        for square, turns in self.quarter_turns.items():
            rotation[square] = turns
        return Moment(
            self.t_ns,
            self.seq,
            self.spec,
            tuple("".join(row) for row in rows),
            rotation,
            tuple(self.hands.values()),
            bool(self.hands) or bool(self.spin),
            self._light_on_board(),
            self.gains[self.seq % len(self.gains)],
            self.spin,
            self.trouble,
        )

    def _light_on_board(self) -> Light:
        if not self.turned:
            return self.light
        return replace(
            self.light,
            direction=_turned(self.light.direction, -self.turned),
            shadows=tuple(
                replace(shadow, points=tuple(self.to_board(point) for point in shadow.points))
                for shadow in self.light.shadows
            ),
        )


def _whole(camera: Camera, spec: SceneSpec) -> bool:
    """Return True if the camera sees the whole grid."""
    corners = View(camera, spec.board.aspect).points(CORNERS)
    size = np.array([camera.width, camera.height])
    return bool((corners >= 0).all() and (corners < size).all())


def _about_centre(place: tuple[float, float], degrees: float) -> tuple[float, float]:
    x, y = _turned((place[0] - _CENTRE, place[1] - _CENTRE), degrees)
    return x + _CENTRE, y + _CENTRE


def _turned(vector: tuple[float, float], degrees: float) -> tuple[float, float]:
    angle = math.radians(degrees)
    across, down = math.cos(angle), math.sin(angle)
    return vector[0] * across - vector[1] * down, vector[0] * down + vector[1] * across
