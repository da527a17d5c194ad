"""The fold's steps for what a director says that no camera sees, where a book has a rule.

A rulebook's ``[event]`` table names what its text knows and by which rule. What it doesn't name is
refused in one line: it would have no effect, and nobody should believe that it had one.
"""

from __future__ import annotations

from game.errors import TilewatchError
from game.events import (
    ClockStartedInError,
    DrawDelayed,
    OvertimeErased,
    PlayAccepted,
    PositionRestored,
    RackUnderdrawn,
    Reported,
    ScoreAgreed,
    TilesFound,
    TurnRuled,
    other,
)
from game.referee.declared_counts import found_counts
from game.referee.inference import Seen
from game.referee.position import due
from game.referee.turn_rulings import TurnRulings
from game.rulebooks.declarable import DECLARABLE
from game.rulebooks.rulebook import Rulebook
from game.state.game_state import GameState, advance, derive, with_ledger
from game.state.reportable import require_reportable
from game.state.rulings import clock_changed, ruled, turn_of
from game.values import replace

Declared = (
    PlayAccepted
    | TilesFound
    | RackUnderdrawn
    | ClockStartedInError
    | DrawDelayed
    | Reported
    | OvertimeErased
    | PositionRestored
    | ScoreAgreed
)


def declared(state: GameState, event: Declared) -> GameState:
    """Return the state after one of them.

    Raises:
        TilewatchError: the rulebook has no such rule, or it cannot be so.
    """
    match event:
        case PlayAccepted():
            return _accepted(state, event)
        case TilesFound():
            return _found(state, event)
        case RackUnderdrawn():
            return _underdrawn(state, event)
        case ClockStartedInError():
            return _started_in_error(state, event)
        case DrawDelayed():
            return _delayed(state, event)
        case Reported():
            return _reported(state, event)
        case OvertimeErased():
            return _erased(state, event)
        case PositionRestored():
            return _restored(state, event)
        case ScoreAgreed():
            return _agreed(state, event)


def require_rule(book: Rulebook, name: str) -> str:
    """Return the rule on something that a director may say.

    Raises:
        TilewatchError: the rulebook has none.
    """
    rule = book.event_rule(name)
    if rule is None:
        raise TilewatchError(f"{book.id} has no rule on {DECLARABLE[name]}")
    return rule


def _accepted(state: GameState, event: PlayAccepted) -> GameState:
    rule = require_rule(state.rulebook, event.how)
    turn, book = turn_of(state, event.turn), state.rulebook
    if not turn.tiles:
        raise TilewatchError(f"turn {turn.number} cannot be accepted: no tiles were played")
    if event.moment_ns < turn.press_ns:
        raise TilewatchError(f"turn {turn.number} cannot be accepted before it has ended")
    rulings = state.progress.ledger.rulings_for(turn.number)
    held = rulings.held_ns is not None and rulings.held_ns <= event.moment_ns
    positions = state.progress.ledger.positions
    bag = positions[0].bag if turn.number == 1 else state.turns[turn.number - 2].bag_count
    if event.how == "hold_released" and not held:
        raise TilewatchError(f"turn {turn.number} is not held, so there is no hold to release")
    if event.how == "tiles_drawn":
        if not bag:
            raise TilewatchError(f"the bag was empty before turn {turn.number}: nothing was drawn")
        lasts, since = book.hold_lasts_ns, rulings.held_ns or 0
        if held and not (lasts and event.moment_ns > since + lasts):
            rule = book.rule("hold.draw_seconds") or rule
            raise TilewatchError(f"drawing during a hold does not accept the play ({rule})")
    if event.how == "score_written":
        written = book.event_rule("score_written_when_empty")
        if not bag and book.challenge_empty_free and written is None:
            rule = book.rule("challenge.no_limit_when_empty") or rule
            raise TilewatchError(f"once the bag is empty no writing accepts a play ({rule})")
        if held and book.event_rule("score_written_in_hold") is None:
            raise TilewatchError(f"no writing after a hold was called accepts the play ({rule})")
    return _with_rulings(state, turn.number, rulings.with_acceptance(event))


def _found(state: GameState, event: TilesFound) -> GameState:
    book, ledger = state.rulebook, state.progress.ledger
    rule = require_rule(book, f"tiles_found_{'in_bag' if event.where == 'bag' else 'on_table'}")
    over = state.status == "ended"
    if over and event.where == "table" and book.event_rule("tiles_found_after_end") is None:
        raise TilewatchError(
            f"the game is over: under {book.id} tiles found outside the bag then are ignored "
            f"({rule})"
        )
    _require_tiles(state, event.tiles)
    then = ledger.before(event)
    racks, bag = found_counts(then, event, state.config)
    if min(bag, *racks.values()) < 0:
        raise TilewatchError(
            f"by counting {then.bag} tiles are in the bag, {then.racks['left']} on "
            f"{state.players['left']}'s rack and {then.racks['right']} on "
            f"{state.players['right']}'s: say how many each player has"
        )
    after = ledger.append(event, state.config)
    progress = replace(state.progress, ledger=after)
    going_on = derive(advance(state, replace(progress, ended=None)))
    if over and going_on.status != "ended":
        return replace(going_on, on_turn=due(after.position, state.config))
    return derive(advance(state, progress))


