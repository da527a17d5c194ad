"""A simulated game with a camera at each rack: what was on them at every turn is known."""

from __future__ import annotations

import pytest

from game.events import from_payload
from game.state.fold import fold
from sensors.options import SimulatedOptions
from table.config import Camera, Racks, Serve, TableConfig
from table.live import opened
from table.racks.known import KnownRacks
from table.simulated_devices import run_simulated

SIMULATED = Camera(kind="simulated")


def played(folder, games=1, seed=8, **public):
    """Play whole simulated games; return the table's log, the plan and the racks."""
    config = TableConfig(
        camera=SIMULATED,
        simulated=SimulatedOptions(speed=0, games=games, seed=seed, pace="brisk"),
        serve=Serve(on=False),
        racks=Racks(left=SIMULATED, right=SIMULATED),
        **public,
    )
    with opened(config, folder, lambda _: None) as table:
        run_simulated(table, lambda *_: True)
        table.session.next_game("director")
        table.session.open_racks(0)
        return (
            [from_payload(one.payload) for one in table.log.events(table.log.game_ids()[0])],
            table.time.simulation.source.game.plan.script,
            table.session.racks,
        )


@pytest.mark.slow
def test_racks_are_right_in_every_turn(tmp_path):
    events, script, known = played(tmp_path)
    state = fold(events)
    history = known.history(state)
    seen = [sorted(history.held.get(turn.number, "")) for turn in state.turns]
    due = [sorted(turn.rack) for turn in script.turns]
    right = sum(one == other for one, other in zip(seen, due, strict=True))
    assert right >= 0.99 * len(due), list(zip(seen, due, strict=True))
    assert history.doubts == ()
    # The next game is ready, and so everybody who has the log can read what was seen.
    assert KnownRacks(None).history(state).held == history.held
