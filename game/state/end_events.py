"""The fold's steps by which a game is ended, forfeited, signed or reopened."""

from __future__ import annotations

from game.clock import shown
from game.errors import TilewatchError
from game.events import (
    SIDES,
    EndReason,
    Event,
    GameEnded,
    GameForfeited,
    GameReopened,
    PointsAdjusted,
    PublicationDecided,
    Reported,
    ResultSigned,
    Side,
)
from game.referee.game_over import scoreless_turn
from game.rulebooks.loading import SECOND, Rulebook
from game.state.clock_history import clocks_at, clocks_by_presses, over_earlier_ns
from game.state.derive import clocks_stopped, derive, with_ledger
from game.state.game_state import GameState
from game.state.outcome import raise_refused
from game.terms import OTHER_GROUND, RECORD_WRONG
from game.values import replace

OnTheEnd = GameEnded | GameForfeited | GameReopened | ResultSigned


def ended_by_word(state: GameState, event: OnTheEnd) -> GameState:
    """Return the state after somebody ended, forfeited, signed or reopened the game.

    Raises:
        TilewatchError: the game goes on, or is already over; or the rulebook does not allow it.
    """
    match event:
        case GameEnded():
            return _ended(state, event)
        case GameForfeited():
            return _forfeited(state, event)
        case GameReopened():
            return _reopened(state, event)
        case ResultSigned():
            if state.status != "ended":
                raise TilewatchError("a result can only be signed when the game has ended")
            progress = replace(state.progress, reopened_for=None)
            return replace(state, signed=event, progress=progress)


def _require_going_on(state: GameState) -> None:
    if state.progress.settled:
        raise TilewatchError("the game has already been ended")


def _ended(state: GameState, event: GameEnded) -> GameState:
    """Return the state after the game was ended, or after the reason of its end was corrected."""
    earlier = state.progress.ended
    if event.instead is not None and earlier is not None:
        _require_end(state, event.instead)
        event = replace(event, t_ns=earlier.t_ns)  # it was over then
    else:
        _require_going_on(state)
    return _over_since(state, event)


def _require_end(state: GameState, number: int) -> None:
    events = state.progress.events
    if not 1 <= number <= len(events) or not isinstance(events[number - 1], GameEnded):
        raise TilewatchError(f"event {number} did not end the game")


def _forfeited(state: GameState, event: GameForfeited) -> GameState:
    _require_going_on(state)
    if refused := _forfeit_refused(state, event):
        raise TilewatchError(refused)
    if event.margin is not None:
        plain = replace(event, margin=None)
        usual = _over_since(state, plain).outcome
        if usual is not None and (why := raise_refused(event, usual, state.rulebook)):
            raise TilewatchError(why)
    return _over_since(state, event)


def _over_since(state: GameState, event: GameEnded | GameForfeited) -> GameState:
    """Return the state with the game ended or forfeited, whatever was played after that moment."""
    t_ns = event.t_ns
    stopped, later = clocks_stopped(state, t_ns), _turns_since(state, t_ns)
    if isinstance(event, GameEnded):
        progress = replace(stopped.progress, ended=event)
    else:
        progress = replace(stopped.progress, forfeited=event)
    after = replace(stopped, progress=progress)
    if over_earlier_ns(after) is None:
        return derive(after, progress)
    progress = replace(progress, clocks=clocks_at(after, t_ns))
    if (at_end := progress.at_end) is not None and at_end.turn in later:
        progress = replace(progress, at_end=None)
    after = replace(after, progress=progress)
    return with_ledger(after, after.ledger.again(min(later), after.config))


def _turns_since(state: GameState, t_ns: int) -> list[int]:
    return [turn.number for turn in state.turns if turn.press_ns > t_ns]


def _forfeit_refused(state: GameState, event: GameForfeited) -> str | None:
    """Return why the game cannot be forfeited for this cause; None if it can."""
    match event.cause:
        case "absent" | "both_absent":
            sides = SIDES if event.cause == "both_absent" else (event.side,)
            return _played(state, sides, "was not absent")
        case "late":
            return _late_refused(state, event)
        case "left" | "resigned" if state.status == "ended":
            return "the game is over, so nobody can leave or resign it: enter how it ended"
        case _:
            return None


def forfeit_entry_refused(state: GameState, event: GameForfeited) -> str | None:
    """Return why nobody may enter a forfeit now; None if it may be entered.

    A log with such a forfeit can still be read. A player who came late and made a turn has chosen
    to play (PSA 2.3.4(b)).
    """
    if event.cause == "late" and (played := _played(state, (event.side,), "chose to play")):
        rule = state.rulebook.rule("late.may_forfeit_below_minutes")
        return played + (f" ({rule})" if rule else "")
    return _forfeit_refused(state, event)


def _played(state: GameState, sides: tuple[Side, ...], so: str) -> str | None:
    """Return "Ann made turn 1, and so …" with ``so`` at its end; None if none of ``sides`` did."""
    for turn in state.turns:
        if turn.side in sides and turn.kind != "undone":
            return f"{state.players[turn.side]} made turn {turn.number}, and so {so}"
    return None


