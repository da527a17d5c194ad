"""The answers to whether a game is over, and why, each as an event that enters it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from game.events import Event, GameEnded, GameReopened, Retracted

if TYPE_CHECKING:
    from game.adjudication.answers import Answer
    from game.state.game_state import GameState

_OTHER_ENDS: Final[Mapping[str, str]] = {
    "confirmed": "both players agree that it is over",
    "shortened": "it was cut short",
    "director": "the director ends it",
}
"""How a game may have ended that is not over by itself, in words, by the reason that is entered."""


def going_on(state: GameState, why: str) -> Iterator[Answer]:
    """That the game goes on: its end is taken back."""
    if (number := _end(state)) is None:
        return
    event: Event = Retracted(number, "", why, 0)
    if state.progress.ended is not None and state.progress.ended.instead is not None:
        event = GameReopened("the game goes on", "", why, 0)  # else the end before it would hold
    yield "going_on", "the game goes on: take its end back", event, ()


def other_ends(state: GameState) -> Iterator[Answer]:
    """That it ended for another reason than the one that was given."""
    if (number := _end(state)) is None:
        return
    for reason, text in _OTHER_ENDS.items():
        yield reason, f"it ended otherwise: {text}", GameEnded(reason, 0, "", text, number), ()


def _end(state: GameState) -> int | None:
    """The number of the event by which somebody ended the game, if anybody did."""
    ends = [
        number
        for number, event in enumerate(state.progress.events, start=1)
        if isinstance(event, GameEnded) and number not in state.progress.retracted
    ]
    return ends[-1] if ends else None
