"""Forfeits that the record or the rulebook contradicts."""

from __future__ import annotations

from game.clock import shown
from game.events import SIDES, GameForfeited, Side
from game.rulebooks.loading import SECOND
from game.state.game_state import GameState


def forfeit_refused(state: GameState, event: GameForfeited) -> str | None:
    """Why a game cannot have been forfeited so; None if it can."""
    match event.cause:
        case "absent" | "both_absent":
            return _absent_refused(state, event)
        case "late":
            return _late_refused(state, event)
        case "left" | "resigned" if state.status == "ended":
            return "the game is over, and nobody can leave or resign it: end it as it ended"
        case _:
            return None


def entry_refused(state: GameState, event: GameForfeited) -> str | None:
    """Why nobody may enter a forfeit now; a log that has one stays readable.

    Who came late and played has chosen to play (PSA 2.3.4(b)).
    """
    if event.cause == "late" and (played := _played(state, (event.side,), "chose to play")):
        rule = state.rulebook.rule("late.may_forfeit_below_minutes")
        return played + (f" ({rule})" if rule else "")
    return forfeit_refused(state, event)


def _absent_refused(state: GameState, event: GameForfeited) -> str | None:
    sides = SIDES if event.cause == "both_absent" else (event.side,)
    return _played(state, sides, "was not absent")


def _played(state: GameState, sides: tuple[Side, ...], so: str) -> str | None:
    """Return that one of the players made a turn, and what follows."""
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
        return f"no time was lost by {player}'s coming late: enter it first"
    left = book.clock_ns - lost
    if book.late_option_ns and left >= book.late_option_ns:
        minutes = book.late_option_ns // (60 * SECOND)
        rule = book.rule("late.may_forfeit_below_minutes")
        return f"{player} has {shown(left)} left; a forfeit needs less than {minutes}:00 ({rule})"
    return None
