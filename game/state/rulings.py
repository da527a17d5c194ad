"""The fold's steps for rulings, corrections and points.

Each function gives the state after one such event, with everything that follows from it scored
again; what cannot be is refused, and the state that was given is still good.
"""

from __future__ import annotations

from game.board import EMPTY, UNDESIGNATED, UNREADABLE, Square, is_blank, is_tile
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    ChallengeBonus,
    ClockAdjusted,
    GameEnded,
    GameReopened,
    LateStart,
    PenaltyAdded,
    PointsAdjusted,
    RackReported,
    Side,
    SquareCorrected,
    TurnRuled,
    UnseenTimeCharged,
    other,
)
from game.referee.position import Turn, due
from game.referee.verdict import fits
from game.rulebooks.challenge import require_bonus
from game.rulebooks.loading import SECOND, Rulebook
from game.state.ending import out_turn
from game.state.game_state import GameState, advance, clocks_stopped, derive, with_ledger
from game.state.progress import Progress
from game.state.timed_rights import play_ended_ns
from game.terms import OTHER_GROUND, RECORD_WRONG
from game.values import replace


def turn_of(state: GameState, number: int) -> Turn:
    """The turn of that number."""
    if not 1 <= number <= len(state.turns):
        raise TilewatchError(f"there is no turn {number}; {len(state.turns)} have been seen")
    return state.turns[number - 1]


def ruled(state: GameState, event: TurnRuled) -> GameState:
    """Return the state after a turn was ruled on."""
    turn = turn_of(state, event.turn)
    if not fits(turn, event.ruling):
        what = "tiles were played" if turn.tiles else "no tiles were played"
        raise TilewatchError(f"turn {turn.number} cannot be ruled {event.ruling!r}: {what}")
    if event.ruling.startswith("illegal"):
        _require_illegal(state, event)
    # In time or late goes by when it came out, not by when it was entered.
    seen = sum(one.press_ns <= event.happened_ns for one in state.turns)
    seen = max(seen, turn.number)
    rulings = state.progress.ledger.rulings_for(turn.number).with_ruling(event, seen)
    ledger = state.progress.ledger.with_rulings(turn.number, rulings, state.config)
    on_turn, later = state.on_turn, ledger.position.turns[turn.number :]
    if "undone" in (event.ruling, turn.kind) and all(t.kind == "undone" for t in later):
        on_turn = due(ledger.position, state.config)
    after, at_end = with_ledger(replace(state, on_turn=on_turn), ledger), state.progress.at_end
    if at_end is None or at_end.turn != len(after.turns):
        return after
    # The game was over until this was ruled. It goes on from there: with the clocks as they stood,
    # whatever was pressed meanwhile, and whoever is due on turn.
    progress = replace(
        state.progress, ledger=ledger, clocks=at_end.clocks, at_end=None, restarted=None
    )
    on_turn = due(ledger.position, state.config)
    resumed = derive(replace(state, on_turn=on_turn, progress=progress))
    return after if resumed.status == "ended" else resumed


def _require_illegal(state: GameState, event: TurnRuled) -> None:
    """Refuse an announcement that the rulebook does not know, or that comes too late."""
    book = state.rulebook
    if book.illegal_placement != "illegal_play":
        raise TilewatchError(
            f"{book.id} has no rule on announcing illegal plays: rule the turn "
            "challenge_upheld, no_score or taken_back"
        )
    ended = play_ended_ns(state)
    if ended is not None and event.happened_ns - ended > book.announce_ns:
        raise TilewatchError(
            f"turn {event.turn}: an illegal play is announced within "
            f"{book.announce_ns // SECOND} seconds of the end "
            f"({book.rule('placement.announce_seconds')})"
        )


def square_corrected(state: GameState, event: SquareCorrected) -> GameState:
    """Return the state after a square of a turn was corrected."""
    square = Square.parse(event.square)
    return _amended(state, event.turn, square, event.symbol, event.t_ns, event.misoriented)


def _amended(
    state: GameState, number: int, square: Square, symbol: str, t_ns: int, misoriented: str = ""
) -> GameState:
    turn_of(state, number)
    rulings = state.progress.ledger.rulings_for(number).with_symbol(
        square, symbol, t_ns, misoriented
    )
    ledger = state.progress.ledger.with_rulings(number, rulings, state.config)
    return with_ledger(state, ledger)


