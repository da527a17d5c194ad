"""Feeds a running table from its simulation, each item at its time."""

from __future__ import annotations

from collections.abc import Callable

from game.events import EndReason, GameEnded, from_payload
from sensors.interfaces import Frame
from simulation.source import BeingMade, Game, GameFinished
from table.running import RunningTable

Concluded = Callable[[Game, RunningTable], bool]
"""Called when a simulated game is over, before its players agree on the result; True to go on."""


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

    for item in simulation.source.items(pressed, events):
        if isinstance(item, BeingMade):
            if simulation.clock.stopped:
                break
            meanwhile()
            continue
        if not simulation.clock.wait_until(item.t_ns, meanwhile):
            break
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
