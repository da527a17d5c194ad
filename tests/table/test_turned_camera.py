"""A camera whose pictures are turned in the middle of a game, as those of a phone may be.

With the reader that ships: the board is found anew by its letters, wherever it lies.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from game.board import Board
from game.tileset import load_tile_set
from models.scenes import Renderer
from record.log.event_log import EventLog
from sensors.interfaces import Frame, Press
from simulation import generate
from simulation.appearance import look
from table.game_setup import GameSetup
from table.readers import board_reader
from table.recorder_stores import RecorderStores
from table.session import TableSession

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
        self._renderer, self._noise = (
            Renderer(replace(made, camera=camera)),
            np.random.default_rng(0),
        )

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
