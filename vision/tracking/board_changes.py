"""Finds what changed on the settled board between presses, even if it was put back.

The board is settled as the last turn left it. A press shows only what has remained of a tile that
was lifted, exchanged or pushed, or of a move of the whole board. Here each sighting is compared
with the settled board. The small pictures tell between which frames a square changed, and whose arm
was seen then. The player on turn lays tiles and takes them off again; one that the other player has
laid, and that was taken off, is a change. The tiles of the last play may be taken off while the
clock is stopped; one that has stayed when the clock goes on is watched, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, SIZE, Board, Square
from game.events import SIDES, BoardChanged, Side, SquareChange
from game.plays.change import same_tile
from game.state.fold import GameState
from sensors.interfaces import Frame
from vision.rectify import pixels_per_square
from vision.tracking.appearance import appearance_distance, turned_tiles
from vision.tracking.arms import ArmLikelihood
from vision.tracking.parameters import AGAIN_NS, LIKELY, SETTLE_NS, SQUARE
from vision.tracking.results import BoardChange
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.square_filter import grown
from vision.tracking.stillness import StillnessTracker
from vision.tracking.tile_timeline import LaidTile, TileTimeline
from vision.tracking.tile_watch import stopped_after_play
from vision.tracking.turn_window import OpenTurns

_TURNED: Final = 10.0
"""A tile was turned if it lies turned by this many degrees against how it lay."""

_MOVED: Final = 0.5
"""The board was moved if a corner of it lies this far, in squares, from where it lay."""

_TURNTABLE: Final = 45.0
"""A board that is turned by more degrees is turned to the player on turn, every turn."""

_SPREAD: Final = tuple(Square(row, col) for row in range(0, SIZE, 2) for col in range(0, SIZE, 2))
"""Squares all over the board; an arm that is over it is over some of them or their neighbours."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """When a square came to look as a frame shows it, and whose arm was seen there."""

    span: tuple[int, int]
    """After and by which time, in ns."""
    frame: Frame
    side: Side | None


@dataclass(slots=True)
class _Reach:
    """An arm of the player not on turn over the board, as it was looked for once a second."""

    side: Side
    span: tuple[int, int]
    """After and by which time it came, in ns."""
    frame: Frame
    last_ns: int
    """When it was seen last."""


@dataclass(slots=True)
class _Deviation:
    """A square that lies otherwise than the settled board, and when it was put back."""

    change: SquareChange
    made: _Moment
    back: _Moment | None = None


class BoardChanges:
    """Watches the settled board of one game."""

    def __init__(
        self, stillness: StillnessTracker, timeline: TileTimeline, players: OpenTurns
    ) -> None:
        """``timeline`` has the tiles that were laid, ``players`` tells whose an arm is."""
        self._stillness, self._timeline, self._players = stillness, timeline, players
        self._newest_ns = self._turns = 0
        self._turntable = False
        self._found: dict[Square, _Deviation] = {}
        """The squares that have changed in this turn, those that were put back, too."""
        self._known: dict[Square, str] = {}
        """The looks that squares have had since an earlier turn and that were reported."""
        self._lasting: list[BoardChange] = []
        """The changes that were reported, and left squares bare."""
        self._settled: Observation | None = None
        """The newest clear view in which the board lay as settled."""
        self._clear: Sighting | None = None
        """The newest clear view."""
        self._last: dict[Square, str] = {}
        """The tiles of the last play, or of one that came off before, that lay there when they were
        last in sight."""
        self._moved: tuple[Observation, BoardChange] | None = None
        """The last clear view before the board was moved in this turn, and the move."""
        self._ready: list[BoardChange] = []
        self._faces = np.full((SIZE, SIZE), "")
        """str (15, 15): what each square showed when it was in plain sight last."""
        self._face_ns = np.zeros((3, SIZE, SIZE), np.int64)
        """int64 (3, 15, 15): when it was so last, when it showed something else, and this first."""
        self._looked_ns = 0
        """When arms were looked for last."""
        self._running: Side | None = None
        """Whose clock ran then."""
        self._away_ns: int | None = None
        """When no arm of the player not on turn was over the board, in this turn."""
        self._reach: _Reach | None = None

    def taken(self, *, over: bool) -> list[BoardChange]:
        """Return the changes that have ended since the last call.

        If the game is ``over``, a move of the board ends with it. Its tiles may come off then.
        """
        if over:
            self._end_move()
        ready, self._ready = self._ready, []
        return ready

    def take(self, state: GameState, sighting: Sighting) -> None:
        """Take a sighting, before its looks become references and the timeline takes it."""
        t_ns = sighting.frame.t_ns
        if t_ns <= self._newest_ns:
            return
        if len(state.turns) != self._turns:
            self._end()
            self._end_move()
            self._turns = len(state.turns)
            off = state.position.withdrawn
            self._last = {s: tile for s, tile in self._last.items() if s in off}
            if self._clear is not None and _holds(self._clear, state.board):
                self._settled = self._clear.observation  # it showed the turn
        running = state.status == "running"
        if sighting.clear and state.turns and (running or _lies_there(state, sighting)):
            self._place(state, sighting)
        if sighting.legible:
            self._note_faces(sighting)
        over = state.status == "ended" and state.signed is None
        if sighting.legible and (running or over) and state.turns:
            self._return(state, sighting)
            self._look(state, sighting)
            self._taken_off(state, sighting)
            if sighting.clear and not self._found:
                self._settled = sighting.observation
        if sighting.clear:
            self._clear = sighting
        self._newest_ns = t_ns

    def watch_arms(self, state: GameState, frame: Frame) -> None:
        """Look once a second for an arm of the player not on turn that comes over the board.

        One that has been there since the press is still leaving, and one that is seen once has
        only passed.
        """
        known, running = self._settled, state.clocks.running
        if running is None or running != self._running:
            self._end_reach(None)
            self._running = running
        elif known is not None and frame.t_ns - self._looked_ns >= AGAIN_NS:
            corners, tiles = known.reading.corners, state.board.tiles()
            arms = self._stillness.arms_over(corners, known.frame.t_ns, tiles)
            side = next((s for s in map(self._side, arms) if s not in (None, running)), None)
            if side is None:
                self._end_reach(frame)
                self._away_ns = frame.t_ns
            elif self._reach is not None:
                self._reach.last_ns = frame.t_ns
            elif self._away_ns is not None:
                span = self._away_ns, frame.t_ns
                self._reach = _Reach(side, span, frame, frame.t_ns)
            self._looked_ns = frame.t_ns

    def _end_reach(self, frame: Frame | None) -> None:
        """Give out the arm that is gone in a frame; None if the turn has ended before."""
        reach, self._reach, self._away_ns = self._reach, None, None
        if reach is None or reach.last_ns == reach.span[1]:
            return
        event = BoardChanged((), *reach.span, reach.side, None, None, None, (), reach.last_ns)
        change = BoardChange(event, {"altered": reach.frame})
        if frame is not None:
            gone = _Moment((reach.last_ns, frame.t_ns), frame, reach.side)
            change = _put_back(change, gone)
        self._ready.append(change)

    def added(self, tiles: Mapping[Square, LaidTile]) -> None:
        """Give out tiles that were added to the last play after its press."""
        self._give_out({square: self._new_tile(square, tile) for square, tile in tiles.items()})

    def _new_tile(self, square: Square, tile: LaidTile) -> _Deviation:
        side = None if tile.arm is None else self._side(tile.arm)
        span = tile.event.after_ns, tile.event.by_ns
        change = SquareChange(square.name, EMPTY, tile.event.symbol)
        return _Deviation(change, _Moment(span, tile.first.frame, side))

    def _return(self, state: GameState, sighting: Sighting) -> None:
        """Give out the changes of earlier turns whose tiles are back on their bare squares."""
        if not self._lasting:
            return
        back, merged = state.known_board(sighting.board), sighting.merged
        plain = ~grown(merged.covered) & (merged.confidence >= SQUARE.sure)
        for change in list(self._lasting):
            tiles = {Square.parse(one.square): one.was for one in change.event.changes}
            bare = all(plain[s] and state.board[s] == EMPTY for s in tiles)
            if bare and all(same_tile(was, back[s]) for s, was in tiles.items()):
                moments = [*self._moments([*tiles], sighting).values()]
                first, last, side = _joined(moments)
                self._ready.append(_put_back(change, _Moment((first, last), sighting.frame, side)))
                self._lasting.remove(change)

    def _note_faces(self, sighting: Sighting) -> None:
        """Note since when each square in plain sight has shown what it shows."""
        merged, shown = sighting.merged, np.array([[*row] for row in sighting.merged.rows])
        plain = ~grown(merged.covered) & (merged.confidence >= SQUARE.sure)
        new = plain & (shown != self._faces)
        seen_ns, other_ns, first_ns = self._face_ns
        self._faces[new], other_ns[new], first_ns[new] = (
            shown[new],
            seen_ns[new],
            sighting.frame.t_ns,
        )
        seen_ns[plain] = sighting.frame.t_ns

    def _look(self, state: GameState, sighting: Sighting) -> None:
        """Compare the squares in plain sight with the settled board."""
        left = self._left_lying(state, sighting)
        seen = state.board.tiles()
        self._found = {s: one for s, one in self._found.items() if s in seen or one.change.askew}
        if state.play_off and state.clocks.running is not None:  # other tiles may be laid there
            seen = {s: t for s, t in seen.items() if s.name not in state.turns[-1].tiles}
        near = grown(sighting.merged.covered)
        misread = {one.square for one in sighting.merged.corrections}
        now, same = self._turned(seen, sighting)
        back: list[Square] = []
        for square, was in (seen | left).items():
            showed = sighting.merged.symbol(square)
            if near[square] or square in misread or not was.isalpha() or square in now:
                continue
            if float(sighting.merged.confidence[square]) < SQUARE.sure:
                continue
            if not same_tile(was, showed):
                if (showed == EMPTY or showed.isalpha()) and self._known.get(square) != showed:
                    now[square] = SquareChange(square.name, was, showed)
            elif same[square] or square not in self._found or not self._found[square].change.askew:
                back.append(square)
        if stopped_after_play(state):
            self._put_on(state, back)
        self._update(now, back, sighting)
        gone = left.keys() & now.keys()
        for square in gone:
            del self._last[square]
            if self._found[square].made.span[0] < (state.progress.pressed_ns or 0):
                del self._found[square]  # it was taken off before the clock was started
        if gone or all(one.back is not None for one in self._found.values()):
            self._end()

    def _put_on(self, state: GameState, back: Iterable[Square]) -> None:
        """Forget the last play's tiles that were taken off and put back in one stop."""
        stopped_ns = state.progress.pressed_ns or 0
        for square in back:
            one = self._found.get(square)
            if one and square.name in state.turns[-1].tiles and one.made.span[1] > stopped_ns:
                del self._found[square]

    def _taken_off(self, state: GameState, sighting: Sighting) -> None:
        """Give out tiles that were laid by the player not on turn, and are taken off again."""
        merged, near = sighting.merged, grown(sighting.merged.covered)
        began_ns = state.progress.pressed_ns or 0
        if state.clocks.running is None:
            return
        gone: dict[Square, _Deviation] = {}
        for square, tile in self._timeline.tiles.items():
            settled = state.board[square] != EMPTY or square.name in state.turns[-1].tiles
            if settled or tile.arm is None or not tile.readable or tile.event.after_ns < began_ns:
                continue
            bare = merged.symbol(square) == EMPTY and not near[square]
            if not bare or float(merged.confidence[square]) < SQUARE.sure:
                continue
            new = self._new_tile(square, tile)
            if new.made.side not in (None, state.clocks.running):
                gone[square] = new
        for square, moment in self._moments([*gone], sighting).items():
            gone[square].back = moment
        self._give_out(gone)

    def _left_lying(self, state: GameState, sighting: Sighting) -> dict[Square, str]:
        """Return the tiles of a withdrawn play that still lay there when the clock went on."""
        running, merged = state.clocks.running is not None, sighting.merged
        for name, symbol in state.turns[-1].tiles.items():
            square = Square.parse(name)
            if merged.covered[square] or float(merged.confidence[square]) < SQUARE.sure:
                continue
            if same_tile(merged.symbol(square), symbol):
                self._last[square] = symbol
            elif not running:
                self._last.pop(square, None)
        return {s: t for s, t in self._last.items() if running and state.board[s] == EMPTY}

    def _turned(
        self, tiles: Mapping[Square, str], sighting: Sighting
    ) -> tuple[dict[Square, SquareChange], NDArray[np.bool_]]:
        """Return the ``tiles``, or new ones, that were turned, and the squares that look as before.

        The squares are bool (15, 15). A face that fits when turned is no other letter's. Fingers
        beside a tile may look like anything, so a view must be clear.
        """
        known, now = self._settled, sighting.observation
        if known is None or not sighting.clear:
            return {}, np.zeros((SIZE, SIZE), np.bool_)
        looks = appearance_distance(known.appearance, now.appearance)
        odd = (looks >= SQUARE.same / 2) & (looks >= 1.5 * np.median(looks))
        there = [[symbol != EMPTY for symbol in row] for row in sighting.merged.rows]
        degrees = turned_tiles(known.appearance, now.appearance, odd & np.array(there))
        read = dict(tiles)
        for one in sighting.merged.corrections:
            read.pop(one.square, None)
        found = {}
        for row, col in np.argwhere((degrees == 0) | (np.abs(degrees) >= _TURNED)).tolist():
            square, by = Square(row, col), float(degrees[row, col])
            face = read.get(square, sighting.merged.symbol(square))
            found[square] = SquareChange(square.name, face, face, askew=True, turned=by)
        return found, looks < SQUARE.same

    def _update(
        self, now: Mapping[Square, SquareChange], back: Iterable[Square], sighting: Sighting
    ) -> None:
        """Note the squares that lie otherwise now, and those that are as before again."""
        if any(s in now and now[s].showed != one.change.showed for s, one in self._found.items()):
            self._end()  # what they showed before is a change of its own
        found = self._found
        fresh = [s for s in now if s not in found or found[s].back is not None]
        again = [s for s in back if s in found and found[s].back is None]
        for square, moment in self._moments([*fresh, *again], sighting).items():
            if square in now:
                _, after_ns, by_ns = self._face_ns[:, square.row, square.col].tolist()
                made = moment
                if not now[square].askew and after_ns and by_ns < moment.frame.t_ns:
                    made = replace(moment, span=(after_ns, by_ns))  # another board was settled
                found[square] = _Deviation(now[square], made)
            else:
                found[square].back = moment
        for square in back:
            self._known.pop(square, None)

    def _moments(self, squares: list[Square], sighting: Sighting) -> dict[Square, _Moment]:
        """Return when squares came to look as a sighting shows them, and whose arm was there."""
        if not squares:
            return {}
        frame, spans = sighting.frame, {}
        settled_ns = 0 if self._settled is None else self._settled.frame.t_ns
        for square, placed in self._stillness.placements(squares, sighting).items():
            by_ns = placed.by_ns
            if by_ns is None or by_ns <= settled_ns:  # of what could not be read before
                by_ns = frame.t_ns
            after_ns = self._newest_ns if placed.after_ns is None else placed.after_ns
            spans[square] = min(max(after_ns, settled_ns), by_ns), by_ns
        near = {s: (a - SETTLE_NS, b + SETTLE_NS) for s, (a, b) in spans.items()}
        corners = sighting.reading.corners
        arms = self._stillness.arm_likelihoods(corners, near, frame.t_ns, squares)
        sides = {square: self._side(arm) for square, arm in arms.items()}
        return {s: _Moment(span, frame, sides.get(s)) for s, span in spans.items()}

    def _end(self) -> None:
        """Give out what has changed; what was not put back is known from now on."""
        found, self._found = self._found, {}
        self._give_out(found)

    def _give_out(self, found: Mapping[Square, _Deviation]) -> None:
        if not found:
            return
        settled, made = self._settled, [one.made for one in found.values()]
        back = [one.back for one in found.values() if one.back is not None]
        altered = max((one.frame for one in made), key=lambda one: one.t_ns)
        first, last, side = _joined(made)
        frames = {"altered": altered}
        if settled is not None and settled.frame.t_ns < last:
            frames = {"settled": settled.frame, **frames}
        changes = tuple(one.change for _, one in sorted(found.items()))
        event = BoardChanged(changes, first, last, side, None, None, None, (), altered.t_ns)
        change = BoardChange(event, frames)
        if len(back) == len(found):
            frame = max((one.frame for one in back), key=lambda one: one.t_ns)
            from_ns, until_ns, by = _joined(back)
            change = _put_back(change, _Moment((from_ns, until_ns), frame, by))
        else:
            lying = [(s, one.change) for s, one in found.items() if one.back is None]
            self._known |= {s: one.showed for s, one in lying if not one.askew}
            if all(one.showed == EMPTY for _, one in lying):
                self._lasting.append(change)
            self._settled = None
        self._ready.append(change)

    def _place(self, state: GameState, sighting: Sighting) -> None:
        """Compare the board's place with where it lay."""
        known = self._settled
        if known is None:
            return
        far = _apart(known, sighting.observation)
        if np.linalg.norm(far, axis=1).max() < _MOVED:
            return
        before, now = (one.corners.astype(float) for one in (known.reading, sighting.reading))
        (x, y), (u, v) = (end[1] - end[0] for end in (before, now))
        degrees = float(np.degrees(np.arctan2(x * v - y * u, x * u + y * v)))
        self._settled = sighting.observation
        self._turntable |= abs(degrees) > _TURNTABLE
        if self._turntable:
            return
        t_ns = sighting.frame.t_ns
        from_ns = self._stillness.lay_until(known.reading.corners, known.frame.t_ns, t_ns)
        span, by = (from_ns, t_ns), self._hand(known, from_ns, state.board.tiles())
        if self._moved is not None:
            home, change = self._moved
            if np.linalg.norm(_apart(home, sighting.observation), axis=1).max() < _MOVED:
                self._moved = home, _put_back(change, _Moment(span, sighting.frame, by))
                self._end_move()
                return
        self._end_move()
        move = round(float(np.linalg.norm(far.mean(axis=0))), 2), round(degrees, 1)
        event = BoardChanged((), *span, by, None, None, None, (), t_ns, *move)
        frames = {"settled": known.frame, "altered": sighting.frame}
        self._moved = known, BoardChange(event, frames)

    def _end_move(self) -> None:
        """Give out how the board was moved."""
        if self._moved is not None:
            self._ready.append(self._moved[1])
        self._moved = None

    def _hand(self, known: Observation, until_ns: int, tiles: Iterable[Square]) -> Side | None:
        """Return whose arm alone was over the board as it was moved; None for nobody's or both."""
        spans = dict.fromkeys(_SPREAD, (until_ns - AGAIN_NS, until_ns))
        arms = self._stillness.arm_likelihoods(
            known.reading.corners, spans, known.frame.t_ns, tiles
        )
        sides = {self._side(arm) for arm in arms.values()} - {None}
        return sides.pop() if len(sides) == 1 else None

    def _side(self, arm: ArmLikelihood) -> Side | None:
        """Return whose an arm is; None if that is not sure."""
        of = self._players.whose(arm)
        return next((one for one in SIDES if of[one] >= LIKELY), None)


