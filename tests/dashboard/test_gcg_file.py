"""The file that tools watch: always the newest game, always whole."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dashboard.gcg import GcgFile
from dashboard.site import table_over
from game.events import SquareCorrected
from game.gcg import parse
from table.views.public_policy import PublicPolicy
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.machine import PATIENCE_S, until


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out" / "game.gcg"


@pytest.fixture
def kept(site, path):
    path.parent.mkdir()
    made = GcgFile(site.tables[0], path)
    yield made
    made.stop()


def entries(path: Path) -> int:
    return played_in(path.read_bytes()) if path.exists() else -1


def played_in(text: bytes) -> int:
    # Before the first turn there are the players alone, which is no whole record.
    return len(parse(text).entries) if b"\n>" in text else 0


def test_it_is_never_seen_half_written(game, kept, path):
    until(path.exists)

    def whole(number: int) -> bool:
        text = path.read_bytes()
        assert text.endswith(b"\n")
        return played_in(text) == number

    for number, (place, word) in enumerate(TURNS, start=1):
        game.play(place, word)
        deadline = time.monotonic() + PATIENCE_S
        while not whole(number):  # without a pause: whatever moment it is
            assert time.monotonic() < deadline
    assert [file.name for file in path.parent.iterdir()] == ["game.gcg"]


def test_a_correction_and_a_new_game_are_in_it(game, kept, path, log):
    game.plays(TURNS[:2])
    until(lambda: entries(path) == 2)
    game.put(SquareCorrected(1, "8D", "B", "director", "misread", game.t_ns))
    until(lambda: b"BIRNS" in path.read_bytes())
    GameInLog(log, "game-2").start({"left": "C", "right": "D"})
    until(lambda: b"#player1 C C" in path.read_bytes())
    assert entries(path) == 0


def test_a_folder_that_is_not_there_stops_nothing(game, site, path, caplog):
    kept = GcgFile(site.tables[0], path)
    until(lambda: "cannot be written" in caplog.text)
    game.play(*TURNS[0])
    path.parent.mkdir()
    until(lambda: entries(path) == 1)
    assert caplog.text.count("cannot be written") == 1
    kept.stop()


def test_what_came_last_is_written_when_it_is_stopped(log, game, path):
    """A delay for the public does not hold it up."""
    path.parent.mkdir()
    policy = PublicPolicy(delay_turns=3)
    table = table_over(log, id="1", name="T", clock=lambda: 2000 * SECOND, public=policy)
    kept = GcgFile(table, path)
    game.play(*TURNS[0])
    until(lambda: entries(path) == 1)
    game.play(*TURNS[1])
    kept.stop()
    table.close()
    assert entries(path) == 2
