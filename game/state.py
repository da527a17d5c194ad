"""The state of a game as a fold over its events.

``fold(events)`` is ``apply`` over all of them; ``apply(state, event)`` is one step. Both are
pure: the same events give the same state, and nothing is read but the packaged data. What
cannot be (a ruling on a turn that never was, a second start) is refused with
:class:`~game.errors.TilewatchError` and leaves the state as it was, so a recorder applies an
event before it logs it; what can be but should not (a tile moved, a turn out of order) is
kept and flagged.

An amendment (:class:`TurnRuled`, :class:`SquareCorrected`, :class:`BlankDesignated`) is
remembered beside the sightings, and the turns from the first that it touches are taken again.
Turns keep their numbers. Each keeps the sighting it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, assert_never

from game.board import Board, Square, is_blank
from game.clock import Clocks
from game.ending import Adjustment, Forfeit, end_reason, forfeit, settle
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    Button,
    ButtonPressed,
    ChallengeBonus,
    Event,
    GameEnded,
    GameStarted,
    PenaltyAdded,
    RackReported,
    Side,
    SquareCorrected,
    TurnRuled,
    TurnSeen,
    check_event,
    other,
)
from game.flags import Flag
from game.rulebook import Rulebook, load_rulebook
from game.tileset import TileSet, load_tile_set
from game.turn import Said, Setting, Tally, Turn, fits, take_turn

Status = Literal["waiting", "running", "ended"]

_AFTER_END = "The game had ended."


@dataclass(frozen=True)
class _Seen:
    """A turn on the ledger: the sighting and what the player's clock showed."""

    event: TurnSeen
    clock_ns: int | None
    out_of_turn: str | None


_Entry = _Seen | ChallengeBonus | PenaltyAdded | RackReported


@dataclass(frozen=True)
class GameState:
    """A game as it stands after some events."""

    game_id: str
    players: Mapping[str, str]
    rulebook: Rulebook
    tile_set: TileSet
    board: Board
    turns: tuple[Turn, ...]
    scores: Mapping[Side, int]
    """With everything counted so far; once the game has ended, with racks and time too."""
    status: Status
    on_turn: Side | None
    bag_count: int
    clocks: Clocks
    adjustments: tuple[Adjustment, ...]
    """Bonuses, penalties, racks and time, in order."""
    flags: tuple[Flag, ...]
    """What concerns the game rather than one turn."""
    end_reason: str | None
    """``out``, ``six_zeros``, or what somebody said; None while the game goes on."""
    forfeit: Forfeit | None
    """Who has forfeited on time under the rulebook, for the director to rule on."""
    racks: Mapping[Side, int]
    """Tiles on each rack, by counting."""
    start: GameStarted
    _entries: tuple[_Entry, ...] = field(default=(), repr=False)
    _tallies: tuple[Tally, ...] = field(default=(), repr=False)
    """How the game stood before each entry, and after the last."""
    _said: Mapping[int, Said] = field(default_factory=dict, repr=False)
    _ended: GameEnded | None = field(default=None, repr=False)
    _pressed_ns: int | None = field(default=None, repr=False)

    @property
    def setting(self) -> Setting:
        """What does not change during the game."""
        return Setting(self.players, self.tile_set, self.rulebook)

    @property
    def settled(self) -> bool:
        """Whether somebody ended the game; one played out can still be undone by a challenge."""
        return self._ended is not None

    @property
    def unseen(self) -> Mapping[str, int]:
        """How many of each tile are not on the board; never for players' eyes."""
        return self.tile_set.unseen(self.board.symbols)


def fold(events: Iterable[Event]) -> GameState:
    """The state after all events, the first of which starts the game.

    Raises:
        TilewatchError: no events, or one that cannot be; the line says which.
    """
    state: GameState | None = None
    for number, event in enumerate(events, start=1):
        try:
            state = apply(state, event)
        except TilewatchError as error:
            raise TilewatchError(f"event {number}: {error}") from error
    if state is None:
        raise TilewatchError("no events: a game begins with GameStarted")
    return state


def apply(state: GameState | None, event: Event) -> GameState:
    """The state after one more event; ``None`` before the first.

    Raises:
        TilewatchError: the event cannot be. The given state is still good.
    """
    check_event(event)
    if isinstance(event, GameStarted):
        if state is not None:
            raise TilewatchError(f"game {state.game_id!r} has already started")
        return _started(event)
    if state is None:
        raise TilewatchError(f"{type(event).__name__} before the game was started")
    match event:
        case ButtonPressed():
            return _pressed(state, event)
        case TurnSeen():
            return _seen(state, event)
        case TurnRuled():
            return _ruled(state, event)
        case SquareCorrected():
            return _amended(state, event.turn, Square.parse(event.square), event.symbol)
        case BlankDesignated():
            return _designated(state, event)
        case ChallengeBonus() | PenaltyAdded() | RackReported():
            return _credited(state, event)
        case GameEnded():
            return _ended(state, event)
        case _:
            assert_never(event)


