"""Tells what changed on the settled board between presses, even if it was put back.

A square is settled with the look that it has when a turn is recorded or a clock started. Another
look of it (``vision.tracking.appearance_history``) is a change, with the arm that reached there
(``vision.tracking.reaches``), until the settled look comes again. What has changed by the next
press lies so from then on, until the settled look comes again in a later turn. A change, too, are
what the player not on turn did to a fresh tile, or with one that was taken off again, what is laid
after the end, and a move of the whole board. What a change means by the rules and the rulings, the
reader of the record says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from game.board import EMPTY, SIZE, Board, Square, neighbours
from game.events import BoardChanged, Side, SquareChange, other
from game.plays.change import same_tile
from game.state.fold import GameState
from sensors.interfaces import Frame
from vision.tracking.appearance_history import AppearanceHistory, Look, is_face
from vision.tracking.board_moves import BoardMoves
from vision.tracking.parameters import AGAIN_NS
from vision.tracking.reaches import Reaches
from vision.tracking.results import BoardChange, Moment
from vision.tracking.sighting import Observation, Sighting
from vision.tracking.stillness import StillnessTracker
from vision.tracking.tile_timeline import LaidTile, TileTimeline
from vision.tracking.turn_window import OpenTurns

_SQUARES: Final = tuple(Square(row, col) for row in range(SIZE) for col in range(SIZE))


@dataclass(slots=True, eq=False)
class _Deviation:
    """A square that looks otherwise than settled, and when it did so again as before."""

    square: Square
    change: SquareChange
    made: Moment
    home: Look | None = None
    """The settled look, by which it may end."""
    to: SquareChange | None = None
    """How the square beside it changed, if the tile went there."""
    back: Moment | None = None


class BoardChanges:
    """Watches the settled board of one game."""

    def __init__(
        self, stillness: StillnessTracker, timeline: TileTimeline, players: OpenTurns
    ) -> None:
        """``timeline`` has the tiles that were laid, ``players`` tells whose an arm is."""
        self._timeline = timeline
        self._looks, self._reaches = AppearanceHistory(stillness), Reaches(stillness, players)
        self._moves = BoardMoves(stillness, self._reaches)
        self._turns: tuple[bool, ...] = ()
        """Of each turn when the board was settled last, if it was undone."""
        self._running: Side | None = None
        self._ended, self._whole = False, True
        """The game; the board in the newest clear view: all its tiles lay there."""
        self._laid_before: set[Square] = set()
        """Squares of tiles on bare squares that came before the end, or were given out since."""
        self._home: dict[Square, Look] = {}
        """The look of each settled tile."""
        self._found: list[_Deviation] = []
        """What has changed since, what was put back, too."""
        self._lasting: list[tuple[BoardChange, list[_Deviation]]] = []
        """The changes that were given out before they were put back."""
        self._settled: Observation | None = None
        """The newest clear view in which the board lay as settled."""
        self._newest_ns = 0
        self._ready: list[BoardChange] = []

    def taken(self, state: GameState, *, last: bool = False) -> list[BoardChange]:
        """Return the changes that have ended since the last call; all, if this is the ``last``.

        A move of the board ends with the game. Its tiles may come off then.
        """
        self._settle(state)
        if last or state.status == "ended":
            self._moves.end()
        if last or state.signed is not None:
            self._lie_there()
        ready, self._ready = self._ready, []
        return [*ready, *self._reaches.alone(self._newest_ns), *self._moves.taken()]

    def watch_arms(self, state: GameState, frame: Frame) -> None:
        """Look for the arms over the board."""
        self._reaches.watch(state, frame, self._settled)

    def take(self, state: GameState, sighting: Sighting) -> None:
        """Take a sighting, before its looks become references and the timeline takes it."""
        if sighting.frame.t_ns <= self._newest_ns or not sighting.legible:
            return
        self._settle(state)
        watched, known = bool(state.turns) and state.signed is None, self._settled
        if sighting.clear and watched and known is not None:
            there = state.status == "running" or _holds(sighting, state.board)
            if there and self._moves.take(known, sighting):
                self._settled = sighting.observation
        self._looks.take(sighting)
        if watched:
            self._compare(state, sighting)
            self._touched(state, sighting)
        if sighting.clear:
            whole = _holds(sighting, state.board)
            if not whole:
                self._lie_there()
            self._whole = whole
        if sighting.clear and not self._open:
            self._settled = sighting.observation
        self._newest_ns = sighting.frame.t_ns

    def added(self, tiles: Mapping[Square, LaidTile]) -> None:
        """Give out tiles that were added to the last play after its press."""
        self._give_out([self._new_tile(square, tile) for square, tile in tiles.items()])

    @property
    def _open(self) -> list[_Deviation]:
        """What has changed since the board was settled, and may still be put back."""
        return [one for one in self._found if one.back is None and one.home is not None]

    def _settle(self, state: GameState) -> None:
        """Take the board as it lies for settled at a turn, at a clock's start and at the end."""
        if not self._newest_ns:
            return
        ended, self._ended = self._ended, state.status == "ended"
        if self._ended and not ended:
            # What came off after the clocks were stopped may be the clearing of the board.
            stop_ns = state.progress.stopped_ns or self._newest_ns
            off = [one for one in self._open if one.change.showed == EMPTY]
            cleared = [one for one in off if one.made.span[0] >= stop_ns]
            self._found = [one for one in self._found if one not in cleared]
            self._end()
            self._found, self._laid_before = cleared, {*self._timeline.tiles}
        turns, running = tuple(one.kind == "undone" for one in state.turns), state.clocks.running
        recorded, started = turns != self._turns, running not in (None, self._running)
        if recorded:
            self._moves.end()
        if recorded or started:
            self._end()
            self._put_back(stood=self._running is None)
            squares = _SQUARES if recorded else [*self._home]
            looks = {square: self._as_settled(state, square, recorded) for square in squares}
            self._home = {square: look for square, look in looks.items() if look is not None}
        self._turns, self._running = turns, running

    def _as_settled(self, state: GameState, square: Square, recorded: bool) -> Look | None:
        now, tile = self._looks.now(square), state.board[square]
        if now is None or now.reported:  # what was given out lies so
            return None if now is None or now.symbol == EMPTY else now
        if not recorded:
            return self._home[square]
        if tile != EMPTY:
            return self._looks.showing(square, tile)
        lay = state.position.withdrawn.get(square, EMPTY)
        stayed = now is self._home.get(square) or same_tile(now.symbol, lay)
        return now if stayed and now.symbol != EMPTY else None

    def _compare(self, state: GameState, sighting: Sighting) -> None:
        """Compare the newest looks with those of the settled board."""
        now, home = self._looks.now, self._home
        lasting = [one for _, group in self._lasting for one in group]
        returned = [
            (one, look)
            for one in (*self._open, *lasting)
            if one.back is None
            and one.home is not None
            and (look := now(one.square))
            and not look.reported
            and look.again(one.home, exactly=one.change.askew)
        ]
        again = {one.square: look for one, look in returned}
        fresh = {
            square: (look, change)
            for square, as_settled in home.items()
            if square not in again
            and (look := now(square))
            and not (look.reported or look.again(as_settled))
            and (change := _changed(square, state.board[square], as_settled, look))
        }
        moments = self._moments(again | {at: look for at, (look, _) in fresh.items()}, sighting)
        for one, _ in returned:
            one.back = moments[one.square]
        home |= {square: look for square, look in again.items() if square in home}
        for square, (look, change) in fresh.items():
            look.reported = True
            for one in self._open:  # how it looked before is a change of its own
                one.home = None if one.square == square else one.home
            self._found.append(_Deviation(square, change, moments[square], home[square]))
            if look.symbol == EMPTY == state.board[square]:  # a withdrawn tile has gone
                del home[square]
        self._put_back()
        ended = state.status == "ended" and all(one.change.showed != EMPTY for one in self._open)
        if not self._open or ended:
            self._end()

    def _put_back(self, *, stood: bool = False) -> None:
        """Give out again what was put back: a whole change, or a part if the clocks ``stood``."""
        for change, group in self._lasting:
            back = [one for one in group if one.back]
            if back and (stood or len(back) == len(group)):
                group[:] = [one for one in group if not one.back]
                for part in _ended(back):
                    event = replace(change.event, changes=_changes(part))
                    ended = _joined(one.back for one in part if one.back)
                    self._ready.append(BoardChange(event, change.frames).put_back(ended))
        self._lasting = [one for one in self._lasting if one[1]]

    def _moments(self, looks: Mapping[Square, Look], sighting: Sighting) -> dict[Square, Moment]:
        """Return when squares came to look so, and whose arm was there."""
        spans = {square: look.span for square, look in looks.items()}
        sides = self._reaches.over(spans, sighting) if spans else {}
        return {s: Moment(span, sighting.frame, sides[s]) for s, span in spans.items()}

    def _lie_there(self) -> None:
        """Give out what was laid after the end, if the board was whole but for that."""
        if self._ended and self._whole:
            tiles = self._timeline.tiles.items()
            fresh = {at: one for at, one in tiles if one.readable and at not in self._laid_before}
            self.added(fresh)
            self._laid_before |= {*fresh}

    def _touched(self, state: GameState, sighting: Sighting) -> None:
        """Give out what the player not on turn did to the tiles of the open turn, or with own ones.

        Own ones are told if they were taken off again.
        """
        began_ns, running = state.progress.pressed_ns or 0, state.clocks.running
        for square, tile in self._timeline.tiles.items():
            look, was, event = self._looks.now(square), self._looks.before(square), tile.event
            if look is None or was is None or look.reported or look.span[1] <= event.by_ns:
                continue
            if running is None or event.after_ns < began_ns or square in self._home:
                continue
            look.reported, of = look.symbol != EMPTY, other(running)
            new, moment = self._new_tile(square, tile), self._moments({square: look}, sighting)
            beside = [self._home[at] for at in neighbours(square) if at in self._home]
            slid = any(one.symbol == event.symbol and one.span[1] > event.by_ns for one in beside)
            change = _changed(square, event.symbol, was, look)
            if tile.readable and new.made.side == of and look.symbol == EMPTY:
                new.back = moment[square]
                self._give_out([] if slid else [new])
            elif moment[square].side == of and change is not None:
                self._give_out([_Deviation(square, change, moment[square])])

    def _new_tile(self, square: Square, tile: LaidTile) -> _Deviation:
        span = tile.event.after_ns, tile.event.by_ns
        seen = None if tile.arm is None else self._reaches.side(tile.arm)
        side = self._reaches.explain(span, seen)
        change = SquareChange(square.name, EMPTY, tile.event.symbol)
        return _Deviation(square, change, Moment(span, tile.first.frame, side))

    def _end(self) -> None:
        """Give out what was found."""
        found, self._found = self._found, []
        self._give_out(found)

    def _give_out(self, found: Iterable[_Deviation]) -> None:
        """Give out changes, those together that one reach may have made, and that ended alike."""
        for group in _parts(found):
            self._find_slid(group)
            made, back = _joined(one.made for one in group), [one.back for one in group if one.back]
            times = made.frame.t_ns
            event = BoardChanged(
                _changes(group), *made.span, made.side, None, None, None, (), times
            )
            frames = {"altered": made.frame}
            if self._settled is not None and self._settled.frame.t_ns < made.span[1]:
                frames = {"settled": self._settled.frame, **frames}
            change = BoardChange(event, frames)
            self._ready.append(change.put_back(_joined(back)) if back else change)
            if not back and all(one.home is not None for one in group):
                self._lasting.append((change, group))

    def _find_slid(self, group: Iterable[_Deviation]) -> None:
        """Find the tiles that went from their square to the bare one beside it."""
        for one in group:
            was, (from_ns, by_ns) = one.change.was, one.made.span
            for square in neighbours(one.square) if not one.change.askew else ():
                look = None if square in self._home else self._looks.showing(square, was)
                if look is None or not same_tile(look.symbol, was):
                    continue
                if from_ns <= look.span[1] and look.span[0] <= by_ns + AGAIN_NS:
                    one.to = SquareChange(square.name, EMPTY, was)
                    span = min(from_ns, look.span[0]), max(by_ns, look.span[1])
                    one.made = replace(one.made, span=span)
                    if look is self._looks.now(square):  # it may lie there for long
                        self._home[square], look.reported = look, True


