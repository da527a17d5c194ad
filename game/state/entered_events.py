"""The fold's steps for entries between the turns: points, racks, tiles, notes, reports.

A rulebook's ``[event]`` table names the entries that its text knows, and their rules. Any other
entry is refused with one line: it would have no effect, and nobody should believe that it had one.
"""

from __future__ import annotations

from game.errors import TilewatchError
from game.events import (
    SIDES,
    ChallengeBonus,
    DirectorNoted,
    InfractionNoted,
    PenaltyAdded,
    PointsAdjusted,
    PositionRestored,
    RackReported,
    RackUnderdrawn,
    Reported,
    ScoreAgreed,
    Side,
    TilesFound,
    TurnRuled,
    other,
)
from game.referee.entered import Entered, TotalAgreed, found_counts
from game.referee.game_over import end_reason, out_turn, scoreless_turn
from game.referee.inference import Seen, Stop
from game.referee.position import due
from game.referee.turn_rulings import TurnRulings
from game.rulebooks.challenge import require_bonus
from game.state.clock_events import clock_changed
from game.state.clock_history import shown_clock_ns
from game.state.derive import clocks_stopped, derive, with_ledger
from game.state.game_state import GameState
from game.state.ledger import Ledger
from game.state.reports import require_reportable
from game.state.restructuring import with_turn_lost
from game.state.rulings import require_rule, with_rulings
from game.state.timed_rights import play_ended_ns, undecided
from game.values import replace

Said = Entered | ScoreAgreed | Reported


def entered(state: GameState, event: Said) -> GameState:
    """Return the state after an entry between two turns.

    Raises:
        TilewatchError: the rulebook has no such rule, or the entry is invalid; the line says why.
    """
    match event:
        case ChallengeBonus() | PenaltyAdded():
            _require_points(state, event)
        case PointsAdjusted():
            pass  # of either sign
        case InfractionNoted():
            if not state.rulebook.infractions_every:
                raise TilewatchError(f"{state.rulebook.id} does not count minor infractions")
        case RackReported():
            return _rack_shown(state, event)
        case RackUnderdrawn():
            _require_underdrawn(state, event)
        case DirectorNoted():
            return _noted(state, event)
        case TilesFound():
            return _found(state, event)
        case Reported():
            return _reported(state, event)
        case PositionRestored():
            return _restored(state, event)
        case ScoreAgreed():
            return _agreed(state, event)
    return with_ledger(state, state.ledger.append(event, state.config))


def _require_points(state: GameState, event: ChallengeBonus | PenaltyAdded) -> None:
    if event.points < 0:
        raise TilewatchError(
            f"{type(event).__name__}.points: {event.points} is below 0; give the number of "
            "points added by a bonus or taken off by a penalty"
        )
    if isinstance(event, ChallengeBonus):
        require_bonus(state.rulebook, event.points)


def _require_tiles(state: GameState, tiles: str) -> None:
    strange = [tile for tile in tiles if tile not in state.tile_set.counts]
    if strange:
        raise TilewatchError(f"the {state.tile_set.name} set has no tile {strange[0]!r}")


def _rack_shown(state: GameState, event: RackReported) -> GameState:
    """Return the state after a rack was shown; refuse tiles that are not in the set.

    Under some rulebooks showing the rack ends the game of a player who is out, and stops the
    clocks.
    """
    strange = [t for t in event.tiles if t not in state.tile_set.counts]
    if strange:
        raise TilewatchError(
            f"the {state.tile_set.name} set has no tile {state.tile_set.text(strange[0])!r}"
            f" (rack {state.tile_set.word(event.tiles)!r})"
        )
    if _shown_after_out(state, event):
        # Showing the tiles ends the game where nobody stopped the clock (out.showing_stops).
        state = clocks_stopped(state, event.t_ns)
        stops = (*state.progress.stops, Stop(event.t_ns))
        progress = replace(state.progress, stopped_ns=event.t_ns, stops=stops)
        state = replace(state, progress=progress)
    return with_ledger(state, _shown_in_turn(state, event))


