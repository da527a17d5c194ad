"""A play that lies on the board of a game without a clock, and that no turn has counted yet."""

from __future__ import annotations

from typing import Final

from game.errors import TilewatchError
from game.events import GameEnded, GameForfeited
from record.log.event_log import EventLog
from table.desk import Ruling
from table.recorder import Recorder
from table.refusals import COUNTED

COUNTS: Final = "counted the play that lay on the board"
"""The note when somebody has the play counted."""


def uncounted(recorder: Recorder) -> tuple[str, ...]:
    """Return its tiles, each as ``8H A``."""
    word = recorder.state.tile_set.word
    return tuple(f"{at.name} {word(tile)}" for at, tile in recorder.uncounted.items())


def count_play(recorder: Recorder, log: EventLog) -> bool:
    """Count it; True if that changed anything.

    Raises:
        TilewatchError: the game has a clock.
    """
    if recorder.state.timed:
        raise TilewatchError("the game has a clock: its press counts a play")
    before = log.last_seq
    recorder.finish()
    return log.last_seq != before


def count_before_end(recorder: Recorder, log: EventLog, ruling: Ruling) -> None:
    """Count it before a ruling that ends the game, as the last play.

    Raises:
        TilewatchError: the effect that was shown of the ruling is without it.
    """
    if recorder.state.timed or not isinstance(ruling.event, GameEnded | GameForfeited):
        return
    if count_play(recorder, log) and ruling.effect is not None:
        raise TilewatchError(COUNTED)
