"""A newcomer with a laptop, and a video for a webcam, reaches a scored game by setup alone."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from game.errors import TilewatchError
from game.events import from_payload
from game.state.fold import fold
from record.log.event_log import open_to_read
from record.paths import DATABASE
from simulation.motion.make import make_motion
from simulation.motion.variants import parse_variant
from table.cli import main
from table.setup import capture
from table.setup.walk import picture_steps
from tests.machine import free_port

from .walkkit import EMPTY, draw_still

FIRST = (*EMPTY[:7], "......HORN.....", *EMPTY[8:])
SECOND = (*EMPTY[:6], ".....AGE.......", "......HORN.....", *EMPTY[8:])
ANSWERS = """
camera = "video"
tiles = "skip"
clock = "none"
left = "Ann"
right = "Bob"
pages = "here"
port = {port}
accept = ["machine", "camera"]
"""


@pytest.fixture(scope="module")
def video(tmp_path_factory) -> Path:
    """A video of two plays: hands come from below and from above, and lay tiles."""
    stills = tmp_path_factory.mktemp("stills")
    for t_ms, rows in ((1000, FIRST), (60_000, SECOND)):
        draw_still(stills / "frames" / f"{t_ms:09d}.jpg", rows)
    (stills / "recording.toml").write_text(
        'name = "two plays"\ntile_set = "english"\nstills = true\n'
        'players = { left = "Ann", right = "Bob" }\n'
    )
    (stills / "buttons.csv").write_text("t_ms,button\n0,right\n2000,left\n61000,right\n")
    folder = tmp_path_factory.mktemp("newcomer")
    make_motion(stills, folder / "video", parse_variant("calm"), seed=2)
    return folder


def scores(data: Path) -> list[tuple[str, dict[str, str], int]]:
    """The plays in the log: side, tiles, score; none while there is no log."""
    try:
        with open_to_read(data / DATABASE) as log:
            events = [from_payload(one.payload) for one in log.events()]
    except (TilewatchError, OSError):
        return []
    turns = fold(events).turns if events else ()
    return [(turn.side, dict(turn.tiles), turn.score) for turn in turns]


@pytest.mark.slow
def test_a_newcomer_reaches_a_scored_game(video, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(capture, "SETTLING_S", 0.0)
    monkeypatch.setattr(picture_steps, "LOOK_S", 0.3)
    answers, data = video / "answers.toml", tmp_path / "data"
    answers.write_text(ANSWERS.format(port=free_port()))
    over = threading.Event()
    shown = []

    def stop_the_table() -> None:
        """Interrupt it once a play has its score: it runs then."""
        while not over.wait(0.2):
            if plays := scores(data):
                shown.extend(plays)
                os.kill(os.getpid(), signal.SIGINT)
                return

    watching = threading.Thread(target=stop_the_table)
    watching.start()
    try:
        options = ["--config", str(tmp_path / "table.toml"), "--data", str(data)]
        status = main(["setup", "--answers", str(answers), *options])
    finally:
        over.set()
        watching.join()
    assert status == 0, capfd.readouterr().err
    assert shown, capfd.readouterr()
    side, tiles, score = shown[0]
    assert (side, "".join(tiles.values()), score) == ("left", "HORN", 14)
