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
