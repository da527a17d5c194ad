"""The recorder on video: what is seen at a press, around it, and under a hand."""

from __future__ import annotations

import pytest

from game.flags import QUESTIONS

from .recorderkit import EMPTY, IN_FULL_VIEW, cover


def test_video_turns_are_seen_at_the_press(live, put):
    first = put("8G", "CAT")
    live.video(0, 1000, EMPTY)
    live.press("right", 950)
    live.video(1000, 2000, cover(first))
    live.video(2000, 3000, first)
    live.press("left", 2950)
    assert live.turns[0].word == "CAT"
    assert live.codes(1) == []
    assert live.seen()[0].sighted_ns == 2_900_000_000


def test_the_evidence_of_a_board_at_rest_is_the_frame_that_was_read(live, put):
    first = put("8G", "CAT")
    live.video(0, 1000, EMPTY)
    live.press("right", 950)
    live.video(1000, 2000, cover(first))
    live.video(2000, 3000, first)
    prepared = live.recorder.pictures._prepared
    assert prepared is not None
    live.press("left", 2950)
    assert live.seen()[0].frames["at"] == prepared[1]
    assert 2_000_000_000 < prepared[0].t_ns < 2_900_000_000


def test_a_lamp_that_flickers_does_not_unsettle_the_board(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    for number, t in enumerate(range(500, 1500, 100)):
        live.frame(t, first, light=1.1 if number % 2 else 0.9)
    live.press("left", 1450)
    assert live.turns[0].word == "CAT"
    assert live.codes(1) == []


def test_a_press_under_a_hand_is_held_open_until_the_board_is_clear(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, cover(first), sure=0.3)
    live.press("left", 1450)
    assert live.turns == ()
    live.video(1500, 2000, first)
    assert live.turns[0].word == "CAT"
    assert live.turns[0].press_ns == 1_450_000_000
    assert live.codes(1) == ["board_covered"]
    assert live.state.on_turn == "right"


def test_long_after_the_press_the_last_clear_view_before_it_counts(live, put):
    first, second = put("8G", "CAT"), put("8G", "CATS")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, first)
    hands = [cover(first, cols=range(3 + n % 2, 12)) for n in range(60)]
    for number in range(3):
        live.frame(1500 + 100 * number, hands[number], sure=0.3)
    live.press("left", 1790)
    for number in range(3, 40):
        live.frame(1500 + 100 * number, hands[number], sure=0.3)
    live.video(5500, 6500, second)
    live.press("right", 6450)
    assert [turn.word for turn in live.turns] == ["CAT", "...S"]
    assert live.codes(1) == ["uncertain_square", "board_covered"]
    # The S may have lain there; on 8F nothing lies.
    assert live.turns[0].flags[0].squares == ("8J",)
    assert live.codes(2) == []


def test_a_held_turn_is_settled_before_the_next_press(live, put):
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.press("left", 1700)  # the camera has stalled: nothing is known of this turn
    live.press("right", 5000)
    assert [turn.side for turn in live.turns] == ["left"]
    live.recorder.finish()
    assert [turn.side for turn in live.turns] == ["left", "right"]
    assert all("uncertain_square" in live.codes(n) for n in (1, 2))


def test_what_one_frame_hides_another_shows(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, first)
    image = live.frame(900, first)
    live.reader.teach(image, put("8G", "C~T"), sure={"8H": 0.4}, guesses={"8H": [("A", 0.4)]})
    live.press("left", 950)
    assert live.turns[0].word == "CAT"
    assert live.codes(1) == []


def test_an_unmoved_board_is_not_read_between_presses(live, put):
    live.video(0, 1000, EMPTY)
    before = live.reader.reads
    live.video(1000, 3000, EMPTY)
    assert live.reader.reads == before
    assert len(live.recorder.timings.per_frame) == 30


def test_a_board_at_rest_is_read_before_the_press_and_not_again_at_it(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, first)
    before = live.reader.reads
    live.press("left", 1450)
    assert live.reader.reads == before
    assert live.turns[0].word == "CAT"
    assert live.seen()[0].sighted_ns == 1_400_000_000


def test_what_too_little_motion_betrayed_is_seen_at_the_press_all_the_same(live, put, monkeypatch):
    first, second = put("8G", "CAT"), put("8G", "CATS")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1000, first)
    monkeypatch.setattr("vision.tracking.motion.PIXELS", 10_000)
    live.video(1000, 1500, second)
    live.press("left", 1450)
    assert live.turns[0].word == "CATS"


CORNER = range(2, 5), range(11, 14)


