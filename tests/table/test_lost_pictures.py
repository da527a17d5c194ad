"""The recorder: what it notes of the stretches of time of which it has no picture."""

from __future__ import annotations

import numpy as np
import pytest

from game.events import PicturesLost
from sensors.interfaces import Frame
from table.health.limits import DROPPED_NS, STALLED_NS
from table.health.lost_pictures import LostPictures
from table.views.views import view

from .recorderkit import opened
from .sessionkit import MS
from .sessionkit import opened as sitting

SECOND = 1_000_000_000


def looked(*times: tuple[int, int]) -> LostPictures:
    """Pictures that were looked at, as (time in ms, number of the camera's)."""
    lost = LostPictures()
    for t_ms, seq in times:
        lost.frame(Frame(np.zeros((1, 1, 3), np.uint8), t_ms * 1_000_000, seq))
    return lost


@pytest.mark.parametrize(
    ("at_ms", "seq", "lost"),
    [
        (DROPPED_NS // 1_000_000, 16, False),
        (DROPPED_NS // 1_000_000 + 1, 16, True),
        (DROPPED_NS // 1_000_000 + 1, 2, False),  # the camera gave no more
        (STALLED_NS // 1_000_000 + 1, 2, True),
    ],
)
def test_a_stretch_is_lost_where_pictures_were_dropped_or_none_came(at_ms, seq, lost):
    assert bool(looked((0, 1), (at_ms, seq)).between(0, at_ms * 1_000_000)) is lost


def test_stretches_side_by_side_are_one_and_their_pictures_are_counted():
    found = looked((0, 0), (1500, 15), (3000, 30), (3100, 31), (5000, 50)).between(0, 5 * SECOND)
    assert found == (
        PicturesLost(0, 3 * SECOND, 28),
        PicturesLost(3_100_000_000, 5 * SECOND, 18),
    )


def test_a_stretch_that_is_not_over_ends_for_the_turn_at_its_press():
    assert looked((0, 0)).between(0, 5 * SECOND) == (PicturesLost(0, 5 * SECOND),)


def test_a_camera_that_is_opened_again_counts_anew():
    assert looked((0, 900), (1900, 0)).dropped == 0


@pytest.mark.parametrize(("away_ns", "blind"), [(None, True), (2_400 * SECOND, True), (0, False)])
def test_a_sleep_in_which_the_table_s_time_stood_is_lost_for_as_long_as_it_was(away_ns, blind):
    lost = looked((0, 0), (100, 1))
    lost.unwatched(away_ns)
    lost.frame(Frame(np.zeros((1, 1, 3), np.uint8), 200_000_000, 2))
    assert lost.between(0, SECOND) == (PicturesLost(100_000_000, 200_000_000),)
    assert lost.blind(0, SECOND) is blind


@pytest.mark.parametrize("audience", ["director", "player", "public"])
def test_everybody_sees_when_pictures_were_lost_and_which_tiles_are_nobody_s_yet(
    live, put, audience
):
    first = opened(live, put)
    board = put("E10", "A.ORN", put("11E", "CLEA.", put("I8", ".VENS", first)))
    live.video(9000, 10000, board)
    live.press("right", 9950)
    seen = view(live.state, audience)
    turn = seen["turns"][1]
    lost = {"from_ns": 1_400_000_000, "until_ns": 9_000_000_000, "dropped": 0}
    assert turn["lost"] == [lost]
    assert set(turn["open_tiles"]) == {square.name for square in first.diff(board)}
    assert seen["squares"]["9I"]["turn"] is None
    assert (turn.get("checking") is True) == (audience != "director")
    assert "lost" not in seen["turns"][0]


def test_one_play_after_a_time_in_which_no_process_ran_is_asked_about(sit, put):
    """The player on turn may have exchanged, and the opponent have laid it."""
    sat = sit()
    first = sitting(sat, put)
    sat.killed()
    sat.now_ms += 40_000
    sat.video(2, put("7I", "ON", first))
    sat.press("right")
    turn = sat.state.turns[1]
    assert (turn.kind, [flag.code for flag in turn.flags]) == ("play", ["pictures_lost"])


@pytest.mark.parametrize("heard", [True, False])
def test_what_was_played_while_no_process_ran_is_asked_about(sit, put, heard):
    """A clock may keep the presses, or they are lost with the process."""
    sat = sit()
    first = sitting(sat, put)
    sat.video(2, first)
    killed_ms = sat.now_ms
    third = put("E10", "A.ORN", put("11E", "CLEA.", put("I8", ".VENS", first)))
    sat.killed()
    for button in ("right", "left"):
        sat.now_ms += 20_000
        if heard:
            sat.press(button)
    sat.now_ms += 20_000
    back_ms = sat.now_ms + 100
    sat.video(2, third)
    sat.press("right")
    sat.video(3, third)
    turns = sat.state.turns[1:]
    lost = turns[-1].seen.lost
    assert lost[-1].until_ns == back_ms * MS
    assert 0 <= killed_ms * MS - lost[0].from_ns <= SECOND
    assert [(turn.kind, turn.score) for turn in turns] == [("not_known", 0)] * (1 + 2 * heard)
    asked = [square for turn in turns for square in turn.open_tiles]
    assert sorted(asked) == sorted(square.name for square in first.diff(third))
    assert "played_unseen" in [flag.code for flag in turns[-1].flags]
    assert sat.state.board == third
