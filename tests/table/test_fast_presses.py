"""Presses close to the last movement, and views that clear up without any movement."""

from __future__ import annotations

import pytest

from game.board import Square

from .conftest import Bench
from .recorderkit import EMPTY, cover


def started(live) -> None:
    """The board is seen empty, and right's press starts left's clock."""
    live.video(0, 500, EMPTY)
    live.press("right", 450)


def placed(live, board) -> None:
    """A hand lays the tiles and has just left: one frame shows the board without it."""
    live.video(500, 900, EMPTY)
    live.video(900, 1300, cover(board), sure=0.3)
    live.frame(1300, board)


@pytest.fixture
def no_motion(monkeypatch):
    """Call it, and from then on no movement is noticed."""
    return lambda: monkeypatch.setattr("vision.tracking.motion.PIXELS", 10**6)


def test_a_press_right_after_the_hand_has_left_is_seen_once_the_board_is_at_rest(live, put):
    first = put("8G", "CAT")
    started(live)
    placed(live, first)
    live.press("left", 1350)
    live.video(1400, 4500, first)
    assert [turn.word for turn in live.turns] == ["CAT"]
    assert live.seen()[0].sighted_ns == 1_500_000_000
    assert live.codes(1) == ["board_covered"]


def test_a_stop_right_after_the_hand_has_left_is_seen_once_the_board_is_at_rest(tmp_path, put):
    live = Bench(tmp_path, stills=False, rulebook="sanspa-2001")
    first = put("8G", "CAT")
    started(live)
    placed(live, first)
    live.press("neutral", 1350)
    live.video(1400, 4500, first)
    assert [turn.word for turn in live.turns] == ["CAT"]
    live.log.close()


def test_where_the_next_press_comes_at_once_the_view_after_the_first_counts(live, put):
    first = put("8G", "CAT")
    started(live)
    placed(live, first)
    live.press("left", 1350)
    live.frame(1400, first)
    live.press("neutral", 1450)
    assert [turn.word for turn in live.turns] == ["CAT"]


def test_a_view_in_which_something_has_just_moved_does_not_count_at_the_next_press(live, put):
    first = put("8G", "CAT")
    started(live)
    live.video(500, 1200, first)
    live.frame(1200, cover(first), sure=0.3)
    live.press("left", 1250)
    live.frame(1300, put("9G", "OX", first))
    live.press("neutral", 1350)
    assert [turn.word for turn in live.turns] == ["CAT"]


def test_what_is_taken_after_a_fast_press_was_changed_after_it(live, put):
    first = put("8G", "CAT")
    started(live)
    placed(live, first)
    live.press("left", 1350)
    live.video(1400, 2000, first)
    live.video(2000, 2300, cover(first), sure=0.3)
    live.video(2300, 3000, put("8G", "CA"))
    assert "changed_after_press" in live.codes(1)


def test_a_held_turn_is_seen_though_no_movement_was_noticed(live, put, no_motion):
    first = put("8G", "CAT")
    started(live)
    live.video(500, 1500, cover(first), sure=0.3)
    live.press("left", 1450)
    live.video(1500, 2000, cover(first), sure=0.3)
    no_motion()
    live.video(2000, 3500, first)
    assert [turn.word for turn in live.turns] == ["CAT"]


def test_a_change_after_the_press_is_seen_though_no_movement_was_noticed(live, put, no_motion):
    first = put("8G", "CAT")
    started(live)
    live.video(500, 1500, first)
    live.press("left", 1450)
    live.video(1500, 1800, cover(first), sure=0.3)
    no_motion()
    live.video(1800, 3200, put("8G", "CA"))
    assert live.codes(1) == ["changed_after_press"]


def test_a_board_that_was_covered_at_first_is_found_without_movement(live, no_motion):
    live.video(0, 1000, cover(EMPTY), sure=0.3)
    no_motion()
    live.video(1000, 4000, EMPTY)
    assert live.recorder.present.reading.rows == EMPTY.rows


def test_a_press_that_is_heard_of_late_finds_the_board_as_it_lay_then(live, put):
    first = put("8G", "CAT")
    started(live)
    live.video(500, 1600, first)
    live.video(1600, 1800, cover(first), sure=0.3)
    live.press("left", 1450)
    assert [turn.word for turn in live.turns] == ["CAT"]
    assert live.codes(1) == []


