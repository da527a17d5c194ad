"""What is known of a turn's board from its views, square by square, and what stays in doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, Board, Square, is_tile
from game.plays.completing import is_play
from game.state.fold import GameState
from vision.tracking.composing import hidden, overlaid
from vision.tracking.new_tiles import in_line
from vision.tracking.observer import BoardObserver
from vision.tracking.sighting import COVERED, Observation, Sighting
from vision.tracking.square_history import Placement, before_press
from vision.tracking.stillness import StillnessTracker, StillSegment
from vision.tracking.unseen_plays import answer
from vision.tracking.view_doubts import (
    SURE,
    TurnView,
    asked,
    doubted,
    known_before,
    left_out,
    new_tile_squares,
    other_tile_squares,
    plain_tiles,
    reads_empty,
    stray_tiles,
    unread,
    with_doubts,
)

_SOON_NS: Final = 300_000_000
"""A tile that was laid so soon after a press may have lain there at it: a camera's pictures may be
late, and nobody lays a tile so soon after the opponent's press, ..."""

_SHOWN_NS: Final = 1_000_000_000
"""... nor shows it so soon."""


class TurnViews:
    """Puts the views of one turn together."""

    def __init__(self, observer: BoardObserver, stillness: StillnessTracker) -> None:
        self._observer, self._stillness = observer, stillness

    def view(
        self,
        state: GameState,
        newest: Observation,
        older: Sequence[StillSegment],
        press_ns: int | None = None,
        at: Observation | None = None,
        *,
        blind: bool = False,
    ) -> TurnView:
        """Return the view that an observation gives, with older ones where it is covered.

        Args:
            state: the game before the turn.
            newest: the newest observation that counts.
            older: the segments before it, newest first, of the same turn.
            press_ns: when the turn ended, where ``newest`` is from after that: tiles that were laid
                later are left out.
            at: then, what was seen at the press itself; it goes first.
            blind: True if the camera showed nothing from before the press until well after it.
        """
        turn = len(state.turns) + 1
        sighting = self._observer.update(newest, turn)
        unknown = sighting.merged.covered
        later, answered = np.zeros((SIZE, SIZE), np.bool_), False
        strays = np.zeros((SIZE, SIZE), np.bool_)
        if press_ns is not None and newest.frame.t_ns > press_ns:
            shown = None if at is None else self._observer.update(at, turn)
            later, counted = self._placed_after(state, sighting, press_ns, shown)
            if blind and not later.any():
                for square in answer(state, self.new_tiles(state, sighting)):
                    later[square] = answered = True
            if later.any():
                newest = hidden(newest, later, sighting.merged.covered)
                unknown = unknown & ~later
                sighting = self._observer.update(newest, turn)
            if at is not None and shown is not None:
                strays = stray_tiles(state, shown)
                covered = shown.merged.covered | strays | counted
                strays = strays & (unknown | unread(sighting)) & ~later
                newest = overlaid(newest, ~covered, at)
                unknown = unknown & covered
                sighting = self._observer.update(newest, turn)
        if sighting.unreadable > COVERED and not unknown.any():
            return TurnView(sighting, None, False, sighting.unreadable)
        put_right = self._put_right(state, newest, sighting, older)
        if put_right is not newest:
            newest, sighting = put_right, self._observer.update(put_right, turn)
            unknown = unknown & sighting.merged.covered
        view = self._strays_marked(state, newest, sighting, unknown, strays)
        view = left_out(view, later, answered=answered)
        wanted = unknown | unread(view.sighting)
        if view.certain and not wanted[~unknown].any():
            return view  # whatever older views show of the rest is no part of the play
        combined, left = self._with_older(state, newest, self._observed(older), wanted)
        sighting, unknown = self._observer.update(combined, turn), left & unknown
        view = self._strays_marked(state, combined, sighting, unknown, strays & left)
        return left_out(view, later, answered=answered)

    def before(self, state: GameState, older: Iterable[StillSegment]) -> TurnView | None:
        """Return the view that segments before a press give, since which something moved."""
        observations = self._observed(older)
        newest = next(observations, None)
        if newest is None:
            return None
        sighting = self._observer.update(newest, len(state.turns) + 1)
        combined, _ = self._with_older(state, newest, observations, sighting.merged.covered)
        sighting = self._observer.update(combined, len(state.turns) + 1)
        return with_doubts(state, sighting, ~new_tile_squares(state, sighting))

    def new_squares(self, state: GameState, sighting: Sighting) -> tuple[Square, ...]:
        """Return the squares that show a tile and held none before the turn."""
        new = np.argwhere(new_tile_squares(state, sighting))
        return tuple(Square(int(row), int(col)) for row, col in new)

    def new_tiles(self, state: GameState, sighting: Sighting) -> dict[Square, str]:
        """Return the tiles that lie on those squares."""
        rows = sighting.merged.rows
        return {s: rows[s.row][s.col] for s in self.new_squares(state, sighting)}

    def _observed(self, segments: Iterable[StillSegment]) -> Iterator[Observation]:
        """Yield the observations of segments in which the board was found."""
        for segment in segments:
            observation = self._stillness.observe_segment(segment)
            if observation is not None:
                yield observation

    def _put_right(
        self,
        state: GameState,
        newest: Observation,
        sighting: Sighting,
        older: Sequence[StillSegment],
    ) -> Observation:
        """Take the tiles that lie covered now, and were seen in this turn to be others.

        Nobody lays a wrong tile back, so what was seen surely stays; a segment is not read for it.
        """
        covered, turn = sighting.merged.covered, len(state.turns) + 1
        for segment in older if covered.any() else ():
            if segment.observation is None:
                continue
            seen = self._observer.update(segment.observation, turn)
            sure = (seen.merged.confidence >= SURE) & ~seen.merged.covered
            other = covered & sure & other_tile_squares(state, seen)
            if other.any():
                newest, covered = overlaid(newest, other, segment.observation), covered & ~other
        return newest

    def _with_older(
        self,
        state: GameState,
        newest: Observation,
        older: Iterator[Observation],
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
            shown = unknown & new_tile_squares(state, seen) & ~seen.merged.covered & sure
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
        strays = strays & ~reads_empty(sighting.reading)
        if strays.any():
            return doubted(view, strays)
        return asked(view, plain_tiles(state, view.sighting))

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
        early = before_press(placements, press_ns, _tiles_read(at))
        for square, placement in placements.items():
            before = early[square]
            if at is not None and _shown_bare(at, square) and before is not False:
                counted[square] = before or placement.bare_at(at.frame.t_ns) is False
                before = bool(counted[square])
            later[square] = before is False
        rows = sighting.merged.rows
        board = known_before(state, rows)
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
        # A tile out of the play's line cannot complete it, and placements take their time.
        in_its_line = [square for square in late if in_line({square, *known})]
        placements = self._stillness.placements(in_its_line, sighting)
        if not any(_placed_soon(when, press_ns) for when in placements.values()):
            return frozenset()
        others = [square for square in late if square not in placements]
        placements |= self._stillness.placements(others, sighting)
        soon = {s: late[s] for s, when in placements.items() if _placed_soon(when, press_ns)}
        if not is_play(board, {**known, **soon}, rack):
            return frozenset()
        times = {square: placements[square] for square in soon}
        changed = self._stillness.hand_changed(times, press_ns, sighting.reading.corners)
        return frozenset() if changed else frozenset(soon)


def _shown_bare(sighting: Sighting, square: Square) -> bool:
    merged = sighting.merged
    return merged.rows[square.row][square.col] == EMPTY and not merged.covered[square]


def _tiles_read(sighting: Sighting | None) -> NDArray[np.bool_]:
    """Return the squares on which a sighting shows a tile in full view: bool (15, 15)."""
    if sighting is None:
        return np.zeros((SIZE, SIZE), np.bool_)
    tiles = np.array([is_tile(symbol) for symbol in "".join(sighting.merged.rows)])
    return np.asarray(tiles.reshape(SIZE, SIZE) & ~sighting.merged.covered)


def _placed_soon(placement: Placement, press_ns: int) -> bool:
    """True if a tile that was not in sight at a press may have been laid by then."""
    if placement.after_ns is None or placement.by_ns is None or placement.by_ns <= press_ns:
        return False
    return placement.after_ns < press_ns + _SOON_NS and placement.by_ns < press_ns + _SHOWN_NS
