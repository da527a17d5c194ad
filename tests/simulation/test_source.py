"""A simulated table that is taken up again."""

from __future__ import annotations

import json
import struct
import time

import pytest

from simulation.source import SimulatedSource
from table.config import Serve, SimulatedOptions, TableConfig
from table.live import opened

SECOND = 1_000_000_000


@pytest.fixture
def taken_up(tmp_path):
    """The source of a table that began at 100 s and had reached a time when it was killed."""
    made = []

    def take_up(reached_s, speed=1.0):
        config = SimulatedOptions(seed=8, speed=speed)
        with SimulatedSource(config, tmp_path, lambda: 100 * SECOND) as first:
            first._mark.write(reached_s * SECOND)
        made.append(SimulatedSource(config, tmp_path, lambda: 0))
        return made[-1]

    yield take_up
    for source in made:
        source.close()


def test_a_table_that_lagged_is_taken_up_where_it_was(taken_up):
    assert taken_up(160).behind_ns(290 * SECOND) / SECOND == pytest.approx(130, abs=1)


@pytest.mark.parametrize("speed", [1.0, 10.0])
def test_what_went_by_while_nobody_looked_is_no_lag(taken_up, monkeypatch, speed):
    source = taken_up(160, speed)
    later = time.monotonic_ns() + 60 * SECOND
    monkeypatch.setattr(time, "monotonic_ns", lambda: later)
    assert source.behind_ns(round((160.5 + 60 * speed) * SECOND)) == 0
    monkeypatch.setattr(time, "monotonic_ns", lambda: 5)  # the machine was started anew
    assert source.behind_ns(300 * SECOND) == 0


def test_a_table_that_has_not_begun_lags_behind_nothing(taken_up):
    assert taken_up(0).behind_ns(300 * SECOND) == 0


def test_a_running_table_goes_on_from_there(tmp_path):
    config = TableConfig(serve=Serve(on=False), simulated=SimulatedOptions(seed=8))
    with opened(config, tmp_path, lambda _: None):
        pass
    number, began_ns, what = json.loads((tmp_path / "simulated.json").read_text("ascii"))
    (tmp_path / "simulated.json").write_text(json.dumps([number, began_ns - 300 * SECOND, what]))
    mark = struct.pack("<qq", began_ns - 290 * SECOND, time.monotonic_ns())
    (tmp_path / "simulated.pos").write_bytes(mark)
    with opened(config, tmp_path, lambda _: None) as table:
        behind_ns = time.monotonic_ns() - table.now_ns()
        assert behind_ns / SECOND == pytest.approx(290, abs=30)
