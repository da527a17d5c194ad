"""The view of a turn's board: what it shows, and what of it stays in doubt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import (
    EMPTY,
    FACE_DOWN,
    SIZE,
    UNDESIGNATED,
    UNREADABLE,
    Board,
    Square,
    is_blank,
    is_tile,
)
from game.plays.change import compare
from game.plays.completing import is_play
from game.plays.reach import may_hold_play
from game.referee.corrected_sightings import known_board, withdrawn_there
from game.state.fold import GameState
from vision.reading import Reading
from vision.tracking.belief import NOTHING
from vision.tracking.certainty import tiles_certainty
from vision.tracking.late_tiles import open_questions
from vision.tracking.new_tiles import in_line
from vision.tracking.sighting import Sighting

SURE: Final = 0.95
"""A tile that is covered now counts as it was read before if it was read as surely as this: the
hand that let go of it may have hidden a part of it."""

_MOST_STRAYS: Final = 3
"""So many squares may seem to hold a tile and hold none, at most."""

_MAY_HOLD: Final = 0.05
"""A square that passes for bare may hold a tile that a play needs, if that is as likely as this."""

_MAY_HOLD_ALONE: Final = 0.002
"""The same of a single square where no likelier ones would do: tiles that make no play are as rare.
Most bare squares are surer by far, with 99.99%."""

_MAY_LENGTHEN: Final = 0.045
"""The same at an end of a play that is one without it. Of 185 turns of simulated games, at the ends
of none was a bare square less sure than 96%; in another game one of 95% held a plain blank."""

_MOST_PLAIN: Final = 2
"""So many tiles may be missed at once: a set has two blanks, and no other is as plain as a square.
"""


@dataclass(frozen=True)
class TurnView:
    """The sighting of a turn: each square as it was seen last."""

    sighting: Sighting
    doubt: frozenset[Square] | None
    """Squares that could not be seen and may hold a part of the play; None: all of them."""
    tiles: bool
    """True if a new tile is in sight."""
    covered: int
    """How many squares something covered."""
    answered: bool = False
    """True if the play of the next turn lies there too, and was left out."""

    @property
    def certain(self) -> bool:
        """True if what could not be seen does not matter."""
        return self.doubt is not None and not self.doubt

    def certainty(self, state: GameState) -> float:
        """Return how sure it is, 0..1, that these tiles were played and no others.

        0 where the play may be where nothing could be seen.
        """
        return 0.0 if self.doubt is None else tiles_certainty(state, self.sighting)

    def note(self, when: str) -> str | None:
        """Return words on what was covered; None if nothing was."""
        if not self.covered:
            return None
        return f"{when}, {'but no' if self.certain else 'and perhaps a'} part of the play"


def left_out(view: TurnView, later: NDArray[np.bool_], *, answered: bool) -> TurnView:
    """Return the view without tiles that were laid after the turn, bool (15, 15)."""
    merged = view.sighting.merged
    symbols = _symbols(view.sighting)
    symbols[later & (symbols == UNREADABLE)] = EMPTY
    sighting = replace(view.sighting, merged=replace(merged, rows=_joined(symbols)))
    return replace(view, sighting=sighting, answered=answered)


def new_tile_squares(state: GameState, sighting: Sighting) -> NDArray[np.bool_]:
    """Return the squares that show a tile and held none before the turn: bool (15, 15)."""
    now = "".join(sighting.merged.rows)
    new = [
        after != before and is_tile(after) and not is_tile(before)
        for after, before in zip(now, "".join(state.board.rows), strict=True)
    ]
    return np.array(new).reshape(SIZE, SIZE)


def other_tile_squares(state: GameState, sighting: Sighting) -> NDArray[np.bool_]:
    """Return the squares that show another face than lay there before the turn: bool (15, 15)."""
    now = "".join(sighting.merged.rows)
    other = [
        is_tile(after)
        and after != FACE_DOWN  # it may have been turned over again
        and is_tile(before)
        and after != (UNDESIGNATED if is_blank(before) else before)
        for after, before in zip(now, "".join(state.board.rows), strict=True)
    ]
    return np.array(other).reshape(SIZE, SIZE)


def known_before(state: GameState, rows: tuple[str, ...]) -> Board:
    """Return the board before the turn, with earlier tiles that were gone and lie there again.

    And with those of a withdrawn play that nobody has taken up.
    """
    position, seen = state.progress.ledger.position, Board.from_rows(rows)
    left = withdrawn_there(position, seen)
    return known_board(position, seen).replace({square: seen[square] for square in left})


def stray_tiles(state: GameState, sighting: Sighting) -> NDArray[np.bool_]:
    """Return what may only seem to be a tile: bool (15, 15).

    A ring, a watch or a folded sleeve may pass for a tile beside the hand, and an empty square in
    another light for a plain blank. Where all the other new tiles make a play, and they do not
    together with such a one, it may be none.
    """
    merged, rack = sighting.merged, state.rulebook.rack_tiles
    strays = np.zeros((SIZE, SIZE), np.bool_)
    board, tiles = _played(state, sighting)
    if len(tiles) < 2 or is_play(board, tiles, rack):
        return strays
    near = cv2.dilate(merged.covered.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    unsure = [one for one in tiles if near[one] or merged.confidence[one] < SURE]
    for count in range(1, min(len(unsure), _MOST_STRAYS, len(tiles) - 1) + 1):
        fits = [
            left_out
            for left_out in combinations(unsure, count)
            if is_play(board, {s: t for s, t in tiles.items() if s not in left_out}, rack)
        ]
        if fits:
            for square in fits[0] if len(fits) == 1 else ():
                strays[square] = True
            break
    return strays


def plain_tiles(state: GameState, sighting: Sighting) -> frozenset[Square]:
    """Return the squares beside a play that may only seem to be bare.

    A plain blank on a square of its colour may pass for none. Where the new tiles make no play, and
    they do together with a tile on a square that is not surely bare, one may lie there; else at an
    end of the play, on a square that is less sure.
    """
    board, tiles = _played(state, sighting)
    if not tiles:
        return frozenset()
    rack, merged = state.rulebook.rack_tiles, sighting.merged
    bare = np.where(merged.covered, 1.0, merged.belief.posterior[..., NOTHING])
    bare = np.where(_symbols(sighting) == EMPTY, bare, 1.0)
    unsure = [Square(row, col) for row, col in np.argwhere(bare <= 1 - _MAY_HOLD_ALONE).tolist()]
    unsure = [square for square in unsure if board[square] == EMPTY and in_line({square, *tiles})]
    whole = is_play(board, tiles, rack)
    counts = [(count, _MAY_HOLD) for count in range(1, _MOST_PLAIN + 1)] + [(1, _MAY_HOLD_ALONE)]
    for count, least in () if whole else counts:
        fits = [
            more
            for more in combinations([at for at in unsure if bare[at] <= 1 - least], count)
            if is_play(board, {**tiles, **dict.fromkeys(more, UNDESIGNATED)}, rack)
        ]
        if fits:
            return frozenset(fits[0]) if len(fits) == 1 else frozenset()
    unread = dict.fromkeys((at for at in unsure if bare[at] <= 1 - _MAY_LENGTHEN), UNREADABLE)
    return may_hold_play(compare(board, board.replace({**tiles, **unread}))) & unread.keys()


def _played(state: GameState, sighting: Sighting) -> tuple[Board, dict[Square, str]]:
    """Return the board before the turn, and the tiles that were laid on it."""
    rows = sighting.merged.rows
    board = known_before(state, rows)
    new = (Square(row, col) for row, col in np.argwhere(new_tile_squares(state, sighting)).tolist())
    return board, {at: rows[at.row][at.col] for at in new if not is_tile(board[at])}


def doubted(view: TurnView, strays: NDArray[np.bool_]) -> TurnView:
    """Return the view with what may only seem to be a tile as squares that are in doubt."""
    squares = frozenset(Square(row, col) for row, col in np.argwhere(strays).tolist())
    doubt = None if view.doubt is None else view.doubt | squares
    return replace(asked(view, squares), doubt=doubt)


def asked(view: TurnView, squares: frozenset[Square]) -> TurnView:
    """Return the view with squares that are in full view as ones that could not be read."""
    symbols = _symbols(view.sighting)
    for square in squares:
        symbols[square] = UNREADABLE
    merged = replace(view.sighting.merged, rows=_joined(symbols))
    return replace(view, sighting=replace(view.sighting, merged=merged))


def reads_empty(reading: Reading) -> NDArray[np.bool_]:
    """Return the squares that the picture alone shows to be bare: bool (15, 15).

    Beside the play, a comparison with an earlier picture that is not sure either is no doubt.
    """
    bare = np.array([[symbol == EMPTY for symbol in row] for row in reading.rows])
    return np.asarray(bare & (reading.confidence >= SURE))


def _symbols(sighting: Sighting) -> NDArray[np.str_]:
    """Return what is taken to lie on each square: str (15, 15)."""
    return np.array([*"".join(sighting.merged.rows)]).reshape(SIZE, SIZE)


def unread(sighting: Sighting) -> NDArray[np.bool_]:
    """Return the squares that could not be read: bool (15, 15)."""
    return np.asarray(_symbols(sighting) == UNREADABLE)


def with_doubts(state: GameState, sighting: Sighting, unknown: NDArray[np.bool_]) -> TurnView:
    """Return the view with those of the unknown squares marked that may hold a part of the play.

    The others show what was last seen there; where that is asked about, they stay unread.
    """
    rows = [list(row) for row in sighting.merged.rows]
    not_seen = unknown | unread(sighting)
    empty = [
        square
        for square in (Square(row, col) for row, col in np.argwhere(not_seen).tolist())
        if state.board[square] == EMPTY
    ]
    hidden_after = sighting.merged.covered & ~unknown  # tiles laid there are another turn's
    for square in empty:
        rows[square.row][square.col] = EMPTY if hidden_after[square] else UNREADABLE
    joined = _joined(rows)
    change = compare(known_before(state, joined), Board.from_rows(joined))
    may_hold = may_hold_play(change)
    doubt = frozenset(square for square in may_hold if unknown[square])
    tiles = sum(symbol != UNREADABLE for symbol in change.placed.values())
    asked = {square for _, square in open_questions(state)}
    for square in empty:
        if square in asked:
            rows[square.row][square.col] = UNREADABLE
        elif square not in may_hold or (unknown[square] and not tiles):
            rows[square.row][square.col] = EMPTY
    if tiles <= state.rulebook.rack_tiles:  # else one of them was perhaps knocked there
        for row, col in np.argwhere(sighting.merged.covered & _tiles_on(state.board)):
            rows[row][col] = sighting.merged.belief.symbols[row][col]
    marked = replace(sighting.merged, rows=_joined(rows))
    return TurnView(
        replace(sighting, merged=marked),
        doubt if tiles or not doubt else None,
        tiles > 0,
        int(sighting.merged.covered.sum()),
    )


def _tiles_on(board: Board) -> NDArray[np.bool_]:
    return np.array([is_tile(symbol) for symbol in "".join(board.rows)]).reshape(SIZE, SIZE)


def _joined(rows: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple("".join(row) for row in rows)
