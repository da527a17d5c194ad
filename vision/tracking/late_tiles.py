"""Squares of recorded turns that can be read, or are certain, only after their turn's press."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from game.board import EMPTY, FACE_DOWN, UNREADABLE, Square, is_tile
from game.plays.change import same_tile
from game.referee.position import Turn
from game.state.fold import GameState
from vision.tracking.belief import NOTHING
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.sighting import Sighting

_CONFIRMED: Final = 0.95
"""A later reading that is as sure as this settles the question about a square."""


def shown_later(state: GameState, sighting: Sighting) -> tuple[ReadingCorrection, ...]:
    """Return what a sighting shows of the squares that earlier turns left unread or in doubt."""
    found = read_late(state, sighting)
    changed = {correction.square for correction in found}
    sure = (one for one in confirmed(state, sighting) if one.square not in changed)
    return with_misoriented((*found, *sure), sighting)


def read_late(state: GameState, sighting: Sighting) -> tuple[ReadingCorrection, ...]:
    """Return the tiles that can be read now, and counted for an earlier turn without being read."""
    found = []
    for square, symbol in state.board.tiles().items():
        now = sighting.merged.rows[square.row][square.col]
        if symbol != UNREADABLE or not is_tile(now) or now == FACE_DOWN:
            continue
        turn = next((t for t in reversed(state.turns) if square.name in t.tiles), None)
        if turn is not None:
            why = f"could not be read at the press of turn {turn.number}, and can be now"
            found.append(ReadingCorrection(turn.number, square, now, why))
    return tuple(found)


def with_misoriented(
    corrections: Iterable[ReadingCorrection], sighting: Sighting
) -> tuple[ReadingCorrection, ...]:
    """Return the corrections, each with how its tile lies where the sighting shows it turned."""
    reading = sighting.reading
    turned = {f.square: f.detail for f in reading.findings if f.code == "misoriented_tile"}
    return tuple(
        replace(one, misoriented=turned.get(one.square.name, ""))
        if one.symbol == reading.rows[one.square.row][one.square.col]
        else one
        for one in corrections
    )


def open_questions(state: GameState) -> Iterator[tuple[Turn, Square]]:
    """Yield the squares of which it is asked what lies there, with the turn of each question.

    Of a tile that lay there before, unread, it is asked whether it counts: no picture tells.
    """
    for turn in state.turns:
        for flag in turn.flags:
            if flag.code == "uncertain_square" and flag.settled is None:
                squares = map(Square.parse, flag.squares)
                yield from ((turn, square) for square in squares if turn.before[square] == EMPTY)


def confirmed(state: GameState, sighting: Sighting) -> tuple[ReadingCorrection, ...]:
    """Return what settles questions about squares, as they were counted.

    A tile that is read for sure now, as what it was taken for; and a square of the last turn that
    is in sight without a tile, while the tiles of that turn lie there. A tile that
    was laid since settles nothing.
    """
    merged, reading = sighting.merged, sighting.reading
    found = []
    for turn, square in open_questions(state):
        now, counted = reading.rows[square.row][square.col], turn.after[square]
        sure = float(merged.confidence[square])
        if merged.covered[square] or merged.rows[square.row][square.col] != now:
            continue
        if sure < _CONFIRMED or not same_tile(now, counted) or now in (UNREADABLE, FACE_DOWN):
            continue
        bare = merged.belief.posterior[square][NOTHING]
        if is_tile(now) and bare < 1 - _CONFIRMED:
            why = f"read for sure in a later view ({sure:.0%})"
        elif now == EMPTY and turn is state.turns[-1] and _last_play_in_sight(state, sighting):
            why = f"in sight without a tile after the press of turn {turn.number}"
        else:
            continue
        found.append(ReadingCorrection(turn.number, square, counted, why, confirms=True))
    return tuple(found)


def _last_play_in_sight(state: GameState, sighting: Sighting) -> bool:
    """True if a sighting shows the tiles of the last turn: the board is not being cleared."""
    tiles = [Square.parse(name) for name in state.turns[-1].tiles]
    rows, covered = sighting.merged.rows, sighting.merged.covered
    return bool(tiles) and all(is_tile(rows[s.row][s.col]) and not covered[s] for s in tiles)