def _late_refused(state: GameState, event: GameForfeited) -> str | None:
    book, player = state.rulebook, state.players[event.side]
    lost = state.progress.late_ns.get(event.side, 0)
    if not book.late_points:
        rule = book.rule("absent.points")
        return (
            f"{book.id} has no forfeit for coming late; whoever does not come at all is absent"
            + (f" ({rule})" if rule else "")
        )
    if not lost:
        return f"no late start of {player} has been entered: enter it first"
    left = book.clock_ns - lost
    if book.late_option_ns and left >= book.late_option_ns:
        minutes = book.late_option_ns // (60 * SECOND)
        rule = book.rule("late.may_forfeit_below_minutes")
        return f"{player} has {shown(left)} left; a forfeit needs less than {minutes}:00 ({rule})"
    return None


def _reopened(state: GameState, event: GameReopened) -> GameState:
    """Return the state after a signed result, or an unsigned game that was over, was reopened."""
    if state.status != "ended":
        raise TilewatchError("only a game that has ended can be reopened")
    if state.signed is not None:
        # The sheet is opened, not the game: it stays over, and is signed again when mended.
        progress = replace(state.progress, reopened_for=event.ground)
        if event.ground in state.rulebook.signed_grounds:
            return replace(state, signed=None, progress=progress)
        _require_record_wrong(state, event)
        progress = replace(progress, opened_unlisted=(*progress.opened_unlisted, event))
        return derive(replace(state, signed=None), progress)
    if names_only(state):
        raise TilewatchError(names_only_words(state))
    _require_resumable(state)
    seen = len(state.turns)
    by_word = state.progress.ended or state.progress.forfeited
    if by_word is not None and _turns_since(state, by_word.t_ns):
        # It ended for an earlier moment. What was pressed since counts again.
        clocks = clocks_by_presses(state)
        state = replace(state, progress=replace(state.progress, clocks=clocks, at_end=None))
    elif state.progress.at_end is not None:
        state = clocks_stopped(state, event.t_ns)
    progress = replace(state.progress, ended=None, forfeited=None, reopened_at=seen)
    state = replace(state, progress=progress)
    return with_ledger(state, progress.ledger.again(1, state.config))


def _require_resumable(state: GameState) -> None:
    """Refuse to go on with a game that was resigned, where the text rules that out."""
    gone, book = state.progress.forfeited, state.rulebook
    if gone is not None and gone.cause == "resigned" and not book.resigned_resumes:
        raise TilewatchError(
            f"a resigned game cannot be resumed ({book.rule('leaving.resumes')}): if "
            f"{state.players[gone.side]} did not resign it, take that entry back"
        )


def _require_record_wrong(state: GameState, event: GameReopened) -> None:
    """Refuse a ground that the rulebook does not list, unless the record is not what was signed.

    Correcting the record changes no result.
    """
    book = state.rulebook
    if event.ground == OTHER_GROUND:
        raise TilewatchError(
            f"{book.name} lists the grounds for changing a signed result; there is no other "
            f"({book.rule('signed.grounds')})"
        )
    if event.ground != RECORD_WRONG:
        raise TilewatchError(
            f"a signed result may not be changed for {event.ground!r}; {grounds(book)}"
        )
    if not event.why.strip():
        raise TilewatchError("say what in the record differs from what was signed")


def after_signing(state: GameState, event: Event) -> bool:
    """True if an entry may be made though the result is signed: it changes at most the spread.

    Who lost a turn by a wrong verdict may say so until the end of the day (NASPA IV.K.5). What the
    public may see is decided at any time.
    """
    if isinstance(event, PublicationDecided):
        return True
    if state.rulebook.event_rule("spread_after_signing") is None:
        return False
    match event:
        case PointsAdjusted(on="spread") | Reported(what="misadjudicated"):
            return True
        case _:
            return False


def names_only(state: GameState) -> bool:
    """True if the signed result was reopened on a ground that allows only names to be corrected."""
    return state.progress.reopened_for in state.rulebook.signed_report_only


def names_only_words(state: GameState) -> str:
    """Return why a change is refused while :func:`names_only` is true."""
    return (
        f"the signed result was opened for {state.progress.reopened_for!r}, which allows names "
        f"to be corrected and the result to be signed again; {state.rulebook.id} allows no other "
        f"change ({state.rulebook.rule('signed.report_only')})"
    )


def grounds(book: Rulebook) -> str:
    """Return the rulebook's grounds for changing a signed result, in words, with the rule."""
    rule = book.rule("signed.grounds")
    return f"{book.id} allows: {', '.join(sorted(book.signed_grounds)) or 'none'} ({rule})"


def why_over(state: GameState) -> str:
    """Return why a game is over, in words that continue "the game is over:"."""
    last, gone, players = len(state.turns), state.progress.forfeited, state.players
    after = f"after turn {last}" if last else "before the first turn"
    if state.progress.ended is None:
        if gone is not None:
            who = "both players" if gone.cause == "both_absent" else players[gone.side]
            return f"{who} forfeited it {after} ({gone.cause.replace('_', ' ')})"
        if state.end_reason == EndReason.OVERTIME_LIMIT and state.forfeit is not None:
            return f"{players[state.forfeit.side]} passed the limit on overtime {after}"
        if (out := state.out_turn) is not None:
            return f"{players[out.side]} played out in turn {out.number}"
        if (scoreless := scoreless_turn(state.position, state.config)) is not None:
            needed = state.rulebook.scoreless_turns
            return f"turn {scoreless.number} made {needed} scoreless turns in a row"
    return f"it was ended {after} ({str(state.end_reason).replace('_', ' ')})"