def ends_turn(state: GameState, button: Button) -> Side | None:
    """Whose turn a press would end now, if anybody's.

    The first press of a game ends nobody's turn, nor does ``neutral``, nor the button of the
    player who is not on turn (after a hold it only starts the other clock again). A player
    who plays out stops both clocks instead: that turn is seen at a ``neutral`` press, while
    ``state.bag_count`` is 0.
    """
    if state.status == "waiting" or button == "neutral" or state.on_turn != button:
        return None
    return button


def _started(event: GameStarted) -> GameState:
    book, tiles = load_rulebook(event.rulebook), load_tile_set(event.tile_set)
    board = Board.empty() if event.rows is None else Board.from_rows(event.rows)
    tally = Tally.opening(board, tiles, book)
    return GameState(
        game_id=event.game_id,
        players=MappingProxyType(dict(event.players)),
        rulebook=book,
        tile_set=tiles,
        board=board,
        turns=(),
        scores=MappingProxyType(dict(tally.scores)),
        status="waiting",
        on_turn=event.first,
        bag_count=tally.bag,
        clocks=Clocks.full(book),
        adjustments=(),
        flags=(),
        end_reason=None,
        forfeit=None,
        racks=MappingProxyType(dict(tally.racks)),
        start=event,
        _tallies=(tally,),
    )


def _pressed(state: GameState, event: ButtonPressed) -> GameState:
    clocks, now = state.clocks, event.t_ns
    if state._pressed_ns is not None:
        now = max(now, state._pressed_ns)
    if event.button == "neutral":
        return _derive(replace(state, clocks=clocks.stop(now)))
    side: Side = event.button
    if clocks.running == other(side):
        return state  # pressing one's own button again does nothing to a clock
    on_turn = state.on_turn
    status = state.status
    if status == "waiting":
        status, on_turn = "running", other(side)
    elif on_turn == side:
        on_turn = other(side)
    return _derive(
        replace(
            state,
            status=status,
            on_turn=on_turn,
            clocks=clocks.start(other(side), now),
            _pressed_ns=now,
        )
    )


def _seen(state: GameState, event: TurnSeen) -> GameState:
    if state._ended is not None:
        raise TilewatchError("a turn was seen after the game was ended")
    ended = state.end_reason is not None
    out_of_turn = _AFTER_END if ended else _not_on_turn(state, event.side)
    if ended and not _step(state, state._tallies[-1], _Seen(event, None, None)).turns[-1].tiles:
        return state  # nothing was played: an idle press, or the board is being cleared
    clocks, on_turn = state.clocks, state.on_turn
    status = state.status
    current = state._pressed_ns is None or event.press_ns >= state._pressed_ns
    if current and on_turn in (event.side, None):
        on_turn = other(event.side)
    if status == "waiting":
        status = "running"
    clock_ns = None
    if state._pressed_ns is not None:
        clock_ns = clocks.remaining_ns[event.side]
        if clocks.running == event.side and current:
            clock_ns = clocks.remaining(event.side, event.press_ns)
    entry = _Seen(event, clock_ns, out_of_turn)
    state = _append(replace(state, on_turn=on_turn, status=status), entry)
    if state.end_reason == "out" and state._ended is None:
        # Whoever plays out stops the clocks; the opponent's is not charged for the end.
        state = _derive(replace(state, clocks=state.clocks.stop(event.press_ns)))
    return state


def _not_on_turn(state: GameState, side: Side) -> str | None:
    """Why it is not this side's turn, if it is not."""
    due = other(state.turns[-1].side) if state.turns else state.start.first
    if due is None or due == side:
        return None
    return f"It was {state.players[due]}'s turn."


def _turn(state: GameState, number: int) -> Turn:
    if not 1 <= number <= len(state.turns):
        raise TilewatchError(f"there is no turn {number}; {len(state.turns)} have been seen")
    return state.turns[number - 1]


def _ruled(state: GameState, event: TurnRuled) -> GameState:
    turn = _turn(state, event.turn)
    if not fits(turn, event.ruling):
        what = "tiles were played" if turn.tiles else "no tiles were played"
        raise TilewatchError(f"turn {turn.number} cannot be ruled {event.ruling!r}: {what}")
    said = state._said.get(turn.number, Said())
    said = replace(said, ruling=event.ruling, ruled_after=len(state.turns))
    return _again(state, turn.number, said)


def _amended(state: GameState, number: int, square: Square, symbol: str) -> GameState:
    _turn(state, number)
    said = state._said.get(number, Said())
    return _again(state, number, replace(said, symbols={**said.symbols, square: symbol}))


