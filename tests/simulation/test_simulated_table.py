"""The simulated table: its frames, its presses, and the truth of both."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from game.board import Board, Square
from game.events import BlankDesignated, ChallengeBonus, TurnRuled
from game.tileset import load_tile_set
from simulation import BRISK, Script, ScriptTurn, SimulatedTable
from simulation.actions import InTurn, Lay, Leave, Lift, PressClock, Reach, Together, Wait
from simulation.appearance import look
from simulation.simulated_table import Renderer
from simulation.world import World
from tests.machine import PATIENCE_S

S = Square.parse
PLAYERS = {"left": "Ann", "right": "Bob"}
GAME = Script(
    PLAYERS,
    "english",
    (
        ScriptTurn("left", "play", {S("8H"): "A", S("9H"): "b"}, 2, 2),
        ScriptTurn(
            "right",
            "withdrawn",
            {S("9I"): "X"},
            0,
            0,
            afterwards=(ChallengeBonus("left", 5, None, "x", "y", 0),),
        ),
        ScriptTurn("left", "exchange", {}, 0, 2),
        ScriptTurn("right", "play", {S("8I"): "T"}, 2, 2, out=True),
    ),
)


def table(script: Script = GAME, seed: int = 1, **options) -> SimulatedTable:
    return SimulatedTable(script, seed, pace=BRISK, **options)


def world(fps: float = 10.0) -> World:
    return World(random.Random(1), look(1, load_tile_set("english")), fps)


def count_frames(action, on: World) -> int:
    return sum(1 for _ in action.run(on))


def test_presses_come_in_order_and_end_each_turn():
    made = table()
    presses = list(made.presses())
    times = [press.t_ns for press in presses]
    assert times == sorted(times)
    # The clock is started; the challenge stops it and it is started again; the out play stops it.
    assert [press.button for press in presses] == [
        "right", "left", "right", "neutral", "right", "left", "neutral",
    ]  # fmt: skip
    assert [turn.press_ns for turn in made.turns] == [times[1], times[2], times[5], times[6]]
    assert made.turns[1].board[S("9I")] == "X"
    assert made.turns[2].board[S("9I")] == "."


def test_what_is_said_comes_after_its_turn_in_order_of_time():
    made = table()
    output = list(made.announcements())
    assert [type(item.event) for item in output] == [BlankDesignated, ChallengeBonus, TurnRuled]
    blank, bonus, ruling = (item.event for item in output)
    assert (blank.square, blank.letter) == ("9H", "B")
    assert (ruling.turn, ruling.ruling) == (2, "challenge_upheld")
    assert all(item.t_ns == item.event.t_ns for item in output)
    assert made.turns[0].press_ns < blank.t_ns < made.turns[1].press_ns < bonus.t_ns < ruling.t_ns


def test_frames_are_evenly_spaced_and_true_to_the_script():
    made = table(start_ns=5_000_000_000)
    moments = list(made.moments())
    times = [moment.t_ns for moment in moments]
    assert times[0] == 5_000_000_000
    assert set(np.diff(times)) == {100_000_000}
    assert [moment.seq for moment in moments] == list(range(len(moments)))
    for turn in made.turns:
        last = [moment for moment in moments if moment.t_ns <= turn.press_ns][-1]
        assert Board.from_rows(last.rows) == turn.board
        assert not last.hands
    assert Board.from_rows(moments[-1].rows) == GAME.boards()[-1]


def test_hands_are_over_the_board_while_tiles_change():
    changes = 0
    for before, after in itertools.pairwise(table().moments()):
        if before.rows != after.rows:
            changes += 1
            assert after.moving
    assert changes == 5


def test_drawn_frames_have_their_truth():
    made = table()
    seen_hand = False
    previous = None
    for frame in map(made.draw, itertools.islice(made.moments(), 0, 60, 5)):
        assert frame.image.dtype == np.uint8
        assert frame.image.shape == (768, 1024, 3)
        truth = frame.truth
        assert truth.covered.shape == truth.rotation.shape == (15, 15)
        assert (truth.covered.max() > 0.2) <= truth.moving
        seen_hand |= bool(truth.covered.max() > 0.2)
        # The corners lie inside the picture, clockwise.
        assert (truth.corners > 0).all()
        assert (truth.corners < (1024, 768)).all()
        if (
            previous is not None
            and previous.truth.rows == truth.rows
            and not (previous.truth.moving or truth.moving)
        ):
            apart = np.abs(previous.image.astype(int) - frame.image).mean()
            assert 0 < apart < 3  # noise and nothing else
        previous = frame
    assert seen_hand


def test_a_tile_shows_where_the_truth_says():
    made = table()
    moments = list(made.moments())
    empty = made.draw(moments[0])
    placed = made.draw([m for m in moments if m.t_ns <= made.turns[0].press_ns][-1])
    difference = np.abs(placed.image.astype(int) - empty.image).max(axis=2)
    corners = placed.truth.corners.astype(float)
    for square, changed in ((S("8H"), True), (S("9H"), True), (S("3C"), False), (S("8K"), False)):
        across, down = (square.col + 0.5) / 15, (square.row + 0.5) / 15
        top = corners[0] + (corners[1] - corners[0]) * across
        bottom = corners[3] + (corners[2] - corners[3]) * across
        x, y = (top + (bottom - top) * down).astype(int)
        patch = difference[y - 8 : y + 8, x - 8 : x + 8].mean()
        assert (patch > 15) == changed, (square.name, patch)


def test_the_same_seed_gives_the_same_pictures_and_presses():
    first, second = table(), table()
    assert list(first.presses()) == list(second.presses())
    for one, two in zip(
        itertools.islice(first.frames(), 3),
        itertools.islice(second.frames(), 3),
        strict=True,
    ):
        assert np.array_equal(one.image, two.image)
    other = next(table(seed=2).frames())
    assert not np.array_equal(one.image, other.image)


def test_closing_ends_every_iterator():
    made = table()
    moments = made.moments()
    next(moments)
    made.close()
    assert list(moments) == []
    assert list(made.presses()) == []


def test_reading_from_two_threads_loses_nothing():
    from concurrent.futures import ThreadPoolExecutor

    made = table()
    with ThreadPoolExecutor() as pool:
        presses = pool.submit(lambda: list(made.presses()))
        moments = pool.submit(lambda: list(made.moments()))
        assert len(presses.result(PATIENCE_S)) == 7
        assert len(moments.result(PATIENCE_S)) == len(list(table().moments()))


@pytest.mark.parametrize(("fps", "frames"), [(10, 12), (5, 6), (1, 1)])
def test_waiting_takes_its_time_in_frames(fps, frames):
    assert count_frames(Wait(1.2), world(fps)) == frames


def test_actions_follow_one_another_and_go_together():
    on = world()
    pair = (Wait(0.5), Wait(0.8))
    assert count_frames(InTurn(pair), on) == 13
    assert count_frames(Together(pair), on) == 8
    assert count_frames(Together(()), on) == 0


def test_a_tile_is_laid_turned_and_lifted():
    on = world()
    count_frames(Lay("left", S("8H"), "Q", 0.3, quarter_turns=6), on)
    assert on.board[S("8H")] == "Q"
    assert on.moment().rotation[7, 7] == 2
    assert on.hands.keys() == {"left"}
    count_frames(Lift("right", S("8H")), on)
    assert on.board == Board.empty()
    assert not on.moment().rotation.any()
    count_frames(Together((Leave("left"), Leave("right"))), on)
    assert not on.hands


def test_a_hand_glides_and_does_not_jump():
    on = world()
    reaches = [on.hands["left"].reach for _ in Reach("left", (7.0, 7.0), 1.0).run(on)]
    steps = np.linalg.norm(np.diff(np.array(reaches), axis=0), axis=1)
    assert reaches[-1] == pytest.approx((7.0, 7.0))
    assert steps.max() < 2.5


def test_a_press_falls_between_frames():
    on = world()
    count_frames(PressClock("left"), on)
    (press,) = on.presses
    assert 0 < press.t_ns < 100_000_000


@pytest.mark.parametrize("seed", range(4))
def test_every_look_can_be_drawn_and_shows_the_whole_board(seed):
    spec = look(seed, load_tile_set("german"))
    renderer = Renderer(spec)
    assert (renderer.corners > 10).all()
    assert (renderer.corners < (1014, 758)).all()