def test_a_hand_that_hides_no_part_of_the_play_leaves_no_doubt(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, put("8G", "C"))
    live.video(900, 1500, cover(first, *CORNER))
    live.press("left", 1450)
    assert live.turns[0].word == "CAT"
    assert live.codes(1) == ["board_covered"]
    assert "board_covered" not in QUESTIONS
    certainty = live.seen()[0].certainty
    assert (certainty["player"], certainty["time"]) == (1.0, 1.0)
    assert certainty["tiles"] > 0.9
    live.video(1500, 6000, cover(first, *CORNER))
    second = put("J8", "S", first)
    live.video(6000, 6300, cover(second, *CORNER))
    live.press("right", 6290)
    assert [turn.word for turn in live.turns] == ["CAT", "...S"]


@pytest.mark.parametrize("under", ["S", "."])
def test_a_hand_at_the_end_of_the_play_leaves_a_doubt_about_those_squares(live, put, under):
    """Is there an S under it? The turn is scored without, and settled once it can be seen."""
    whole = put("8G", f"CAT{under}")
    hand = range(6, 9), range(9, 12)
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, put("8G", "C"))
    live.video(900, 1000, cover(whole, range(6, 12), range(3, 12)), sure=0.3)
    live.video(1000, 1500, cover(whole, *hand), sure=IN_FULL_VIEW)
    live.press("left", 1450)
    assert live.turns == ()
    live.video(1500, 4200, cover(whole, *hand), sure=IN_FULL_VIEW)
    assert (live.turns[0].word, live.turns[0].score) == ("CAT", 10)
    (flag,) = (flag for flag in live.turns[0].flags if flag.code in QUESTIONS)
    assert flag.squares == ("8J",)
    assert live.seen()[0].certainty["tiles"] < 0.5
    live.video(4200, 5000, whole)
    live.press("right", 4950)
    still_open = [
        flag for flag in live.turns[0].flags if flag.code in QUESTIONS and not flag.settled
    ]
    assert bool(still_open) == (under == "S")  # it may be the opponent's play
    assert live.turns[1].word == ("...S" if under == "S" else None)


def test_a_tile_that_cannot_be_read_at_the_press_counts_as_it_was_read_before(live, put):
    """A fingertip lies on it, too small to be a thing that covers."""
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, put("8G", "CAT"))
    live.video(900, 1500, put("8G", "CA~"))
    live.press("left", 1450)
    assert live.turns[0].word == "CAT"


def test_what_was_read_unsurely_before_a_hand_covered_it_is_in_doubt(live, put):
    """The fingers that let go of the tile hid a part of it."""
    whole, hand = put("8G", "CATS"), (range(6, 9), range(9, 12))
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, put("8G", "CATE"), sure={"8J": 0.92})
    live.video(900, 1500, cover(whole, *hand))
    live.press("left", 1450)
    live.video(1500, 4200, cover(whole, *hand))
    assert live.turns[0].word == "CAT"
    assert [flag.squares for flag in live.turns[0].flags if flag.code in QUESTIONS] == [("8J",)]


@pytest.mark.parametrize("laid_ms", [1000, 2000])
def test_a_tile_that_can_be_read_late_counts_for_the_turn_in_which_it_was_laid(live, put, laid_ms):
    """The hand moves, so that nothing is read; but frames show the S before the press, or after."""
    first, whole = put("8G", "CAT"), put("8G", "CATS")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, first)
    for t_ms in range(900, 4500, 100):
        board = whole if t_ms >= laid_ms else first
        hand = range(9, 12), range(t_ms // 100 % 3, 9)
        live.frame(t_ms, cover(board, *hand), sure=0.3)
        if t_ms == 1500:
            live.press("left", 1550)
    assert [turn.word for turn in live.turns] == ["CAT"]
    assert [flag.code for flag in live.turns[0].flags if flag.code in QUESTIONS]
    live.video(4500, 5000, whole)
    assert live.turns[0].word == ("CATS" if laid_ms < 1500 else "CAT")
    live.press("right", 5050)
    assert live.turns[1].word == (None if laid_ms < 1500 else "...S")
    assert not [flag for flag in live.turns[0].flags if flag.code in QUESTIONS and not flag.settled]


def test_a_frame_that_is_no_picture_is_left_out(live, put):
    import numpy as np

    from sensors.interfaces import Frame

    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1000, put("8G", "CAT"))
    for spoilt in (np.zeros((0, 0, 3), np.uint8), np.zeros((9, 9), np.uint8)):
        live.recorder.frame(Frame(spoilt, 1_000_000_000, live.seq))
    live.video(1000, 1500, put("8G", "CAT"))
    live.press("left", 1450)
    assert live.turns[0].word == "CAT"