def _designated(state: GameState, event: BlankDesignated) -> GameState:
    square = Square.parse(event.square)
    letter = event.letter.upper()
    if letter not in state.tile_set.counts:
        raise TilewatchError(f"the {state.tile_set.name} set has no letter {event.letter!r}")
    for turn in reversed(state.turns):
        if is_blank(turn.tiles.get(square.name, ".")):
            return _amended(state, turn.number, square, letter.lower())
    raise TilewatchError(f"no blank was played on {square.name}")


def _credited(state: GameState, event: ChallengeBonus | PenaltyAdded | RackReported) -> GameState:
    if isinstance(event, RackReported):
        strange = [t for t in event.tiles if t not in state.tile_set.counts]
        if strange:
            raise TilewatchError(
                f"the {state.tile_set.name} set has no tile {strange[0]!r} (rack {event.tiles!r})"
            )
    elif event.points < 0:
        raise TilewatchError(
            f"{type(event).__name__}.points: {event.points} is below 0; give the number of "
            "points added by a bonus or taken off by a penalty"
        )
    elif isinstance(event, ChallengeBonus):
        step = state.rulebook.challenge_failed_step
        if event.points == 0 or event.points % step:
            raise TilewatchError(
                f"ChallengeBonus.points: {event.points} cannot be; under "
                f"{state.rulebook.id} a bonus comes in steps of {step}"
            )
    return _append(state, event)


def _ended(state: GameState, event: GameEnded) -> GameState:
    if state._ended is not None:
        raise TilewatchError("the game has already been ended")
    return _derive(replace(state, clocks=state.clocks.stop(event.t_ns), _ended=event))


def _append(state: GameState, entry: _Entry) -> GameState:
    tally = _step(state, state._tallies[-1], entry)
    return _derive(
        replace(state, _entries=(*state._entries, entry), _tallies=(*state._tallies, tally))
    )


def _again(state: GameState, number: int, said: Said) -> GameState:
    """Take the turns again from one of which something new was said."""
    state = replace(state, _said={**state._said, number: said})
    first = next(i for i, tally in enumerate(state._tallies) if len(tally.turns) >= number) - 1
    tallies = list(state._tallies[: first + 1])
    for entry in state._entries[first:]:
        tallies.append(_step(state, tallies[-1], entry))
    return _derive(replace(state, _tallies=tuple(tallies)))


def _step(state: GameState, tally: Tally, entry: _Entry) -> Tally:
    match entry:
        case _Seen():
            number = len(tally.turns) + 1
            late = any(
                said.ruling == "challenge_upheld" and earlier < number <= said.ruled_after
                for earlier, said in state._said.items()
            )
            return take_turn(
                tally,
                entry.event,
                clock_ns=entry.clock_ns,
                said=state._said.get(number, Said()),
                setting=state.setting,
                late=late,
                out_of_turn=entry.out_of_turn,
            )
        case ChallengeBonus():
            return tally.credit(entry.side, entry.points)
        case PenaltyAdded():
            return tally.credit(entry.side, -entry.points)
        case RackReported():
            return replace(tally, reported={**tally.reported, entry.side: entry.tiles})


def _derive(state: GameState) -> GameState:
    """Bring everything that follows from the ledger and the clocks up to date."""
    tally = state._tallies[-1]
    lines = []
    for i, entry in enumerate(state._entries):
        if isinstance(entry, ChallengeBonus | PenaltyAdded):
            bonus = isinstance(entry, ChallengeBonus)
            after = state._tallies[i + 1]
            lines.append(
                Adjustment(
                    kind="challenge_bonus" if bonus else "penalty",
                    side=entry.side,
                    points=entry.points if bonus else -entry.points,
                    total=after.scores[entry.side],
                    rule=entry.rule,
                    after_turn=len(after.turns),
                    why=entry.why,
                )
            )
    reason = state._ended.reason if state._ended else end_reason(tally, state.setting)
    scores = dict(tally.scores)
    flags: tuple[Flag, ...] = ()
    status: Status = "waiting" if state.status == "waiting" else "running"
    if reason is not None:
        status = "ended"
        settled = settle(tally, state.clocks, reason, state.setting)
        lines += settled.adjustments
        flags = settled.flags
        for line in settled.adjustments:
            scores[line.side] = line.total
    return replace(
        state,
        board=tally.board,
        turns=tally.turns,
        scores=MappingProxyType(scores),
        status=status,
        bag_count=tally.bag,
        adjustments=tuple(lines),
        flags=flags,
        end_reason=reason,
        forfeit=forfeit(tally, state.clocks, state.setting),
        racks=MappingProxyType(dict(tally.racks)),
    )
