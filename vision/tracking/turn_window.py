"""The evidence since the last settled turn, for the decoder.

The window starts before the last recorded turn, or before earlier ones of which nothing was seen: a
tile that comes into sight later may belong to them.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from game.board import EMPTY, UNDESIGNATED, UNREADABLE, Board, Square, is_tile
from game.events import BoardEnding, PictureEdge, PlayMade, Side, TurnReading, other
from game.flags import CODES
from game.plays.change import compare, may_hold_play
from game.plays.play import is_play
from game.referee.plays_in_words import as_it_counts
from game.referee.position import Turn
from game.state.fold import GameState
from vision.tracking.arms import ArmLikelihood, Seats
from vision.tracking.findings import open_questions
from vision.tracking.parameters import LIKELY, SURE, TURN
from vision.tracking.sighting import Sighting
from vision.tracking.tile_timeline import LaidTile, TileTimeline
from vision.tracking.turn_decoder import decode
from vision.tracking.turn_hypotheses import (
    DecodedTurn,
    Hypothesis,
    PressSeen,
    Recorded,
    SideLikelihoods,
    TileEvent,
    Window,
)
from vision.tracking.turn_posterior import Decoded, Posterior, beginning

_WINDOW: Final = 4
"""The number of recorded turns whose tiles are kept in the timeline."""

_MOST: Final = 4
"""The most bare squares that are considered as possible blanks: a set has two blanks."""


_LAID: Final = frozenset({"play", "exchange_or_pass"})
"""Kinds of turns whose player may have laid tiles after the press."""


class OpenTurns:
    """The presses since the last turn, decoded together with the tiles."""

    def __init__(self, timeline: TileTimeline, hands: Mapping[Side, PictureEdge] | None) -> None:
        """``hands``: without a clock, the edge of the picture at which each player sits."""
        self._timeline, self._by_board = timeline, hands is not None
        self._seats = Seats(hands)
        self._presses: list[PressSeen] = []
        """The presses of this game while a clock was running, in the order of their times."""
        self._began_ns = 0
        """Time at which the first clock was started."""
        self._first: Side | None = None
        """The side whose clock was started first; None if unknown."""
        self._board = Board.empty()
        self._turns = 0
        self._forgotten = False
        """True if a turn of this game has ended without a press."""
        self._doubted: set[int] = set()
        """Times of presses of recorded turns that may be another turn's."""
        self._latest: tuple[Window, list[Hypothesis]] | None = None
        """The window that was decoded last, with its hypotheses: a press needs it twice."""
        self._shown: Mapping[Square, TileEvent] = {}
        """The newest play that lay in plain sight and belongs to no recorded turn."""
        self._lifted: Mapping[Square, TileEvent] = {}
        """The play that was laid in the open turn and taken off again."""

    def follow(self, state: GameState) -> bool:
        """Update by the turns that were recorded; return True if there are new ones."""
        if state.board is not self._board:
            self._forget_withdrawn(state.board)
            self._board = state.board
        if len(state.turns) == self._turns:
            return False
        tiles = self._timeline.tiles
        for turn in state.turns[self._turns :]:
            squares = [Square.parse(name) for name in turn.tiles]
            hands = [tiles[square].arm for square in squares if square in tiles]
            self._forgotten |= turn.seen.ended is not None
            if turn.kind == "play":
                self._seats.learn(turn.side, [hand for hand in hands if hand is not None])
        self._turns, self._lifted = len(state.turns), {}
        if len(state.turns) > _WINDOW:
            self._timeline.forget(state.turns[-1 - _WINDOW].after)
        return True

    def update(self, state: GameState, sighting: Sighting) -> None:
        """Take a sighting; without a clock it may show that a play was taken off again."""
        if not self._by_board:
            return
        new = {square: tile.event for square, tile in self.new(state).items()}
        shown = {s: event for s, event in self._shown.items() if state.board[s] == EMPTY}
        gone = not any(s in new and new[s].after_ns == shown[s].after_ns for s in shown)
        if shown and gone:
            self._lifted = shown
        self._shown = {} if gone or len(shown) < len(self._shown) else shown
        if sighting.shows(new) and not new.keys() < self._shown.keys():
            symbols = {square: event.symbol for square, event in new.items()}
            played = is_play(state.board, symbols, state.rulebook.rack_tiles)
            self._shown = new if played else self._shown

    def taken_off(self, turn: PlayMade) -> tuple[TurnReading, ...]:
        """Return the two ways to explain a play taken off before this turn; none if none was.

        Without a clock no picture tells whether a play was tried out, or ended a turn and was
        challenged off. Tiles that were lifted and put back give no question.
        """
        lifted, now = self._lifted, self._timeline.tiles
        back = all(s.name in turn.tiles and now[s].event.symbol == lifted[s].symbol for s in lifted)
        if back:
            return ()
        symbols = {square.name: lifted[square].symbol for square in sorted(lifted)}
        ended_ns = max(tile.by_ns for tile in lifted.values())
        off = PlayMade(turn.side, symbols, min(ended_ns, turn.ended_ns), came_off=True)
        return TurnReading((turn,)), TurnReading((off, replace(turn, side=other(turn.side))))

    def _forget_withdrawn(self, board: Board) -> None:
        """Forget the tiles of plays that were withdrawn: they are no new play."""
        for square in list(self._timeline.tiles):
            if is_tile(self._board[square]) and board[square] == EMPTY:
                del self._timeline.tiles[square]

    def press(self, state: GameState, side: Side, press_ns: int) -> None:
        """Note a press of a player's button, before it is recorded."""
        if state.status == "waiting":
            self._began_ns, self._first = press_ns, other(side)
        if state.status == "running" and state.clocks.running is not None:
            passed_on = state.clocks.running == side
            self._presses.append(PressSeen(side, press_ns, passed_on))

    def expect(self, side: Side, press_ns: int) -> None:
        """Add a press that ends a turn, unless it is noted: another process may have seen it."""
        self._first = self._first or side
        if not self._presses or self._presses[-1].t_ns < press_ns:
            self._presses.append(PressSeen(side, press_ns))

    def whose(self, arm: ArmLikelihood) -> Mapping[Side, float]:
        """Return the probability that an arm is each player's; a half of both if nobody knows."""
        return self._seats.whose(arm)

    @property
    def hands(self) -> dict[Side, PictureEdge] | None:
        """The edge of the picture at which each player sits; None until that is sure."""
        return self._seats.edges

    @property
    def uncounted(self) -> dict[Square, str]:
        """The symbols of the tiles that belong to no recorded turn, by square."""
        tiles, board = self._timeline.tiles, self._board
        return {s: tiles[s].event.symbol for s in sorted(tiles) if board[s] == EMPTY}

    @property
    def presses(self) -> int:
        """The number of presses noted in this game."""
        return len(self._presses)

    def new(self, state: GameState) -> dict[Square, LaidTile]:
        """Return the tiles that belong to no recorded turn, by square."""
        tiles = self._timeline.tiles
        return {square: tile for square, tile in tiles.items() if state.board[square] == EMPTY}

    def decode(
        self, state: GameState, *, over: BoardEnding | None = None, needed: bool = False
    ) -> Decoded:
        """Return the open turns.

        Args:
            state: the game with all recorded turns.
            over: the evidence that the turn on the board has ended, if there is any.
            needed: True to amend recorded turns even if the amendment is only the likeliest, not
            sure.
        """
        tiles, open_ = self.new(state), self.presses_since(state)
        events = {square: tile.event for square, tile in tiles.items()}
        # A press that did nothing, before the first of the tiles, was for none of them.
        first_ns = min((tile.after_ns for tile in events.values()), default=sys.maxsize)
        open_ = tuple(one for one in open_ if one.passed_on or one.t_ns > first_ns)
        side = (state.next_side if state.turns else self._first) or state.on_turn
        maybe = self._maybe(state, events)
        known = _reopened(state, events, self._doubted) or _owed(state, open_)
        again = () if known else _restart(state, open_)
        whole = () if known or again else self._lengthened(state, events)
        known = known or again or whole
        if open_ and open_[0].side == side and not (events or maybe or known):
            return Decoded((DecodedTurn(side, frozenset(), open_[0].t_ns, open_[0].t_ns),))
        before = state.turns[: len(state.turns) - len(known)]
        began_ns = before[-1].press_ns if before else self._began_ns
        seen_ns = max(self._timeline.seen_ns, began_ns)
        events |= {s: TileEvent(UNDESIGNATED, began_ns, seen_ns, p) for s, p in maybe.items()}
        pressed = [PressSeen(t.side, t.press_ns, not again) for t in known if not t.seen.ended]
        window = Window(
            _board_before(known) if known and not again else state.board,
            known[0].side if known else side,
            state.rulebook.rack_tiles,
            began_ns,
            {**self._recorded(known), **events},
            (*pressed, *open_),
            self._unpressed(),
            self._timeline.seen_ns,
            self._timeline.seen,
            tuple(_recorded(turn, self._doubted, whole=bool(whole)) for turn in known if not again),
            over is not None,
        )
        if self._latest is None or self._latest[0] != window:
            self._latest = window, _as_recorded(decode(window, self._readings(window)), known)
            self._doubt_presses(self._latest[1], len(known))
        fits = self._latest[1]
        if not fits:
            return Decoded()
        if again:
            passed = [one for one in fits if _pressed(one, 0) == again[0].press_ns]
            known, fits = (again, passed) if fits[0] in passed else ((), fits)
        tiles = self._timeline.tiles
        readable = [s for s in events if s in tiles and tiles[s].readable]
        every = {**self._recorded(known), **events}
        posterior = Posterior(fits, known, events, every, readable, self._timeline.seen_ns)
        return posterior.decoded(state, over, by_board=self._by_board, needed=needed)

    def _doubt_presses(self, fits: Sequence[Hypothesis], known: int) -> None:
        """Note which presses of recorded turns, and of the first open one, are in doubt."""
        for number, turn in enumerate(fits[0].turns[: known + 1] if fits else ()):
            if turn.press_ns is None:
                continue  # a press that it was recorded by stays in doubt
            begins = beginning(fits[0], number + 1, ())
            alike = [one for one in fits if beginning(one, number + 1, ()) == begins]
            pressed = sum(one.p for one in alike if _pressed(one, number) == turn.press_ns)
            sure = pressed >= SURE * sum(one.p for one in alike)
            (self._doubted.discard if sure else self._doubted.add)(turn.press_ns)

    def _maybe(self, state: GameState, events: Mapping[Square, TileEvent]) -> dict[Square, float]:
        """Return the bare squares that may hold a blank of a play, with the probability of each."""
        maybe, symbols = self._timeline.maybe, {s: tile.symbol for s, tile in events.items()}
        unread = {square: UNREADABLE for square in maybe if state.board[square] == EMPTY}
        if not unread or not any(is_tile(symbol) for symbol in symbols.values()):
            return {}
        may_hold = may_hold_play(compare(state.board, state.board.replace({**unread, **symbols})))
        found = may_hold & unread.keys() - symbols.keys()
        return {s: maybe[s] for s in sorted(found, key=lambda square: -maybe[square])[:_MOST]}

    def _lengthened(self, state: GameState, new: Collection[Square]) -> tuple[Turn, ...]:
        """Return the last recorded turn if its player likely laid one of these tiles since.

        A tile may be the player's, too, if it came out of sight while both clocks stood.
        """
        last = state.turns[-1] if state.turns else None
        if last is None or last.kind not in _LAID or last.seen.ended is not None:
            return ()
        if last.seen.sighted_ns is None or _is_assigned(state, last):
            return ()
        stopped_ns = state.progress.stopped_ns or sys.maxsize
        tiles = (self._timeline.tiles.get(square) for square in new)
        own = (
            tile.event.after_ns >= stopped_ns
            if tile.arm is None
            else self._seats.whose(tile.arm)[last.side] >= LIKELY
            for tile in tiles
            if tile is not None
        )
        return (last,) if any(own) else ()

    def _readings(self, window: Window) -> list[tuple[float, SideLikelihoods]]:
        """Return the ways to tell from arms who laid each tile, each way with its log prior."""
        tiles = self._timeline.tiles
        hands = {square: tiles[square].arm for square in window.tiles if square in tiles}
        return [*self._seats.readings({s: one for s, one in hands.items() if one is not None})]

    def _unpressed(self) -> float | None:
        """Return the prior probability that a turn ends without a press."""
        if self._by_board:
            return None
        return TURN.forgotten_again if self._forgotten else TURN.forgotten

    def presses_since(self, state: GameState) -> tuple[PressSeen, ...]:
        """Return the presses since the last recorded turn that has a press."""
        ended = (turn.press_ns for turn in reversed(state.turns) if turn.seen.ended is None)
        since = next(ended, 0)
        return tuple(one for one in self._presses if one.t_ns > since)

    def _recorded(self, turns: tuple[Turn, ...]) -> dict[Square, TileEvent]:
        """Return the tiles of recorded turns, with the interval in which each was laid."""
        found = {}
        for turn in turns:
            for name, symbol in turn.tiles.items():
                square = Square.parse(name)
                known = self._timeline.tiles.get(square)
                event = TileEvent(symbol, 0, turn.press_ns) if known is None else known.event
                found[square] = replace(event, p=1.0)
        return found


