"""Tiles that come into sight, or can be read, only after the press of their turn."""

from __future__ import annotations

from collections.abc import Mapping

from game.board import FACE_DOWN, UNREADABLE, Square, is_tile
from game.plays.completing import completed_by
from game.state.fold import GameState
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.observer import Sighting


def completing_tiles(
    state: GameState,
    tiles: Mapping[Square, str],
    before: Mapping[Square, bool | None],
    *,
    unseen: bool,
) -> frozenset[Square]:
    """Return the tiles that complete the last play, of those that may have lain there at its press.

    ``before`` says of each new tile whether it lay there at that press; ``unseen`` is True if no
    tile of that turn was in sight then.
    """
    last = state.turns[-1]
    if last.kind != "play" and not unseen:
        return frozenset()
    seen = {Square.parse(name): symbol for name, symbol in last.tiles.items()}
    seen |= {square: tiles[square] for square, early in before.items() if early}
    new = {square: tile for square, tile in tiles.items() if square not in seen}
    free = [square for square in new if before[square] is None]
    found = completed_by(last.before, seen, new, free, state.rulebook.rack_tiles)
    return found or frozenset()


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
