"""Feeds a running table from its simulation, each item at its time.

The simulated players obey the desk: they wait while a clock that was stopped there stands, remove a
play that was ruled off there, and stop playing a game that was ended there once the table is made
ready there for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from game.events import EndReason, GameEnded, Side, from_payload
from game.referee.position import UPHELD
from game.state.fold import GameState
from sensors.interfaces import Frame
from simulation.demo_clock import DemoClock
from simulation.playing import DIRECTOR
from simulation.source import BeingMade, Game, GameFinished, Happening, Item, PlayersSeated
from table.running import RunningTable, Simulation

Concluded = Callable[[Game, RunningTable], bool]
"""Called when a simulated game is over, before its players agree on the result; True to go on."""

_OFF: Final = UPHELD | {"illegal_play"}
"""The rulings after which a play comes off the board."""


@dataclass
class Heeding:
    """Makes the simulated players obey the desk."""

    table: RunningTable
    playing: str | None = None
    """The id of the game that the players have begun; None before they begin."""
    before: str | None = None
    """The id of the begun game that was on the table when the players sat down."""
    off: Mapping[int, Side] = field(default_factory=dict)
    """The plays of the game that the players know to be ruled off: side by turn number."""

    def sit_down(self) -> None:
        """Note that the players of the next game have sat down."""
        self.playing, self.before, self.off = None, _begun(self.table.session.state), {}

    def puts_right(self) -> bool:
        """Start to correct the board if a play was ruled off or restored; return True if begun."""
        state = self.table.session.state
        if not self._ruled_anew(state):
            return False
        off = _ruled_off(state)
        changed = max(dict(off.items() ^ self.off.items()))
        side = off.get(changed) or self.off[changed]
        self.off = off
        simulation = self.table.time.simulation
        return simulation is not None and simulation.source.put_right(state, side)

    @property
    def _putting_right(self) -> bool:
        simulation = self.table.time.simulation
        return simulation is not None and simulation.source.putting_right

    def _ruled_anew(self, state: GameState) -> bool:
        going_on = self.playing == state.game_id and not state.settled
        return going_on and _ruled_off(state) != self.off

    def goes_on(self, clock: DemoClock, meanwhile: Callable[[], None]) -> bool:
        """Wait while the desk makes the players wait; return False if they must stop the game."""
        while clock.speed and not clock.stopped:
            state = self.table.session.state
            if self.playing is None and _begun(state) != self.before:
                self.playing = _begun(state)
            if self.playing not in (None, state.game_id):
                return False
            # A game that was ended may be reopened, until the table is made ready for the next.
            ended = self.playing is not None and _ended_at_desk(state)
            stands = not self._ruled_anew(state) and not self._putting_right
            if not ended and not (stands and _stopped_at_desk(state)):
                return True
            clock.rest()
            meanwhile()
        return True


def _ruled_off(state: GameState) -> Mapping[int, Side]:
    """Return the sides whose plays the desk has ruled off the board, by turn number."""
    rulings = state.progress.ledger.rulings
    return {
        turn.number: turn.side
        for turn in state.turns
        if turn.number in rulings
        and (ruled := rulings[turn.number].ruled) is not None
        and ruled.ruling in _OFF
        and ruled.by != DIRECTOR
    }


def _begun(state: GameState) -> str | None:
    return None if state.status == "waiting" else state.game_id


def _stopped_at_desk(state: GameState) -> bool:
    stands = state.status == "running" and state.timed and state.clocks.running is None
    stops = state.progress.stops
    return stands and bool(stops) and all(stop.at_desk for stop in stops)


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
    # A game that goes on after a restart:
    heeding = Heeding(table, _begun(session.state), off=_ruled_off(session.state))
    for item in simulation.source.items(pressed, events):
        if not _waited(table, simulation, item):
            break
        if isinstance(item, BeingMade):
            continue
        if isinstance(item, GameFinished):
            if not _finished(table, item, concluded):
                break
            _round(table)
        else:
            _play(table, simulation, heeding, item)
    session.recorder.finish()
    table.after_item()


def _round(table: RunningTable) -> None:
    table.after_item()
    table.notify.alive()


def _waited(table: RunningTable, simulation: Simulation, item: Item) -> bool:
    """Wait for the time of an item; return False if the table was stopped meanwhile."""
    if isinstance(item, BeingMade):
        if not simulation.clock.stopped:
            _round(table)
        return not simulation.clock.stopped
    return simulation.clock.wait_until(item.t_ns, lambda: _round(table))


def _play(table: RunningTable, simulation: Simulation, heeding: Heeding, item: Happening) -> None:
    """Pass an item on, unless the desk makes the players do something else."""
    if isinstance(item, PlayersSeated):
        heeding.sit_down()
        table.camera.begin(None)  # it took none while nobody sat there
    if not heeding.goes_on(simulation.clock, lambda: _round(table)):
        simulation.source.skip()
    elif not heeding.puts_right():
        table.check_time(item.t_ns)
        table.take(table.straightened(item) if isinstance(item, Frame) else item)
        _round(table)


def _finished(table: RunningTable, item: GameFinished, concluded: Concluded | None) -> bool:
    """Conclude a game; return False if the table must stop."""
    if concluded is None:
        return True
    table.session.recorder.finish()
    table.after_item()
    return concluded(item.game, table)