def _pressed(one: Hypothesis, number: int) -> int | None:
    return one.turns[number].press_ns if number < len(one.turns) else None


def _recorded(turn: Turn, doubted: Collection[int], *, whole: bool) -> Recorded:
    """Return a recorded turn in the decoder's form; its press is left out if it is in doubt."""
    pressed = turn.seen.ended is None and turn.press_ns not in doubted
    open_ = _is_asked_about(turn) and not whole
    tiles = frozenset() if open_ else frozenset(map(Square.parse, turn.tiles))
    return Recorded(turn.side, tiles, turn.press_ns if pressed else None, whole)


def _is_assigned(state: GameState, turn: Turn) -> bool:
    """True if somebody has entered which tiles belong to a turn: then nobody is asked again."""
    return state.ledger.sightings[turn.number - 1].assigned


def _is_asked_about(turn: Turn) -> bool:
    """True if an open question asks which tiles belong to this turn."""
    return any(CODES[flag.code].parting and flag.settled is None for flag in turn.flags)


def _reopened(
    state: GameState, events: Mapping[Square, TileEvent], doubted: Collection[int]
) -> tuple[Turn, ...]:
    """Return the recorded turns to which new tiles may belong.

    They are the last one, and those before it up to the last that was seen and whose press is not
    in doubt. There are none if all new tiles came after the last press, and no question asks
    whether they are there.
    """
    found: list[Turn] = []
    recent = state.turns[-_WINDOW:]
    first = next((turn.number for turn in recent if turn.press_ns in doubted), None)
    for turn in reversed(recent):
        reopens = turn.kind in ("play", "not_known", "exchange_or_pass")
        if not reopens or _is_assigned(state, turn):
            break
        found.insert(0, turn)
        if turn.seen.sighted_ns is not None and (first is None or turn.number <= first):
            break
    asked = {square for turn, square in open_questions(state) if turn in found}
    last_ns = found[-1].press_ns if found else 0
    late_ns = last_ns + int(TURN.latency_s * 1e9)
    late = any(
        tile.after_ns < last_ns or last_ns < tile.after_ns < late_ns or at in asked
        for at, tile in events.items()
    )
    return tuple(found) if late or first is not None else ()


