"""The fold's steps that change which turns there were: one parted, inserted, or two joined.

The ledger gets other turns, and everything is taken again from them. What the camera read is kept:
both parts of a turn have the reading that there was, one held to the tiles that it laid. The clocks
are left as the presses made them, for nobody pressed: time is given or taken by its own event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as with_fields

from game.board import EMPTY, Square
from game.clock import Clocks
from game.errors import TilewatchError
from game.events import (
    SIDES,
    BoardSeen,
    ButtonPressed,
    Side,
    TilesChanged,
    TimeUnseen,
    TurnEnding,
    TurnInserted,
    TurnParted,
    TurnSeen,
    TurnsJoined,
    other,
)
from game.referee.inference import Seen
from game.referee.position import Turn, due
from game.referee.turn_rulings import NO_RULINGS, TurnRulings
from game.rulebooks.rulebook import Rulebook
from game.state.entries import Entry
from game.state.game_state import GameState, Status, advance, derive
from game.state.numbering import turns_on
from game.state.progress import AtEnd
from game.values import replace

Restructuring = TurnParted | TurnInserted | TurnsJoined


def restructured(state: GameState, event: Restructuring) -> GameState:
    """Return the state with other turns.

    Raises:
        TilewatchError: there are no such turns, tiles or times.
    """
    match event:
        case TurnParted():
            return _parted(state, event)
        case TurnInserted():
            return _inserted(state, event)
        case TurnsJoined():
            return _joined(state, event)


def matched(before: GameState, after: GameState) -> list[Turn | None]:
    """Return for each turn of a state what it was in an earlier one, however they are numbered.

    A turn that was joined of two has the flags of both; one that is new has None.
    """
    found: list[Turn | None] = []
    pairs = list(zip(turns_on(before.progress.ledger), before.turns, strict=True))
    for seen in turns_on(after.progress.ledger):
        ids = {seen.id, *seen.absorbed}
        mine = [turn for one, turn in pairs if one.id in ids or ids & one.absorbed]
        if not mine and seen.whole is not None:
            mine = [turn for one, turn in pairs if one.id == seen.whole.id]
        flags = tuple(flag for turn in mine for flag in turn.flags)
        found.append(replace(mine[-1], flags=flags) if mine else None)
    return found


def left_out(before: GameState, after: GameState) -> list[Turn]:
    """Return the turns of an earlier state that are in none of those of a later one."""
    ids = {one for seen in turns_on(after.progress.ledger) for one in (seen.id, *seen.absorbed)}
    pairs = zip(turns_on(before.progress.ledger), before.turns, strict=True)
    return [turn for seen, turn in pairs if seen.id not in ids]


def _parted(state: GameState, event: TurnParted) -> GameState:
    turn = _turn(state, event.turn)
    squares = tuple(dict.fromkeys(Square.parse(name).name for name in event.squares))
    read = {**turn.tiles, **turn.open_tiles}
    strange = [name for name in squares if name not in read]
    if strange:
        raise TilewatchError(f"turn {turn.number} laid no tile on {strange[0]}")
    _require_ending(event.ended, state.rulebook)
    _require_between(state, turn.number - 1, turn.number, event.ended_ns)
    at, seen = _entry(state, turn.number)
    whole = seen.event
    board = turn.before.replace({Square.parse(name): read[name] for name in squares})
    own = set(squares)
    found = [one for one in whole.findings if one.code != "press_forgotten"]
    earlier = seen.stopped_ns is not None and seen.stopped_ns <= event.ended_ns
    first = Seen(
        event=with_fields(
            whole,
            side=event.side,
            press_ns=event.ended_ns,
            rows=board.rows,
            confidence={name: p for name, p in whole.confidence.items() if name in own},
            findings=tuple(one for one in found if one.square in own),
        ),
        clocks_ns=None if seen.clocks_ns is None else _clocks_at(state, event.ended_ns),
        stopped_ns=seen.stopped_ns if earlier else None,
        stopped_at_desk=earlier and seen.stopped_at_desk,
        restarted=seen.restarted if earlier else None,
        id=_number(state),
        whole=seen,
        ended=event.ended,
    )
    second = replace(
        seen,
        event=with_fields(
            whole,
            side=other(event.side),
            confidence={name: p for name, p in whole.confidence.items() if name not in own},
            findings=tuple(one for one in found if one.square not in own),
        ),
        stopped_ns=None if earlier else seen.stopped_ns,
        stopped_at_desk=not earlier and seen.stopped_at_desk,
        restarted=None if earlier else seen.restarted,
        whole=seen,
    )
    entries = state.progress.ledger.entries
    return _with(state, (*entries[:at], first, second, *entries[at + 1 :]), turn.number, 1)


def _inserted(state: GameState, event: TurnInserted) -> GameState:
    number, last = event.turn, len(state.turns)
    if not 1 <= number <= last + 1:
        raise TilewatchError(f"TurnInserted.turn: {number} is not from 1 to {last + 1}")
    _require_ending(event.ended, state.rulebook)
    _require_between(state, number - 1, number, event.ended_ns)
    ledger = state.progress.ledger
    at = len(ledger.entries) if number > last else _entry(state, number)[0]
    board = ledger.positions[at].board
    tiles = {Square.parse(name): symbol for name, symbol in event.tiles.items()}
    for square in tiles:
        if board[square] != EMPTY:
            raise TilewatchError(f"a tile lay on {square.name} before turn {number}")
    rows = board.replace(tiles).rows
    clocks = None if state.progress.pressed_ns is None else _clocks_at(state, event.ended_ns)
    seen = Seen(
        event=TurnSeen(event.side, event.ended_ns, rows),
        clocks_ns=clocks,
        id=_number(state),
        ended=event.ended,
    )
    entries = (*ledger.entries[:at], seen, *ledger.entries[at:])
    status: Status = "running" if state.status == "waiting" else state.status
    return _with(replace(state, status=status), entries, number, 1)


def _joined(state: GameState, event: TurnsJoined) -> GameState:
    first, second = _turn(state, event.turn), _turn(state, event.turn + 1)
    at, one = _entry(state, first.number)
    to, two = _entry(state, second.number)
    absorbed = frozenset({one.id, *one.absorbed, *two.absorbed})
    if one.whole is not None and one.whole is two.whole:
        seen = replace(one.whole, absorbed=one.whole.absorbed | absorbed - {one.whole.id})
        seen = replace(seen, event=with_fields(seen.event, side=event.side))
    else:
        seen = replace(
            two,
            event=with_fields(
                two.event,
                side=event.side,
                confidence={**one.event.confidence, **two.event.confidence},
                findings=(*one.event.findings, *two.event.findings),
            ),
            stopped_ns=one.stopped_ns,
            stopped_at_desk=one.stopped_at_desk,
            restarted=one.restarted,
            absorbed=absorbed,
        )
    entries = state.progress.ledger.entries
    between = [e for e in entries[at + 1 : to] if not isinstance(e, TilesChanged | BoardSeen)]
    return _with(state, (*entries[:at], *between, seen, *entries[to + 1 :]), first.number, -1)


def _with(state: GameState, entries: tuple[Entry, ...], number: int, by: int) -> GameState:
    """Return the state with these entries, the turns from ``number`` on counting ``by`` more.

    Where two were joined, ``number`` is that of the first.
    """
    ledger, config = state.progress.ledger, state.config
    from_ = number if by > 0 else number + 1
    rulings: dict[int, TurnRulings] = {}
    for turn, made in sorted(ledger.rulings.items()):
        after = made.ruled_after + by if made.ruled_after >= from_ else made.ruled_after
        moved = replace(made, ruled_after=after)
        now = turn + by if turn >= from_ else turn
        rulings[now] = _merged(rulings.get(now, NO_RULINGS), moved)
    new = replace(
        ledger,
        entries=entries,
        positions=ledger.positions[:1],
        rulings=rulings,
        inferred={},
        limit=None,
    ).again(1, config)
    on_turn = state.on_turn
    # Else a press waits for its turn to be read.
    if due(ledger.position, config) in (on_turn, None):
        on_turn = due(new.position, config)
    progress = state.progress
    reopened, at_end = progress.reopened_at, progress.at_end
    if reopened is not None and reopened >= from_:
        reopened += by
    if at_end is not None:
        at_end = _moved_end(at_end, turns_on(ledger), turns_on(new))
    progress = replace(progress, ledger=new, second_play=None, reopened_at=reopened, at_end=at_end)
    return derive(advance(replace(state, on_turn=on_turn), progress))


def _moved_end(at_end: AtEnd, before: list[Seen], after: list[Seen]) -> AtEnd | None:
    """Return how the clocks stand at the end, if the turn with which it came is still there."""
    last = before[at_end.turn - 1].id if before else 0
    number = next((at for at, seen in enumerate(after, start=1) if seen.id == last), None)
    return None if number is None else with_fields(at_end, turn=number)


def _merged(first: TurnRulings, second: TurnRulings) -> TurnRulings:
    """Return the rulings on a turn of two: the second's, with the first's corrections."""
    if first is NO_RULINGS:
        return second
    return replace(
        second,
        symbols={**first.symbols, **second.symbols},
        stamps={**first.stamps, **second.stamps},
    )


def _turn(state: GameState, number: int) -> Turn:
    if not 1 <= number <= len(state.turns):
        raise TilewatchError(f"there is no turn {number}; {len(state.turns)} have been seen")
    return state.turns[number - 1]


def _entry(state: GameState, number: int) -> tuple[int, Seen]:
    """Return the place and the entry of a turn on the ledger."""
    seen = turns_on(state.progress.ledger)[number - 1]
    return next(i for i, e in enumerate(state.progress.ledger.entries) if e is seen), seen


def _number(state: GameState) -> int:
    """The number of the event that is being applied."""
    return len(state.progress.events) + 1


def _require_ending(ended: TurnEnding, book: Rulebook) -> None:
    if ended == "not_known" or ended in book.turn_ends:
        return
    known = ", ".join(sorted(book.turn_ends))
    raise TilewatchError(
        f"under {book.id} no turn ends by {ended!r}; it ends by: {known} ({book.rule('turn.ends')})"
    )


def _require_between(state: GameState, before: int, after: int, t_ns: int) -> None:
    """Refuse a time that is not between the ends of two turns."""
    if before >= 1 and t_ns < state.turns[before - 1].press_ns:
        raise TilewatchError(f"the turn cannot have ended before turn {before} did")
    if after <= len(state.turns) and t_ns > state.turns[after - 1].press_ns:
        raise TilewatchError(f"the turn cannot have ended after turn {after} did")


def _clocks_at(state: GameState, t_ns: int) -> Mapping[Side, int]:
    """Return what the clocks showed at a moment, by the presses alone."""
    clocks = Clocks.full(state.rulebook)
    for event in state.progress.events:
        if isinstance(event, TimeUnseen) and event.from_ns <= t_ns:
            clocks = clocks.unseen(event)
        if not isinstance(event, ButtonPressed) or event.t_ns > t_ns:
            continue
        if event.echo_of_ns is not None:
            continue
        if event.button == "neutral":
            clocks = clocks.stop(event.t_ns)
        elif clocks.running != other(event.button):
            clocks = clocks.start(other(event.button), event.t_ns)
    return {side: clocks.remaining(side, t_ns) for side in SIDES}