def designated(state: GameState, event: BlankDesignated) -> GameState:
    """The state after the letter of a blank was given.

    A tile that could not be read is that blank, and so is one that nobody could see, if it is
    asked whether a tile lies on the square.
    """
    square = Square.parse(event.square)
    letter = event.letter.upper()
    if letter not in state.tile_set.counts:
        raise TilewatchError(
            f"the {state.tile_set.name} set has no letter {state.tile_set.text(event.letter)!r}"
        )
    for turn in reversed(state.turns):
        tile = turn.tiles.get(square.name, EMPTY)
        if is_blank(tile) or tile == UNREADABLE:
            rulings = state.progress.ledger.rulings_for(turn.number)
            # A blank that was read only after its letter was said is that blank.
            read_ns, symbol = rulings.stamps.get(square, (event.t_ns, UNDESIGNATED))
            t_ns = max(event.t_ns, read_ns) if symbol == UNDESIGNATED else event.t_ns
            return _amended(state, turn.number, square, letter.lower(), t_ns)
    for turn in () if is_tile(state.board[square]) else reversed(state.turns):
        if _may_hold_a_tile(turn, square):
            return _amended(state, turn.number, square, letter.lower(), event.t_ns)
    raise TilewatchError(f"no blank was played on {square.name}")


def _may_hold_a_tile(turn: Turn, square: Square) -> bool:
    """True if it is asked of a turn whether a tile lies on a square."""
    return any(
        flag.code == "uncertain_square" and flag.settled is None and square.name in flag.squares
        for flag in turn.flags
    )


def credited(
    state: GameState, event: ChallengeBonus | PenaltyAdded | PointsAdjusted | RackReported
) -> GameState:
    """The state after points were given or taken, or a rack was reported."""
    if isinstance(event, RackReported):
        strange = [t for t in event.tiles if t not in state.tile_set.counts]
        if strange:
            raise TilewatchError(
                f"the {state.tile_set.name} set has no tile {state.tile_set.text(strange[0])!r}"
                f" (rack {state.tile_set.word(event.tiles)!r})"
            )
    elif isinstance(event, PointsAdjusted):
        pass  # of either sign
    elif event.points < 0:
        raise TilewatchError(
            f"{type(event).__name__}.points: {event.points} is below 0; give the number of "
            "points added by a bonus or taken off by a penalty"
        )
    elif isinstance(event, ChallengeBonus):
        require_bonus(state.rulebook, event.points)
    if isinstance(event, RackReported) and _shown_after_out(state, event):
        # Showing the tiles ends the game where nobody stopped the clock (out.showing_stops).
        state = clocks_stopped(state, event.t_ns)
        state = advance(state, replace(state.progress, stopped_ns=event.t_ns))
    if isinstance(event, RackReported) and _shown_meanwhile(state, event):
        side = other(event.side)
        shown = (side, state.raw_clocks.remaining(side, event.t_ns))
        state = advance(state, replace(state.progress, shown_clock=shown))
    return with_ledger(state, state.progress.ledger.append(event, state.config))


def _shown_meanwhile(state: GameState, event: RackReported) -> bool:
    """True if the tiles are shown for the first time while the other player's clock runs.

    With an empty bag that player may be out, and have forgotten the clock.
    """
    return (
        state.rulebook.out_showing_stops
        and not state.bag_count
        and state.progress.shown_clock is None
        and state.raw_clocks.running == state.on_turn == other(event.side)
        and state.status == "running"
    )


def _shown_after_out(state: GameState, event: RackReported) -> bool:
    """True if the opponent of a player who is out shows the tiles left, and nobody ended it.

    A clock still runs, be it the player's own, or both stand for something else.
    """
    out = out_turn(state.progress.ledger.position, state.config)
    return (
        out is not None
        and state.rulebook.out_showing_stops
        and event.side == other(out.side)
        and (state.raw_clocks.running is not None or state.status != "ended")
    )


def clock_changed(state: GameState, side: Side, added_ns: int) -> GameState:
    """The state after time was given to a clock, or taken off it."""
    added = {**state.progress.added_ns, side: state.progress.added_ns.get(side, 0) + added_ns}
    return _with_clocks(state, replace(state.progress, added_ns=added))


def _with_clocks(state: GameState, progress: Progress) -> GameState:
    """Return the state with other time on the clocks, and all turns taken again by it."""
    state = advance(state, progress)
    if state.lost_on_time:
        # Given more time, the game goes on when somebody starts a clock.
        state = clocks_stopped(state, state.reached_ns)
    return with_ledger(state, state.progress.ledger.again(1, state.config))