def _board_before(turns: Sequence[Turn]) -> Board:
    """Return the board before some turns, with the tiles that were added to them afterwards."""
    added = {name: tile for one in turns for name, tile in (as_it_counts(one).added or {}).items()}
    return turns[0].before.replace({Square.parse(name): tile for name, tile in added.items()})


def _as_recorded(fits: list[Hypothesis], known: Sequence[Turn]) -> list[Hypothesis]:
    """Return the hypotheses, first those by which recorded turns have all their tiles.

    A turn in doubt was recorded by a guess. Another guess adds to it and never contradicts it: of
    two that are about as likely, a bit of each would be no play at all. Hypotheses that are refuted
    stay behind.
    """
    tiles = [frozenset(map(Square.parse, turn.tiles)) for turn in known]
    kept = [
        one
        for one in fits
        if all(own <= turn.tiles for own, turn in zip(tiles, one.turns, strict=False))
    ]
    if sum(one.p for one in kept) <= 1 - SURE:
        return fits
    return [*kept, *(one for one in fits if one not in kept)]


def _restart(state: GameState, presses: Sequence[PressSeen]) -> tuple[Turn, ...]:
    """Return the last recorded turn if its press may only have started a clock that stood.

    It laid nothing, and its player is the next to press.
    """
    last = state.turns[-1] if state.turns else None
    if last is None or last.kind != "exchange_or_pass" or not presses:
        return ()
    stops = state.ledger.sightings[last.number - 1].stops
    stood = bool(stops) and stops[-1].restarted is None
    return (last,) if stood and presses[0].side == last.side else ()


def _owed(state: GameState, presses: Sequence[PressSeen]) -> tuple[Turn, ...]:
    """Return the last recorded turn if it had no press and one of these may be its late one."""
    last = state.turns[-1:]
    return tuple(
        turn
        for turn in last
        if turn.seen.ended is not None and any(one.side == turn.side for one in presses)
    )
