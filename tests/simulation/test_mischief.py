"""Mischief: planned from a seed, done at the table, and true to what is said of it."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from game.board import Board, Square
from game.errors import TilewatchError
from game.events import TilesChanged, TurnSeen
from game.state.fold import fold
from simulation import ALL_ON, BRISK, NONE, Mischief, Script, ScriptTurn, SimulatedTable, plan
from simulation.actions import (
    CameraTrouble,
    Lamps,
    Lay,
    LeanOver,
    Leave,
    Nudge,
    Slide,
    Sun,
    TurnBoard,
    Wait,
)
from simulation.tricks import TRICKS
from tests.simulation.conftest import generated

S = Square.parse
GAMES = (17, 8, 25)
SHORT = Script(
    {"left": "Ann", "right": "Bob"},
    "english",
    (
        ScriptTurn("left", "play", {S("8G"): "C", S("8H"): "A", S("8I"): "T"}, 10, 10),
        ScriptTurn("right", "play", {S("7H"): "F", S("9H"): "R"}, 6, 6),
    ),
)


def play(script, planned, seed=1):
    """The moments of a planned game, undrawn, and the table."""
    table = SimulatedTable(script, seed, actions=planned.actions(random.Random(seed), BRISK))
    return list(table.moments()), table


def frames(*actions, last=False):
    """The pictures of what is done, or only the last one of them."""
    table = SimulatedTable(SHORT, 1, actions=actions)
    moments = list(table.moments())
    return [table.draw(moment) for moment in (moments[-1:] if last else moments)]


def test_the_same_seed_plans_the_same_mischief():
    script = generated(17)
    one, two = plan(script, 3), plan(script, 3)
    assert one.faults == two.faults
    assert plan(script, 4).faults != one.faults


def test_without_mischief_the_game_is_played_as_written():
    planned = plan(SHORT, 1, NONE)
    assert planned.faults == ()
    assert [turn.turn for turn in planned.turns] == list(SHORT.turns)
    assert [turn.flags for turn in planned.truth.turns] == [(), ()]


@pytest.mark.slow
def test_every_fault_is_flagged_in_truth_and_no_play_is_worth_another_score():
    kinds: Counter[str] = Counter()
    for seed in range(15):
        script = generated(GAMES[seed % 3])
        planned = plan(script, seed, Mischief(turn=0.9))
        moments, table = play(script, planned)
        truth = fold([planned.start("g", 0), *table.truth])
        for fault in table.faults:
            kinds[fault.kind] += 1
            codes = {flag.code for flag in truth.turns[fault.turn - 1].flags}
            assert fault.codes <= codes, fault
        scored = [turn.score for turn in truth.turns]
        for place, planned_turn in enumerate(planned.turns):
            if planned_turn.scores and planned_turn.turn.score is not None:
                assert scored[place] == planned_turn.turn.score
        assert Board.from_rows(moments[-1].rows).symbols
    names = {trick.__name__ for trick in TRICKS} - {"misplaced"}
    assert names <= kinds.keys()
    assert {"gap", "disconnected", "not_one_line"} <= kinds.keys()


def test_what_the_truth_says_of_a_turn_lay_there_at_its_press():
    script = generated(8)
    moments, table = play(script, plan(script, 2, ALL_ON))
    seen = [event for event in table.truth if isinstance(event, TurnSeen)]
    assert len(seen) == len(table.turns)
    for event in seen:
        last = [moment for moment in moments if moment.t_ns <= event.press_ns][-1]
        shown = tuple("".join("?" if s.islower() else s for s in row) for row in last.rows)
        assert event.rows == shown


def test_a_change_after_the_press_is_in_the_truth_with_its_time():
    for seed in range(40):
        script = generated(17)
        planned = plan(script, seed, Mischief(turn=0.9))
        _, table = play(script, planned)
        for event in table.truth:
            if isinstance(event, TilesChanged):
                press = [e for e in table.truth if isinstance(e, TurnSeen)][event.turn - 1].press_ns
                assert 0 < event.t_ns - press < 2_000_000_000
                return
    raise AssertionError("nobody ever changed a tile after the press")


def test_a_record_that_no_referee_would_score_so_is_refused():
    wrong = Script(SHORT.players, "english", (ScriptTurn("left", "play", {S("8H"): "A"}, 99, 99),))
    with pytest.raises(TilewatchError, match=r"turn 1 .* not worth"):
        plan(wrong, 1)


def test_a_turned_board_is_the_same_board_turned():
    made = frames(Wait(0.1), TurnBoard("left", 180.0, 0.5), Wait(0.1))
    first, last = made[0].truth.corners, made[-1].truth.corners
    middle = first.mean(axis=0)
    assert np.abs(last.mean(axis=0) - middle).max() < 8
    # The corner that was top left lies at the bottom right now.
    assert np.linalg.norm(last[0] - first[2]) < 20
    turning = [frame for frame in made if frame.truth.moving]
    assert len(turning) >= 5
    steps = [np.linalg.norm(a.truth.corners[0] - first[0]) for a in turning]
    assert steps == sorted(steps)


def test_a_nudged_board_lies_a_little_elsewhere():
    made = frames(Wait(0.1), Nudge((0.4, 0.0), 0.0), Wait(0.1))
    moved = made[-1].truth.corners - made[0].truth.corners
    square = np.linalg.norm(made[0].truth.corners[1] - made[0].truth.corners[0]) / 15
    assert np.linalg.norm(moved, axis=1) == pytest.approx([0.4 * square] * 4, rel=0.15)


def test_light_changes_and_nothing_else():
    still, shade, sun = (
        frames(*actions, last=True)[0]
        for actions in (
            (Wait(0.2),),
            (LeanOver(8.0), Wait(0.1)),
            (Sun((0.3, 0.0), (0.6, 0.7, 0.8)), Wait(0.2)),
        )
    )
    for other in (shade, sun):
        assert other.image.mean() < still.image.mean() - 3
        assert (other.truth.corners == still.truth.corners).all()
    flicker = frames(Lamps((1.0, 0.8)), Wait(0.4))
    means = [frame.image.mean() for frame in flicker]
    assert max(means) - min(means) > 10


def test_a_tile_slides_under_a_sleeve():
    made = frames(
        Lay("left", S("8H"), "A", 0.2), Slide("left", S("8H"), S("8I"), 0.2), Leave("left")
    )
    assert made[-1].truth.rows[7] == "........A......"
    assert all(frame.truth.moving for frame in made[:4])


@pytest.mark.parametrize("trouble", ["gone", "frozen", "black", "smaller"])
def test_a_camera_in_trouble(trouble):
    made = frames(Wait(0.3), CameraTrouble(trouble, 0.5), Wait(0.2))
    before, during = made[0], made[3:8]
    if trouble == "gone":
        assert [frame is None for frame in made] == [False] * 3 + [True] * 5 + [False] * 2
    elif trouble == "frozen":
        assert all((frame.image == made[2].image).all() for frame in during)
        assert len({frame.t_ns for frame in during}) == 5
    elif trouble == "black":
        assert all(frame.image.max() < 10 for frame in during)
    else:
        assert during[0].image.shape[0] == round(before.image.shape[0] * 0.8)
    assert made[-1].image.shape == before.image.shape
