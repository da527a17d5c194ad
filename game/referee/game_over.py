"""When a game is over by itself: a player is out, or nobody scores."""

from __future__ import annotations

from game.events import SIDES, EndReason
from game.flags import CODES
from game.referee.position import GameConfig, Position, Turn
from game.rulebooks.loading import Rulebook


def scoreless_run(turns: tuple[Turn, ...], book: Rulebook) -> int:
    """Return how many of the last turns in a row are scoreless and count toward the game's end.

    An illegal play counts only while no legal play has come after it (NASPA III.G.5, item 8): a
    legal play ends the run anyway.
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
    """True if a turn scored nothing and is of a kind that counts toward the end of the game."""
    if turn.score:
        return False
    if turn.kind == "play" and any(CODES[flag.code].placement for flag in turn.flags):
        return "illegal_placement" in book.scoreless_kinds or "play" in book.scoreless_kinds
    return turn.kind in book.scoreless_kinds


def out_turn(position: Position, config: GameConfig) -> Turn | None:
    """Return the turn with which a player went out, whatever came later; None if nobody did."""
    for turn in position.turns[config.reopened_at :]:
        if not turn.rack_count and turn.out:
            return turn
    return None


def scoreless_turn(position: Position, config: GameConfig) -> Turn | None:
    """Return the turn that completed the run of scoreless turns that ends the game, or None.

    A later play undoes this if somebody has ruled it to count. If the rulebook lets the game go on
    (``scoreless.goes_on``), any other later turn undoes it, too.
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


def over_since(position: Position, config: GameConfig, number: int) -> bool:
    """True if the game is over by itself since turn ``number`` or an earlier one.

    No time counts after that, whatever was played then (PSA 5.3.4).
    """
    if end_reason(position, config, stopped=False) is None:
        return False
    last = out_turn(position, config) or scoreless_turn(position, config)
    return last is not None and last.number <= number


def over_before(position: Position, config: GameConfig) -> EndReason | None:
    """Return why the game is over before the next play; None if it is not.

    No stop of the clock is needed for this. It is over if a player is out. It is also over after
    the scoreless turns if the rulebook lets these end the game by themselves, provided that the
    game may not go on, or both players have shown their racks since.
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
    """Return why the game is over by itself; None if it is not.

    It is over if a player is out, or if enough turns in a row are scoreless.

    Args:
        position: the position now.
        config: players, tile set and rules.
        stopped: True if the clock was stopped at the last turn or since; some rulebooks ask for
            that.
    """
    book = config.rulebook
    if out_turn(position, config) is not None:
        return EndReason.OUT if stopped or book.out_stops == "player" else None
    if scoreless_turn(position, config) is not None:
        return EndReason.SIX_ZEROS if stopped or book.scoreless_ends == "by_itself" else None
    return None
