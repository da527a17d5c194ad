"""The recorder on video: what is seen at a press, around it, and under a hand."""

from __future__ import annotations

from .recorderkit import EMPTY, cover


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
    assert live.codes(1) == ["board_covered"]
    assert live.codes(2) == []


def test_a_held_turn_is_settled_before_the_next_press(live, put):
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.press("left", 600)  # the camera has stalled: nothing is known of this turn
    live.press("right", 5000)
    assert [turn.side for turn in live.turns] == ["left"]
    live.recorder.finish()
    assert [turn.side for turn in live.turns] == ["left", "right"]
    assert all("board_covered" in live.codes(n) for n in (1, 2))


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


def test_a_hand_over_a_corner_of_the_board_is_no_clear_view(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, cover(first, range(2, 5), range(11, 14)))
    live.press("left", 1450)
    assert live.turns == ()
    live.video(1500, 2100, first)
    assert live.turns[0].word == "CAT"
    assert live.codes(1) == ["board_covered"]


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