def clock_ruled(
    state: GameState, event: ClockAdjusted | UnseenTimeCharged | LateStart
) -> GameState:
    """The state after somebody changed the time on a clock."""
    match event:
        case ClockAdjusted():
            return clock_changed(state, event.side, event.added_ns)
        case UnseenTimeCharged():
            return _unseen_charged(state, event)
        case LateStart():
            return _late_started(state, event)


def _unseen_charged(state: GameState, event: UnseenTimeCharged) -> GameState:
    """The state after somebody said whose the time was that nobody watched."""
    unseen = state.progress.unseen
    if event.event not in unseen:
        raise TilewatchError(
            f"event {event.event} is no time that nobody watched while a clock ran"
        )
    charged = {**unseen, event.event: replace(unseen[event.event], charged=event)}
    return _with_clocks(state, replace(state.progress, unseen=charged))


def _late_started(state: GameState, event: LateStart) -> GameState:
    """Return the state after a player came late and lost time."""
    late = state.progress.late_ns.get(event.side, 0) + event.lost_ns
    late_ns = {**state.progress.late_ns, event.side: late}
    state = advance(state, replace(state.progress, late_ns=late_ns))
    return clock_changed(state, event.side, -event.lost_ns)


def require_going_on(state: GameState) -> None:
    """Refuse to end a game that somebody has ended."""
    if state.progress.settled:
        raise TilewatchError("the game has already been ended")


def ended(state: GameState, event: GameEnded) -> GameState:
    """The state after somebody ended the game, or said how it had really ended."""
    earlier = state.progress.ended
    if event.instead is not None and earlier is not None:
        _require_end(state, event.instead)
        event = replace(event, t_ns=earlier.t_ns)  # it was over then
    else:
        require_going_on(state)
    state = clocks_stopped(state, event.t_ns)
    return derive(advance(state, replace(state.progress, ended=event)))


def _require_end(state: GameState, number: int) -> None:
    events = state.progress.events
    if not 1 <= number <= len(events) or not isinstance(events[number - 1], GameEnded):
        raise TilewatchError(f"event {number} did not end the game")


def reopened(state: GameState, event: GameReopened) -> GameState:
    """The state after a signed result, or else a game that was over, was opened again."""
    if state.status != "ended":
        raise TilewatchError("only a game that has ended can be reopened")
    if state.signed is not None:
        # The sheet is opened, not the game: it stays over, and is signed again when mended.
        progress = replace(state.progress, reopened_for=event.ground)
        if event.ground in state.rulebook.signed_grounds:
            return replace(state, signed=None, progress=progress)
        _require_record_wrong(state, event)
        progress = replace(progress, opened_unlisted=(*progress.opened_unlisted, event))
        return derive(advance(replace(state, signed=None), progress))
    if state.progress.reopened_for in state.rulebook.signed_report_only:
        raise TilewatchError(report_only(state))
    seen = len(state.turns)
    if state.progress.at_end is not None:
        state = clocks_stopped(state, event.t_ns)
    progress = replace(state.progress, ended=None, forfeited=None, reopened_at=seen)
    state = advance(state, progress)
    return with_ledger(state, progress.ledger.again(1, state.config))


def _require_record_wrong(state: GameState, event: GameReopened) -> None:
    """Refuse what lets no signed result be changed: all that the text does not list.

    That the record is not what was signed is no change of the result.
    """
    book = state.rulebook
    if event.ground == OTHER_GROUND:
        raise TilewatchError(
            f"{book.name} lists what lets a signed result be changed, and nothing else does "
            f"({book.rule('signed.grounds')})"
        )
    if event.ground != RECORD_WRONG:
        raise TilewatchError(
            f"a signed result may not be changed for {event.ground!r}; {grounds(book)}"
        )
    if not event.why.strip():
        raise TilewatchError("say what in the record is not what was signed")


def report_only(state: GameState) -> str:
    """Why a change is refused where only the sheet may be mended."""
    return (
        f"the signed result was opened for {state.progress.reopened_for!r}, which lets names be "
        f"mended and the result be signed again; {state.rulebook.id} lets nothing else be changed "
        f"({state.rulebook.rule('signed.report_only')})"
    )


def grounds(book: Rulebook) -> str:
    """Return the grounds for changing a signed result, in words."""
    rule = book.rule("signed.grounds")
    return f"{book.id} allows: {', '.join(sorted(book.signed_grounds)) or 'none'} ({rule})"
