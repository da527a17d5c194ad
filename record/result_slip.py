"""Announces the result of a finished game and, once it is signed, the check code for its slip."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from game.events import SIDES, Event, GameEnded
from game.state.fold import GameState
from record.chain import LoggedEvent
from record.log.event_log import EventLog
from record.seals import digest, fingerprint
from record.story.entries import Step, logged_entries, steps_of


class ResultSlip:
    """Watches the game on the table; ``say`` gets a line when it ends, and when it is signed.

    If the result depends on a rack that nobody knows yet, the line says that the scores are not
    final; another one follows once they are.

    The slip gets only the check code of the signature event, which covers the whole game before it.
    Later events (pictures of the last turn, a correction) do not change this code.

    A game that ended without a result has nothing to be signed: its line says so.
    """

    def __init__(self, log: EventLog, say: Callable[[str], None], state: GameState) -> None:
        """Take a result that is already there as announced, by the process before this one."""
        self._log, self._say = log, say
        self._announced = _announced(state)

    def announce(self, state: GameState) -> None:
        """Announce the result if it is new or has changed."""
        now = _announced(state)
        if now == self._announced:
            return
        self._announced = now
        if state.no_result:
            self._say(f"{state.game_id} is over without a result ({state.end_reason})")
            return
        steps = steps_of(logged_entries(self._log.events(state.game_id)))
        closed = closing(steps).get(now[1] or "")
        if closed is None:
            return
        scores = ", ".join(f"{state.players[side]} {state.scores[side]}" for side in SIDES)
        why = state.end_reason.replace("_", " ") if state.end_reason else "ended"
        how = "signed" if now[1] == "signed" else f"over ({why})"
        if now[2]:
            how += ", but not final, as a rack is needed"
        self._say(f"{state.game_id} is {how}: {scores}. {_for_slip(closed, now[1])}")


def _for_slip(closed: LoggedEvent, stage: str | None) -> str:
    if stage != "signed":
        return "The check code for the result slip is shown once it is signed"
    return f"For the result slip: check code {digest(closed.hash)}, key {fingerprint(closed.key)}"


@dataclass(frozen=True, slots=True)
class Closing:
    """The records that closed a game, by its present state.

    ``records`` has the record that ended the game last, as ``ended``, and the one that signed the
    result, as ``signed``. A game that goes on or is over without a result has neither, and a game
    whose signed result was opened has no ``signed`` until it is signed again.
    """

    records: Mapping[str, LoggedEvent] = field(default_factory=dict)
    stage: str | None = None

    def after(self, logged: LoggedEvent, event: Event, state: GameState) -> Closing:
        """Return the closing after one more record; ``state`` is the game with this event."""
        stage = _stage(state)
        if stage is None or (stage == "ended" and state.no_result):
            return _OPEN
        if stage == "signed":
            return Closing({stage: logged, **self.records}, stage)
        kept = {key: one for key, one in self.records.items() if key != "signed"}
        otherwise = isinstance(event, GameEnded) and event.instead is not None
        if self.stage is None or otherwise:
            kept[stage] = logged
        return Closing(kept, stage)


_OPEN: Final = Closing()


def closing(steps: Iterable[Step]) -> Mapping[str, LoggedEvent]:
    """Return the records of :class:`Closing` for a game with these steps."""
    found = _OPEN
    for step in steps:
        found = found.after(step.logged, step.event, step.after)
    return found.records


def _stage(state: GameState) -> str | None:
    if state.signed is not None:
        return "signed"
    return "ended" if state.status == "ended" else None


def _announced(state: GameState) -> tuple[str, str | None, bool, str | None]:
    """Return the content of the line; if any of it changes, another line follows."""
    stage = _stage(state)
    return state.game_id, stage, _waits(state), state.end_reason if stage == "ended" else None


def _waits(state: GameState) -> bool:
    """True if the scores still lack the points of an unknown rack."""
    return state.lacks_rack and state.signed is None
