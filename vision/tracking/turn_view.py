"""What is known of a turn's board from its views, square by square, and what stays in doubt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, UNREADABLE, Board, Square, is_tile
from game.plays.change import compare
from game.plays.completing import is_play
from game.plays.reach import may_hold_play
from game.referee.corrected_sightings import known_board
from game.state.fold import GameState
from vision.tracking.certainty import tiles_certainty
from vision.tracking.composing import hidden, overlaid
from vision.tracking.observer import BoardObserver
from vision.tracking.sighting import COVERED, Observation, Sighting
from vision.tracking.square_history import Placement
from vision.tracking.stillness import StillnessTracker

SURE: Final = 0.95
"""A tile that is covered now counts as it was read before if it was read as surely as this: the
hand that let go of it may have hidden a part of it."""

_SOON_NS: Final = 300_000_000
"""A tile that was laid so soon after a press may have lain there at it: a camera's pictures may be
late, and nobody lays a tile so soon after the opponent's press, ..."""

_SHOWN_NS: Final = 1_000_000_000
"""... nor shows it so soon."""

_MOST_STRAYS: Final = 3
"""So many squares may seem to hold a tile and hold none, at most."""


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
        hide = "hide no part" if self.certain else "may hide a part"
        return f"{self.covered} squares were covered {when}, and {hide} of the play"