def _changed(square: Square, tile: str, home: Look, look: Look) -> SquareChange | None:
    """Return the change from the settled look to another; None if it cannot be told."""
    was = home.symbol if is_face(home.symbol) else tile
    turned = look.moved(home)
    if turned is not None:
        face = was if same_tile(was, look.symbol) else look.symbol
        return SquareChange(square.name, face, face, askew=True, turned=turned)
    readable = is_face(was) and (look.symbol == EMPTY or is_face(look.symbol))
    other = readable and not same_tile(was, look.symbol)
    return SquareChange(square.name, was, look.symbol) if other else None


def _parts(found: Iterable[_Deviation]) -> Iterator[list[_Deviation]]:
    """Yield the changes that happened at one time, by one arm, and ended alike.

    An arm that was not made out is the one that was, if that changed something at the same time.
    """
    for group in _at_once({one: one.made for one in found}):
        side = _joined(one.made for one in group).side
        for one in group:
            one.made = replace(one.made, side=one.made.side or side)
        for by in {one.made.side: None for one in group}:
            yield from _ended([one for one in group if one.made.side == by])


def _ended(group: Iterable[_Deviation]) -> Iterator[list[_Deviation]]:
    """Yield those that last, and those that were put back at one time by one arm."""
    back = {one: one.back for one in group if one.back is not None}
    lasting = [one for one in group if one not in back]
    yield from [lasting] if lasting else []
    for side in {one.side: None for one in back.values()}:
        yield from _at_once({one: moment for one, moment in back.items() if moment.side == side})