def _underdrawn(state: GameState, event: RackUnderdrawn) -> GameState:
    require_rule(state.rulebook, "underdrawn")
    held = state.progress.ledger.before(event).racks[event.side]
    if event.missing > held:
        raise TilewatchError(
            f"{state.players[event.side]} has {held} tiles by counting; "
            f"{event.missing} cannot be missing"
        )
    return with_ledger(state, state.progress.ledger.append(event, state.config))


def _started_in_error(state: GameState, event: ClockStartedInError) -> GameState:
    require_rule(state.rulebook, "clock_started_in_error")
    if event.turn:
        turn = turn_of(state, event.turn)
        if turn.side != event.side:
            raise TilewatchError(
                f"turn {turn.number} was {state.players[turn.side]}'s, not "
                f"{state.players[event.side]}'s"
            )
        undone = TurnRuled(turn.number, "undone", event.by, event.why, event.t_ns)
        state = ruled(state, undone)
    return clock_changed(state, other(event.side), state.rulebook.press_error_ns)


def _delayed(state: GameState, event: DrawDelayed) -> GameState:
    require_rule(state.rulebook, "draw_delayed")
    before = state.progress.delays.get(event.side, 0)
    delays = {**state.progress.delays, event.side: before + 1}
    state = advance(state, replace(state.progress, delays=delays))
    if not before:
        return state  # the first brings a warning
    return clock_changed(state, other(event.side), state.rulebook.delay_ns)


def _reported(state: GameState, event: Reported) -> GameState:
    require_reportable(state, event)
    if event.what != "returned":
        return state
    turn = turn_of(state, event.turn)
    if turn.side == event.side or not turn.tiles:
        raise TilewatchError(f"turn {turn.number} is no play that {state.players[event.side]} saw")
    rulings = state.progress.ledger.rulings_for(turn.number).with_return(event.t_ns)
    return _with_rulings(state, turn.number, rulings)


def _erased(state: GameState, event: OvertimeErased) -> GameState:
    rule = require_rule(state.rulebook, "overtime_erased")
    lost = state.forfeit is not None and state.forfeit.side == event.side
    if lost and state.rulebook.overtime_limit_then == "lose_by_margin":
        raise TilewatchError(
            f"{state.players[event.side]} has lost by the limit on overtime, and not by a penalty: "
            f"give the clock back the time that is disregarded ({rule})"
        )
    before = state.progress.erased.get(event.side, 0)
    points = None if before is None or not event.points else before + event.points
    erased = {**state.progress.erased, event.side: points}
    return derive(advance(state, replace(state.progress, erased=erased)))


def _restored(state: GameState, event: PositionRestored) -> GameState:
    require_rule(state.rulebook, "position_restored")
    last = len(state.progress.ledger.before(event).turns)
    if not 0 <= event.turn <= last:
        raise TilewatchError(f"there is no turn {event.turn}; {last} had been seen")
    if event.scores:
        require_rule(state.rulebook, "starting_score")
        if event.turn:
            raise TilewatchError("only a game that begins again has starting scores")
    for tiles in event.racks.values():
        _require_tiles(state, tiles)
    config, ledger = state.config, state.progress.ledger
    rulings = dict(ledger.rulings)
    for number in range(event.turn + 1, last + 1):
        undone = TurnRuled(number, "undone", event.by, event.why, event.t_ns)
        rulings[number] = TurnRulings().with_ruling(undone, last)
    kept = [
        entry
        for entry, before in zip(ledger.entries, ledger.positions, strict=False)
        if isinstance(entry, Seen) or len(before.turns) <= event.turn or entry.t_ns > event.t_ns
    ]
    ledger = replace(
        ledger,
        entries=tuple(kept),
        positions=ledger.positions[:1],
        rulings=rulings,
        inferred={},
        limit=None,
    ).again(1, config)
    ledger = ledger.append(event, config)
    on_turn = due(ledger.position, config)
    progress = replace(state.progress, ledger=ledger, ended=None, at_end=None)
    if last == len(state.turns):  # nothing was played since
        progress = replace(progress, restarted=None, stopped_ns=None)
    return derive(advance(replace(state, on_turn=on_turn), progress))


def _agreed(state: GameState, event: ScoreAgreed) -> GameState:
    require_rule(state.rulebook, "score_agreed")
    if not event.turn:
        return with_ledger(state, state.progress.ledger.append(event, state.config))
    turn = turn_of(state, event.turn)
    if turn.side != event.side:
        raise TilewatchError(f"turn {turn.number} was {state.players[turn.side]}'s")
    if turn.kind != "play":
        raise TilewatchError(f"turn {turn.number} was no play, and scores nothing")
    rulings = state.progress.ledger.rulings_for(turn.number).with_score(event)
    return _with_rulings(state, turn.number, rulings)


def _with_rulings(state: GameState, number: int, rulings: TurnRulings) -> GameState:
    ledger = state.progress.ledger.with_rulings(number, rulings, state.config)
    return with_ledger(state, ledger)


def _require_tiles(state: GameState, tiles: str) -> None:
    strange = [tile for tile in tiles if tile not in state.tile_set.counts]
    if strange:
        raise TilewatchError(f"the {state.tile_set.name} set has no tile {strange[0]!r}")
