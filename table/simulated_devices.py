"""Feeds a running table from its simulation, each item at its time.

The simulated players heed whoever sits at the desk: they wait while a clock stands that was stopped
there, and play no more of a game that was ended there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from game.events import EndReason, GameEnded, from_payload
from game.state.fold import GameState
from sensors.interfaces import Frame
from simulation.demo_clock import DemoClock
from simulation.source import BeingMade, Game, GameFinished, PlayersSeated
from table.running import RunningTable

Concluded = Callable[[Game, RunningTable], bool]
"""Called when a simulated game is over, before its players agree on the result; True to go on."""

_GRACE_S: Final = 60.0
"""Seconds of real time in which a game that was ended at the desk may be reopened there, before the
players go on to the next."""


@dataclass
class _Heeding:
    """What somebody at the desk has the simulated players do."""

    table: RunningTable
    playing: str | None = None
    """The game that they have begun."""
    before: str | None = None
    """The game that was on the table as they sat down."""

    def sit_down(self) -> None:
        """The players of the next game have come."""
        self.playing, self.before = None, _begun(self.table.session.state)

    def goes_on(self, clock: DemoClock, meanwhile: Callable[[], None]) -> bool:
        """Wait as long as the desk has them wait; False once they are to play no more of it."""
        ended_s: float | None = None
        while clock.speed and not clock.stopped:
            state = self.table.session.state
            if self.playing is None and _begun(state) != self.before:
                self.playing = _begun(state)
            if self.playing not in (None, state.game_id):
                return False
            if self.playing is not None and _ended_at_desk(state):
                ended_s = ended_s or time.monotonic()
                if state.signed is not None or time.monotonic() - ended_s >= _GRACE_S:
                    return False
            elif not _stopped_at_desk(state):
                return True
            clock.rest()
            meanwhile()
        return True


def _begun(state: GameState) -> str | None:
    return None if state.status == "waiting" else state.game_id


def _stopped_at_desk(state: GameState) -> bool:
    stands = state.status == "running" and state.timed and state.clocks.running is None
    return stands and state.progress.stopped_at_desk


def _ended_at_desk(state: GameState) -> bool:
    end = state.progress.ended or state.progress.forfeited
    return end is not None and bool(end.by)


def run_simulated(table: RunningTable, concluded: Concluded | None = None) -> None:
    """Run a simulated table until its games are over or its clock is stopped."""
    simulation, session = table.time.simulation, table.session
    assert simulation is not None
    if simulation.source.fresh and session.state.status == "running":
        # Another table's game was left in this folder.
        session.record(GameEnded(EndReason.BROKEN_OFF, table.now_ns()), "table")
        session.next_game("table")
    events = [from_payload(e.payload) for e in table.log.events(session.state.game_id)]
    pressed = max((e.mono_ns for e in table.log.events() if e.type == "ButtonPressed"), default=-1)
    table.notify.ready()
    table.camera.begin(None)

    def meanwhile() -> None:
        table.after_item()
        table.notify.alive()

    heeding = _Heeding(table, _begun(session.state))  # a game that goes on after a restart
    for item in simulation.source.items(pressed, events):
        if isinstance(item, BeingMade):
            if simulation.clock.stopped:
                break
            meanwhile()
            continue
        if not simulation.clock.wait_until(item.t_ns, meanwhile):
            break
        if isinstance(item, PlayersSeated):
            heeding.sit_down()
        over = isinstance(item, GameFinished)
        if not (over or heeding.goes_on(simulation.clock, meanwhile)):
            simulation.source.skip()
            continue
        if not isinstance(item, GameFinished):
            table.check_time(item.t_ns)
            table.take(table.straightened(item) if isinstance(item, Frame) else item)
        elif concluded is not None:
            session.recorder.finish()
            table.after_item()
            if not concluded(item.game, table):
                break
        meanwhile()
    session.recorder.finish()
    table.after_item()
