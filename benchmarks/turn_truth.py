"""The truth about a window of the turn decoder, by what is due of a film in motion.

That is side, tiles and press of each turn, and when its tiles came.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from motion_turns import OFF

from game.board import Square
from game.events import Side
from tests.table.sharedkit import due, expected
from vision.tracking.parameters import TURN
from vision.tracking.turn_hypotheses import Hypothesis, SideLikelihoods, Window

_MS: Final = 1_000_000
_SLACK_MS: Final = 400
"""A tile is seen so long before its time in the truth, at most: frames lie 170 ms apart."""

Readings = Sequence[tuple[float, SideLikelihoods]]
"""Readings of the hands, as the decoder takes them."""


@dataclass(frozen=True)
class DueTurn:
    """A turn as it is due, with its times in milliseconds."""

    side: Side
    placed: Mapping[Square, int]
    """When each of its tiles came."""
    press_ms: int | None = None
    tried: Mapping[Square, int] = field(default_factory=dict)
    """When tiles came to lie on other squares for a while."""
    off: bool = False
    """True if its tiles were taken off the board again."""

    @property
    def ended_ms(self) -> int:
        """Its press or, without one, its last tile."""
        last = max(self.placed.values(), default=0)
        return last if self.press_ms is None else self.press_ms


@dataclass(frozen=True)
class Replay:
    """The windows of a film, and what is due of it."""

    film: str
    variant: str
    buttons: bool
    dues: tuple[DueTurn, ...]
    windows: tuple[tuple[Window, Readings], ...]


@dataclass(frozen=True)
class Truth:
    """The turns that are true in a window."""

    first: int
    """The index of the due turn with which it begins."""
    ended: tuple[tuple[Side, frozenset[Square]], ...]
    """The turns that have ended as far as it shows, ..."""
    rest: frozenset[Square]
    """... and the tiles of the turn that has not."""

    @property
    def last(self) -> int:
        """The index of the newest due turn of which it shows anything."""
        return self.first + len(self.ended) - (not self.rest and bool(self.ended))

    def agrees(self, one: Hypothesis) -> bool:
        """True if a hypothesis has these turns and this rest."""
        turns = tuple((turn.side, turn.tiles) for turn in one.turns)
        return turns == self.ended and one.rest == self.rest


def truth_of(window: Window, dues: Sequence[DueTurn]) -> Truth | None:
    """Return what is true in a window, of the tiles that it has; None if no hypothesis can say so.

    That is so if it has a tile for certain that was none, or of a turn before, or taken back; if
    turns that count already are not as they are due; if neither a press nor a tile of the next turn
    shows that one has ended; and if the board was not seen since the last press.
    """
    last_ns = max((press.t_ns for press in window.presses), default=0)
    first = _first(window, dues)
    whose = {s: _whose(s, event.by_ns // _MS, dues) for s, event in window.tiles.items()}
    foreign = {s for s, at in whose.items() if at is None or at < first}
    tiles = [
        frozenset(s for s in whose.keys() - foreign if whose[s] == at) for at in range(len(dues))
    ]
    pressed = {press.t_ns // _MS for press in window.presses}
    newest = max((at for at in range(first, len(dues)) if tiles[at]), default=first)
    ended = newest + (window.over and any(tiles[newest:]))
    ended = max(
        [ended, *(at + 1 for at in range(first, len(dues)) if dues[at].press_ms in pressed)]
    )
    done = tuple((turn.side, held) for turn, held in zip(dues, tiles, strict=True))[first:ended]
    recorded = window.recorded
    untold = (
        window.seen_ns is not None and window.seen_ns + _SLACK_MS * _MS < last_ns,
        first == len(dues) or window.side not in (None, dues[first].side),
        any(window.tiles[square].p >= TURN.certain for square in foreign),
        any(tiles[at] - dues[at].placed.keys() for at in range(first, ended)),
        len(recorded) > len(done),
        any(
            one.side != side or not one.tiles <= held
            for one, (side, held) in zip(recorded, done, strict=False)
        ),
        not window.over
        and any(
            dues[at].press_ms not in pressed
            for at in range(max(newest, first + len(recorded)), ended)
        ),
    )
    rest = tiles[ended] if ended < len(dues) else frozenset[Square]()
    return None if any(untold) else Truth(first, done, rest)


def _first(window: Window, dues: Sequence[DueTurn]) -> int:
    """Return the index of the due turn with which a window begins.

    The turns before it laid what is on the board, as far as it was seen.
    """
    board, began_ms = set(window.board.tiles()), window.began_ns // _MS + _SLACK_MS
    lying: set[Square] = set()
    costs = [(len(board), window.side not in (None, dues[0].side), False, 0)]
    for at, turn in enumerate(dues):
        lying |= set() if turn.off else turn.placed.keys()
        other_side, early = window.side == turn.side, turn.ended_ms > began_ms
        costs.append((len(lying ^ board), other_side, early, -at - 1))
    return -min(costs)[-1]


def _whose(square: Square, by_ms: int, dues: Sequence[DueTurn]) -> int | None:
    """Return the index of the turn that laid a tile that was seen then; None if none did."""
    for at in range(len(dues) - 1, -1, -1):
        came_ms = {**dues[at].placed, **dues[at].tried}.get(square)
        if came_ms is not None and came_ms <= by_ms + _SLACK_MS:
            return at
    return None


def dues_of(film: Path) -> tuple[DueTurn, ...]:
    """Read what is due of a film."""
    turns = json.loads((film / "truth.json").read_text("utf-8"))["turns"]
    found: list[DueTurn] = []
    for turn, row in zip(turns, expected(film), strict=True):
        placed = {Square.parse(name): t_ms for name, t_ms in turn["placed_ms"].items()}
        if not placed:  # a play that was put in and challenged off: its times are not told
            began_ms = found[-1].ended_ms if found else 0
            placed = {Square.parse(name): began_ms for name in due(row)[2]}
        tried = {Square.parse(name): came for name, (came, _) in turn["elsewhere"].items()}
        off = row["kind"] in OFF
        found.append(DueTurn(turn["side"], placed, turn["press_ms"], tried, off))
    return tuple(found)
