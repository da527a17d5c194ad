"""What a table keeps of the system's memory from game to game."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from table import running
from table.config import Serve, SimulatedOptions, TableConfig
from table.desk import NewGame
from table.game_setup import GameSetup
from table.live import opened
from table.memory import give_back_freed

from .conftest import FakeReader

STATM = Path("/proc/self/statm")


def resident() -> int:
    """The process's memory, in bytes."""
    return int(STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not STATM.exists(), reason="needs Linux's /proc")
def test_what_was_freed_between_things_that_stay_is_given_back():
    give_back_freed()
    kept, freed = [], []
    for _ in range(1600):  # 100 MB in pieces that the C library keeps, and a small one after each
        freed.append(np.ones(64_000, np.uint8))
        kept.append(np.ones(2_000, np.uint8))
    full = resident()
    freed.clear()
    give_back_freed()
    assert full - resident() > 80_000_000
    assert all(one.all() for one in kept)


def test_a_table_gives_back_what_a_game_has_freed_when_the_next_begins(tmp_path, monkeypatch):
    times = []
    monkeypatch.setattr(running, "give_back_freed", lambda: times.append(1))
    config = TableConfig(simulated=SimulatedOptions(speed=0), serve=Serve(on=False))
    with opened(config, tmp_path, lambda _: None, None, FakeReader()) as table:
        table.after_item()
        assert times == []
        setup = GameSetup("english", "wespa-2021")
        table.session.make_ready(NewGame(setup=setup, source="page"))
        table.after_item()
        table.after_item()
    assert times == [1]
