"""Whole games through the real drivers: mock pins, a stand-in camera, and a loop as it runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("gpiozero", reason="gpiozero is not installed")

from gpiozero.pins.mock import MockFactory

from game.events import TimePassed
from sensors.gpio import PINS

from .livekit import MS, Stage, agrees, game_of


@pytest.fixture
def stage(tmp_path, monkeypatch):
    factory = MockFactory()
    with Stage(tmp_path, monkeypatch, factory).open() as opened:
        yield opened
    factory.reset()


def test_a_whole_game_played_at_the_pins(stage):
    """Presses as short as 5 ms, contacts that bounce more or less, thirty-two turns.

    A hand that bounces on its button, one on the wrong side and a call of the director cost no
    turn, and are said.
    """
    script = game_of(8)
    board = stage.begin()
    for number, turn in enumerate(script.turns):
        stage.clock.pass_ms(1500)
        board = stage.turn(turn, board, held_ms=(5, 40, 200)[number % 3], bounces=number % 4)
        if number == 0:
            stage.touch(PINS[turn.side], bounces=0)
        elif number == 1:
            stage.clock.pass_ms(1000)
            stage.press(turn.side, bounces=0)
        elif number == 2:
            stage.touch(23, bounces=0)
        stage.wait(lambda at=number: len(stage.troubles()) == min(at + 1, 3))
    stage.end()
    agrees(script, stage.state)
    assert stage.troubles() == [
        ("button_double", script.turns[0].side, "happened"),
        ("button_same_side", script.turns[1].side, "happened"),
        ("director_called", "", "happened"),
    ]
    assert [flag.code for turn in stage.state.turns for flag in turn.flags] == []
    edges = (stage.folder / "edges.csv").read_text("ascii").splitlines()
    bounces = sum(number % 4 for number in range(len(script.turns)))
    assert len(edges) == 2 * (len(script.turns) + 4) + 4 * (bounces + 3)
    (camera,) = stage.cameras
    assert camera.config["main"] == {"size": (1536, 1152), "format": "RGB888"}
    assert camera.controls["AeEnable"] is False
    assert camera.controls["AwbEnable"] is False
    assert camera.calls.count("set_controls") == 1


@pytest.mark.slow
def test_a_camera_that_is_pulled_in_mid_turn_costs_no_turn(stage):
    script = game_of(8)
    board = stage.begin()

    def pulled(_before, after):
        stage.pulled.set()
        stage.frame_lost(after)
        stage.clock.pass_ms(4000)
        stage.wait(lambda: ("camera_lost", "", "begins") in stage.troubles())
        assert stage.table.session.phase == "interrupted"
        stage.pulled.clear()
        stage.frames(after, 2500)

    for turn in script.turns[:3]:
        stage.clock.pass_ms(1500)
        board = stage.turn(turn, board, pulled if turn == script.turns[1] else None)
    agrees(replace(script, turns=script.turns[:3]), stage.state)
    assert [flag.code for turn in stage.state.turns for flag in turn.flags] == []
    # The test's clock jumps: to the table, its own loop may have stood still meanwhile.
    codes = [(code, state) for code, _, state in stage.troubles() if code != "too_slow"]
    assert codes == [("camera_lost", "begins"), ("camera_lost", "over")]
    assert all(camera.closed and camera.out == 0 for camera in stage.cameras[:-1])


def test_a_play_pressed_for_while_the_picture_stands_still_is_its_turn_s(stage):
    script = game_of(8)
    board = stage.begin()
    for turn in script.turns[:2]:
        stage.clock.pass_ms(1500)
        board = stage.turn(turn, board)
    third = script.turns[2]
    stage.clock.pass_ms(1500)
    stood_still = stage.look(board)
    stage.frame(stood_still)
    cameras = len(stage.cameras)
    for _ in range(8):
        stage.frame(stood_still.copy(), shown=False)
    stage.press(third.side)
    while len(stage.cameras) == cameras:
        stage.frame(stood_still.copy(), shown=False)
    for _ in range(4):  # the camera is started anew, and still hands over the old picture
        stage.frame(stood_still.copy(), shown=False)
    board = board.replace(third.tiles)
    stage.frames(board, 2500)
    stage.turn(script.turns[3], board)
    agrees(replace(script, turns=script.turns[:4]), stage.state)
    assert ("camera_frozen", "", "begins") in stage.troubles()


def test_a_game_is_lost_on_time_though_nothing_is_seen_or_pressed(tmp_path, monkeypatch):
    """NASPA V.G.3: nobody presses, and the camera delivers nothing either."""
    factory = MockFactory()
    stage = Stage(tmp_path, monkeypatch, factory)
    stage.config = stage.config.model_copy(update={"rulebook": "naspa-2017"})
    with stage.open():
        stage.begin()
        started = stage.state.clocks.since_ns
        stage.clock.pass_ms(35 * 60_000)
        assert stage.state.status == "running"
        stage.clock.pass_ms(5_000)
        stage.wait(lambda: stage.state.status == "ended")
        (passed,) = stage.events(TimePassed)
        assert passed.t_ns == started + 2101 * 1000 * MS
        (flag,) = stage.state.flags
        assert (flag.code, flag.rule, flag.side) == ("overtime_limit", "V.G.3", "left")
        assert stage.state.outcome.winner == "right"
    factory.reset()
