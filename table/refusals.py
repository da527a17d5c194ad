"""Refuses requests that no longer fit the game, with a message."""

from __future__ import annotations

from typing import Final

from game.errors import TilewatchError
from game.state.fold import GameState
from table.desk import CountPlay, DeskPress, NamePlayers, NextGame, Post, TurnMeant

COUNTED: Final = (
    "The play that lay on the board has been counted as a turn first: look at what the end "
    "changes now, and enter it again."
)
"""The refusal to end a game by an effect that was shown before its last play was counted."""

NOT_EMPTY: Final = "The board is not empty"
"""The beginning of the refusal of a next game for which the board was not cleared."""

STRAY: Final = 1
"""The number of squares on which an empty board may still seem to have something."""

CLOCK_RUNS: Final = "A clock is running; stop it before you start one."
"""The refusal to start a clock while one runs: it would end the turn of the player on turn."""

OTHER_TURN: Final = (
    "The turn has changed since, so a start might end the wrong one: look at the game, "
    "and start the clock again."
)
"""The refusal to start a clock from a page that shows an earlier turn: it might end this one."""

OTHER_GAME: Final = "Another game is on the table now; look at it before you do this."
"""The refusal of a request for a game that is no longer on the table."""


def refuse_other_game(post: Post, game_id: str) -> None:
    """Refuse a request for another game than the one on the table.

    Raises:
        TilewatchError: it is for another.
    """
    if not isinstance(post, NamePlayers | NextGame | CountPlay | DeskPress):
        return
    if post.game_id is not None and post.game_id != game_id:
        raise TilewatchError(OTHER_GAME)


def refuse_overtaken(post: Post, state: GameState) -> None:
    """Refuse a request that the game on the table has overtaken.

    Raises:
        TilewatchError: it is for another game, would start a clock while one runs, or during
            another turn than was seen.
    """
    refuse_other_game(post, state.game_id)
    if not isinstance(post, DeskPress) or post.button == "neutral":
        return
    if state.timed and state.clocks.running is not None:
        raise TilewatchError(CLOCK_RUNS)
    if post.seen is not None and post.seen != TurnMeant(len(state.turns) + 1, state.on_turn):
        raise TilewatchError(OTHER_TURN)


def refuse_uncleared(state: GameState, tiles: int, despite: bool) -> None:
    """Refuse a next game whose first turn would be the ``tiles`` of the last, unless ``despite``.

    Raises:
        TilewatchError: the game on the table is over, and so many tiles are seen on the board.
    """
    if despite or state.status != "ended" or tiles <= STRAY:
        return
    raise TilewatchError(
        f"{NOT_EMPTY}: {tiles} tiles are seen on it, and would be the first turn of the next game. "
        "Clear it first."
    )
