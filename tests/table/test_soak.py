"""Long proofs in short: mischief and kills, and a camera that is turned in the middle of a game."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from game.board import Board
from game.tileset import load_tile_set
from models.scenes import Renderer
from record.log.event_log import EventLog
from sensors.interfaces import Frame, Press
from simulation import Mischief, Script, generate
from simulation.appearance import look
from table.game_setup import GameSetup
from table.readers import board_reader
from table.recorder_stores import RecorderStores
from table.session import TableSession

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

RECORD = """\
#character-encoding UTF-8
#player1 Ann Ann
#player2 Bob Bob
>Ann: CATERSI 8G CAT +10 10
>Bob: SOXENLA J8 SOX +32 32
>Ann: ERSIDOV 10J .IS +10 20
>Bob: ENLATIG - +0 32
"""


@cache
def benchmark(name: str):
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def opening(seed: int, turns: int) -> Script:
    """The first turns of one of our own games."""
    script = generate(seed)
    return replace(script, turns=script.turns[:turns], finals={})


@pytest.mark.slow
def test_a_game_with_mischief_is_recorded_as_it_was_played():
    result = benchmark("soak").soak("game 1", opening(17, 5), 1, Mischief(turn=0.9))
    assert result.faults.total() >= 3
    assert [str(difference) for _, difference in result.differences] == []


@pytest.mark.timeout(280)
@pytest.mark.slow
def test_a_table_that_is_killed_ends_as_one_that_is_not(tmp_path):
    game = tmp_path / "short.gcg"
    game.write_text(RECORD, "utf-8")
    outcome = benchmark("kill_resume").run(
        3, seed=3, per_game=3, mischief=False, away_s=0, gcg=game
    )
    assert outcome.kills == 3
    assert outcome.differences == []


FPS = 5
TURNS = 4


@pytest.fixture
def log(tmp_path):
    with EventLog(tmp_path / "log.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def reader():
    return board_reader("english")


class Watched:
    """A table that watches a drawn board by a camera that may be turned."""

    def __init__(self, log, reader) -> None:
        self.now_ns, self.turned, self._count = 0, 0, itertools.count()
        self.session = TableSession(
            "turned",
            reader,
            RecorderStores(log),
            GameSetup("english", "wespa-2021"),
            lambda: self.now_ns,
        )
        made = look(0, load_tile_set("english"))
        camera = replace(made.camera, width=1280, height=960, scale=50.0)
        self._renderer = Renderer(replace(made, camera=camera))
        self._noise = np.random.default_rng(0)

    def rest(self, board: Board, seconds: float) -> None:
        """Let the board lie there."""
        images = [self._renderer.frame(board.rows, self._noise).image for _ in range(2)]
        for at in range(round(seconds * FPS)):
            self.now_ns += 1_000_000_000 // FPS
            image = np.ascontiguousarray(np.rot90(images[at % 2], self.turned))
            self.session.frame(Frame(image, self.now_ns, next(self._count)))

    def press(self, button) -> None:
        self.session.press(Press(button, self.now_ns))


@pytest.mark.parametrize("turned", [1, 2, 3])
@pytest.mark.slow
def test_turned_pictures_cost_no_turn_and_no_question(log, reader, turned):
    script, table = generate(0), Watched(log, reader)
    played = list(itertools.islice(zip(script.turns, script.boards(), strict=True), TURNS))
    table.rest(Board.empty(), 2)
    table.press("right")
    for number, (turn, board) in enumerate(played):
        table.rest(board, 2)
        table.press(turn.side)
        table.rest(board, 1)
        if number == 1:
            table.turned = turned
            table.rest(board, 1)
    found = table.session.state.turns
    assert [turn.after.rows for turn in found] == [board.rows for _, board in played]
    assert [flag.code for turn in found for flag in turn.flags] == []