def _at_once(moments: Mapping[_Deviation, Moment]) -> list[list[_Deviation]]:
    """Return the deviations whose moments may be those of one reach, in order."""
    groups: list[list[_Deviation]] = []
    for one, moment in sorted(moments.items(), key=lambda item: item[1].span):
        for group in groups:
            near = moment.span[0] <= max(moments[d].span[1] for d in group) + AGAIN_NS
            if near and one.square not in [d.square for d in group]:
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _changes(group: Iterable[_Deviation]) -> tuple[SquareChange, ...]:
    each = (change for one in group for change in (one.change, one.to) if change is not None)
    return tuple(sorted(each, key=lambda change: Square.parse(change.square)))


def _holds(sighting: Sighting, board: Board) -> bool:
    """True if none of the board's squares with tiles is seen bare."""
    return all(sighting.merged.symbol(square) != EMPTY for square in board.tiles())


def _joined(moments: Iterable[Moment]) -> Moment:
    """Return the moment of all of these; nobody's arm if both players' were seen, or none."""
    each = list(moments)
    span = min(one.span[0] for one in each), max(one.span[1] for one in each)
    sides = {one.side for one in each} - {None}
    frame = max((one.frame for one in each), key=lambda one: one.t_ns)
    return Moment(span, frame, sides.pop() if len(sides) == 1 else None)
