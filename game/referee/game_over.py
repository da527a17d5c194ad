"""When a game is over by itself: a player is out, or nobody scores."""

from __future__ import annotations

from game.events import SIDES, EndReason
from game.flags import CODES
from game.referee.position import GameConfig, Position, Turn
from game.rulebooks.loading import Rulebook


def scoreless_run(turns: tuple[Turn, ...], book: Rulebook) -> int:
    """How many of the last turns in a row scored nothing and count to the end of the game.

    An illegal play counts only while no legal play has come after it (NASPA III.G.5, item 8):
    one that has ends the run anyway.
    """
    run = 0
    for turn in reversed(turns):
        if turn.kind == "undone":
            continue
        if not is_scoreless(turn, book):
            break
        run += 1
    return run


def is_scoreless(turn: Turn, book: Rulebook) -> bool:
    """True if a turn scored nothing and is of a kind that counts to the end of the game."""
    if turn.score:
        return False
    if turn.kind == "play" and any(CODES[flag.code].placement for flag in turn.flags):
        return "illegal_placement" in book.scoreless_kinds or "play" in book.scoreless_kinds
    return turn.kind in book.scoreless_kinds


def out_turn(position: Position, config: GameConfig) -> Turn | None:
    """The turn with which a player went out, if one did: later turns change nothing in that."""
    for turn in position.turns[config.reopened_at :]:
        if not turn.rack_count and turn.out:
            return turn
    return None


def scoreless_turn(position: Position, config: GameConfig) -> Turn | None:
    """The turn that made as many scoreless turns in a row as end the game, if one did.

    Where the text lets the game go on (``scoreless.goes_on``) any other turn undoes that; else only
    a play that somebody has ruled to count.
    """
    book, run, last = config.rulebook, 0, None
    needed, goes_on = book.scoreless_turns, book.scoreless_goes_on
    if not needed or [turn.score for turn in position.turns].count(0) < needed:
        return None
    for turn in position.turns:
        if turn.kind == "undone":
            continue
        if not turn.score and is_scoreless(turn, book):
            run += 1
            if run >= needed and last is None and turn.number > config.reopened_at:
                last = turn
        elif last is None or turn.kind == "play" or (goes_on and turn.kind != "no_score"):
            run, last = 0, None
    return last


def over_before(position: Position, config: GameConfig) -> EndReason | None:
    """Why a play that comes now comes after the end, if it does.

    Nobody has to stop a clock for that: a player who is out has ended the game, and so have the
    last scoreless turns if the text has them end it by themselves and for good, or where both
    players have shown their tiles since: then they had noticed.
    """
    book = config.rulebook
    if out_turn(position, config) is not None:
        return EndReason.OUT
    noticed = all(side in position.reported for side in SIDES)
    for_good = book.scoreless_ends == "by_itself" and (noticed or not book.scoreless_goes_on)
    if for_good and scoreless_turn(position, config) is not None:
        return EndReason.SIX_ZEROS
    return None


def end_reason(position: Position, config: GameConfig, *, stopped: bool) -> EndReason | None:
    """Return why the game is over by itself, if it is: a player is out, or nobody scores.

    Args:
        position: how the game stands.
        config: players, tile set and rules.
        stopped: the clock was stopped at the last turn or since, which some texts ask for.
    """
    book = config.rulebook
    if out_turn(position, config) is not None:
        return EndReason.OUT if stopped or book.out_stops == "player" else None
    if scoreless_turn(position, config) is not None:
        return EndReason.SIX_ZEROS if stopped or book.scoreless_ends == "by_itself" else None
    return None