class TurnViews:
    """Puts the views of one turn together."""

    def __init__(self, observer: BoardObserver, stillness: StillnessTracker) -> None:
        self._observer, self._stillness = observer, stillness

    def view(
        self,
        state: GameState,
        newest: Observation,
        older: Iterable[Observation],
        press_ns: int | None = None,
        at: Observation | None = None,
    ) -> TurnView:
        """Return the view that an observation gives, with older ones where it is covered.

        Args:
            state: the game before the turn.
            newest: the newest observation that counts.
            older: those before it, newest first, of the same turn.
            press_ns: when the turn ended, where ``newest`` is from after that: tiles that were laid
                later are left out.
            at: then, what was seen at the press itself; it goes first.
        """
        turn = len(state.turns) + 1
        sighting = self._observer.update(newest, turn)
        unknown = sighting.merged.covered
        strays = np.zeros((SIZE, SIZE), np.bool_)
        if press_ns is not None and newest.frame.t_ns > press_ns:
            shown = None if at is None else self._observer.update(at, turn)
            later, counted = self._placed_after(state, sighting, press_ns, shown)
            if later.any():
                newest = hidden(newest, later, sighting.merged.covered)
                unknown = unknown & ~later
                sighting = self._observer.update(newest, turn)
            if at is not None and shown is not None:
                strays = stray_tiles(state, shown)
                covered = shown.merged.covered | strays | counted
                strays = strays & (unknown | _unread(sighting)) & ~later
                newest = overlaid(newest, ~covered, at)
                unknown = unknown & covered
                sighting = self._observer.update(newest, turn)
        if sighting.unreadable > COVERED and not unknown.any():
            return TurnView(sighting, None, False, sighting.unreadable)
        view = self._strays_marked(state, newest, sighting, unknown, strays)
        wanted = unknown | _unread(view.sighting)
        if view.certain and not wanted[~unknown].any():
            return view  # whatever older views show of the rest is no part of the play
        combined, left = self._with_older(state, newest, older, wanted)
        sighting, unknown = self._observer.update(combined, turn), left & unknown
        return self._strays_marked(state, combined, sighting, unknown, strays & left)

    def before(self, state: GameState, older: Iterable[Observation]) -> TurnView | None:
        """Return the view that observations before a press give, since which something moved."""
        observations = iter(older)
        newest = next(observations, None)
        if newest is None:
            return None
        sighting = self._observer.update(newest, len(state.turns) + 1)
        combined, _ = self._with_older(state, newest, observations, sighting.merged.covered)
        sighting = self._observer.update(combined, len(state.turns) + 1)
        return with_doubts(state, sighting, ~_new_tiles(state, sighting))

    def new_squares(self, state: GameState, sighting: Sighting) -> tuple[Square, ...]:
        """Return the squares that show a tile and held none before the turn."""
        new = np.argwhere(_new_tiles(state, sighting))
        return tuple(Square(int(row), int(col)) for row, col in new)

    def _with_older(
        self,
        state: GameState,
        newest: Observation,
        older: Iterable[Observation],
        unknown: NDArray[np.bool_],
    ) -> tuple[Observation, NDArray[np.bool_]]:
        """Take new tiles from older observations where the newest one is unknown.

        Returns:
            the observation with them, and the squares that stay unknown.
        """
        turn, combined = len(state.turns) + 1, newest
        if not unknown.any():
            return combined, unknown
        for earlier in older:
            seen = self._observer.update(earlier, turn)
            sure = seen.merged.confidence >= SURE
            shown = unknown & _new_tiles(state, seen) & ~seen.merged.covered & sure
            if shown.any():
                combined = overlaid(combined, shown, earlier)
                unknown = unknown & ~shown
            if not unknown.any():
                break
        return combined, unknown

    def _strays_marked(
        self,
        state: GameState,
        seen: Observation,
        sighting: Sighting,
        unknown: NDArray[np.bool_],
        strays: NDArray[np.bool_],
    ) -> TurnView:
        """Return the view of an observation, with what may be no tile beside a play in doubt.

        Args:
            state: the game before the turn.
            seen: the observation.
            sighting: that it leads to.
            unknown: squares that could not be seen.
            strays: squares that seemed to hold such a tile at the press, and were not seen since.
        """
        view = with_doubts(state, sighting, unknown)
        if not view.certain:
            return view
        if (found := stray_tiles(state, sighting)).any():
            without = hidden(seen, found, sighting.merged.covered)
            left = self._observer.update(without, len(state.turns) + 1)
            view, strays = with_doubts(state, left, unknown), strays | found
        strays = strays & ~_reads_empty(sighting)
        return _doubted(view, strays) if strays.any() else view

    def _placed_after(
        self, state: GameState, sighting: Sighting, press_ns: int, at: Sighting | None
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return where a new tile was laid after the press, and where one counts unseen at it.

        Each bool (15, 15). One counts that came into sight so soon after the press that it lay
        there. So does one on a square that was read as bare at the press, in the sighting ``at``,
        and did not look so: a part of a hand may be read as a bare square.
        """
        later, counted = np.zeros((2, SIZE, SIZE), np.bool_)
        new = self.new_squares(state, sighting)
        placements = self._stillness.placements(new, sighting)
        for square, placement in placements.items():
            before = placement.before_press(press_ns)
            if at is not None and _shown_bare(at, square) and before is not False:
                counted[square] = before or placement.bare_at(at.frame.t_ns) is False
                before = bool(counted[square])
            later[square] = before is False
        rows = sighting.merged.rows
        board = _known(state, rows)
        known = {s: rows[s.row][s.col] for s in new if not later[s] and not is_tile(board[s])}
        late = {s: rows[s.row][s.col] for s in new if later[s]}
        rack = state.rulebook.rack_tiles
        for square in self.placed_soon(board, known, late, rack, sighting, press_ns):
            later[square], counted[square] = False, True
        return later, counted

    def placed_soon(
        self,
        board: Board,
        known: Mapping[Square, str],
        late: Mapping[Square, str],
        rack: int,
        sighting: Sighting,
        press_ns: int,
    ) -> frozenset[Square]:
        """Return those late tiles that complete a play, and came into sight as it was pressed for.

        A camera whose pictures come late shows the last tiles of a play after its press. Nobody
        answers so soon, and the hand that laid them is not the opponent's.

        Args:
            board: the board before the play.
            known: its tiles that were in sight at the press.
            late: tiles that came into sight after it.
            rack: how many tiles a player can lay.
            sighting: which shows them.
            press_ns: when the play was pressed for.
        """
        placements = self._stillness.placements(late, sighting)
        soon = {s: late[s] for s, when in placements.items() if _placed_soon(when, press_ns)}
        if not soon or not is_play(board, {**known, **soon}, rack):
            return frozenset()
        times = {square: placements[square] for square in soon}
        changed = self._stillness.hand_changed(times, press_ns, sighting.reading.corners)
        return frozenset() if changed else frozenset(soon)


def _shown_bare(sighting: Sighting, square: Square) -> bool:
    merged = sighting.merged
    return merged.rows[square.row][square.col] == EMPTY and not merged.covered[square]


def _placed_soon(placement: Placement, press_ns: int) -> bool:
    """True if a tile that was not in sight at a press may have been laid by then."""
    if placement.after_ns is None or placement.by_ns is None or placement.by_ns <= press_ns:
        return False
    return placement.after_ns < press_ns + _SOON_NS and placement.by_ns < press_ns + _SHOWN_NS


def _new_tiles(state: GameState, sighting: Sighting) -> NDArray[np.bool_]:
    """Return the squares that show a tile and held none before the turn: bool (15, 15)."""
    now = "".join(sighting.merged.rows)
    new = [
        after != before and is_tile(after) and not is_tile(before)
        for after, before in zip(now, "".join(state.board.rows), strict=True)
    ]
    return np.array(new).reshape(SIZE, SIZE)


def _known(state: GameState, rows: tuple[str, ...]) -> Board:
    """Return the board before the turn, with earlier tiles that were gone and lie there again."""
    return known_board(state.progress.ledger.position, Board.from_rows(rows))


def stray_tiles(state: GameState, sighting: Sighting) -> NDArray[np.bool_]:
    """Return what may only seem to be a tile: bool (15, 15).

    A ring, a watch or a folded sleeve may pass for a tile beside the hand, and an empty square in
    another light for a plain blank. Where all the other new tiles make a play, and they do not
    together with such a one, it may be none.
    """
    rows, merged = sighting.merged.rows, sighting.merged
    strays = np.zeros((SIZE, SIZE), np.bool_)
    new = np.argwhere(_new_tiles(state, sighting))
    tiles = {Square(row, col): rows[row][col] for row, col in new.tolist()}
    rack, board = state.rulebook.rack_tiles, _known(state, rows)
    tiles = {square: tile for square, tile in tiles.items() if not is_tile(board[square])}
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


def _doubted(view: TurnView, strays: NDArray[np.bool_]) -> TurnView:
    """Return the view with what may only seem to be a tile as squares that are in doubt."""
    rows = [list(row) for row in view.sighting.merged.rows]
    squares = frozenset(Square(row, col) for row, col in np.argwhere(strays).tolist())
    for square in squares:
        rows[square.row][square.col] = UNREADABLE
    merged = replace(view.sighting.merged, rows=_joined(rows))
    doubt = None if view.doubt is None else view.doubt | squares
    return replace(view, sighting=replace(view.sighting, merged=merged), doubt=doubt)


def _reads_empty(sighting: Sighting) -> NDArray[np.bool_]:
    """Return the squares that the picture alone shows to be bare: bool (15, 15).

    Beside the play, a comparison with an earlier picture that is not sure either is no doubt.
    """
    reading = sighting.reading
    bare = np.array([[symbol == EMPTY for symbol in row] for row in reading.rows])
    return np.asarray(bare & (reading.confidence >= SURE))


def _symbols(sighting: Sighting) -> NDArray[np.str_]:
    """Return what is taken to lie on each square: str (15, 15)."""
    return np.array([*"".join(sighting.merged.rows)]).reshape(SIZE, SIZE)


def _unread(sighting: Sighting) -> NDArray[np.bool_]:
    """Return the squares that could not be read: bool (15, 15)."""
    return np.asarray(_symbols(sighting) == UNREADABLE)


def with_doubts(state: GameState, sighting: Sighting, unknown: NDArray[np.bool_]) -> TurnView:
    """Return the view with those of the unknown squares marked that may hold a part of the play.

    The others show what was last seen there.
    """
    rows = [list(row) for row in sighting.merged.rows]
    unread = unknown | _unread(sighting)
    empty = [
        square
        for square in (Square(row, col) for row, col in np.argwhere(unread).tolist())
        if state.board[square] == EMPTY
    ]
    hidden_after = sighting.merged.covered & ~unknown  # tiles laid there are another turn's
    for square in empty:
        rows[square.row][square.col] = EMPTY if hidden_after[square] else UNREADABLE
    joined = _joined(rows)
    change = compare(_known(state, joined), Board.from_rows(joined))
    may_hold = may_hold_play(change)
    doubt = frozenset(square for square in may_hold if unknown[square])
    tiles = sum(symbol != UNREADABLE for symbol in change.placed.values())
    for square in empty:
        if square not in may_hold or (unknown[square] and not tiles):
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