def test_a_board_that_came_to_rest_after_the_press_was_not_seen_at_it(live, put):
    first = put("8G", "CAT")
    started(live)
    live.video(500, 1400, cover(first), sure=0.3)
    live.video(1400, 1700, first)
    live.press("left", 1350)
    live.frame(1700, first)
    assert [turn.word for turn in live.turns] == ["CAT"]
    assert live.codes(1) == ["board_covered"]


def test_what_may_be_a_tile_aside_of_the_play_is_asked_about(live, put):
    first = put("8G", "CAT")
    aside = put("2J", "?", first)
    started(live)
    live.video(500, 1500, aside, sure={"2J": 0.7})
    live.press("left", 1450)
    live.video(1500, 4500, aside, sure={"2J": 0.7})
    assert [(turn.word, turn.score) for turn in live.turns] == [("CAT", 10)]
    flags = [(flag.code, flag.squares) for flag in live.turns[0].flags]
    assert ("uncertain_square", ("2J",)) in flags


def test_it_is_asked_about_where_the_next_view_hides_it(live, put):
    first = put("8G", "CAT")
    aside = put("2J", "?", first)
    started(live)
    live.video(500, 1500, aside, sure={"2J": 0.7})
    live.press("left", 1450)
    live.video(1500, 4500, cover(first, range(4), range(8, 15)), sure=0.3)
    assert [(turn.word, turn.score) for turn in live.turns] == [("CAT", 10)]
    flags = [(flag.code, flag.squares) for flag in live.turns[0].flags]
    assert ("uncertain_square", ("2J",)) in flags


def test_it_was_none_where_the_next_clear_view_shows_none(live, put):
    first = put("8G", "CAT")
    started(live)
    live.video(500, 1500, put("2J", "?", first), sure={"2J": 0.7})
    live.press("left", 1450)
    live.video(1500, 4500, first)
    assert [(turn.word, turn.score) for turn in live.turns] == [("CAT", 10)]
    assert "uncertain_square" not in live.codes(1)
    assert live.state.board == first


def pressed_before_its_last_tile_shows(live, put, until_ms: int) -> None:
    """The camera's pictures are late: they show CA at left's press, and CAT from then on."""
    started(live)
    live.video(500, 900, cover(EMPTY), sure=0.3)
    live.video(900, until_ms, put("8G", "CA"))
    live.press("left", 1350)
    live.video(until_ms, until_ms + 200, cover(put("8G", "CAT"), range(8, 12)), sure=0.3)
    live.video(until_ms + 200, 4500, put("8G", "CAT"))


@pytest.mark.parametrize("until_ms", [1400, 1600])
def test_a_tile_that_comes_into_sight_at_the_press_completes_the_play(live, put, until_ms):
    pressed_before_its_last_tile_shows(live, put, until_ms)
    live.video(4500, 6000, put("9I", "O", put("8G", "CAT")))
    live.press("right", 5950)
    assert [(turn.word, turn.score) for turn in live.turns] == [("CAT", 10), (".O", 3)]


def test_a_tile_that_comes_when_the_opponent_can_have_laid_it_is_the_opponents(live, put):
    pressed_before_its_last_tile_shows(live, put, 1900)
    live.press("right", 4450)
    assert [(turn.side, turn.tiles) for turn in live.turns] == [
        ("left", {"8G": "C", "8H": "A"}),
        ("right", {"8I": "T"}),
    ]


def test_a_fingertip_that_reads_as_a_bare_square_hides_the_tile_under_it(live, put, monkeypatch):
    """At the press the last tile lies under a finger, beside the hand that covers the others."""
    monkeypatch.setattr("vision.tracking.appearance._ANOTHER", 10.0)
    first = put("8G", "CAT")
    hand = cover(first, cols=range(9))
    started(live)
    live.video(500, 900, EMPTY)
    live.video(900, 1400, put("8I", "~", hand), reads=hand.replace({Square.parse("8I"): "."}))
    live.press("left", 1350)
    live.video(1400, 4500, first)
    assert [(turn.word, turn.score) for turn in live.turns] == [("CAT", 10)]