def _shown_in_turn(state: GameState, event: RackReported) -> Ledger:
    """Return the ledger with a shown rack, and what the clock then showed beside its turn."""
    ledger = state.ledger.append(event, state.config)
    at = next((i for i, entry in enumerate(ledger.entries) if entry is event), len(ledger.entries))
    later = ((i, e) for i, e in enumerate(ledger.entries[at:], at) if isinstance(e, Seen))
    at, seen = next(later, (0, None))
    if seen is None:
        return ledger  # the turn is still open
    shown_ns = shown_clock_ns(state, ledger, seen, at)
    if shown_ns == seen.shown_clock_ns:
        return ledger
    seen = replace(seen, shown_clock_ns=shown_ns)
    entries = (*ledger.entries[:at], seen, *ledger.entries[at + 1 :])
    return replace(ledger, entries=entries).again(len(ledger.positions[at].turns) + 1, state.config)


def _shown_after_out(state: GameState, event: RackReported) -> bool:
    """True if the opponent of a player who is out shows the rack, and the game has not ended yet.

    Either a clock still runs, or both were stopped for another reason.
    """
    out = state.out_turn
    return (
        out is not None
        and state.rulebook.out_showing_stops
        and event.side == other(out.side)
        and (state.raw_clocks.running is not None or state.status != "ended")
    )


def _found(state: GameState, event: TilesFound) -> GameState:
    book, ledger = state.rulebook, state.ledger
    rule = require_rule(book, f"tiles_found_{'in_bag' if event.where == 'bag' else 'on_table'}")
    over = state.status == "ended"
    ignored = event.where == "table" and book.event_rule("tiles_found_after_end") is None
    if over and ignored and not undecided(state, event.t_ns):
        raise TilewatchError(
            f"the game is over: under {book.id} tiles found outside the bag after "
            f"the end are ignored ({rule})"
        )
    _require_tiles(state, event.tiles)
    then = ledger.before(event)
    racks, bag = found_counts(then, event, state.config)
    if event.racks and bag < 0:
        left = bag + sum(racks.values())
        raise TilewatchError(
            f"{racks['left']} and {racks['right']} tiles on the racks are too many: "
            f"the board and the tiles set aside leave {left}"
        )
    if min(bag, *racks.values()) < 0:
        raise TilewatchError(
            f"by count {then.bag} tiles are in the bag, {then.racks['left']} on "
            f"{state.players['left']}'s rack and {then.racks['right']} on "
            f"{state.players['right']}'s: say how many each player has"
        )
    return _with_totals(_dealt_with(state, event, over=over), event.t_ns)


def _dealt_with(state: GameState, event: TilesFound, *, over: bool) -> GameState:
    """Return the state with found tiles on the ledger; a game that was over may go on."""
    after = state.ledger.append(event, state.config)
    progress, ended = replace(state.progress, ledger=after), state.progress.ended
    if ended is not None and event.t_ns < ended.t_ns:
        return derive(state, progress)  # it was ended although the tile had been found
    going_on = derive(state, replace(progress, ended=None))
    if over and state.progress.ended is not None:  # no play is too late for an end that is none
        going_on = with_ledger(going_on, going_on.ledger.again(1, going_on.config))
    if over and going_on.status != "ended":
        return replace(going_on, on_turn=due(after.position, state.config))
    return derive(state, progress)


def _with_totals(state: GameState, t_ns: int) -> GameState:
    """Return the state with the totals agreed after a moment, by what is known of the end now."""
    ledger = state.ledger
    entries = tuple(
        TotalAgreed(one.event, _settled_by(state, one.event.side, one.t_ns))
        if isinstance(one, TotalAgreed) and one.t_ns > t_ns
        else one
        for one in ledger.entries
    )
    if entries == ledger.entries:
        return state
    return with_ledger(state, replace(ledger, entries=entries).again(1, state.config))


def _require_underdrawn(state: GameState, event: RackUnderdrawn) -> None:
    require_rule(state.rulebook, "underdrawn")
    held = state.ledger.before(event).racks[event.side]
    if event.missing > held:
        raise TilewatchError(
            f"{state.players[event.side]} has {held} tiles by count; "
            f"{event.missing} cannot be missing"
        )