def _lies_there(state: GameState, sighting: Sighting) -> bool:
    """True if a game has ended, but its tiles still lie on the board."""
    unsigned = state.status == "ended" and state.signed is None
    return unsigned and _holds(sighting, state.board)


def _holds(sighting: Sighting, board: Board) -> bool:
    """True if none of the board's squares with tiles is seen bare."""
    return all(sighting.merged.symbol(square) != EMPTY for square in board.tiles())


def _apart(one: Observation, other: Observation) -> NDArray[np.float64]:
    """Return how far the corners of the board lie apart in two views, in squares; (4, 2)."""
    before, now = (view.reading.corners.astype(float) for view in (one, other))
    apart: NDArray[np.float64] = (now - before) / pixels_per_square(before)
    return apart


def _put_back(change: BoardChange, back: _Moment) -> BoardChange:
    """Return a change that ended so."""
    ended = replace(
        change.event,
        back_from_ns=back.span[0],
        back_ns=back.span[1],
        back_by=back.side,
        t_ns=max(change.event.t_ns, back.frame.t_ns),
    )
    return BoardChange(ended, {**change.frames, "put_back": back.frame})


def _joined(moments: list[_Moment]) -> tuple[int, int, Side | None]:
    """Return when all squares changed, and whose arm was seen; None for nobody's or both."""
    first, last = min(one.span[0] for one in moments), max(one.span[1] for one in moments)
    sides = {one.side for one in moments} - {None}
    return first, last, sides.pop() if len(sides) == 1 else None
