"""Takes the turns of a game without a clock from the views of its board.

Puts the hands, the tiles and their times together for ``vision.tracking.board_turns``, and finds
the sighting that belongs to each turn that has ended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, UNREADABLE, Board, Square, is_tile
from game.events import Edge, Side
from game.referee.corrected_sightings import withdrawn_there
from game.state.fold import GameState
from sensors.interfaces import Frame
from vision.rectify import Corners
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.board_turns import WAIT_NS, BoardTurns
from vision.tracking.composing import hidden
from vision.tracking.hand_watch import HandWatch
from vision.tracking.new_tiles import PlacedTile, Position
from vision.tracking.observer import BoardObserver
from vision.tracking.open_tiles import BoardView
from vision.tracking.seen_turn import SeenTurn
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import StillnessTracker, StillSegment
from vision.tracking.turn_ends import BoardTurn
from vision.tracking.turn_view import TurnViews
from vision.tracking.view_doubts import TurnView

_SURE: Final = 0.8
"""A new tile counts when it is read with this confidence."""

_MOST_VIEWS: Final = 12
"""Views of the open turn that are kept."""

_MOST_TRIED: Final = 4
"""So many views are tried for one that leaves no doubt about a turn."""

_NEAR_NS: Final = 300_000_000
"""A hand that was over a square so shortly before a view may still hide it."""

_AGAIN_NS: Final = 2_000_000_000
"""Interval between looks at a board at rest while its tiles may end a turn, ..."""

_UNTIL_NS: Final = WAIT_NS + _AGAIN_NS
"""... and for how long after the last of them came or went."""

_MOST_GONE: Final = 2
"""With more earlier tiles gone than a slip explains the board is being cleared."""

_UNSURE: Final = 0.5
"""How sure the player and the time of a turn are that is asked about."""


@dataclass(frozen=True)
class _Seen:
    observation: Observation
    tiles: frozenset[Square]
    """The squares of its new tiles."""
    covered: int
    """How many squares something covered."""
    turns: int
    """How many turns had been seen then."""

    def shows(self, state: GameState, tiles: frozenset[Square]) -> bool:
        """True if it shows these tiles, and those of every turn that was logged since."""
        since = (name for turn in state.turns[self.turns :] for name in turn.tiles)
        return self.tiles >= tiles.union(map(Square.parse, since))


class BoardWatch:
    """Watches one game without a clock."""

    def __init__(
        self, hands: Mapping[Side, Edge], observer: BoardObserver, stillness: StillnessTracker
    ) -> None:
        """``hands`` says across which edge of the picture each player's hand comes."""
        self._observer, self._stillness = observer, stillness
        self._views = TurnViews(observer, stillness)
        self._hands = HandWatch(hands, stillness.pictures)
        self._turns = BoardTurns()
        self._seen: deque[_Seen] = deque(maxlen=_MOST_VIEWS)
        """The last views, oldest first."""
        self._bare_ns: dict[Square, int] = {}
        """When each square was last seen without a new tile."""
        self._observed: Observation | None = None
        self._corners: Corners | None = None
        """The board's corners in the newest view, ..."""
        self._shape: tuple[int, ...] = ()
        """... and the shape of the newest picture."""
        self._around_unknown = False
        """True if something lay around a board in plain sight that may be a hand."""
        self._ended: deque[BoardTurn] = deque()
        """Turns that have ended and were not asked for yet."""

    def add(self, frame: Frame) -> None:
        """Look for hands in the newest frame."""
        if frame.image.shape != self._shape:
            self._shape, self._corners = frame.image.shape, None
        # A board that was pushed amid a turn is known there before the turn has ended.
        corners = self._stillness.roi if self._corners is None else self._corners
        if corners is not None:
            self._hands.see(frame.t_ns, frame.image, corners)

    def look(self, state: GameState) -> None:
        """Take the board as it is now, if it is at rest and was read."""
        seen = self._stillness.current
        if seen is None or state.settled:
            return
        if seen is self._observed:
            self._know_around(seen)
            seen = self._again(seen)
            if seen is None:
                return
        self._observed, self._corners = seen, seen.reading.corners
        sighting = self._observer.update(seen, len(state.turns) + 1)
        alone = self._hands.alone(seen.frame.t_ns - _NEAR_NS)
        self._around_unknown = sighting.clear and not alone
        if sighting.clear and alone:
            self._hands.know(seen.frame.image, seen.reading.corners)
        else:
            self._hands.know(seen.frame.image, seen.reading.corners, _plain_squares(sighting))
        if _being_cleared(state, sighting):
            return
        view = self._view(state, sighting)
        covered = int(sighting.merged.covered.sum())
        if self._seen and self._seen[-1].observation.reading is seen.reading:
            self._seen.pop()  # the same view, later
        self._seen.append(_Seen(seen, frozenset(view.tiles), covered, len(state.turns)))
        self._ended += self._turns.see(view, _position(state))

    def finish(self, state: GameState) -> None:
        """End the turn that is open: the game is over, or its pictures are."""
        if not state.settled:
            self._ended += self._turns.finish(_position(state))

    def uncounted(self) -> dict[Square, str]:
        """Return the tiles of the turns that ``finish`` would end, by square."""
        tiles = self._turns.open
        late = {square: tiles.late[square] for square in tiles.late.keys() - tiles.amended}
        return {square: tile.symbol for square, tile in sorted({**late, **tiles}.items())}

    def ended(self, state: GameState) -> SeenTurn | None:
        """Return the next turn that was seen to end; ``state`` is the game before it."""
        return self._seen_turn(state, self._ended.popleft()) if self._ended else None

    def late(self, state: GameState) -> tuple[ReadingCorrection, ...]:
        """Return the tiles that complete an earlier play, and were read only after its turn."""
        found = None if state.settled else self._turns.open.completed()
        if found is None:
            return ()
        names = {square.name for square in found.play}
        turn = next((t for t in reversed(state.turns) if names & t.tiles.keys()), None)
        if turn is None:
            return ()
        why = f"was read only after turn {turn.number}, and completes it"
        return tuple(
            ReadingCorrection(turn.number, square, symbol, why)
            for square, symbol in found.tiles.items()
        )

    # --- what is seen ---

    def _again(self, seen: Observation) -> Observation | None:
        """Look again at a board at rest, if what lies there ends a turn once it has stayed.

        Else the turn would end only when the next hand comes. A hand that rests there may be
        laying more.
        """
        now_ns, tiles = self._stillness.still_ns, self._turns.open
        if now_ns is None or not tiles or seen.covered or now_ns - seen.frame.t_ns < _AGAIN_NS:
            return None
        if now_ns - tiles.changed_ns > _UNTIL_NS:
            return None
        return self._stillness.observe()

    def _know_around(self, seen: Observation) -> None:
        """Know what lies around a board in plain sight, once it is sure to be no hand."""
        segment = self._stillness.newest(None)
        if not self._around_unknown or segment is None:
            return
        frame = segment.frames[0]
        if self._hands.alone(frame.t_ns - _NEAR_NS):
            self._hands.know(frame.image, seen.reading.corners)
            self._around_unknown = False

    def _view(self, state: GameState, sighting: Sighting) -> BoardView:
        rows, merged = sighting.merged.rows, sighting.merged
        corners, now_ns = sighting.reading.corners, sighting.frame.t_ns
        ruled_off = self._ruled_off(state, rows)
        withdrawn = state.progress.ledger.position.withdrawn
        tiles: dict[Square, PlacedTile] = {}
        unseen: set[Square] = set()
        squares = [Square(row, col) for row in range(SIZE) for col in range(SIZE)]
        for square in squares:
            symbol = rows[square.row][square.col]
            if is_tile(state.board[square]) or square in ruled_off:
                continue
            if merged.covered[square] or (symbol != EMPTY and not is_tile(symbol)):
                unseen.add(square)
            elif symbol == EMPTY:
                known = square in self._turns.open or square in withdrawn
                if known and self._hands.over(square, corners, now_ns - _NEAR_NS, now_ns):
                    unseen.add(square)  # fingers may pass for a bare square
                else:
                    self._bare_ns[square] = now_ns
            elif merged.confidence[square] >= _SURE:
                tiles[square] = PlacedTile(symbol, frozenset(), 0, now_ns)
            else:
                unseen.add(square)
        fresh = [square for square in tiles if square not in self._turns.open]
        placements = self._stillness.placements(fresh, sighting)
        for square in fresh:
            placement = placements[square]
            after_ns = placement.after_ns or self._bare_ns.get(square, 0)
            by_ns = placement.by_ns or now_ns
            hands = self._hands.over(square, corners, after_ns, by_ns)
            tile = tiles[square]
            tiles[square] = replace(tile, hands=hands, after_ns=after_ns, at_ns=by_ns)
        return BoardView(now_ns, tiles, frozenset(unseen))

    def _ruled_off(self, state: GameState, rows: tuple[str, ...]) -> frozenset[Square]:
        """Return the squares of plays ruled off whose tiles have lain there ever since."""
        there = withdrawn_there(state.progress.ledger.position, Board.from_rows(rows))
        if not there:
            return frozenset()
        played_ns = {name: turn.press_ns for turn in state.turns for name in turn.tiles}
        return frozenset(
            square
            for square in there
            if self._bare_ns.get(square, -1) < played_ns.get(square.name, 0)
        )

    # --- the turns ---

    def _seen_turn(self, state: GameState, turn: BoardTurn) -> SeenTurn:
        """Return a turn with the sighting that it rests on."""
        view = self._view_of(state, turn)
        if view is None:
            return SeenTurn(turn.side, turn.ended_ns, None, doubt=None, ended=turn.how)
        question = turn.doubt or self._unlike(state, turn, view.sighting)
        sure = 1.0 if question is None else _UNSURE
        certainty = {"tiles": round(view.certainty(state), 4), "player": sure, "time": sure}
        return SeenTurn(
            turn.side,
            turn.ended_ns,
            view.sighting,
            view.note("when it was seen"),
            # Of a turn without a play it is asked whether it was one, and no square.
            doubt=view.doubt if turn.tiles else frozenset(),
            certainty=certainty,
            ended=turn.how,
            question=question,
        )

    def _unlike(self, state: GameState, turn: BoardTurn, sighting: Sighting) -> str | None:
        """Return what is to be asked about a sighting that shows other tiles than a turn's.

        Without it a play of which nothing shows would be an exchange that nobody is asked about.
        """
        shown = frozenset(self._views.new_squares(state, sighting))
        words = {"hides": turn.tiles - shown, "also shows": shown - turn.tiles}
        found = [
            f"{verb} {', '.join(sorted(square.name for square in squares))}"
            for verb, squares in words.items()
            if squares
        ]
        return f"its picture {' and '.join(found)}" if found else None

    def _view_of(self, state: GameState, turn: BoardTurn) -> TurnView | None:
        """Return the view of a turn's tiles, without any later ones, that leaves least doubt."""
        tiles, newest_first = turn.tiles, list(reversed(self._seen))
        shown = [one for one in newest_first if one.shows(state, tiles)] or newest_first[:1]
        shown.sort(key=lambda one: (one.covered, len(one.tiles - tiles)))
        views = (self._view_in(state, turn, one, newest_first) for one in shown[:_MOST_TRIED])
        first: TurnView | None = None
        for view in views:
            first = first or view
            if view.certain:
                return view
        return first

    def _view_in(
        self, state: GameState, turn: BoardTurn, best: _Seen, newest_first: list[_Seen]
    ) -> TurnView:
        tiles = turn.tiles
        bare = self._not_of(state, turn, best)
        others = (one for one in newest_first if one is not best)
        found = (self._of_turn(state, one, tiles, tiles - best.tiles) for one in others)
        older = [StillSegment.of(observation) for observation in found if observation is not None]
        seen = best.observation
        if bare.any():
            shown = self._observer.update(seen, len(state.turns) + 1)
            seen = hidden(seen, bare, shown.merged.covered)
        view = self._views.view(state, seen, older)
        rows = [
            "".join(EMPTY if bare[row, col] else symbol for col, symbol in enumerate(line))
            for row, line in enumerate(view.sighting.merged.rows)
        ]
        unknown = self._others(state, turn, best)
        merged = view.sighting.merged
        merged = replace(merged, rows=tuple(rows), covered=merged.covered | unknown)
        doubt = view.doubt
        if doubt is not None:
            doubt = frozenset(square for square in doubt if not bare[square])
        return replace(view, sighting=replace(view.sighting, merged=merged), doubt=doubt)

    def _of_turn(
        self, state: GameState, seen: _Seen, tiles: frozenset[Square], missing: frozenset[Square]
    ) -> Observation | None:
        """Return what an older view shows of a turn; None where it is of no use.

        One that shows later tiles too is taken, without them, where it shows some of those that
        the newest view does not.
        """
        later = seen.tiles - tiles - state.board.tiles().keys()
        if not later:
            return seen.observation
        if not missing & seen.tiles:
            return None
        squares = np.zeros((SIZE, SIZE), np.bool_)
        for square in later:
            squares[square] = True
        shown = self._observer.update(seen.observation, len(state.turns) + 1)
        return hidden(seen.observation, squares, shown.merged.covered)

    def _others(self, state: GameState, turn: BoardTurn, seen: _Seen) -> NDArray[np.bool_]:
        """Return where a view shows what is neither bare, an earlier tile nor this turn's."""
        found, rows = np.zeros((SIZE, SIZE), np.bool_), seen.observation.reading.rows
        known = turn.tiles | self._ruled_off(state, rows)
        for row, line in enumerate(rows):
            for col, symbol in enumerate(line):
                square = Square(row, col)
                earlier = square in known or is_tile(state.board[square])
                found[square] = symbol != EMPTY and not earlier
        return found

    def _not_of(self, state: GameState, turn: BoardTurn, seen: _Seen) -> NDArray[np.bool_]:
        """Return those of the others that hold no tile of a turn for certain: bool (15, 15).

        They hold a later tile, or were seen without any after the turn had ended.
        """
        found = self._others(state, turn, seen)
        squares = [Square(row, col) for row, col in np.argwhere(found).tolist()]
        shown = self._observer.update(seen.observation, len(state.turns) + 1)
        placements = self._stillness.placements(squares, shown)
        for square in squares:
            bare_ns = self._bare_ns.get(square, -1), placements[square].after_ns or -1
            found[square] = max(bare_ns) >= turn.ended_ns
        for square in turn.others:
            found[square] = not is_tile(state.board[square])
        return found


def _plain_squares(sighting: Sighting) -> NDArray[np.bool_]:
    """Return the squares that nothing covers, nor a square beside them: bool (15, 15)."""
    reading = sighting.reading
    unread = np.array([[symbol == UNREADABLE for symbol in row] for row in reading.rows])
    hidden_ones = sighting.merged.covered | unread | (reading.confidence < _SURE)
    beside = cv2.dilate(hidden_ones.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(beside == 0)


def _position(state: GameState) -> Position:
    side = state.on_turn
    last = None if state.bag_count or side is None else state.racks[side]
    return Position(state.board, side, state.rulebook.rack_tiles, last)


def _being_cleared(state: GameState, sighting: Sighting) -> bool:
    """True if so many earlier tiles are gone that the board is being cleared."""
    seen = Board.from_rows(sighting.merged.rows)
    last = set(state.turns[-1].tiles) if state.turns else set()
    gone = [
        square
        for square, symbol in state.board.tiles().items()
        if is_tile(symbol) and seen[square] == EMPTY and square.name not in last
    ]
    return len(gone) > _MOST_GONE