def _noted(state: GameState, event: DirectorNoted) -> GameState:
    """Return the state with the effect of a note on scores, clocks and turns.

    Raises:
        TilewatchError: there is no such turn or clock, or the player was not on turn.
    """
    if event.turn:
        state.turn(event.turn)
    if event.added_ns and not state.timed:
        raise TilewatchError("this game is played without a clock")
    if event.turn_lost is not None:
        state = with_turn_lost(state, event.turn_lost, event)
    if event.score or event.spread:
        state = with_ledger(state, state.ledger.append(event, state.config))
    for side in SIDES:
        if added_ns := event.added_ns.get(side):
            state = clock_changed(state, side, added_ns, event.t_ns)
    return derive(state, replace(state.progress, notes=(*state.progress.notes, event)))


def _reported(state: GameState, event: Reported) -> GameState:
    require_reportable(state, event)
    if event.what != "returned":
        return state
    turn = state.turn(event.turn)
    if turn.side == event.side or not turn.tiles:
        raise TilewatchError(f"turn {turn.number} is no play that {state.players[event.side]} saw")
    known = state.ledger.rulings_for(turn.number)
    return with_rulings(state, turn.number, known.with_return(event.t_ns))


def _restored(state: GameState, event: PositionRestored) -> GameState:
    require_rule(state.rulebook, "position_restored")
    last = len(state.ledger.before(event).turns)
    if not 0 <= event.turn <= last:
        raise TilewatchError(f"there is no turn {event.turn}; {last} had been seen by then")
    if event.scores:
        require_rule(state.rulebook, "starting_score")
        if event.turn:
            raise TilewatchError("only a game that begins again has starting scores")
    for tiles in event.racks.values():
        _require_tiles(state, tiles)
    ended, forfeited = state.progress.ended, state.progress.forfeited
    ended = ended if ended is not None and ended.t_ns > event.t_ns else None
    forfeited = forfeited if forfeited is not None and forfeited.t_ns > event.t_ns else None
    progress = replace(state.progress, ended=ended, forfeited=forfeited, at_end=None)
    config, ledger = replace(state, progress=progress).config, state.ledger
    rulings = dict(ledger.rulings)
    for number in range(event.turn + 1, last + 1):
        undone = TurnRuled(number, "undone", event.by, event.why, event.t_ns)
        rulings[number] = TurnRulings().with_ruling(undone, last)
    kept = [
        entry
        for entry, before in zip(ledger.entries, ledger.positions, strict=False)
        if isinstance(entry, Seen) or len(before.turns) <= event.turn or entry.t_ns > event.t_ns
    ]
    ledger = ledger.anew(tuple(kept), rulings, config)
    ledger = ledger.append(event, config)
    on_turn = due(ledger.position, config)
    progress = replace(progress, ledger=ledger)
    if last == len(state.turns):  # nothing was played since
        progress = replace(progress, stops=(), stopped_ns=None)
    return derive(replace(state, on_turn=on_turn), progress)


def _agreed(state: GameState, event: ScoreAgreed) -> GameState:
    require_rule(state.rulebook, "score_agreed")
    if not event.turn:
        entry = TotalAgreed(event, _settled_by(state, event.side, event.t_ns))
        return with_ledger(state, state.ledger.append(entry, state.config))
    turn = state.turn(event.turn)
    if turn.side != event.side:
        raise TilewatchError(
            f"turn {turn.number} was {state.players[turn.side]}'s, not "
            f"{state.players[event.side]}'s"
        )
    if turn.kind != "play":
        raise TilewatchError(f"turn {turn.number} was no play, and scores nothing")
    known = state.ledger.rulings_for(turn.number)
    return with_rulings(state, turn.number, known.with_score(event))


def _settled_by(state: GameState, side: Side, t_ns: int) -> int:
    """Return the points in a score at a moment that the end of the game had brought."""
    ended_ns = _ended_ns(state)
    if ended_ns is None or t_ns < ended_ns:
        return 0
    return state.scores[side] - state.position.scores[side]


def _ended_ns(state: GameState) -> int | None:
    """Return when racks and time came into the scores; None while the game goes on.

    Where no stop of the clock is needed for that, it is the press of the last turn, although a
    clock may have run on.
    """
    position, config = state.position, state.config
    if state.status != "ended" or end_reason(position, config, stopped=False) is None:
        return play_ended_ns(state)
    last = out_turn(position, config) or scoreless_turn(position, config)
    return None if last is None else last.press_ns
