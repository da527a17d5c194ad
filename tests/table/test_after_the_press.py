"""The recorder: what changes on the board after a press, and whose doing it is."""

from __future__ import annotations

from sensors.interfaces import Frame

from .conftest import MS
from .recorderkit import EMPTY, cover, opened


def test_a_tile_taken_after_the_press_is_reported_with_its_picture(live, put):
    first = opened(live, put)
    live.video(1500, 1800, cover(first), sure=0.3)
    live.video(1800, 2500, put("8G", "CA"))
    assert live.codes(1) == ["changed_after_press"]
    assert live.turns[0].score == 10
    (changed,) = [e for e in live.log.events() if e.type == "TilesChanged"]
    assert changed.payload["frames"].keys() == {"at", "after"}
    assert live.evidence.load(changed.payload["frames"]["after"])
    # Put back by the opponent, who then passes.
    live.video(2500, 2800, cover(first), sure=0.3)
    live.video(2800, 3500, first)
    live.press("right", 3450)
    assert live.turns[1].kind == "exchange_or_pass"
    assert live.codes(2) == []


def test_what_the_opponent_lays_is_no_change_after_the_press(live, put):
    first = opened(live, put)
    live.video(1500, 1700, cover(first), sure=0.3)
    live.video(1700, 2500, put("7I", "O", first))
    live.video(2500, 2700, cover(first), sure=0.3)
    live.video(2700, 3400, put("7I", "O", put("9I", "O", first)))
    live.press("right", 3350)
    assert live.codes(1) == []
    assert live.turns[1].tiles == {"7I": "O", "9I": "O"}


def test_tiles_that_go_while_the_clock_stands_are_the_director_s(live, put):
    first = opened(live, put)
    live.press("neutral", 1550)
    live.video(1600, 1800, cover(first), sure=0.3)
    live.video(1800, 2500, EMPTY)
    assert "changed_after_press" not in live.codes(1)


def test_what_goes_long_after_the_press_is_the_opponent_s_doing(live, put):
    first = opened(live, put)
    live.video(1500, 5000, first)
    live.video(5000, 5300, cover(first), sure=0.3)
    live.video(5300, 6000, put("8G", "CA"))
    assert live.codes(1) == []
    live.press("right", 5950)
    assert "tile_removed" in live.codes(2)


def test_a_hand_that_rests_after_the_press_and_reads_as_a_tile_hides_no_change(live, put):
    first = opened(live, put)
    hand = put("10B", "Y", put("9A", "~~", put("11A", "~~", first)))
    live.video(1500, 2000, hand)
    live.video(2000, 2200, cover(first), sure=0.3)
    live.video(2200, 2800, put("8G", "CA"))
    assert live.logged()[-1] == "TilesChanged"
    assert live.codes(1) == ["changed_after_press"]


def test_an_earlier_tile_that_goes_after_the_press_is_not_put_down_to_whoever_pressed(live, put):
    first = opened(live, put)
    live.video(1500, 5000, first)
    both = put("J8", "S", first)
    live.video(5000, 5300, cover(both), sure=0.3)
    live.video(5300, 6000, both)
    live.press("right", 5950)
    live.video(6000, 6300, cover(both), sure=0.3)
    live.video(6300, 7000, put("8G", "CA", put("J8", "S")))
    assert [live.codes(n) for n in (1, 2)] == [[], []]


def test_a_square_that_was_misread_at_the_press_is_no_tile_that_went_after_it(live, put, drawn):
    first = put("8G", "CAT")
    misread = put("8J", "?", first)
    live.video(0, 500, put("8J", "~"))
    live.press("right", 450)
    for t_ms in range(500, 1500, 100):
        image = drawn(put("8J", "~", first), seed=t_ms)
        live.reader.teach(image, misread, {"8J": 0.7}, {"8J": [("?", 0.7), (".", 0.3)]})
        live.recorder.frame(Frame(image, t_ms * MS, t_ms, b"jpeg"))
    live.press("left", 1450)
    assert "8J" in live.turns[0].tiles
    live.video(1500, 1800, cover(first), sure=0.3)
    for t_ms in range(1800, 2500, 100):
        image = drawn(put("8J", "~", first), seed=t_ms)
        live.reader.teach(image, first)
        live.recorder.frame(Frame(image, t_ms * MS, t_ms, b"jpeg"))
    assert "TilesChanged" not in live.logged()
    live.press("right", 2450)
    assert (live.turns[0].word, live.codes(1)) == ("CAT", [])
